//! `portamento retarget`: clips of other rigs put on a character.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::Failure;
use super::rig::RigArguments;
use crate::anim::Tolerance;
use crate::document::{FileId, Retarget, SourceFile, Take, TakeId, TakeSource, free_name};
use crate::session::{ExportRequest, Keep, Session};
use crate::system_reason::system_reason;
use crate::systems::retarget::{LinkChoice, Settings};

/// Puts clips of other rigs on a character.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The character: glTF, GLB, VRM or FBX.
    file: PathBuf,
    /// What holds the clips: files or folders of glTF, GLB, FBX, VRMA or BVH.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE|FOLDER")]
    from: Vec<PathBuf>,
    /// A clip's name, several times for several; all clips when absent.
    #[arg(long)]
    clip: Vec<String>,
    /// Roles of the clips' rig by a rig preset, as `--rig-preset` gives those of the character.
    #[arg(long, value_name = "FILE|NAME")]
    from_rig_preset: Option<String>,
    /// Leave standing feet where the turns of the legs put them.
    #[arg(long)]
    loose_feet: bool,
    /// Keep hands on the ground, on holds and on each other where those of the clip are.
    #[arg(long)]
    hold_hands: bool,
    /// Do not bend the character's rest pose to that of the clips' rig first.
    #[arg(long)]
    as_it_rests: bool,
    /// How far the body goes for each unit that the source goes; the ratio of the legs when absent.
    #[arg(long, value_name = "RATIO")]
    travel: Option<f64>,
    /// Lets JOINT follow SOURCE, or nothing: `hand.L=LeftWrist`, `cape=`.
    #[arg(long, value_name = "JOINT=SOURCE", value_parser = link)]
    link: Vec<LinkChoice>,
    /// What becomes of the character's own clips.
    #[arg(long, default_value = "append", value_parser = Keep::parse)]
    keep: Keep,
    /// Leave out keys without which no point 3 cm around a joint moves by more than this many millimetres.
    #[arg(long, value_name = "MM", value_parser = super::tolerance)]
    tolerance: Option<Tolerance>,
    /// The file to write, with all clips; or a folder for one file per clip.
    #[arg(short, long)]
    out: PathBuf,
    #[command(flatten)]
    rig: RigArguments,
    #[command(flatten)]
    force: super::Force,
    /// The reports as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (mut session, character, _) = super::open(&self.file)?;
        self.rig.apply(&mut session, character)?;
        let mut takes = Vec::new();
        for path in self.sources()? {
            let file = open_clips(&mut session, &path)?;
            self.set_roles(&mut session, file)?;
            takes.extend(self.takes(&mut session, character, file));
        }
        if takes.is_empty() {
            return Err(Failure::Usage(
                "None of the files has such a clip. `portamento inspect FILE` lists them.".into(),
            ));
        }
        let request = ExportRequest {
            takes,
            destination: self.out.clone(),
            keep: self.keep,
            tolerance: self.tolerance,
            replace: self.force.into(),
            ..ExportRequest::default()
        };
        super::bake::bake(&mut session, request)?;
        super::print(&json!(session.exports.reports()), self.json)
    }

    /// Gives the rig of `file` the roles of the preset.
    fn set_roles(&self, session: &mut Session, file: FileId) -> Result<(), Failure> {
        let (Some(preset), Some(loaded)) = (&self.from_rig_preset, session.library.get(file).cloned()) else {
            return Ok(());
        };
        for rig in session.document.characters.iter_mut().filter(|rig| rig.file == file) {
            rig.roles = super::rig::by_preset(preset, &loaded.model, &rig.roles)?;
        }
        Ok(())
    }

    /// The files named, and those in the folders named, in the order of their names.
    fn sources(&self) -> Result<Vec<PathBuf>, Failure> {
        const KNOWN: [&str; 6] = ["glb", "gltf", "vrm", "vrma", "fbx", "bvh"];
        let mut files = Vec::new();
        for path in &self.from {
            if !path.is_dir() {
                files.push(path.clone());
                continue;
            }
            let failed =
                |error: std::io::Error| Failure::Failed(format!("{}: {}.", path.display(), system_reason(&error)));
            let entries = std::fs::read_dir(path).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
            let is_known = |path: &PathBuf| {
                let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
                extension.is_some_and(|extension| KNOWN.contains(&extension.as_str()))
            };
            let mut inside: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(is_known).collect();
            inside.sort();
            files.extend(inside);
        }
        Ok(files)
    }

    fn takes(&self, session: &mut Session, character: FileId, file: FileId) -> Vec<TakeId> {
        let clips = session.library.get(file).map(|loaded| loaded.model.clips.clone()).unwrap_or_default();
        let wanted = clips.iter().filter(|clip| self.clip.is_empty() || self.clip.contains(&clip.name));
        let settings = Settings {
            align: !self.as_it_rests,
            hold_feet: !self.loose_feet,
            hold_hands: self.hold_hands,
            scale: self.travel,
            links: self.link.clone(),
            corrections: Vec::new(),
        };
        let mut made = Vec::new();
        for clip in wanted {
            let id = TakeId(session.document.fresh_id());
            let retarget = Retarget { file, clip: clip.name.clone(), settings: settings.clone() };
            session.document.takes.push(Take {
                id,
                name: self.free_name(session, character, &clip.name),
                character,
                source: TakeSource::Retarget(Box::new(retarget)),
                stages: Vec::new(),
            });
            made.push(id);
        }
        made
    }

    /// `clip`, or where a take or a clip that stays in the file is called so, that with a number.
    fn free_name(&self, session: &Session, character: FileId, clip: &str) -> String {
        let stays = |name: &str| {
            let model = session.library.get(character).map(|loaded| &loaded.model);
            self.keep == Keep::Append && model.is_some_and(|model| model.clip(name).is_some())
        };
        free_name(clip, |name| stays(name) || session.document.takes.iter().any(|take| take.name == name))
    }
}

