//! User preferences, independent of the document, stored as a readable file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::appearance::Appearance;
use super::keymap::Keymap;
use super::units::Units;
use crate::ChainPreset;
use portamento_base::message::{Message, message};
use portamento_formats::export::single_file;
use portamento_takes::document::file::absolute;

/// The user's preferences. Unknown or missing entries use defaults, so that different versions can share one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// Theme and colours of the window.
    #[serde(flatten)]
    pub appearance: Appearance,
    /// Language code, `en` or `zh-CN`.
    pub language: String,
    /// Scale of the user interface, 0.75…2.
    pub scale: f32,
    /// True to number the timeline in seconds instead of frames.
    pub ruler_in_seconds: bool,
    /// Recently opened files and projects, newest first. Projects may read listed files at any location.
    pub recent: Vec<PathBuf>,
    /// Seconds between autosaves; 0 turns them off.
    pub autosave_seconds: f64,
    /// Memory limit per job, GiB; 0 for half of the machine's memory.
    pub memory_gib: f64,
    /// Display units of lengths and angles; stored values are metres and radians.
    pub units: Units,
    /// Shortcuts and mouse buttons.
    pub keymap: Keymap,
    /// The user's chain presets.
    pub presets: Vec<ChainPreset>,
    /// Keys of the hidden columns in the clip library.
    pub hidden_columns: BTreeSet<String>,
    /// Folder of the last export from the window; empty before the first one.
    pub export_folder: String,
    /// Folders to which programs may write by remote control.
    pub remote_folders: Vec<PathBuf>,
    /// Names of commands used in the palette, newest first.
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
            export_folder: String::new(),
            remote_folders: Vec::new(),
            chosen_commands: Vec::new(),
        }
    }
}

/// Maximum number of remembered files; a project of a clip library has hundreds.
const MAX_RECENT_FILES: usize = 2000;
/// Maximum number of remembered commands, so that the palette also shows others without scrolling.
const MAX_CHOSEN_COMMANDS: usize = 6;

impl Preferences {
    /// Loads the preferences at `path`, or defaults; the message tells of unreadable entries. Applies the memory
    /// limit. A missing file has no message.
    pub fn load(path: &Path) -> (Self, Option<Message>) {
        let (saved, warning) = match portamento_base::regular_file::all(path) {
            Ok(bytes) => Self::read(&bytes, path),
            Err(_) => (Self::default(), None),
        };
        saved.apply_memory();
        (saved, warning)
    }

    /// Returns the files that the user has opened in the window on this computer, newest first: those a project may read outside
    /// its folder. Reads the saved preferences and applies none of them.
    pub fn opened_files() -> Vec<PathBuf> {
        let path = folder_path().map(|folder| folder.join("preferences.json"));
        let saved = path.and_then(|path| Some(Self::read(&portamento_base::regular_file::all(&path).ok()?, &path).0));
        saved.map(|saved| saved.recent).unwrap_or_default()
    }

    /// Returns the interval between autosaves. It is zero if they are turned off.
    pub fn autosave_interval(&self) -> Duration {
        Duration::try_from_secs_f64(self.autosave_seconds).unwrap_or_default()
    }

    /// Parses the preferences file content `bytes`. Invalid entries keep their defaults and are named in the message, with
    /// `path`. Unknown entries are ignored.
    fn read(bytes: &[u8], path: &Path) -> (Self, Option<Message>) {
        let (read, defaults) = (portamento_base::json::parse(bytes), serde_json::to_value(Self::default()));
        let (saved, Ok(Value::Object(mut entries))) = (read, defaults) else { return (Self::default(), None) };
        let saved: Map<String, Value> = match saved {
            Ok(saved) => with_theme(saved),
            Err(error) => return (Self::default(), Some(unreadable(path, &error))),
        };
        let mut refused = Vec::new();
        for (name, value) in saved {
            let Some(before) = entries.get(&name).cloned() else { continue };
            entries.insert(name.clone(), value);
            let read = Self::deserialize(Value::Object(entries.clone()));
            if !read.is_ok_and(|read| read.can_be_saved()) {
                entries.insert(name.clone(), before);
                refused.push(name);
            }
        }
        let preferences = Self::deserialize(Value::Object(entries)).unwrap_or_default();
        (preferences, (!refused.is_empty()).then(|| not_understood(path, &refused)))
    }

    /// True if the saved preferences can be read again. Numbers too large for their type become infinite, which JSON lacks.
    fn can_be_saved(&self) -> bool {
        serde_json::to_value(self).is_ok_and(|saved| Self::deserialize(saved).is_ok())
    }

    /// Saves the preferences to `path`. An existing file is replaced.
    pub fn save(&self, path: &Path) -> Result<(), portamento_formats::export::ExportError> {
        single_file::write(path, &serde_json::to_vec_pretty(self).unwrap_or_default())
    }

    /// Applies the memory limit to all following jobs.
    pub fn apply_memory(&self) {
        let bytes = (self.memory_gib * f64::from(1 << 30)) as u64;
        portamento_base::budget::prefer_limit((bytes > 0).then_some(bytes));
    }

