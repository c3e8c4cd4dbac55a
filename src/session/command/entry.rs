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
}
