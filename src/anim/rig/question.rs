//! What is asked about a rig on which evidence disagrees, and what can be answered.

use super::Role;
use crate::anim::{Front, Leg, Roles};

/// A role that has to be asked before it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The role that is in doubt.
    pub role: Role,
    /// What the kinds of evidence say. The first is shown meanwhile; of fronts none is, until one is chosen.
    pub answers: Vec<Answer>,
}

/// What a role may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// For roles of one joint: hips, spine, head.
    Joint(usize),
    /// All legs together.
    Legs(Vec<Leg>),
    /// Where the character looks at rest.
    Front(Front),
}

impl Question {
    /// Whether `roles` still hold what was in doubt, so that nobody has answered.
    pub fn is_open(&self, roles: &Roles) -> bool {
        match (Answer::from_roles(self.role, roles), self.answers.first()) {
            (shown, _) if self.role == Role::Front => shown.is_none(),
            (shown, first) => shown.as_ref() == first,
        }
    }
}

impl Answer {
    /// What `roles` have for `role`; `None` where that is empty, and for roles that are never in doubt.
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

    /// Puts it into `roles` as `role`; nothing where it is no answer for that role.
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
