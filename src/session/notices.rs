//! Messages to the user: toasts show new ones, the log panel shows all.

use std::path::PathBuf;

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

/// The subject of an error. A later success removes the error from the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The export of takes.
    Export,
    /// Saving the project.
    SaveProject,
    /// Saving a preset of dynamic bones or of a rig.
    SavePreset,
    /// Saving a recipe.
    SaveRecipe,
    /// Saving the add-on.
    SaveAddOn,
    /// Saving a film or a picture of the view.
    SaveFilm,
    /// Measuring a folder of clips.
    MeasureClips,
    /// Reading the file at this path.
    Read(PathBuf),
}

/// A message: what happened, why, and what to do next.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The severity.
    pub severity: Severity,
    /// The translatable message.
    pub message: Message,
    /// A folder the message is about, for "show in folder".
    pub folder: Option<PathBuf>,
    /// The messages that this one summarizes, for the log and the command line.
    pub details: Box<[Message]>,
}

/// All messages of a session, oldest first.
#[derive(Debug, Default)]
pub struct Notices {
    all: Vec<Notice>,
    /// Number of messages that [`Notices::take_new`] has returned.
    shown_count: usize,
    /// The errors whose topics had no success since.
    failures: Vec<(Topic, Message)>,
    /// Resolved errors that are not yet removed from the screen.
    resolved: Vec<Message>,
}

impl Notice {
    /// Returns a notice without a folder.
    pub fn new(severity: Severity, message: Message) -> Self {
        Self { severity, message, folder: None, details: Box::default() }
    }

    /// Returns the notice with a folder to show.
    pub fn in_folder(self, folder: Option<PathBuf>) -> Self {
        Self { folder, ..self }
    }

    /// The message in English, followed by those that it summarizes.
    pub fn text(&self) -> String {
        let all = std::iter::once(&self.message).chain(self.details.iter());
        all.map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    /// Returns the messages that it summarizes, or its own if it summarizes none.
    pub fn messages(&self) -> &[Message] {
        if self.details.is_empty() { std::slice::from_ref(&self.message) } else { &self.details }
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

    /// Adds one notice about the files of one opening: the message itself, or a summary of several. It is a warning only if
    /// something is lost. Does nothing without messages.
    pub fn add_opening(&mut self, details: Vec<Message>) {
        let severity = |message: &Message| if message.is_harmless() { Severity::Info } else { Severity::Warning };
        let Some(worst) = details.iter().map(severity).max() else { return };
        let first = details.iter().find(|message| severity(message) == worst).cloned();
        let (Some(first), true) = (first, details.len() > 1) else {
            return self.add_all(worst, details);
        };
        let message = message!(
            "notice.opening",
            "%{count} remarks about what was opened. %{first} The log lists all.",
            count = details.len(),
            first
        );
        self.push(Notice { details: details.into(), ..Notice::new(worst, message) });
    }

    /// Adds a notice.
    pub fn push(&mut self, notice: Notice) {
        self.all.push(notice);
    }

    /// Adds an error that the next [`Notices::succeed`] on its topic resolves.
    pub fn fail(&mut self, topic: Topic, error: Message) {
        self.failures.push((topic, error.clone()));
        self.add(Severity::Error, error);
    }

    /// Resolves the errors of `topic`, because what failed succeeded since or begins again.
    pub fn succeed(&mut self, topic: &Topic) {
        let resolved = self.failures.extract_if(.., |(of, _)| of == topic);
        self.resolved.extend(resolved.map(|(_, error)| error));
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
    let is_harmless = error.is_harmless();
    let about = message!("error.of_take", "%{take}: %{error}", take = name, error = error);
    if is_harmless { about.harmless() } else { about }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_success_resolves_the_errors_of_its_topic() {
        let mut notices = Notices::default();
        let [saved, a, b] = ["not saved", "no a", "no b"].map(Message::verbatim);
        notices.fail(Topic::SaveProject, saved.clone());
        notices.fail(Topic::Read("a".into()), a.clone());
        notices.fail(Topic::Read("b".into()), b);
        notices.succeed(&Topic::Export);
        assert_eq!(notices.take_resolved(), []);
        notices.succeed(&Topic::Read("a".into()));
        notices.succeed(&Topic::SaveProject);
        assert_eq!(notices.take_resolved(), [a, saved]);
        notices.succeed(&Topic::SaveProject);
        assert_eq!((notices.take_resolved(), notices.all().len()), (Vec::new(), 3), "the log keeps all");
    }

    #[test]
    fn one_notice_summarizes_an_opening_and_is_a_warning_only_if_something_is_lost() {
        let (harmless, loss) =
            (message!("test.turned", "Turned.").harmless(), Message::verbatim("A mesh is left out."));
        let notice = |details: &[&Message]| {
            let mut notices = Notices::default();
            notices.add_opening(details.iter().map(|&message| message.clone()).collect());
            notices.take_new()
        };
        assert!(notice(&[]).is_empty());
        assert_eq!(notice(&[&harmless]), [Notice::new(Severity::Info, harmless.clone())]);
        let many = notice(&[&harmless, &harmless, &loss]);
        assert_eq!((many.len(), many[0].severity, many[0].details.len()), (1, Severity::Warning, 3));
        assert!(many[0].message.to_string().contains("A mesh is left out."), "the loss comes first");
        assert_eq!(notice(&[&harmless, &harmless])[0].severity, Severity::Info);
    }
}