/// Opens `path` beside what is open already; one that is open is not opened again.
fn open_clips(session: &mut Session, path: &Path) -> Result<FileId, Failure> {
    let before = session.document.files.len();
    super::open_more(session, path)?;
    let same = |file: &&SourceFile| std::fs::canonicalize(&file.path).ok() == std::fs::canonicalize(path).ok();
    let opened = session.document.files.get(before).or_else(|| session.document.files.iter().find(same));
    let nothing = || Failure::Failed(format!("{} holds nothing to work on.", path.display()));
    opened.map(|file| file.id).ok_or_else(nothing)
}

fn link(text: &str) -> Result<LinkChoice, String> {
    let (joint, source) =
        text.split_once('=').ok_or("Write JOINT=SOURCE, or JOINT= for a joint that follows nothing.")?;
    Ok(LinkChoice { joint: joint.to_owned(), source: (!source.is_empty()).then(|| source.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::parsed;

    #[test]
    fn clips_that_are_called_like_those_that_stay_get_names_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let hero = crate::support::character("hero").unwrap().display().to_string();
        std::fs::create_dir(at("clips")).unwrap();
        for twin in ["clips/a.glb", "clips/b.glb"] {
            std::fs::copy(&hero, at(twin)).unwrap();
        }
        let words = [&*hero, "--from", &at("clips"), "--clip", "run", "--loose-feet", "-o", &at("out.glb")];
        parsed::<Arguments>(&words).and_then(Arguments::run).unwrap();
        let model = crate::import::import(Path::new(&at("out.glb"))).unwrap().model;
        let own = crate::import::import(Path::new(&hero)).unwrap().model;
        let names: Vec<&str> = model.clips.iter().skip(own.clips.len()).map(|clip| clip.name.as_str()).collect();
        assert_eq!(names, ["run 2", "run 3"]);
        assert!(own.clips.iter().zip(&model.clips).all(|(before, after)| before == after));
    }
}
