//! The export settings in the project file.

use std::path::Path;

use serde_json::Value;

use super::ExportChoice;
use portamento_takes::document::file;

/// Range of the sample rate in a project file, frames per second.
const FPS_RANGE: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

impl ExportChoice {
    /// Returns the settings for the project file at `project`; `None` if they are the defaults. The folder becomes relative
    /// to the project.
    pub(crate) fn to_stored(&self, project: &Path) -> Option<Value> {
        let folder = self.folder.trim();
        let relative = |folder: &str| file::relative_to_project(Path::new(folder), project).display().to_string();
        let stored = Self {
            // Empty: the folder of the project.
            folder: if folder.is_empty() { String::new() } else { relative(folder) },
            as_i_work: false,
            ..self.clone()
        };
        let is_default = stored == Self::default();
        serde_json::to_value(stored).ok().filter(|_| !is_default)
    }

    /// Returns the settings that the project file at `project` stores. `None` if they cannot be read.
    pub(crate) fn from_stored(stored: Value, project: &Path) -> Option<Self> {
        let mut choice: Self = serde_json::from_value(stored).ok()?;
        let rates = [Some(choice.fps), choice.settings.fps];
        if !rates.into_iter().flatten().all(|fps| FPS_RANGE.contains(&fps)) {
            return None;
        }
        if !choice.folder.is_empty() {
            choice.folder = file::from_project(Path::new(&choice.folder), project).display().to_string();
        }
        Some(choice)
    }

    /// True if `other` exports to the same folder with the same settings. The ticked takes may differ.
    pub(crate) fn has_settings_of(&self, other: &Self) -> bool {
        (self.folder.trim(), &self.settings) == (other.folder.trim(), &other.settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, ExportFormat, FileCommand, Preset, Session, Severity};

    fn perform(session: &mut Session, command: FileCommand) {
        session.perform(Command::File(command));
        session.update(0.0, true);
    }

    /// Returns a session with a project at `path` whose first take is exported by the Unreal preset to `folder`.
    fn saved(path: &Path, folder: &Path) -> Session {
        crate::samples::write_all(path.parent().unwrap()).unwrap();
        let mut session = Session::inline();
        perform(&mut session, FileCommand::Open(vec![path.with_file_name("samples.portamento")]));
        let first = session.document.takes[0].id;
        session.exports.choice.only(&session.document, &[first]);
        session.exports.choice.set_clips(Preset::Unreal.settings());
        session.exports.choice.folder = folder.display().to_string();
        perform(&mut session, FileCommand::SaveAs(path.to_owned()));
        session
    }

    #[test]
    fn a_project_opens_with_the_export_settings_it_was_saved_with() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("mine.portamento");
        let before = saved(&path, &home.path().join("game/clips"));
        assert!(std::fs::read_to_string(&path).unwrap().contains("\"folder\": \"game/clips\""));
        let mut again = Session::inline();
        perform(&mut again, FileCommand::Open(vec![path.clone()]));
        assert_eq!((&again.exports.choice, again.is_unsaved()), (&before.exports.choice, false));
        perform(&mut again, FileCommand::Open(vec![path.with_file_name("samples.portamento")]));
        assert_eq!(again.exports.choice, ExportChoice::default(), "a project without settings has the defaults");
    }

    #[test]
    fn a_moved_project_exports_beside_itself() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("mine.portamento");
        saved(&path, &home.path().join("out"));
        let moved = Path::new("/elsewhere/mine.portamento");
        let stored = file::window_state(&std::fs::read(&path).unwrap()).export.unwrap();
        assert_eq!(ExportChoice::from_stored(stored, moved).unwrap().folder, "/elsewhere/out");
    }

    #[test]
    fn other_export_settings_are_unsaved_changes_and_other_ticks_are_not() {
        let home = tempfile::tempdir().unwrap();
        let mut session = saved(&home.path().join("mine.portamento"), &home.path().join("out"));
        assert!(!session.is_unsaved());
        session.exports.choice.all();
        assert!(!session.is_unsaved());
        session.exports.choice.settings.format = ExportFormat::Gltf;
        assert!(session.is_unsaved());
        perform(&mut session, FileCommand::Save);
        assert!(!session.is_unsaved());
    }

    #[test]
    fn unreadable_export_settings_become_the_defaults_with_a_notice() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("mine.portamento");
        saved(&path, &home.path().join("out"));
        let text = std::fs::read_to_string(&path).unwrap();
        for (good, bad) in [("\"format\": \"fbx\"", "\"format\": \"max\""), ("\"fps\": 30.0", "\"fps\": 0.0")] {
            assert!(text.contains(good), "{text}");
            std::fs::write(&path, text.replace(good, bad)).unwrap();
            let mut session = Session::inline();
            perform(&mut session, FileCommand::Open(vec![path.clone()]));
            assert_eq!(session.exports.choice, ExportChoice::default());
            let warned =
                |notice: &crate::Notice| notice.severity == Severity::Warning && notice.text().contains("export");
            assert!(session.notices.all().iter().any(warned), "{:?}", session.notices.all());
        }
    }

    #[test]
    fn recovered_work_keeps_the_export_settings() {
        let home = tempfile::tempdir().unwrap();
        let mut session = saved(&home.path().join("mine.portamento"), &home.path().join("out"));
        let work = tempfile::tempdir().unwrap();
        session.project.keep_work(work.path());
        session.document.takes.pop();
        session.update(0.0, true);
        let kept = session.autosave_now().unwrap();
        let choice = session.exports.choice.clone();
        drop(session);
        let mut again = Session::inline();
        again.project.keep_work(work.path());
        perform(&mut again, FileCommand::Open(vec![kept]));
        assert_eq!(again.exports.choice, choice);
    }
}
