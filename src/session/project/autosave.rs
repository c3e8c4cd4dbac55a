//! Autosave beside the project, rotated backups, and recovery after a crash.

use std::path::{Path, PathBuf};

use crate::document::{Document, file};
use crate::export::whole_file;
use crate::session::{Level, Preferences, Session};

/// When the last autosave was made and of what.
#[derive(Debug, Default)]
pub struct Autosave {
    /// Whether work is kept at all: only a window does, whose user may come back to it.
    on: bool,
    seconds_since: f64,
    written: Option<Document>,
}

/// Backups kept beside a project: `NAME.portamento.1` is the newest.
const BACKUPS: usize = 3;

impl Session {
    /// Keeps unsaved work from now on.
    pub fn keep_work(&mut self) {
        self.autosave.on = true;
    }

    /// Counts time and writes an autosave when one is due; call it also while the window is hidden.
    pub fn autosave_tick(&mut self, seconds: f64) {
        let every = self.preferences.autosave_seconds;
        self.autosave.seconds_since += seconds;
        if every <= 0.0 || self.autosave.seconds_since < every || !self.is_unsaved() {
            return;
        }
        self.autosave_now();
    }

    /// Writes an autosave if the document changed since the last one.
    pub fn autosave_now(&mut self) {
        self.autosave.seconds_since = 0.0;
        if !self.autosave.on {
            return;
        }
        if self.autosave.written.as_ref() == Some(&self.document) {
            return;
        }
        let Some(path) = self.autosave_path() else { return };
        let written = whole_file::write(&path, &file::to_bytes(&self.document, &path));
        match written {
            Ok(()) => self.autosave.written = Some(self.document.clone()),
            Err(error) => {
                self.notices.say(Level::Warning, format!("Autosave failed: {error} Save the project elsewhere."))
            }
        }
    }

    /// Where the autosave of the present project goes: beside it, or in the program's own folder before the first save.
    pub fn autosave_path(&self) -> Option<PathBuf> {
        match &self.project_path {
            Some(project) => Some(with_suffix(project, "autosave")),
            None => Some(Preferences::folder()?.join("unsaved.portamento.autosave")),
        }
    }

    /// Removes the autosave: the project on disk is newer, or the user chose to drop the changes.
    pub fn discard_autosave(&mut self) {
        if let Some(path) = self.autosave_path().filter(|_| self.autosave.on) {
            // Absent is as good as removed.
            let _ = std::fs::remove_file(path);
        }
        self.autosave = Autosave { on: self.autosave.on, ..Autosave::default() };
    }

    /// The autosave left by a program that ended without saving, if it is newer than the project.
    pub fn recoverable(project: Option<&Path>) -> Option<PathBuf> {
        let autosave = match project {
            Some(project) => with_suffix(project, "autosave"),
            None => Preferences::folder()?.join("unsaved.portamento.autosave"),
        };
        let changed = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
        let written = changed(&autosave)?;
        let saved = project.and_then(changed);
        (saved.is_none_or(|saved| written > saved)).then_some(autosave)
    }
}

/// Keeps the file at `path` as its newest backup, the older ones moving up by one.
pub(in crate::session) fn rotate_backups(path: &Path) {
    if !path.exists() {
        return;
    }
    for n in (1..BACKUPS).rev() {
        // A missing older backup is no fault.
        let _ = std::fs::rename(with_suffix(path, &n.to_string()), with_suffix(path, &(n + 1).to_string()));
    }
    let _ = std::fs::copy(path, with_suffix(path, "1"));
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::SceneObject;

    #[test]
    fn backups_move_up_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.portamento");
        for n in 0..5 {
            rotate_backups(&path);
            std::fs::write(&path, n.to_string()).unwrap();
        }
        let read = |suffix: &str| std::fs::read_to_string(with_suffix(&path, suffix)).ok();
        assert_eq!(
            [read("1"), read("2"), read("3"), read("4")].map(|text| text.unwrap_or_default()),
            ["3", "2", "1", ""]
        );
    }

    #[test]
    fn unsaved_work_is_written_beside_the_project_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.portamento");
        let mut session = Session::inline();
        session.keep_work();
        session.project_path = Some(path.clone());
        session.document.objects.push(SceneObject { name: "mark".into(), position: glam::DVec3::X });
        session.autosave_tick(1.0);
        assert_eq!(Session::recoverable(Some(&path)), None);
        session.autosave_tick(1000.0);
        let found = Session::recoverable(Some(&path)).unwrap();
        let document = file::from_bytes(&std::fs::read(&found).unwrap(), &found).unwrap();
        assert_eq!(document, session.document);
        session.discard_autosave();
        assert_eq!(Session::recoverable(Some(&path)), None);
    }
}
