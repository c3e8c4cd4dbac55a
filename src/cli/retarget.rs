//! `portamento retarget`: retargets clips of other rigs to a character.

use std::path::PathBuf;

use serde_json::json;

use super::Failure;
use super::flags::retargeting::{OpenedClips, RetargetFlags};
use portamento_session::Session;
use portamento_takes::document::{FileId, Retarget, Take, TakeId, TakeSource};

/// Retargets clips of other rigs to a character.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Character: glTF, GLB, VRM or FBX.
    file: PathBuf,
    /// Files or folders with the clips: glTF, GLB, FBX, VRMA, BVH, NPZ or NPY.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE|FOLDER")]
    from: Vec<PathBuf>,
    #[command(flatten)]
    flags: RetargetFlags,
    /// Print the reports as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Exports the retargeted clips and prints the reports. Returns `Err` if a file has nothing to retarget, or nothing could
    /// be written.
    pub(super) fn run(self) -> Result<(), Failure> {
        let OpenedClips { mut session, character, clips } = self.flags.open(&self.file, &self.from)?;
        let takes = clips.into_iter().map(|(file, clip)| self.add_take(&mut session, character, file, clip)).collect();
        self.flags.write(&mut session, takes)?;
        super::print(&json!(session.exports.reports()), self.json)
    }

    /// Adds a take that retargets `clip` of `file`, under a free name, and returns its id.
    fn add_take(&self, session: &mut Session, character: FileId, file: FileId, clip: String) -> TakeId {
        let id = TakeId(session.document.fresh_id());
        let name = self.flags.free_name(session, character, &clip);
        let source = TakeSource::Retarget(Box::new(Retarget { file, clip, settings: self.flags.settings() }));
        session.document.takes.push(Take { id, name, character, source, stages: Vec::new(), loops: None });
        id
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::tests::parsed;

    #[test]
    fn clips_with_the_name_of_an_existing_clip_get_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let hero = portamento_test_support::character("hero").unwrap().display().to_string();
        std::fs::create_dir(at("clips")).unwrap();
        for twin in ["clips/a.glb", "clips/b.glb"] {
            std::fs::copy(&hero, at(twin)).unwrap();
        }
        let words = [&*hero, "--from", &at("clips"), "--clip", "run", "--loose-feet", "-o", &at("out.glb")];
        parsed::<Arguments>(&words).and_then(Arguments::run).unwrap();
        let model = portamento_formats::import::import(Path::new(&at("out.glb"))).unwrap().model;
        let own = portamento_formats::import::import(Path::new(&hero)).unwrap().model;
        let names: Vec<&str> = model.clips.iter().skip(own.clips.len()).map(|clip| clip.name.as_str()).collect();
        assert_eq!(names, ["run 2", "run 3"]);
        assert!(own.clips.iter().zip(&model.clips).all(|(before, after)| before == after));
    }
}
