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
    /// Translation key of the submenu that holds it, if it is not in the menu itself.
    pub submenu: Option<&'static str>,
}

impl CommandEntry {
    /// Returns an entry without a separator.
    pub const fn new(name: &'static str, command: Command, keys: &'static [&'static str]) -> Self {
        Self { command, name, keys, begins_group: false, submenu: None }
    }

    /// Returns the entry with a separator before it.
    pub(super) fn after_line(self) -> Self {
        Self { begins_group: true, ..self }
    }

    /// Returns the entry in a submenu. Entries side by side with the same one share it.
    pub(super) fn within(self, submenu: &'static str) -> Self {
        Self { submenu: Some(submenu), ..self }
    }
}
