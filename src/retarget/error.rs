//! Reasons why a motion cannot be retargeted.

use portamento_anim::clip_fit::{BrokenClip, OtherSkeleton};
use portamento_base::message::{message, tell};
use portamento_base::progress::Cancelled;

/// Errors of [`super::build`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The hips of one of the rigs were not recognised.
    NoHips {
        /// True for the source rig.
        is_source: bool,
    },
    /// The rigs share no limb apart from the hips.
    NothingInCommon,
    /// A joint named in the settings does not exist.
    NoJoint {
        /// Name of the joint.
        joint: String,
        /// True for a joint of the source rig.
        is_source: bool,
    },
    /// The frame rate, a unit, the length or the travel scale is invalid.
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
    Self::NoHips { is_source: true } => message!(
        "error.retarget.no_source_hips",
        "The hips in the file of the clip were not recognised, so the motion of its body is unknown. Assign its hips and legs under Rig."
    ),
    Self::NoHips { is_source: false } => message!(
        "error.retarget.no_hips",
        "The hips of this character were not recognised, so it cannot follow the motion. Assign its hips and legs under Rig."
    ),
    Self::NothingInCommon => message!(
        "error.retarget.nothing_in_common",
        "The character and the file of the clip share no limb except the hips. Assign legs, head and hands of both under Rig."
    ),
    Self::NoJoint { joint, is_source: true } => message!(
        "error.retarget.no_source_joint",
        "The file of the clip has no joint “%{joint}”. Choose another joint to follow.",
        joint
    ),
    Self::NoJoint { joint, is_source: false } => message!(
        "error.retarget.no_joint",
        "The character has no joint “%{joint}”. Remove its settings.",
        joint
    ),
    Self::BadNumber { value } => message!(
        "error.retarget.bad_number",
        "The frame rate, a unit, the length or the travel scale cannot be %{value}. Use 1 to 1000 frames per \
         second, units above 0 m, at most an hour, and a scale of 0.0001 to 10000.",
        value
    ),
    Self::OtherSkeleton(error) => portamento_base::message::Tell::message(error),
    Self::BrokenClip(error) => portamento_base::message::Tell::message(error),
    Self::Cancelled(cancelled) => portamento_base::message::Tell::message(cancelled),
});
