//! Dynamic bones: hair, tails, cloth strips and chains follow the body.
//!
//! Chosen joints and their children are simulated: the end of each bone is a point with inertia, drag and gravity (Verlet,
//! *Physical Review* 159, 1967) that is projected back to bone length (Jakobsen, *Advanced Character Physics*, 2001) and out of
//! colliders, to the nearest point where the reach of the bone meets their surface ([`spherical_cap`]), so both are exact.
//! Positions become rotations without twist ([`mod@step`]).
//!
//! *Time*: the step is always 1/240 s (for a looping clip the nearest length of which a whole number fits), with the animation
//! evaluated at every step; frames merely look at the recording. So all frame rates that divide 240 agree bit for bit; a frame of
//! another rate is a part of a step of its own ([`off_step`]), as exact in length and contact. Where forces are too strong for
//! short bones the step is cut into equal substeps.
//!
//! *Loops*: a looping clip is run until its state after a cycle is the state before it, or until the bones go where they went a cycle
//! before ([`cycle_track`]), from where on that cycle holds; the report says how many cycles that
//! took and what difference remains. Where too much remains, the cycle after it is kept too, for whoever mixes the two
//! ([`close_loop`]).
//!
//! *Trees* of bones that hang on the animation do not touch each other: four are simulated side by side ([`lanes`]), on all processors;
//! a loop is run until it repeats by itself; each is kept by [`Recordings`] while nothing changes that concerns it.
//!
//! *Branches*: a joint has one rotation. Where it has several children, the one with the longest way down is its bone's end and the
//! others are carried by it; their own bones are simulated again.
//!
//! Limits: colliders follow the animation, also those on simulated joints. A joint that points straight
//! against its animated direction has no rotation without twist there; the axis of its last rotation is used. Under scale
//! that differs by axis bones change their length as they rotate, as they do in every program that multiplies the matrices.

mod bake;
mod input;
mod keyed;
mod keyed_rig;
mod bone;
mod bone_group;
mod bone_pose;
mod bone_step;
mod broadphase;
mod carry;
mod close_loop;
mod contact;
mod cycle_track;
mod deviation;
mod driven_rows;
mod error;
mod lanes;
mod limit;
mod live;
mod measured;
mod mirror;
mod off_step;
mod preset;
mod recordings;
mod report;
mod rig;
mod settings;
mod spherical_cap;
pub(crate) mod spring_bone;
mod state;
mod step;
mod step_factors;
mod step_grid;
mod test_vectors;
mod tree_part;
mod tree_recording;
mod wind;
mod world_collider;
mod world_transform;

#[cfg(test)]
mod tests;

pub use bake::Built;
pub use bone::{Bone, Tip};
pub use bone_pose::BonePose;
pub use contact::Contact;
pub(crate) use deviation::deviation;
pub use error::BuildError;
pub use input::Input;
pub use keyed::{KeyedNumber, SettingsOverTime};
pub(crate) use live::LiveSimulation;
pub(crate) use mirror::mirrored;
pub use preset::Preset;
pub use recordings::{Recordings, build};
pub use report::{Report, Warning};
pub use rig::{DynamicsRig, KinematicJoint, RigCollider, STEP};
pub use settings::{
    AngleLimit, Chain, Collider, ColliderShape, JointOverride, Profile, Settings, Teleport, TeleportRule, Wind,
};
pub use state::State;
pub use step::step;
pub(crate) use test_vectors::TestVectors;
pub use world_collider::WorldCollider;
pub use world_transform::WorldTransform;
