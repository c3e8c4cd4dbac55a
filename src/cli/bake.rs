//! `portamento bake`: exports takes of a project.

use std::path::PathBuf;

use super::Failure;
use super::flags::aim::AimFlags;
use super::flags::export::ExportFlags;
use super::job::{JobFlags, PartFlags};
use portamento_formats::export::clip_set;
use portamento_session::variants::Index;
use portamento_session::{Command, ExportRequest, ExportSettings, FileCommand, Session};
use portamento_takes::document::{Take, TakeId};

/// Exports the takes of a project.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The .portamento file.
    #[arg(required_unless_present = "schema")]
    project: Option<PathBuf>,
    /// Name of a take; may be given several times. Default: all takes.
    #[arg(long)]
    take: Vec<String>,
    /// Name of a clip set; may be given several times. Exports its takes. Members that are clips of files get takes.
    #[arg(long, value_name = "NAME")]
    set: Vec<String>,
    #[command(flatten)]
    aim: AimFlags,
    #[command(flatten)]
    export: ExportFlags,
    /// Write one file per character with the clips of all its takes, instead of one per take.
    #[arg(long, conflicts_with_all = ["resume", "parts", "job"])]
    per_character: bool,
    /// Write index.json and index.csv with the settings in which the takes differ, their duration and travel. The
    /// report of a job writes both.
    #[arg(long, conflicts_with_all = ["resume", "parts"])]
    index: bool,
    /// Folder to write to, one file per take; or a .glb, .gltf, .fbx or .vrm file for all takes of one character.
    #[arg(short, long, required_unless_present_any = ["job", "schema"])]
    out: Option<PathBuf>,
    #[command(flatten)]
    job: JobFlags,
    #[command(flatten)]
    part: PartFlags,
    #[command(flatten)]
    force: super::Force,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of the index of a set.
    #[arg(long, exclusive = true)]
    schema: bool,
}

impl Arguments {
    /// Exports the chosen takes, or writes the inputs of a job, and prints the report. Returns `Err` if an export reports an
    /// error.
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.schema {
            return super::print_text(clip_set::SCHEMA);
        }
        let mut session = crate::progress_bar::session();
        super::open_more(&mut session, &self.project.unwrap_or_default())?;
        let mut sets = self.set;
        sets.extend(self.aim.add(&mut session)?);
        let takes = with_sets(&mut session, &self.take, &sets)?;
        self.export.print_preset(self.json);
        let springs = self.export.springs;
        let mut settings = ExportSettings { per_character: self.per_character, ..self.export.settings() };
        settings.sidecars.index = self.index;
        let destination = self.out.clone().unwrap_or_default();
        let replace = self.force.into();
        let mut request = ExportRequest { takes, destination, springs, settings, replace, ..Default::default() };
        if let Some(folder) = self.job.folder.job.clone() {
            let mut job = self.job;
            if std::mem::take(&mut request.settings.sidecars.index) {
                job.index = Index::between(request.takes.iter().filter_map(|&id| session.document.take(id)));
            }
            return job.write(&mut session, request, folder, self.json);
        }
        if self.part.is_one_by_one() {
            return self.part.bake(&mut session, request, self.json);
        }
        bake(&mut session, request)?;
        super::print(&serde_json::json!(session.exports.reports()), self.json)
    }
}

/// Exports `request`. Returns `Err` if the export reports an error. Warnings are printed.
pub(super) fn bake(session: &mut Session, request: ExportRequest) -> Result<(), Failure> {
    super::perform(session, Command::File(FileCommand::Export(request)))
}

