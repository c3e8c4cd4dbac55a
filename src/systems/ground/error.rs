//! Why a motion cannot be put on the ground.

use glam::DVec3;

use crate::anim::clip_fit::{BrokenClip, OtherSkeleton};
use crate::message::{message, tell};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A foot stands, or the body goes, where there is no ground.
    OffGround {
        /// World place, metres.
        place: DVec3,
        /// When, in seconds.
        time: f64,
        /// The joint's name.
        joint: String,
    },
    /// No legs to stand on.
    NoLegs,
    /// A frame rate, unit, length or setting that cannot be used.
    BadNumber {
        /// What it holds.
        value: f64,
    },
    /// The clip was made for another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// The clip holds infinite or undefined numbers.
    BrokenClip(#[from] BrokenClip),
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::OffGround { place, time, joint } => message!(
        "error.ground.off_ground",
        "At %{time} s “%{joint}” is at (%{x} m, %{y} m, %{z} m), where there is no ground to stand on. Move the motion or its target, or make \
         the level walkable there.",
        time = format!("{time:.2}"),
        joint,
        x = format!("{:.2}", place.x),
        y = format!("{:.2}", place.y),
        z = format!("{:.2}", place.z)
    ),
    Self::NoLegs => message!(
        "error.ground.no_legs",
        "This character has no legs that were recognised, so nothing stands on the ground. Assign its legs."
    ),
    Self::BadNumber { value } => message!(
        "error.ground.bad_number",
        "The frame rate, unit, length or a setting is %{value}, which cannot be used. Use 1 to 1000 frames per second, a unit above \
         0 m, at most an hour, and 0 or more for settings.",
        value
    ),
    Self::OtherSkeleton(error) => crate::message::Tell::message(error),
    Self::BrokenClip(error) => crate::message::Tell::message(error),
    Self::Cancelled(cancelled) => crate::message::Tell::message(cancelled),
});
