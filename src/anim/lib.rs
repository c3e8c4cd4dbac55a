//! Animation data: immutable, shared values.
//!
//! A [`Model`] is one opened file: its [`Skeleton`] (every node, parents first), meshes, skins, materials and [`Clip`]s.
//! A [`Pose`] is one moment of a skeleton. Nothing here knows files, time lines or windows.

pub mod math;
pub mod geometry;
pub mod media;
pub mod chain_ik;
pub mod clip;
pub mod clip_fit;
pub mod clip_match;
pub mod contacts;
pub mod curve;
pub mod curve_keys;
mod curve_reduction;
mod even_keys;
pub mod foot_place;
pub mod foot_shape;
pub mod footage;
pub mod ik;
pub mod joint_capsule;
pub mod joint_tracks;
pub mod mask;
pub mod morph_playback;
pub mod mirrored_scale;
pub mod model;
pub mod pose;
pub mod pose_keys;
pub mod quality;
pub mod reduce;
pub mod rig;
pub mod resample;
pub mod roles;
pub mod root_motion;
pub mod root_synthesis;
pub mod travelling;
pub mod shape_names;
pub mod shell;
pub mod skeleton;
pub mod skinning;
pub mod source;
pub mod foot_contacts;
pub mod still_curves;
mod track_sampling;
pub mod spring_bone;
pub mod uri;
mod world_mesh;

pub use clip::Clip;
pub use clip_match::clip_by_names;
pub use curve::{Curve, Interpolation};
pub use footage::Footage;
pub use joint_tracks::JointTracks;
pub use mask::{Mask, MaskChoice, Region};
pub use model::{HumanBone, Model, Scene};
pub use pose::Pose;
pub use reduce::Tolerance;
pub use rig::Rig;
pub use roles::{Front, Leg, Roles};
pub use root_motion::{RootKind, RootMotion};
pub use skeleton::{Joint, Skeleton};
pub use source::GltfSource;
pub use spring_bone::{
    Spring, SpringBoneFormat, SpringBones, SpringCollider, SpringColliderGroup, SpringJoint, SpringShape,
    VRM0_END_LENGTH,
};
pub use world_mesh::RestPart;

#[cfg(test)]
extern crate self as portamento_anim;

/// The same inputs as in the tests of all crates, here of this crate's own types.
#[cfg(test)]
#[path = "../test_support/small_inputs.rs"]
mod small_inputs;

/// Counts what tests ask of it.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
