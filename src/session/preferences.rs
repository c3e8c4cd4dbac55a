//! What the user prefers, whatever the document; kept in a readable file of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ChainPreset;
use super::appearance::Appearance;
use super::keymap::Keymap;
use super::units::Units;
use crate::document::file::absolute;
use crate::export::whole_file;
use crate::message::{Message, message};

/// Kept between starts. Unknown or missing entries fall back to the default, so old and new programs share one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// Dark or light window, and its colours.
    #[serde(flatten)]
    pub appearance: Appearance,
    /// `en` or `zh-CN`.
    pub language: String,
    /// Size of the window's contents, 0.75…2.
    pub scale: f32,
    /// Whether the timeline is numbered in seconds instead of frames.
    pub ruler_in_seconds: bool,
    /// Files and projects that were opened here, those lately asked for first: projects may read what is among them wherever it is.
    pub recent: Vec<PathBuf>,
    /// Seconds between autosaves; 0 turns them off.
    pub autosave_seconds: f64,
    /// Gibibytes of memory that one piece of work may take; 0 for half of the machine's.
    pub memory_gib: f64,
    /// What lengths and angles are shown and typed in; everything is kept in metres and radians.
    pub units: Units,
    /// Which keys and buttons do what.
    pub keymap: Keymap,
    /// The user's own values for dynamic bones.
    pub presets: Vec<ChainPreset>,
    /// Columns of the library that are not shown, by their keys.
    pub hidden_columns: BTreeSet<String>,
    /// What was chosen in the palette, by its key, the last first.
    pub chosen_commands: Vec<String>,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            appearance: Appearance::default(),
            language: "en".into(),
            scale: 1.0,
            ruler_in_seconds: false,
            recent: Vec::new(),
            autosave_seconds: 120.0,
            memory_gib: 0.0,
            units: Units::default(),
            keymap: Keymap::default(),
            presets: Vec::new(),
            hidden_columns: BTreeSet::new(),
            chosen_commands: Vec::new(),
        }
    }
}

/// Files that are remembered: a project of a library has hundreds.
const RECENT: usize = 2000;
/// Commands that are remembered: as many as the palette shows without scrolling leaves room for others.
const CHOSEN: usize = 6;

impl Preferences {
    /// The preferences saved at `path`, or the defaults where there are none, and what to say where something was not to be read;
    /// the memory that work may take is theirs from now on.
    pub fn load(path: &Path) -> (Self, Option<Message>) {
        let (saved, told) = match std::fs::read(path) {
            Ok(bytes) => Self::read(&bytes, path),
            Err(_) => (Self::default(), None),
        };
        saved.apply_memory();
        (saved, told)
    }

    /// How often unsaved work is kept.
    pub fn autosave_interval(&self) -> Duration {
        Duration::try_from_secs_f64(self.autosave_seconds).unwrap_or_default()
    }

    /// The preferences in the file at `path` that holds `bytes`: what is wrong is as on the first start, all else as it was saved.
    fn read(bytes: &[u8], path: &Path) -> (Self, Option<Message>) {
        let (read, defaults) = (serde_json::from_slice(bytes), serde_json::to_value(Self::default()));
        let (saved, Ok(Value::Object(mut entries))) = (read, defaults) else { return (Self::default(), None) };
        let saved: Map<String, Value> = match saved {
            Ok(saved) => with_theme(saved),
            Err(error) => return (Self::default(), Some(unreadable(path, &error))),
        };
        let mut refused = Vec::new();
        for (name, value) in saved {
            let Some(before) = entries.get(&name).cloned() else { continue };
            entries.insert(name.clone(), value);
            if Self::deserialize(Value::Object(entries.clone())).is_err() {
                entries.insert(name.clone(), before);
                refused.push(name);
            }
        }
        let preferences = Self::deserialize(Value::Object(entries)).unwrap_or_default();
        (preferences, (!refused.is_empty()).then(|| not_understood(path, &refused)))
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
        let path = absolute(path);
        self.recent.retain(|each| *each != path);
        self.recent.insert(0, path);
        self.recent.truncate(RECENT);
    }