/// Returns the takes of these names and of the sets of these names; all takes without names. Takes are added to the project
/// for members of a set that are clips of files. Returns `Err` if there is no take or set of a name.
pub(super) fn with_sets(session: &mut Session, takes: &[String], sets: &[String]) -> Result<Vec<TakeId>, Failure> {
    let mut ids = if takes.is_empty() && !sets.is_empty() { Vec::new() } else { take_ids(session, takes)? };
    for name in sets {
        let known = &session.document.sets;
        let index = known.iter().position(|set| set.name == *name).ok_or_else(|| {
            let known: Vec<&str> = known.iter().map(|set| set.name.as_str()).collect();
            Failure::Usage(format!("The project has no clip set “{name}”. {}", super::it_has(&known)))
        })?;
        let of_set = session.takes_of_set(index);
        ids.extend(of_set.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
    }
    Ok(ids)
}

/// Returns the takes of these names; all takes without names. They are in the order of `names`. Returns `Err` if there is
/// no take of a name.
pub(super) fn take_ids(session: &Session, names: &[String]) -> Result<Vec<TakeId>, Failure> {
    if names.is_empty() {
        return Ok(session.document.takes.iter().map(|take| take.id).collect());
    }
    names.iter().map(|name| take_named(session, name).map(|take| take.id)).collect()
}

/// Returns the take of that name, or a usage error that lists all takes.
pub(super) fn take_named<'s>(session: &'s Session, name: &str) -> Result<&'s Take, Failure> {
    let takes = &session.document.takes;
    takes.iter().find(|take| take.name == name).ok_or_else(|| {
        let known: Vec<&str> = takes.iter().map(|take| take.name.as_str()).collect();
        Failure::Usage(format!("The project has no take “{name}”. {}", super::it_has(&known)))
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::tests::parsed;
    use portamento_sets::{SetKind, SetRequirements};
    use portamento_takes::document::clip_set::{ClipSet, MemberClip, SetMember};

    /// Saves a project with the hero and the set of its walk and run; returns the folder.
    pub fn project_with_a_set() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(portamento_test_support::asset("hero.glb"), folder.path().join("hero.glb")).unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
        let file = session.document.files[0].id;
        let member = |clip: &str| SetMember {
            clip: MemberClip::Clip { file, clip: clip.into() },
            requirements: Default::default(),
        };
        let requirements = SetRequirements { kind: SetKind::Ring, ..SetRequirements::default() };
        let members = vec![member("walk"), member("run")];
        session.document.add_set(ClipSet { name: "gaits".into(), members, requirements, ..ClipSet::default() });
        session.perform(Command::File(FileCommand::SaveAs(folder.path().join("gaits.portamento"))));
        folder
    }

    #[test]
    fn a_set_is_exported_by_its_name_with_its_index() {
        let folder = project_with_a_set();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (project, out) = (at("gaits.portamento"), at("out"));
        let words = [&*project, "--set", "gaits", "--preset", "godot", "--out", &out];
        parsed::<Arguments>(&words).and_then(Arguments::run).unwrap();
        let index: serde_json::Value =
            serde_json::from_slice(&std::fs::read(at("out/gaits.set.json")).unwrap()).unwrap();
        assert_eq!(index["members"].as_array().unwrap().len(), 2, "{index:#}");
        assert_eq!(index["blend_space"]["axes"][0]["name"], "forward", "both go straight ahead");
        let tree = std::fs::read_to_string(at("out/gaits.tree.tres")).unwrap();
        assert!(tree.contains("AnimationNodeBlendSpace1D"), "{tree}");
        let unknown = parsed::<Arguments>(&[&*project, "--set", "none", "--out", &out]).and_then(Arguments::run);
        assert!(matches!(unknown, Err(Failure::Usage(why)) if why.contains("gaits")));
        assert!(parsed::<Arguments>(&["--schema"]).and_then(Arguments::run).is_ok());
        assert!(parsed::<Arguments>(&["--aim-yaw=-30,0"]).is_err(), "a project is required");
    }

    #[test]
    fn an_aim_grid_needs_a_take_that_aims_to_its_directions() {
        let folder = tempfile::tempdir().unwrap();
        portamento_session::samples::write_all(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (project, out) = (at("samples.portamento"), at("out"));
        let words = [&*project, "--aim-grid", "leap to 5 m", "--aim-yaw=-170,170", "--aim-pitch=-80,80", "--out", &out];
        let refused = parsed::<Arguments>(&words).and_then(Arguments::run);
        assert!(matches!(&refused, Err(Failure::Failed(why)) if why.contains("left 170")), "{refused:?}");
    }

    #[test]
    fn the_index_of_an_export_lists_the_settings_in_which_takes_differ() {
        let folder = tempfile::tempdir().unwrap();
        portamento_session::samples::write_all(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (project, out) = (at("samples.portamento"), at("out"));
        let words = [&*project, "--take", "leap to 5 m", "--take", "leap at the dummy", "--index", "--out", &out];
        parsed::<Arguments>(&words).and_then(Arguments::run).unwrap();
        let rows: Vec<serde_json::Value> =
            serde_json::from_slice(&std::fs::read(at("out/index.json")).unwrap()).unwrap();
        assert_eq!(rows.len(), 2);
        for row in &rows {
            let file = PathBuf::from(row["file"].as_str().unwrap());
            let model = portamento_formats::import::import(&file).unwrap().model;
            let clip = model.clip(row["clip"].as_str().unwrap()).unwrap();
            assert!((row["seconds"].as_f64().unwrap() - clip.duration).abs() < 1e-5, "{row}");
            assert!(row["travel_m"].as_f64().unwrap() > 1.0, "{row}");
        }
        let far = (rows[0]["travel_m"].as_f64().unwrap() - 5.0).abs();
        assert!(far < 1e-3, "{rows:?}");
        let aims: Vec<&serde_json::Value> = rows.iter().map(|row| &row["aim_at"]).collect();
        assert_eq!(aims, [&serde_json::Value::Null, &"target dummy".into()], "settings that differ are columns");
        assert_eq!(std::fs::read_to_string(at("out/index.csv")).unwrap().lines().count(), 3);
    }
}
