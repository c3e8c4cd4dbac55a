//! Labels of the guide that name something in the window: a click on one shows it.

use std::collections::BTreeMap;

use crate::app::App;
use crate::i18n::tr;
use crate::shell::dock::Panel;
use portamento_session::{Command, WindowCommand, command};

/// Something in the window.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shown {
    /// A panel.
    Panel(Panel),
    /// What a command opens.
    Command(Box<Command>),
}

impl Shown {
    /// Shows it.
    pub(super) fn carry_out(self, app: &mut App) {
        match self {
            Self::Panel(panel) => app.dock.show_panel(panel),
            Self::Command(command) => app.perform(*command),
        }
    }
}

/// Everything that labels can show, by the label in the language of the window.
#[derive(Debug)]
pub(super) struct Shows(BTreeMap<String, Shown>);

impl Shows {
    /// Returns all panels, and the commands that open something and change nothing.
    pub(super) fn all() -> Self {
        let panels = Panel::ALL.into_iter().map(|panel| (tr(&format!("panel.{}", panel.name())), Shown::Panel(panel)));
        let commands = command::catalogue().into_iter().filter(|entry| is_harmless(&entry.command)).map(|entry| {
            let label = tr(&format!("command.{}", entry.name));
            (label.trim_end_matches('…').to_owned(), Shown::Command(Box::new(entry.command)))
        });
        Self(commands.chain(panels).collect())
    }

    /// Returns what `label` shows, if it shows something. Dots at its end do not count.
    pub(super) fn of(&self, label: &str) -> Option<&Shown> {
        self.0.get(label.trim_end_matches('…'))
    }
}

/// True if the command opens a dialog.
fn is_harmless(command: &Command) -> bool {
    use WindowCommand as Window;
    let Command::Window(command) = command else { return false };
    matches!(
        command,
        Window::AskOpen
            | Window::AskRecover
            | Window::AskClips
            | Window::AskFindMissing
            | Window::AskSaveAs
            | Window::AskExport
            | Window::AskFilm
            | Window::AskPicture
            | Window::AskVariants
            | Window::AskSets
            | Window::RemoteControl
            | Window::AskSaveAddOn
            | Window::Preferences
            | Window::Palette
            | Window::Shortcuts
    )
}
