//! An obstacle or a gap, and the sizes that a clip can cross.

use std::ops::RangeInclusive;

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use portamento_base::message::{Message, message};

/// The ways to cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrossingKind {
    /// Over a thin obstacle, to the ground behind it, with a hand or foot on its top.
    Vault,
    /// Onto an obstacle, with both hands on its edge.
    Mantle,
    /// Onto an obstacle, without hands.
    HopUp,
    /// Across a gap, to ground of about the same height.
    JumpAcross,
    /// Down from a ledge.
    DropDown,
}

impl CrossingKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Vault, Self::Mantle, Self::HopUp, Self::JumpAcross, Self::DropDown];

    /// Returns the name shown to the user.
    pub fn message(self) -> Message {
        match self {
            Self::Vault => message!("word.vault", "vault"),
            Self::Mantle => message!("word.mantle", "mantle"),
            Self::HopUp => message!("word.hop_up", "hop up"),
            Self::JumpAcross => message!("word.jump_across", "jump across"),
            Self::DropDown => message!("word.drop_down", "drop down"),
        }
    }
}

/// A straight, level or sloped edge of the level between two points, metres, Y up.
pub type EdgeLine = [DVec3; 2];

/// An obstacle or a gap, as seen by a character in front of it. Metres, Y up, in the level's space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// How it is crossed.
    pub kind: CrossingKind,
    /// Edge on the side of the approach: the top edge of an obstacle, or the edge of the ground before a gap or drop.
    pub near: EdgeLine,
    /// Edge on the other side: the far top edge of a thin obstacle, or the edge of the ground beyond a gap. `None` for
    /// a mantle, a hop up and a drop.
    pub far: Option<EdgeLine>,
    /// Point on the ground below the root where the run-up starts.
    pub start: DVec3,
    /// Point on the ground below the root where the crossing ends.
    pub landing: DVec3,
}

impl Obstacle {
    /// Returns the points at which the straight line from start to landing passes over the near edge and over the far edge. An edge
    /// along the line is passed in its middle.
    pub fn passed(&self) -> [Option<DVec3>; 2] {
        let flat = |vector: DVec3| DVec2::new(vector.x, vector.z);
        let direction = flat(self.landing - self.start);
        let point = |[a, b]: EdgeLine| {
            let share = flat(self.start - a).perp_dot(direction) / flat(b - a).perp_dot(direction);
            a.lerp(b, if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 })
        };
        [Some(self.near), self.far].map(|edge| edge.map(point))
    }
}

/// The sizes of obstacles that one clip can cross.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRange {
    /// Kind of crossing.
    pub kind: CrossingKind,
    /// Height of the near edge over the ground at the start, metres. About zero for a jump or a drop.
    pub height: RangeInclusive<f64>,
    /// Horizontal distance between the near and the far edge, metres: thickness of an obstacle or width of a gap. Zero
    /// if there is no far edge.
    pub distance: RangeInclusive<f64>,
    /// Height of the landing over the ground at the start, metres. Negative below it.
    pub rise: RangeInclusive<f64>,
    /// Horizontal distance from the start to the near edge, metres.
    pub run_up: RangeInclusive<f64>,
    /// Free ground needed behind the far edge (or the near edge if there is no far edge), metres.
    pub landing_room: f64,
    /// Duration of the unchanged clip, seconds.
    pub seconds: f64,
}
