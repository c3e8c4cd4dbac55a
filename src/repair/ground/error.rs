//! Reasons why a motion cannot be placed on the ground.

use glam::DVec3;

use portamento_anim::clip_fit::{BrokenClip, OtherSkeleton};
use portamento_base::message::{message, tell};
use portamento_base::progress::Cancelled;

/// Errors of [`super::build`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A foot is planted, or the body is, where there is no ground.
    OffGround {
        /// World position, metres.
        place: DVec3,
        /// Time, seconds.
        time: f64,
        /// The joint's name.
        joint: String,
    },
    /// The character has no usable legs.
    NoLegs,
    /// The frame rate, unit, length or a setting is invalid.
    BadNumber {
        /// The invalid value.
        value: f64,
    },
    /// The clip belongs to another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// The clip contains infinite or undefined numbers.
    BrokenClip(#[from] BrokenClip),
    /// The work was cancelled.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::OffGround { place, time, joint } => message!(
        "error.ground.off_ground",
        "At %{time} s “%{joint}” is at (%{x} m, %{y} m, %{z} m), where there is no ground. Move the motion or its target, or make \
         the level walkable there.",
        time = format!("{time:.2}"),
        joint,
        x = format!("{:.2}", place.x),
        y = format!("{:.2}", place.y),
        z = format!("{:.2}", place.z)
    ),
    Self::NoLegs => message!(
        "error.ground.no_legs",
        "The legs of this character were not recognised, so it cannot be placed on the ground. Assign its legs."
    ),
    Self::BadNumber { value } => message!(
        "error.ground.bad_number",
        "The frame rate, unit, length or a setting cannot be %{value}. Use 1 to 1000 frames per second, a unit above \
         0 m, at most an hour, and 0 or more for settings.",
        value
    ),
    Self::OtherSkeleton(error) => portamento_base::message::Tell::message(error),
    Self::BrokenClip(error) => portamento_base::message::Tell::message(error),
    Self::Cancelled(cancelled) => portamento_base::message::Tell::message(cancelled),
});
