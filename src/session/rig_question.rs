//! Roles of an opened character on which evidence disagrees: they are asked, one after the other, until somebody answers.

use super::{OpenDocument, Session, Severity, Shown};
use crate::anim::Rig;
use crate::anim::rig::Role;
use crate::anim::rig::question::{Answer, Question};
use crate::document::FileId;
use crate::message::message;

impl Session {
    /// Asks for the roles of the character of `file`, shown as `name`, on which names and shape disagree.
    pub(super) fn ask_unsure(&mut self, file: FileId, rig: &Rig, name: &str) {
        for question in &rig.questions {
            let message = message!(
                "warning.rig.unsure",
                "%{file}: evidence disagrees about the %{role}. Click it on the figure, choose it in the inspector under Rig, or \
                 give %{flag}.",
                file = name,
                role = question.role.message(),
                flag = flag(question.role),
            );
            self.notices.say(Severity::Warning, message);
        }
        self.rig_questions.extend(rig.questions.iter().map(|question| (file, question.clone())));
    }

    /// The next open question about the shown character.
    pub fn rig_question(&self) -> Option<&Question> {
        let shown = self.shown_rig()?;
        let roles = &self.document.character(shown)?.roles;
        let asks = |(file, question): &&(FileId, Question)| *file == shown && question.is_open(roles);
        self.rig_questions.iter().find(asks).map(|(_, question)| question)
    }

    /// Answers the open question about the shown character; what is shown already stays and is asked no more.
    pub fn answer_rig_question(&mut self, answer: Answer) {
        let (Some(shown), Some(question)) = (self.shown_rig(), self.rig_question().cloned()) else { return };
        self.rig_questions.retain(|(file, asked)| *file != shown || *asked != question);
        if let Some(character) = self.document.characters.iter_mut().find(|character| character.file == shown) {
            answer.apply(question.role, &mut character.roles);
        }
    }

    /// The file whose rig is shown.
    pub fn shown_rig(&self) -> Option<FileId> {
        self.opened().rig_of(&self.selection.shown)
    }
}

impl<'a> OpenDocument<'a> {
    /// The same of anything that can be shown.
    pub fn rig_of(self, shown: &Shown) -> Option<FileId> {
        match shown {
            Shown::Nothing => None,
            Shown::File(file) => Some(*file),
            Shown::Clip { character, .. } => Some(*character),
            Shown::Take(take) => self.document.take(*take).map(|take| take.character),
        }
    }
}

/// The flag of the command line that answers.
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
    use crate::session::{Command, FileCommand};

    /// A body whose head is called a hand, and one of whose hands is called head.
    fn opened() -> Session {
        let mut session = Session::inline();
        let path = crate::support::fixture("doubtful_head.bvh");
        session.perform(Command::File(FileCommand::Open(vec![path])));
        session
    }

    #[test]
    fn a_doubtful_head_is_asked_until_it_is_answered() {
        let mut session = opened();
        let question = session.rig_question().cloned().unwrap();
        assert_eq!(question.role, Role::Head);
        let [Answer::Joint(named), Answer::Joint(shaped)] = question.answers[..] else { panic!("{question:?}") };
        let head = |session: &Session| session.document.characters[0].roles.head;
        assert_eq!(head(&session), Some(named));
        assert!(session.notices.all().iter().any(|notice| notice.message.to_string().contains("--head")));
        session.answer_rig_question(Answer::Joint(shaped));
        assert_eq!((head(&session), session.rig_question()), (Some(shaped), None));
    }

    #[test]
    fn keeping_what_is_shown_and_choosing_in_the_inspector_are_answers_too() {
        let mut session = opened();
        let kept = session.rig_question().unwrap().answers[0].clone();
        session.answer_rig_question(kept);
        assert_eq!(session.rig_question(), None);
        let mut session = opened();
        session.document.characters[0].roles.head = Some(0);
        assert_eq!(session.rig_question(), None);
    }
}
