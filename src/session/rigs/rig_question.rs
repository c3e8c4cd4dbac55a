//! Questions about uncertain joint roles of opened characters, asked one after another until answered.

use crate::Shown;
use portamento_anim::Rig;
use portamento_anim::rig::Role;
use portamento_anim::rig::question::{Answer, Question};
use portamento_base::message::{Message, message};
use portamento_takes::document::{Document, FileId};

/// All questions about characters opened since the document was, answered or not.
#[derive(Debug, Default)]
pub struct RigQuestions {
    asked: Vec<(FileId, Question)>,
    /// Command-line flags that answer questions, for the command line.
    flags: Vec<&'static str>,
}

impl RigQuestions {
    /// Adds the uncertain roles of the character of `file`, displayed as `name`; returns the warnings.
    pub(crate) fn ask(&mut self, file: FileId, rig: &Rig, name: &str) -> Vec<Message> {
        self.flags.extend(rig.questions.iter().map(|question| flag(question.role)));
        self.asked.extend(rig.questions.iter().map(|question| (file, question.clone())));
        let controls = (rig.controls > 0).then(|| ignored_controls(rig.controls, name));
        rig.questions.iter().map(|question| uncertain_role(question.role, name)).chain(controls).collect()
    }

    /// Returns the command-line flags that answer the questions added since the last call. Clears them.
    pub fn take_flags(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.flags)
    }

    /// Returns the next open question about the character of `shown`; `None` if all are answered. Also `None` if no
    /// character is shown.
    pub fn open(&self, document: &Document, shown: &Shown) -> Option<&Question> {
        let shown = shown.character(document)?;
        let roles = &document.character(shown)?.roles;
        let asks = |(file, question): &&(FileId, Question)| *file == shown && question.is_open(roles);
        self.asked.iter().find(asks).map(|(_, question)| question)
    }

    /// Answers the open question about the character of `shown`, which closes it, also if the role stays. Does nothing if
    /// there is none.
    pub fn answer(&mut self, document: &mut Document, shown: &Shown, answer: Answer) {
        let Some(question) = self.open(document, shown).cloned() else { return };
        let Some(shown) = shown.character(document) else { return };
        self.asked.retain(|(file, asked)| *file != shown || *asked != question);
        if let Some(character) = document.characters.iter_mut().find(|character| character.file == shown) {
            answer.apply(question.role, &mut character.roles);
        }
    }
}

/// Returns the warning that a role of the character `name` is uncertain.
fn uncertain_role(role: Role, name: &str) -> Message {
    message!(
        "warning.rig.unsure",
        "%{file}: the %{role} could not be determined reliably. Click it on the figure, or choose it in the inspector under Rig.",
        file = name,
        role = role.message(),
    ).harmless()
}

/// Returns the warning that `count` joints of the control rig `name` are ignored as body parts.
fn ignored_controls(count: usize, name: &str) -> Message {
    message!(
        "warning.rig.controls",
        "%{file} is a control rig: %{count} of its joints are controls. They are ignored as hips, spine, head, hands and legs; \
         the joints that deform the mesh are used.",
        file = name,
        count
    )
    .harmless()
}

/// Returns the command-line flag that sets the role.
fn flag(role: Role) -> &'static str {
    match role {
        Role::Hips => "--hips",
        Role::Spine => "--spine",
        Role::Head => "--head",
        Role::Legs => "--legs",
        Role::Front => "--front",
        Role::Hands | Role::Tail => "--rig-preset",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, FileCommand, Session};

    /// Opens a body whose head is named as a hand, and one of whose hands is named head.
    fn opened() -> Session {
        let mut session = Session::inline();
        let path = portamento_test_support::fixture("doubtful_head.bvh");
        session.perform(Command::File(FileCommand::Open(vec![path])));
        session
    }

    fn question(session: &Session) -> Option<&Question> {
        session.rig_questions.open(&session.document, &session.selection.shown)
    }

    fn answer(session: &mut Session, answer: Answer) {
        session.rig_questions.answer(&mut session.document, &session.selection.shown, answer);
    }

    #[test]
    fn an_uncertain_head_is_asked_until_answered() {
        let mut session = opened();
        let question = question(&session).cloned().unwrap();
        assert_eq!(question.role, Role::Head);
        let [Answer::Joint(named), Answer::Joint(shaped)] = question.answers[..] else { panic!("{question:?}") };
        let head = |session: &Session| session.document.characters[0].roles.head;
        assert_eq!(head(&session), Some(named));
        assert!(session.notices.all().iter().any(|notice| notice.message.to_string().contains("head")));
        assert_eq!(session.rig_questions.take_flags(), ["--head"]);
        answer(&mut session, Answer::Joint(shaped));
        assert_eq!((head(&session), self::question(&session)), (Some(shaped), None));
    }

    #[test]
    fn confirming_the_current_role_and_choosing_in_the_inspector_are_answers() {
        let mut session = opened();
        let confirmed = self::question(&session).unwrap().answers[0].clone();
        answer(&mut session, confirmed);
        assert_eq!(self::question(&session), None);
        let mut session = opened();
        session.document.characters[0].roles.head = Some(0);
        assert_eq!(self::question(&session), None);
    }
}
