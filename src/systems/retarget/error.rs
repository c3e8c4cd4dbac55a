//! Why a motion cannot be put on another skeleton.

use crate::anim::clip_fit::{BrokenClip, OtherSkeleton};
use crate::message::{message, tell};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// One of both has no hips that were recognised.
    NoHips {
        /// Whether it is the source.
        is_source: bool,
    },
    /// Both have hips, but no other limb in common.
    NothingInCommon,
    /// A joint that was chosen does not exist.
    NoJoint {
        /// Name of the joint.
        joint: String,
        /// Whether it was looked for in the source.
        is_source: bool,
    },
    /// A frame rate, unit, length or ratio that cannot be used.
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
    Self::NoHips { is_source: true } => message!(
        "error.retarget.no_source_hips",
        "No hips were recognised in the file of the clip, so nothing tells how its body moves. Assign its hips and legs under Rig."
    ),
    Self::NoHips { is_source: false } => message!(
        "error.retarget.no_hips",
        "No hips were recognised in this character, so nothing can follow the motion. Assign its hips and legs under Rig."
    ),
    Self::NothingInCommon => message!(
        "error.retarget.nothing_in_common",
        "Besides hips the character and the file of the clip have no limb in common. Assign legs, head and hands of both under Rig."
    ),
    Self::NoJoint { joint, is_source: true } => message!(
        "error.retarget.no_source_joint",
        "The file of the clip has no joint “%{joint}”. Choose another joint to follow.",
        joint
    ),
    Self::NoJoint { joint, is_source: false } => message!(
        "error.retarget.no_joint",
        "The character has no joint “%{joint}”. Remove what was set for it.",
        joint
    ),
    Self::BadNumber { value } => message!(
        "error.retarget.bad_number",
        "The frame rate, a unit, the length or the ratio of travel is %{value}, which cannot be used. Use 1 to 1000 frames per \
         second, units above 0 m, at most an hour, and a ratio of 0.0001 to 10000.",
        value
    ),
    Self::OtherSkeleton(error) => crate::message::Tell::message(error),
    Self::BrokenClip(error) => crate::message::Tell::message(error),
    Self::Cancelled(cancelled) => crate::message::Tell::message(cancelled),
});
