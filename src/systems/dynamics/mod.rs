//! Dynamic bones: hair, tails, cloth strips and chains follow the body.
//!
//! Chosen joints and their children swing: each bone's end is a point with inertia, drag and gravity (Verlet, *Physical Review*
//! 159, 1967; position-based projection after Jakobsen, *Advanced Character Physics*, 2001) that is put back to bone length and
//! moved out of colliders to the nearest point where the reach of the bone meets their surface ([`cap`]), so both are exact.
//! Positions become rotations without twist ([`mod@step`]).
//!
//! *Time*: the step is always 1/240 s (for a looping clip the nearest length of which a whole number fits), with the animation
//! evaluated at every step; frames merely look at the recording. So all frame rates that divide 240 agree bit for bit; a frame of
//! another rate is a part of a step of its own (`between`), as exact in length and contact. Where forces are too strong for
//! short bones the step is cut into equal parts.
//!
//! *Loops*: a looping clip is run until its state after a cycle is the state before it; the report says how many cycles that
//! took and what difference remains. Where too much remains, the cycle after it is kept too, for whoever mixes the two (`close`).
//!
//! *Trees*: a joint can turn only one way. Where it has several children, the one with the longest way down swings and the
//! others are carried by it; their own bones swing again.
//!
//! Limits: putting bones back to length damps wide swings; without drag one of 120° is of some 35° after 20 s, while one of 5°
//! keeps its height to a hundredth. Colliders follow the animation, also those on joints that swing. A joint that rotates
//! straight against its animated direction has no twist-free turn there; the axis of the last swing is used. Scale is taken as
//! uniform above turned joints.

pub mod bake;
mod between;
pub mod cap;
mod close;
pub mod contact;
pub mod deviation;
mod error;
mod limit;
pub mod live;
pub mod mirror;
mod near;
pub mod place;
pub mod preset;
pub mod report;
pub mod rig;
pub mod settings;
pub mod step;
pub mod vectors;
pub mod vrm;
mod wind;

#[cfg(test)]
mod tests;

pub use bake::{Built, Input, build, build_at};
pub use error::BuildError;
pub use live::Live;
pub use mirror::mirrored;
pub use preset::Preset;
pub use report::{Report, Warning};
pub use rig::Rig;
pub use settings::{Chain, Collider, JointOverride, Limit, Profile, Settings, Shape, Teleport, TeleportRule, Wind};
pub use step::{State, step};
