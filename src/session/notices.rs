//! What the program tells the user: toasts show the newest, the log panel all.

use serde::{Deserialize, Serialize};

use crate::message::{Message, message};

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Something the user asked for is done.
    Done,
    /// Done with a limit or fallback.
    Warning,
    /// Not done; nothing was lost.
    Error,
}

/// One message: what happened, why, what to do next.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// How much it matters.
    pub severity: Severity,
    /// Whole sentences in every language of the program.
    pub message: Message,
    /// A folder the message is about, for "show in folder".
    pub folder: Option<std::path::PathBuf>,
}

/// All messages of a session, oldest first.
#[derive(Debug, Default)]
pub struct Notices {
    all: Vec<Notice>,
    shown: usize,
    /// Errors that are mended and not yet taken off the screen.
    over: Vec<Message>,
}

impl Notice {
    /// About no folder.
    pub fn new(severity: Severity, message: Message) -> Self {
        Self { severity, message, folder: None }
    }

    /// The message in English.
    pub fn text(&self) -> String {
        self.message.to_string()
    }
}

impl Notices {
    /// Adds a notice; the window shows the newest ones.
    pub fn say(&mut self, severity: Severity, message: Message) {
        self.push(Notice::new(severity, message));
    }

    /// Adds one notice each.
    pub fn say_all(&mut self, severity: Severity, messages: impl IntoIterator<Item = Message>) {
        messages.into_iter().for_each(|message| self.say(severity, message));
    }

    /// Adds a whole notice.
    pub fn push(&mut self, notice: Notice) {
        self.all.push(notice);
    }

    /// Says that what an error told no longer holds; the log keeps it.
    pub fn end(&mut self, error: Message) {
        self.over.push(error);
    }

    /// What no longer holds, each exactly once.
    pub fn take_over(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.over)
    }

    /// Every message so far.
    pub fn all(&self) -> &[Notice] {
        &self.all
    }

    /// The messages not yet taken, each exactly once: for toasts and the command line.
    pub fn take_new(&mut self) -> Vec<Notice> {
        let new = self.all[self.shown..].to_vec();
        self.shown = self.all.len();
        new
    }

    /// Empties the log.
    pub fn clear(&mut self) {
        self.all.clear();
        self.shown = 0;
    }
}

/// What is wrong with the take or file of that name.
pub(super) fn about(name: &str, error: Message) -> Message {
    message!("error.of_take", "%{take}: %{error}", take = name, error = error)
}
