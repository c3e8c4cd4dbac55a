//! An entry of menus, the palette and the shortcut list.

use super::Command;

/// An entry of menus, the palette and the shortcut list.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandEntry {
    /// The command to run.
    pub command: Command,
    /// Translation key of its label, without the prefix `command.`; also its search word.
    pub name: &'static str,
    /// Default shortcuts, such as `Ctrl+Shift+S`; the first is shown. Ctrl is Cmd on macOS.
    pub keys: &'static [&'static str],
    /// True if a separator precedes it in its menu.
    pub begins_group: bool,
}

impl CommandEntry {
    /// Returns an entry without a separator.
    pub const fn new(name: &'static str, command: Command, keys: &'static [&'static str]) -> Self {
        Self { command, name, keys, begins_group: false }
    }

    /// Returns the entry with a separator before it.
    pub(super) fn after_line(self) -> Self {
        Self { begins_group: true, ..self }
    }
}
