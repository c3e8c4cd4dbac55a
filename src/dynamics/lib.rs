//! Dynamic bones: hair, tails, cloth strips and chains follow the body.
//!
//! ```
//! use glam::Vec3;
//! use portamento_anim::math::Transform;
//! use portamento_anim::{Joint, Pose, Skeleton};
//! use portamento_dynamics::{Chain, LiveSimulation, Settings};
//!
//! // A tail of two bones of 20 cm that the animation holds straight back.
//! let joint = |name: &str, parent: Option<usize>, at: Vec3| Joint {
//!     name: name.into(),
//!     parent,
//!     rest: Transform::from_translation(at),
//!     node: 0,
//!     first_morph: 0,
//!     morph_count: 0,
//! };
//! let back = Vec3::NEG_Z * 0.2;
//! let joints = vec![
//!     joint("hips", None, Vec3::Y),
//!     joint("tail 1", Some(0), back),
//!     joint("tail 2", Some(1), back),
//!     joint("tail end", Some(2), back),
//! ];
//! let skeleton = Skeleton { joints, rest_morphs: Vec::new() };
//! let chain = Chain { joint: 1, center: Some(0), ..Chain::default() };
//! let settings = Settings { chains: vec![chain], ..Settings::default() };
//! let mut tail = LiveSimulation::new(&skeleton, &settings, 1.0, Pose::rest(&skeleton))?;
//!
//! // Each frame animates the character, steps the bones up to the frame's time, and shows them, without an allocation.
//! let mut pose = Pose::rest(&skeleton);
//! let walk = |time: f64, pose: &mut Pose| pose.locals[0].translation.z = time as f32;
//! let max_steps_per_frame = 16;
//! for frame in 1..=300 {
//!     let time = f64::from(frame) / 60.0;
//!     walk(time, &mut pose);
//!     tail.advance(&skeleton, &walk, time, max_steps_per_frame);
//!     tail.write(&mut pose);
//! }
//!
//! // Five seconds later the tail hangs down, and its bones have kept their length.
//! let [base, end] = [1, 3].map(|joint| pose.world_from_joint(&skeleton, joint).translation);
//! assert!((base.y - end.y - 0.4).abs() < 0.01);
//! # Ok::<(), portamento_dynamics::BuildError>(())
//! ```
//!
//! Chosen joints and their descendants are simulated. The end of each bone is a point with inertia, drag and gravity
//! (Verlet, *Physical Review* 159, 1967). It is projected back to bone length (Jakobsen, *Advanced Character Physics*,
//! 2001; or so that a swing keeps its energy, [`LengthCorrection`]) and out of colliders. The target is the nearest point of the circle in which the bone's reach meets their
//! surface ([`collide::spherical_cap`]), so both projections are exact. Positions become rotations without twist ([`mod@stepping::step`]).
//!
//! *Time*: the step is always 1/240 s, and the animation is evaluated at every step. For a looping clip the step is the
//! nearest length of which a whole number fits. Frames only sample the recording, so all frame rates that divide 240
//! agree bit for bit. A frame of another rate gets a separate partial step ([`stepping::off_step`]), equally exact in length and
//! contact. Where forces are too strong for short bones, each step is divided into equal substeps.
//!
//! *Loops*: a looping clip is run until its state after a cycle equals the state before it, or until the bones follow the
//! path of the previous cycle ([`recording::cycle_track`]). The report gives the number of cycles and the remaining difference.
//! Where that is too large, the next cycle is recorded too, so that the caller can mix both ([`recording::close_loop`]).
//!
//! *Trees* of bones that hang on the animation do not touch each other. Four are simulated in parallel lanes ([`lanes`]),
//! on all processors. The trees of a looping clip are each run until they repeat. [`Recordings`] caches each tree until
//! something changes that concerns it.
//!
//! *Branches*: a joint has one rotation. Where it has several children, the one with the deepest subtree is the end of
//! its bone and carries the others along. The bones of those other children are simulated in turn.
//!
//! Limits: colliders follow the animation, even those on simulated joints. A joint that points exactly against its
//! animated direction has no twist-free rotation there; the axis of its last rotation is used. Under a scale that differs
//! by axis, bones change their length as they rotate, as in every program that multiplies the matrices.

pub mod cloth;
mod recording;
mod input;
mod keyed;
mod chains;
mod stepping;
mod collide;
mod measure;
mod error;
mod lanes;
mod live;
mod mirror;
mod preset;
mod settings;
pub mod spring_bone;

#[cfg(test)]
mod tests;

pub use chains::bone::{Bone, Tip};
pub use chains::bone_pose::BonePose;
pub use chains::rig::{DynamicsRig, KinematicJoint, RigCollider, STEP};
pub use chains::state::State;
pub use collide::contact::Contact;
pub use collide::world_collider::WorldCollider;
pub use error::BuildError;
pub use input::Input;
pub use keyed::{KeyableNumber, KeyedNumber, SettingsOverTime};
pub use live::LiveSimulation;
pub use measure::deviation::{Deviation, deviation};
pub use measure::report::{Report, Warning};
pub use measure::test_vectors::TestVectors;
pub use mirror::mirrored;
pub use preset::Preset;
pub use recording::bake::Built;
pub use recording::recordings::{Recordings, build};
pub use settings::{
    AngleLimit, Chain, Collider, ColliderShape, JointOverride, LengthCorrection, Profile, Settings, Teleport,
    TeleportRule, Wind,
};
pub use stepping::step::step;
pub use stepping::world_transform::WorldTransform;

/// Counts what tests ask of it.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
