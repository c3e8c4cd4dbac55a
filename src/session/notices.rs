//! Messages to the user: toasts show new ones, the log panel shows all.

use serde::{Deserialize, Serialize};

use portamento_base::message::{Message, message};

/// The severity of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Information.
    Info,
    /// A requested action is done.
    Done,
    /// Done, with a limit or fallback.
    Warning,
    /// Not done; nothing was lost.
    Error,
}

/// A message: what happened, why, and what to do next.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The severity.
    pub severity: Severity,
    /// The translatable message.
    pub message: Message,
    /// A folder the message is about, for "show in folder".
    pub folder: Option<std::path::PathBuf>,
}

/// All messages of a session, oldest first.
#[derive(Debug, Default)]
pub struct Notices {
    all: Vec<Notice>,
    shown_count: usize,
    /// Resolved errors that are not yet removed from the screen.
    resolved: Vec<Message>,
}

impl Notice {
    /// Returns a notice without a folder.
    pub fn new(severity: Severity, message: Message) -> Self {
        Self { severity, message, folder: None }
    }

    /// The message in English.
    pub fn text(&self) -> String {
        self.message.to_string()
    }
}

impl Notices {
    /// Adds a notice without a folder.
    pub fn add(&mut self, severity: Severity, message: Message) {
        self.push(Notice::new(severity, message));
    }

    /// Adds one notice for each message.
    pub fn add_all(&mut self, severity: Severity, messages: impl IntoIterator<Item = Message>) {
        messages.into_iter().for_each(|message| self.add(severity, message));
    }

    /// Adds a notice.
    pub fn push(&mut self, notice: Notice) {
        self.all.push(notice);
    }

    /// Marks an error as resolved; it stays in the log.
    pub fn resolve(&mut self, error: Message) {
        self.resolved.push(error);
    }

    /// Returns the errors resolved since the last call.
    pub fn take_resolved(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.resolved)
    }

    /// Returns every message so far.
    pub fn all(&self) -> &[Notice] {
        &self.all
    }

    /// Returns the messages added since the last call, for toasts and the command line.
    pub fn take_new(&mut self) -> Vec<Notice> {
        let new = self.all[self.shown_count..].to_vec();
        self.shown_count = self.all.len();
        new
    }

    /// Empties the log.
    pub fn clear(&mut self) {
        self.all.clear();
        self.shown_count = 0;
    }
}

/// Prefixes an error with the name of its take or file.
pub(super) fn about(name: &str, error: Message) -> Message {
    message!("error.of_take", "%{take}: %{error}", take = name, error = error)
}
