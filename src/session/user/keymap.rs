//! Keyboard shortcuts and viewport mouse buttons: a preset of another program plus the user's changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::command::{CommandEntry, catalogue};

/// A preset of shortcuts and mouse buttons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeymapPreset {
    /// The default: what most programs share.
    #[default]
    Industry,
    /// The keys of Blender.
    Blender,
    /// The keys of Maya.
    Maya,
    /// The keys of Unreal's Sequencer and viewports.
    Unreal,
}

/// The user's keyboard shortcuts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Keymap {
    /// The base preset.
    pub preset: KeymapPreset,
    /// Changed shortcuts by command name; an empty list removes a command's shortcuts.
    pub changed: BTreeMap<String, Vec<String>>,
}

/// A mouse action in the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseMotion {
    /// Orbits around the focus point.
    Orbit,
    /// Pans parallel to the image plane.
    Pan,
    /// Zooms.
    Zoom,
}

/// A mouse button with modifier keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MouseHold {
    /// The button.
    pub button: MouseButton,
    /// True if Alt is pressed.
    pub alt: bool,
    /// True if Shift is pressed.
    pub shift: bool,
    /// True if Ctrl (Cmd on macOS) is pressed.
    pub ctrl: bool,
}

/// A mouse button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseButton {
    /// Usually the left button.
    Primary,
    /// The wheel button.
    Middle,
    /// Usually the right button.
    Secondary,
}

/// Two commands with the same shortcut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyClash {
    /// The shortcut.
    pub keys: String,
    /// The names of both commands.
    pub names: [&'static str; 2],
}

/// Shortcuts of a preset that differ from the default, by command name.
type Differences = &'static [(&'static str, &'static [&'static str])];

const BLENDER: Differences = &[
    ("frame_all", &["Home"]),
    ("frame_selection", &["NumPeriod"]),
    ("next_key", &["ArrowUp"]),
    ("previous_key", &["ArrowDown"]),
    ("to_start", &["Shift+ArrowLeft"]),
    ("to_end", &["Shift+ArrowRight"]),
    ("ten_frames_on", &["Shift+ArrowUp"]),
    ("ten_frames_back", &["Shift+ArrowDown"]),
    ("palette", &["F3"]),
];

const MAYA: Differences = &[
    ("play_pause", &["Alt+V"]),
    ("next_frame", &["Alt+Period"]),
    ("previous_frame", &["Alt+Comma"]),
    ("next_key", &["Period"]),
    ("previous_key", &["Comma"]),
    ("to_start", &["Alt+Shift+V"]),
];

const UNREAL: Differences = &[
    ("next_key", &["Period"]),
    ("previous_key", &["Comma"]),
    ("to_start", &["ArrowUp"]),
    ("to_end", &["ArrowDown"]),
    ("range_in", &["I"]),
    ("range_out", &["O"]),
    ("view_top", &["Alt+J"]),
    ("view_left", &["Alt+K"]),
    ("view_front", &["Alt+H"]),
    ("view_bottom", &["Alt+Shift+J"]),
    ("view_right", &["Alt+Shift+K"]),
    ("view_back", &["Alt+Shift+H"]),
];

portamento_base::named!(KeymapPreset { Industry: "industry", Blender: "blender", Maya: "maya", Unreal: "unreal" });

impl KeymapPreset {
    /// Returns the commands whose keys differ from those of [`Self::Industry`], with their keys.
    fn differences(self) -> Differences {
        match self {
            Self::Industry => &[],
            Self::Blender => BLENDER,
            Self::Maya => MAYA,
            Self::Unreal => UNREAL,
        }
    }

    /// Returns the shortcuts of `entry` in the preset.
    fn keys(self, entry: &CommandEntry) -> &'static [&'static str] {
        let differs = self.differences().iter().find(|(name, _)| *name == entry.name);
        differs.map_or(entry.keys, |(_, keys)| keys)
    }

    /// Returns the camera motion of a drag with `hold`, if any.
    pub fn motion(self, hold: MouseHold) -> Option<MouseMotion> {
        use MouseButton::{Middle, Primary, Secondary};
        use MouseMotion::{Orbit, Pan, Zoom};
        let MouseHold { button, alt, shift, ctrl } = hold;
        match (self, button) {
            (Self::Industry, Middle) if shift || alt => Some(Pan),
            (Self::Industry, Middle | Primary) => Some(Orbit),
            (Self::Industry, Secondary) => Some(if alt { Zoom } else { Pan }),
            (Self::Blender, Middle) if shift => Some(Pan),
            (Self::Blender, Middle) if ctrl => Some(Zoom),
            (Self::Blender, Middle) => Some(Orbit),
            (Self::Blender, _) => None,
            (Self::Maya, Primary) => alt.then_some(Orbit),
            (Self::Maya, Middle) => alt.then_some(Pan),
            (Self::Maya, Secondary) => alt.then_some(Zoom),
            (Self::Unreal, Primary) => alt.then_some(Orbit),
            (Self::Unreal, Middle) => Some(Pan),
            (Self::Unreal, Secondary) => Some(if alt { Zoom } else { Orbit }),
        }
    }
}

