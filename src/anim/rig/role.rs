//! Roles of joints.

use serde::Serialize;

use portamento_base::message::{Message, message};

/// A role of one or more joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The joint in [`crate::Roles::hips`].
    Hips,
    /// The joint in [`crate::Roles::spine_split`].
    Spine,
    /// The joint in [`crate::Roles::head`].
    Head,
    /// The joints in [`crate::Roles::hands`].
    Hands,
    /// The chains in [`crate::Roles::legs`].
    Legs,
    /// The joints in [`crate::Roles::tail`].
    Tail,
    /// The axis in [`crate::Roles::front`].
    Front,
}

impl Role {
    /// Returns the name shown to the user.
    pub fn message(self) -> Message {
        match self {
            Self::Hips => message!("rig.role.hips", "hips"),
            Self::Spine => message!("rig.role.spine", "lowest joint of the upper body"),
            Self::Head => message!("rig.role.head", "head"),
            Self::Hands => message!("rig.role.hands", "hands"),
            Self::Legs => message!("rig.role.legs", "legs"),
            Self::Tail => message!("rig.role.tail", "tail"),
            Self::Front => message!("rig.role.front", "facing direction"),
        }
    }

    /// All roles, in the order in which they are shown.
    pub const ALL: [Self; 7] = [Self::Hips, Self::Spine, Self::Head, Self::Hands, Self::Legs, Self::Tail, Self::Front];
}
