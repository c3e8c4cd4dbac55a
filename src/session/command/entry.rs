//! One row of menus, palette and key help.

use super::Command;

/// One row of menus, palette and key help.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandEntry {
    /// What it does.
    pub command: Command,
    /// Key of its label in the translations: `command.NAME`; NAME is also its search word.
    pub name: &'static str,
    /// Shortcuts such as `Ctrl+Shift+S`; the first is shown. Ctrl is Cmd on macOS.
    pub keys: &'static [&'static str],
    /// Whether a line parts it from those above it in its menu.
    pub begins_group: bool,
}

impl CommandEntry {
    /// One that stands with those above it.
    pub const fn new(name: &'static str, command: Command, keys: &'static [&'static str]) -> Self {
        Self { command, name, keys, begins_group: false }
    }

    /// The same as the first of a group.
    pub(super) fn after_line(self) -> Self {
        Self { begins_group: true, ..self }
    }
}
