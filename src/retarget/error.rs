//! Reasons why a motion cannot be retargeted.

use portamento_anim::clip_fit::{BrokenClip, OtherSkeleton};
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// Errors of [`super::build`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The hips of one of the rigs were not recognised.
    NoHips {
        /// True for the source rig.
        is_source: bool,
    } => match is_source {
        true => message!(
            "error.retarget.no_source_hips",
            "The hips in the file of the clip were not recognised, so the motion of its body is unknown. Assign its hips and legs under Rig."
        ),
        false => message!(
            "error.retarget.no_hips",
            "The hips of this character were not recognised, so it cannot follow the motion. Assign its hips and legs under Rig."
        ),
    },
    /// The rigs share no limb apart from the hips.
    NothingInCommon => message!(
        "error.retarget.nothing_in_common",
        "The character and the file of the clip share no limb except the hips. Assign legs, head and hands of both under Rig."
    ),
    /// A joint named in the settings does not exist.
    NoJoint {
        /// Name of the joint.
        joint: String,
        /// True for a joint of the source rig.
        is_source: bool,
    } => match is_source {
        true => message!(
            "error.retarget.no_source_joint",
            "The file of the clip has no joint “%{joint}”. Choose another joint to follow.",
            joint
        ),
        false => message!(
            "error.retarget.no_joint",
            "The character has no joint “%{joint}”. Remove its settings.",
            joint
        ),
    },
    /// The frame rate, a unit, the length or the travel scale is invalid.
    BadNumber {
        /// The invalid value.
        value: f64,
    } => message!(
        "error.retarget.bad_number",
        "The frame rate, a unit, the length or the travel scale cannot be %{value}. Use 1 to 1000 frames per \
         second, units above 0 m, at most an hour, and a scale of 0.0001 to 10000.",
        value
    ),
    /// The clip belongs to another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The clip contains infinite or undefined numbers.
    BrokenClip(#[from] error: BrokenClip) => error.message(),
    /// The work was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