impl Keymap {
    /// Returns the shortcuts of a command; menus show the first.
    pub fn keys(&self, entry: &CommandEntry) -> Vec<String> {
        let of_preset = || self.preset.keys(entry).iter().map(|keys| (*keys).to_owned()).collect();
        self.changed.get(entry.name).cloned().unwrap_or_else(of_preset)
    }

    /// Sets the shortcuts of a command. Exactly those of the preset, in the same order and spelling, remove the
    /// change: `Shift+Ctrl+A` is not `Ctrl+Shift+A`. An empty list leaves the command without shortcut.
    pub fn set(&mut self, entry: &CommandEntry, keys: Vec<String>) {
        if self.preset.keys(entry) == keys {
            self.changed.remove(entry.name);
        } else {
            self.changed.insert(entry.name.to_owned(), keys);
        }
    }

    /// Returns commands with the same shortcut as an earlier command.
    pub fn clashes(&self) -> Vec<KeyClash> {
        let mut known: BTreeMap<String, &'static str> = BTreeMap::new();
        let mut clashes = Vec::new();
        for entry in catalogue() {
            for keys in self.keys(&entry) {
                match known.get(&normalized_keys(&keys)) {
                    Some(first) if *first != entry.name => clashes.push(KeyClash { keys, names: [*first, entry.name] }),
                    Some(_) => {}
                    None => drop(known.insert(normalized_keys(&keys), entry.name)),
                }
            }
        }
        clashes
    }
}

/// Normalises a shortcut for comparison: its parts are sorted, and `Num` is removed from the beginning of each.
/// Digits of the numpad thus equal digits, as the window reports them. Upper and lower case stay different.
fn normalized_keys(keys: &str) -> String {
    let mut parts: Vec<&str> = keys.split('+').map(|part| part.strip_prefix("Num").unwrap_or(part)).collect();
    parts.sort_unstable();
    parts.join("+")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> CommandEntry {
        catalogue().into_iter().find(|entry| entry.name == name).unwrap()
    }

    #[test]
    fn no_preset_has_duplicate_keys_or_unknown_commands() {
        for preset in KeymapPreset::ALL {
            let keymap = Keymap { preset, ..Keymap::default() };
            assert_eq!(keymap.clashes(), [], "{preset:?}");
            preset.differences().iter().for_each(|(name, _)| drop(entry(name)));
        }
    }

    #[test]
    fn a_changed_key_clashes_until_the_other_command_loses_it() {
        let mut keymap = Keymap::default();
        keymap.set(&entry("toggle_ruler"), vec!["L".into()]);
        assert_eq!(keymap.clashes(), [KeyClash { keys: "L".into(), names: ["toggle_loop", "toggle_ruler"] }]);
        keymap.set(&entry("toggle_loop"), Vec::new());
        assert_eq!(keymap.clashes(), []);
        assert_eq!(keymap.keys(&entry("toggle_loop")), Vec::<String>::new());
        keymap.set(&entry("toggle_loop"), vec!["Shift+Ctrl+Num1".into()]);
        keymap.set(&entry("toggle_ruler"), vec!["Ctrl+Shift+1".into()]);
        assert_eq!(keymap.clashes().len(), 1, "in whatever order they are written");
        keymap.set(&entry("toggle_loop"), vec!["L".into()]);
        keymap.set(&entry("toggle_ruler"), vec!["M".into()]);
        assert_eq!(keymap, Keymap::default(), "setting the preset's keys is not a change");
    }

    #[test]
    fn every_preset_can_orbit_pan_and_zoom_with_the_mouse() {
        let holds = || {
            let buttons = [MouseButton::Primary, MouseButton::Middle, MouseButton::Secondary];
            let keys = [[false; 3], [true, false, false], [false, true, false], [false, false, true]];
            buttons
                .into_iter()
                .flat_map(move |button| keys.map(|[alt, shift, ctrl]| MouseHold { button, alt, shift, ctrl }))
        };
        for preset in KeymapPreset::ALL {
            let does = |motion| holds().any(|hold| preset.motion(hold) == Some(motion));
            assert!(does(MouseMotion::Orbit) && does(MouseMotion::Pan), "{preset:?}");
            assert!(does(MouseMotion::Zoom), "{preset:?}");
        }
    }
}
