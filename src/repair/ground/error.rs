//! Reasons why a motion cannot be placed on the ground.

use glam::DVec3;

use portamento_anim::clip_fit::{BrokenClip, OtherSkeleton};
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
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
    } => message!(
        "error.ground.off_ground",
        "At %{time} s “%{joint}” is at (%{x} m, %{y} m, %{z} m), where there is no ground. Move the motion or its target, or make \
         the level walkable there.",
        time = format!("{time:.2}"),
        joint,
        x = format!("{:.2}", place.x),
        y = format!("{:.2}", place.y),
        z = format!("{:.2}", place.z)
    ),
    /// The character has no usable legs.
    NoLegs => message!(
        "error.ground.no_legs",
        "The legs of this character were not recognised, so it cannot be placed on the ground. Assign its legs."
    ),
    /// The frame rate, unit, length or a setting is invalid.
    BadNumber {
        /// The invalid value.
        value: f64,
    } => message!(
        "error.ground.bad_number",
        "The frame rate, unit, length or a setting cannot be %{value}. Use 1 to 1000 frames per second, a unit above \
         0 m, at most an hour, and 0 or more for settings.",
        value
    ),
    /// The clip belongs to another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The clip contains infinite or undefined numbers.
    BrokenClip(#[from] error: BrokenClip) => error.message(),
    /// The work was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
