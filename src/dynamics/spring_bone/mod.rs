//! VRM spring bones (`VRMC_springBone` 1.0): their algorithm, and the conversion to and from the settings of this system.
//!
//! Source: the VRM consortium's specification of `VRMC_springBone`. It adds `stiffness·dt` and `gravityPower·dt` to the
//! tip per frame of any length; this system adds `a·h²`. At 60 frames per second both are equal for
//!
//! ```text
//! a = 60·stiffness,   |g| = 60·gravityPower,   equal drag
//! ```
//!
//! At other rates the format's motion changes. The format uses the file's units and this system metres, so all strengths
//! and radii are converted. The format pushes a tip out of a collider and then restores the length, which leaves the tip
//! partly inside; this system does not.

mod convert;
mod simulate;

pub use convert::{settings_from_spring_bones, spring_bones_from_settings};
pub(super) use simulate::{SpringState, simulated_joints};
