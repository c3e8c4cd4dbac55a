//! Animation data: immutable, shared values.
//!
//! A [`Model`] is one opened file: its [`Skeleton`] (every node, parents first), meshes, skins, materials and [`Clip`]s.
//! A [`Pose`] is one moment of a skeleton. Nothing here knows files, time lines or windows.

pub mod math;
pub mod geometry;
pub mod media;
mod kinematics;
mod clips;
mod feet;
mod models;
pub mod mask;
pub mod mirrored_scale;
pub mod parallel_map;
pub mod pose;
pub mod quality;
pub mod rig;
pub mod roles;
mod root;
pub mod skeleton;
pub mod skinning;

pub use clips::clip::Clip;
pub use clips::clip_match::clip_by_names;
pub use clips::curve::{Curve, Interpolation};
pub use clips::joint_tracks::JointTracks;
pub use clips::reduce::Tolerance;
pub use clips::shared_list::SharedList;
pub use clips::{
    clip, clip_fit, clip_match, curve, curve_keys, joint_tracks, pose_keys, reduce, resample, rest_match, shared_list,
    shell, still_curves,
};
pub use feet::{contacts, foot_contacts, foot_shape, foot_slide, standing_rest};
pub use kinematics::{chain_ik, foot_place, ik, limb_ik};
pub use mask::{Mask, MaskChoice, Region};
pub use models::footage::Footage;
pub use models::model::{HumanBone, Model, Scene};
pub use models::source::GltfSource;
pub use models::spring_bone::{
    Spring, SpringBoneFormat, SpringBones, SpringCollider, SpringColliderGroup, SpringJoint, SpringShape,
    VRM0_END_LENGTH,
};
pub use models::world_mesh::RestPart;
pub use models::{footage, joint_capsule, model, morph_playback, shape_names, source, spring_bone, uri};
pub use pose::Pose;
pub use rig::Rig;
pub use roles::{Front, Leg, Roles};
pub use root::root_motion::{RootKind, RootMotion};
pub use root::{root_motion, root_synthesis, travelling};
pub use skeleton::{Joint, Skeleton};

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
