//! Context-dependent actions on the shown or selected item, which the palette lists along with the commands.

use std::fmt;
use std::rc::Rc;

use portamento_base::message::Message;
use portamento_session::{Command, Session, Severity};

/// One available action.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Translation key of its label. The key and its English text are also searched.
    pub key: &'static str,
    /// The label, including the names of the affected items.
    pub label: String,
    /// The action.
    pub act: Act,
}

/// The action of an offer.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Performs a session command.
    Command(Command),
    /// Edits the document directly, as its panel does.
    Change(Change),
}

/// A direct edit of the document.
#[derive(Clone)]
pub struct Change(Rc<dyn Fn(&mut Session)>);

impl Offer {
    /// Creates an offer that performs a command.
    pub(crate) fn new(key: &'static str, label: String, command: Command) -> Self {
        Self { key, label, act: Act::Command(command) }
    }

    /// Creates an offer that edits the document directly.
    pub(crate) fn change(key: &'static str, label: String, change: impl Fn(&mut Session) + 'static) -> Self {
        Self { key, label, act: Act::Change(Change(Rc::new(change))) }
    }

    /// Creates an offer that is always listed. If `change` fails, its error is shown as a notice.
    pub(crate) fn attempt(
        key: &'static str,
        label: String,
        change: impl Fn(&mut Session) -> Result<(), Message> + 'static,
    ) -> Self {
        let attempt = move |session: &mut Session| {
            change(session).unwrap_or_else(|reason| session.notices.add(Severity::Info, reason));
        };
        Self::change(key, label, attempt)
    }
}

impl Change {
    /// Performs the edit.
    pub(crate) fn make(&self, session: &mut Session) {
        (self.0)(session);
    }
}

impl PartialEq for Change {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("Change")
    }
}