    /// Moves `path` to the top of the recent list.
    pub(crate) fn remember(&mut self, path: &Path) {
        let path = absolute(path);
        self.recent.retain(|each| *each != path);
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT_FILES);
    }

    /// Appends `path` to the recent list if it is missing; for files opened on behalf of another one.
    pub(crate) fn remember_last(&mut self, path: &Path) {
        let path = absolute(path);
        if !self.recent.contains(&path) {
            self.recent.truncate(MAX_RECENT_FILES - 1);
            self.recent.push(path);
        }
    }

    /// Moves `command` to the top of the palette's recent commands.
    pub fn remember_command(&mut self, command: &str) {
        self.chosen_commands.retain(|each| each != command);
        self.chosen_commands.insert(0, command.to_owned());
        self.chosen_commands.truncate(MAX_CHOSEN_COMMANDS);
    }

    /// Returns `Portamento` in the user's documents, or in the home folder; `None` if the system has neither. The folder
    /// need not exist.
    pub fn documents() -> Option<PathBuf> {
        let user = directories::UserDirs::new()?;
        Some(user.document_dir().unwrap_or(user.home_dir()).join("Portamento"))
    }

    /// Returns the folder for preferences and autosaves, creating it if needed; `None` if the system defines none. The
    /// environment variable `PORTAMENTO_HOME` overrides it.
    pub fn folder() -> Option<PathBuf> {
        let folder = folder_path()?;
        std::fs::create_dir_all(&folder).ok()?;
        Some(folder)
    }
}

/// Returns the path of [`Preferences::folder()`], which may not exist yet.
fn folder_path() -> Option<PathBuf> {
    match std::env::var_os("PORTAMENTO_HOME") {
        Some(folder) => Some(folder.into()),
        None => Some(directories::ProjectDirs::from("", "", "Portamento")?.config_dir().to_owned()),
    }
}

/// Removes the `dark` entry of older files. If it is false and there is no theme, the theme becomes light.
fn with_theme(mut saved: Map<String, Value>) -> Map<String, Value> {
    if saved.remove("dark") == Some(Value::Bool(false)) {
        saved.entry("theme").or_insert_with(|| "light".into());
    }
    saved
}

/// Returns the warning that the file at `path` is not JSON.
fn unreadable(path: &Path, reason: &serde_json::Error) -> Message {
    message!(
        "notice.preferences_unreadable",
        "The preferences in %{file} cannot be read: %{reason}. Default settings are used; the next change overwrites the file.",
        file = path.display().to_string(),
        reason = reason.to_string(),
    )
}

/// Returns the warning that the entries `names` of the file at `path` are invalid.
fn not_understood(path: &Path, names: &[String]) -> Message {
    message!(
        "notice.preferences_not_understood",
        "Some preferences in %{file} are invalid and were reset to defaults: %{names}.",
        file = path.display().to_string(),
        names = names.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance::{Background, Highlights, ThemeChoice};
    use crate::units::{AngleUnit, LengthUnit};

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
    fn damaged_preferences_keep_their_valid_entries() {
        use portamento_anim::math::random::{SplitMix64, spread};
        use portamento_test_support::{damaged_json, mutants};
        let seed = serde_json::to_vec(&Preferences::default()).unwrap();
        let (count, mut complete) = (mutants(400), 0);
        for number in 0..count {
            let damaged = damaged_json(&seed, &mut SplitMix64::new(spread(number)));
            let begun = std::time::Instant::now();
            let (preferences, warning) = Preferences::read(&damaged, Path::new("/a/preferences.json"));
            preferences.autosave_interval();
            assert_eq!(
                Preferences::read(&serde_json::to_vec(&preferences).unwrap(), Path::new("/a")).1,
                None,
                "{number}"
            );
            complete += u64::from(warning.is_none());
            assert!(begun.elapsed().as_secs() < 5, "{number}: {:?}", begun.elapsed());
        }
        println!("{complete} of {count} without a warning");
        assert!(complete > 0 && complete < count, "{complete} of {count}");
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
    fn the_light_theme_of_an_older_file_is_kept() {
        let theme = |text: &[u8]| Preferences::read(text, Path::new("preferences.json")).0.appearance.theme;
        assert_eq!(theme(br#"{"dark": false}"#), ThemeChoice::Light);
        assert_eq!(theme(br#"{"dark": true}"#), ThemeChoice::Dark);
        assert_eq!(theme(br#"{"dark": false, "theme": "system"}"#), ThemeChoice::System);
    }

    #[test]
    fn an_unreadable_file_or_invalid_entry_uses_defaults_and_is_reported() {
        let path = Path::new("preferences.json");
        let (preferences, warning) = Preferences::read(b"{", path);
        assert_eq!(preferences, Preferences::default());
        assert!(warning.unwrap().mentions("preferences.json"));
        let text = br#"{"units": {"length": "furlongs"}, "theme": "pink", "highlights": "okabe_ito", "scale": 1.5, "later": 1}"#;
        let (preferences, warning) = Preferences::read(text, path);
        let appearance = Appearance { highlights: Highlights::OkabeIto, ..Appearance::default() };
        assert_eq!(preferences, Preferences { scale: 1.5, appearance, ..Preferences::default() });
        assert!(warning.unwrap().to_string().ends_with("reset to defaults: units, theme."));
        let (preferences, warning) = Preferences::read(br#"{"scale": 1e300, "autosave_seconds": 9.0}"#, path);
        assert_eq!(preferences, Preferences { autosave_seconds: 9.0, ..Preferences::default() });
        assert!(warning.unwrap().to_string().ends_with("reset to defaults: scale."));
    }
}