    /// Puts `path`, which was opened for something else that was asked for, at the end of the list, if it is not in it.
    pub(super) fn remember_last(&mut self, path: &Path) {
        let path = absolute(path);
        if !self.recent.contains(&path) {
            self.recent.truncate(RECENT - 1);
            self.recent.push(path);
        }
    }

    /// Puts `command` on top of those that were chosen in the palette.
    pub fn remember_command(&mut self, command: &str) {
        self.chosen_commands.retain(|each| each != command);
        self.chosen_commands.insert(0, command.to_owned());
        self.chosen_commands.truncate(CHOSEN);
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

/// Files of before the choice of a theme say whether the window is dark.
fn with_theme(mut saved: Map<String, Value>) -> Map<String, Value> {
    if saved.remove("dark") == Some(Value::Bool(false)) {
        saved.entry("theme").or_insert_with(|| "light".into());
    }
    saved
}

fn unreadable(path: &Path, reason: &serde_json::Error) -> Message {
    message!(
        "notice.preferences_unreadable",
        "The preferences in %{file} could not be read: %{reason}. Everything is as on the first start; the next change replaces the file.",
        file = path.display().to_string(),
        reason = reason.to_string(),
    )
}

fn not_understood(path: &Path, names: &[String]) -> Message {
    message!(
        "notice.preferences_not_understood",
        "In the preferences in %{file} this was not understood and is as on the first start: %{names}.",
        file = path.display().to_string(),
        names = names.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::appearance::{Background, Highlights, ThemeChoice};
    use crate::session::units::{AngleUnit, LengthUnit};

    #[test]
    fn the_newest_file_is_on_top_and_listed_once() {
        let mut preferences = Preferences::default();
        for name in ["/a", "/b", "/a"] {
            preferences.remember(Path::new(name));
        }
        assert_eq!(preferences.recent, [PathBuf::from("/a"), PathBuf::from("/b")]);
        ["/c", "/a"].iter().for_each(|name| preferences.remember_last(Path::new(name)));
        assert_eq!(preferences.recent, ["/a", "/b", "/c"].map(PathBuf::from));
    }

    #[test]
    fn preferences_come_back_from_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("preferences.json");
        let units = Units { length: LengthUnit::Feet, angle: AngleUnit::Radians, ..Units::default() };
        let appearance =
            Appearance { theme: ThemeChoice::System, background: Background::Paper, ..Appearance::default() };
        let chosen = Preferences { scale: 1.5, units, appearance, ..Preferences::default() };
        chosen.save(&path).unwrap();
        assert_eq!(Preferences::load(&path), (chosen, None));
        assert_eq!(Preferences::load(&folder.path().join("absent.json")), (Preferences::default(), None));
    }

    #[test]
    fn a_light_window_of_an_older_file_stays_light() {
        let theme = |text: &[u8]| Preferences::read(text, Path::new("preferences.json")).0.appearance.theme;
        assert_eq!(theme(br#"{"dark": false}"#), ThemeChoice::Light);
        assert_eq!(theme(br#"{"dark": true}"#), ThemeChoice::Dark);
        assert_eq!(theme(br#"{"dark": false, "theme": "system"}"#), ThemeChoice::System);
    }

    #[test]
    fn a_broken_file_gives_the_defaults_and_a_wrong_entry_its_own_and_both_are_told() {
        let path = Path::new("preferences.json");
        let (preferences, told) = Preferences::read(b"{", path);
        assert_eq!((preferences, told.unwrap().key), (Preferences::default(), "notice.preferences_unreadable"));
        let text = br#"{"units": {"length": "furlongs"}, "theme": "pink", "highlights": "okabe_ito", "scale": 1.5, "later": 1}"#;
        let (preferences, told) = Preferences::read(text, path);
        let appearance = Appearance { highlights: Highlights::OkabeIto, ..Appearance::default() };
        assert_eq!(preferences, Preferences { scale: 1.5, appearance, ..Preferences::default() });
        assert!(told.unwrap().to_string().ends_with("as on the first start: units, theme."));
    }
}
