//! What the user prefers, whatever the document; kept in a readable file of its own.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ChainPreset;
use super::keymap::Keymap;
use crate::export::whole_file;

/// Kept between starts. Unknown or missing entries fall back to the default, so old and new programs share one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// Dark or light window.
    pub dark: bool,
    /// `en` or `zh-CN`.
    pub language: String,
    /// Size of the window's contents, 0.75…2.
    pub scale: f32,
    /// Whether the timeline is numbered in seconds instead of frames.
    pub ruler_in_seconds: bool,
    /// Files and projects opened lately, newest first.
    pub recent: Vec<PathBuf>,
    /// Seconds between autosaves; 0 turns them off.
    pub autosave_seconds: f64,
    /// Gibibytes of memory that one piece of work may take; 0 for half of the machine's.
    pub memory_gib: f64,
    /// Which keys and buttons do what.
    pub keymap: Keymap,
    /// The user's own values for dynamic bones.
    pub presets: Vec<ChainPreset>,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            dark: true,
            language: "en".into(),
            scale: 1.0,
            ruler_in_seconds: false,
            recent: Vec::new(),
            autosave_seconds: 120.0,
            memory_gib: 0.0,
            keymap: Keymap::default(),
            presets: Vec::new(),
        }
    }
}

/// Entries in the recent list.
const RECENT: usize = 20;

impl Preferences {
    /// The preferences saved at `path`, or the defaults where there are none; the memory that work may take is theirs from now on.
    pub fn load(path: &Path) -> Self {
        let saved = std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let saved: Self = saved.unwrap_or_default();
        saved.apply_memory();
        saved
    }

    /// Writes the preferences to `path`.
    pub fn save(&self, path: &Path) -> Result<(), crate::export::ExportError> {
        whole_file::write(path, &serde_json::to_vec_pretty(self).unwrap_or_default())
    }

    /// Lets all work from now on take as much memory as is preferred.
    pub fn apply_memory(&self) {
        let bytes = (self.memory_gib * f64::from(1 << 30)) as u64;
        crate::budget::prefer_limit((bytes > 0).then_some(bytes));
    }

    /// Puts `path` on top of the recent list.
    pub(super) fn remember(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.recent.retain(|each| *each != path);
        self.recent.insert(0, path);
        self.recent.truncate(RECENT);
    }

    /// The program's folder for preferences and autosaves, made if absent; `None` where the system names none.
    pub fn folder() -> Option<PathBuf> {
        let folder = match std::env::var_os("PORTAMENTO_HOME") {
            Some(folder) => PathBuf::from(folder),
            None => directories::ProjectDirs::from("", "", "Portamento")?.config_dir().to_owned(),
        };
        std::fs::create_dir_all(&folder).ok()?;
        Some(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_file_is_on_top_and_listed_once() {
        let mut preferences = Preferences::default();
        for name in ["/a", "/b", "/a"] {
            preferences.remember(Path::new(name));
        }
        assert_eq!(preferences.recent, [PathBuf::from("/a"), PathBuf::from("/b")]);
    }

    #[test]
    fn preferences_come_back_from_disk_and_a_broken_file_gives_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("preferences.json");
        let light = Preferences { dark: false, ..Preferences::default() };
        light.save(&path).unwrap();
        assert_eq!(Preferences::load(&path), light);
        std::fs::write(&path, "{").unwrap();
        assert_eq!(Preferences::load(&path), Preferences::default());
    }
}
