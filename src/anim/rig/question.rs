//! Questions about roles for which the evidence disagrees, and their possible answers.

use super::role::Role;
use crate::{Front, Leg, Roles};

/// A role that the user must confirm before it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The uncertain role.
    pub role: Role,
    /// The answers that the evidence suggests. The first is used until the user answers; the facing direction stays
    /// unset until then.
    pub answers: Vec<Answer>,
}

/// A possible value of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A single joint: hips, spine or head.
    Joint(usize),
    /// All legs together.
    Legs(Vec<Leg>),
    /// The facing direction in the rest pose.
    Front(Front),
}

impl Question {
    /// True if the question is unanswered. The facing direction is open until it is set. Another role is open while
    /// it equals the first answer, so that choosing that answer does not close the question.
    pub fn is_open(&self, roles: &Roles) -> bool {
        match (Answer::from_roles(self.role, roles), self.answers.first()) {
            (shown, _) if self.role == Role::Front => shown.is_none(),
            (shown, first) => shown.as_ref() == first,
        }
    }
}

impl Answer {
    /// Returns the value of `role` in `roles`; `None` if it is empty, and for roles that are never uncertain.
    pub fn from_roles(role: Role, roles: &Roles) -> Option<Self> {
        match role {
            Role::Hips => roles.hips.map(Self::Joint),
            Role::Spine => roles.spine_split.map(Self::Joint),
            Role::Head => roles.head.map(Self::Joint),
            Role::Legs => Some(Self::Legs(roles.legs.clone())),
            Role::Front => roles.front.map(Self::Front),
            Role::Hands | Role::Tail => None,
        }
    }

    /// Sets `role` in `roles`; does nothing if the answer is of another kind.
    pub fn apply(self, role: Role, roles: &mut Roles) {
        match (role, self) {
            (Role::Hips, Self::Joint(joint)) => roles.hips = Some(joint),
            (Role::Spine, Self::Joint(joint)) => roles.spine_split = Some(joint),
            (Role::Head, Self::Joint(joint)) => roles.head = Some(joint),
            (Role::Legs, Self::Legs(legs)) => roles.legs = legs,
            (Role::Front, Self::Front(front)) => roles.front = Some(front),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_open_until_its_role_holds_something_else() {
        let head = Question { role: Role::Head, answers: vec![Answer::Joint(4), Answer::Joint(7)] };
        let mut roles = Roles { head: Some(4), ..Roles::default() };
        assert!(head.is_open(&roles));
        Answer::Front(Front::PlusX).apply(Role::Head, &mut roles);
        assert!(head.is_open(&roles), "{roles:?}");
        Answer::Joint(7).apply(Role::Head, &mut roles);
        assert!(!head.is_open(&roles) && roles.head == Some(7));
        let front = Question { role: Role::Front, answers: vec![Answer::Front(Front::PlusZ)] };
        assert!(front.is_open(&roles));
        Answer::Front(Front::PlusZ).apply(Role::Front, &mut roles);
        assert!(!front.is_open(&roles));
        let leg = Leg { thigh: 1, shin: 2, foot: 3, toe: None };
        let legs = Question { role: Role::Legs, answers: vec![Answer::Legs(Vec::new()), Answer::Legs(vec![leg])] };
        assert!(legs.is_open(&roles));
        legs.answers[1].clone().apply(Role::Legs, &mut roles);
        assert!(!legs.is_open(&roles) && roles.legs.len() == 1);
    }
}
