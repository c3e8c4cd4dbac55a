//! VRM spring bones (`VRMC_springBone` 1.0): their own algorithm, and the way to and from the settings of this system.
//!
//! Source: the VRM consortium's specification of `VRMC_springBone`. It adds `stiffness·dt` and `gravityPower·dt` to the tip per frame
//! of any length; this system adds `a·h²`. At 60 frames per second the two are equal for a = 60·stiffness and |g| = 60·gravityPower,
//! and drag is the same number; at other rates the format's motion changes. The format counts in the file's units where this system
//! counts in metres, so all strengths and radii are converted with those. The format pushes a tip out of a collider and then restores
//! the length, which leaves the tip partly inside; this system does not.

mod convert;
mod simulate;

pub(crate) use convert::{settings_from_spring_bones, spring_bones_from_settings};
pub(super) use simulate::{SpringState, simulated_joints};
