//! `portamento variants`: a take with its settings varied, exported with an index of which clip is which.

use std::path::{Path, PathBuf};

use super::Failure;
use super::job::JobFlags;
use crate::export::FileSet;
use crate::session::variants::{Axis, Index, NAMES, variants};
use crate::session::{ExportFormat, ExportRequest, Keep, Session};

/// Exports a take of a project once for each combination of values of its settings.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The .portamento file.
    project: PathBuf,
    /// The take's name.
    #[arg(long)]
    take: String,
    /// A setting and its values, as target/world/2=2..8:0.5, seed=1,7,9, character=hero,knight or mirrored=false,true; may be given several times for
    /// all combinations. A wrong setting is told with those that there are.
    #[arg(long, required = true, value_name = "SETTING=VALUES", value_parser = Axis::parse)]
    vary: Vec<Axis>,
    /// What the variants are called; {take} stands for the take's name, {varied} for each setting with its value,
    /// {1}, {2} … for the values alone, an n in braces for the number.
    #[arg(long, default_value = NAMES)]
    names: String,
    /// What becomes of the file's other clips.
    #[arg(long, default_value = "alone", value_parser = Keep::parse)]
    keep: Keep,
    /// What a folder gets of clips.
    #[arg(long, default_value = "glb", value_parser = ExportFormat::parse)]
    format: ExportFormat,
    /// Keys on every frame at this rate; the source's own keys when absent.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// Write which clip has which values, how long it is and how far it goes, to this .json or .csv; the report of a job writes both.
    #[arg(long, value_name = "INDEX", value_parser = index_path, conflicts_with = "job")]
    index: Option<PathBuf>,
    /// One file for all variants, or a folder for one file each.
    #[arg(short, long, required_unless_present = "job")]
    out: Option<PathBuf>,
    #[command(flatten)]
    job: JobFlags,
    #[command(flatten)]
    force: super::Force,
    /// The index as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(mut self) -> Result<(), Failure> {
        let mut session = Session::inline();
        super::open_more(&mut session, &self.project)?;
        let take = super::bake::take_named(&session, &self.take)?.clone();
        let made = variants(&mut session.document, &take, &self.vary, &self.names);
        let made = made.map_err(|message| Failure::Usage(message.to_string()))?;
        session.document.takes.extend(made.iter().map(|variant| variant.take.clone()));
        let mut index = Index::new(&self.vary, &made);
        let request = ExportRequest {
            takes: made.iter().map(|variant| variant.take.id).collect(),
            destination: self.out.clone().unwrap_or_default(),
            format: self.format,
            keep: self.keep,
            fps: self.fps,
            replace: self.force.into(),
            measured: true,
            ..ExportRequest::default()
        };
        if let Some(folder) = self.job.folder.job.clone() {
            self.job.index = index;
            return self.job.write(&mut session, request, folder, self.json);
        }
        let baked = super::bake::bake(&mut session, request);
        let made = session.exports.reports();
        made.iter().for_each(|report| index.tell_exported(report));
        // Those that failed stop no other, and what was written needs telling which is which.
        if !made.is_empty() {
            if let Some(path) = &self.index {
                self.write_index(&session, path, &index)?;
            }
            super::say(&if self.json { index.json() } else { index.text() })?;
        }
        baked
    }

    fn write_index(&self, session: &Session, path: &Path, index: &Index) -> Result<(), Failure> {
        let is_csv = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
        let text = if is_csv { index.csv() } else { index.json() };
        super::write(session, self.force, |files: &mut FileSet| files.write(path, text.as_bytes()))
    }
}

fn index_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let end = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if matches!(&*end, "json" | "csv") { Ok(path) } else { Err("give a name that ends in .json or .csv".into()) }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::cli::tests::parsed;

    fn run(words: &[&str]) -> Result<(), Failure> {
        parsed::<Arguments>(words)?.run()
    }

    #[test]
    fn a_leap_to_many_places_ends_on_each_and_the_index_says_which() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (project, out, index) = (at("samples.portamento"), at("leaps.glb"), at("leaps.json"));
        let vary = ["--take", "leap to 5 m", "--vary", "world/2=3..5:0.5", "--names", "leap {1}"];
        run(&[&[&*project], &vary[..], &["-o", &out, "--index", &index]].concat()).unwrap();
        let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(&index).unwrap()).unwrap();
        assert_eq!(rows.len(), 5);
        let model = crate::import::import(Path::new(&out)).unwrap().model;
        assert_eq!(model.clips.len(), 5);
        let roles = crate::anim::Rig::of_model(&model).roles;
        for row in &rows {
            let wanted = row["world/2"].as_f64().unwrap();
            let clip = model.clip(row["clip"].as_str().unwrap()).unwrap();
            let root = crate::anim::RootMotion::find(&model.skeleton, clip, &roles).unwrap();
            let end = crate::anim::root_motion::path(&model.skeleton, clip, root.joint, &[clip.duration])[0];
            assert!((end.z - wanted).abs() < 1e-4, "{row} {end}");
        }
        let csv = at("leaps.csv");
        std::fs::write(&out, "the user's own").unwrap();
        let again = run(&[&[&*project], &vary[..], &["-o", &out, "--index", &csv]].concat());
        assert!(matches!(again, Err(Failure::Failed(sentence)) if sentence.contains("--force")));
        run(&[&[&*project], &vary[..], &["-o", &out, "--index", &csv, "--force"]].concat()).unwrap();
        assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 6);
        let told = |row: &Value| row["clip"].as_str().unwrap_or_default().to_owned();
        let (out, index) = (at("some"), at("some.json"));
        let some = ["--take", "leap to 5 m", "--vary", "dead_zone=0,1000", "-o", &out, "--index", &index];
        let failed = run(&[&[&*project], &some[..]].concat());
        assert!(matches!(failed, Err(Failure::Failed(sentence)) if sentence.contains("does not move")));
        let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(&index).unwrap()).unwrap();
        assert!(rows[0]["file"].is_string() && rows[1]["file"].is_null(), "one that fails stops no other: {rows:?}");
        assert_eq!([&rows[0], &rows[1]].map(told), [0, 1000].map(|far| format!("leap to 5 m - dead zone {far}")));
        let unknown = run(&[&*project, "--take", "leap to 5 m", "--vary", "no=1", "-o", &out]);
        assert!(matches!(unknown, Err(Failure::Usage(sentence)) if sentence.contains("no setting")));
    }
}
