//! Errors of a root motion change.

use portamento_anim::clip_fit::OtherSkeleton;
use portamento_anim::root_synthesis::RootMotionError;
use portamento_base::message::{message, tell};
use portamento_base::progress::Cancelled;

/// The reason why the root motion could not be changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A character without recognised hips.
    NoHips,
    /// A character without a joint above the hips that could be the root.
    NoRoot {
        /// Name of the hips.
        hips: String,
    },
    /// Feet from which no travel can be computed.
    NoFeet(#[from] RootMotionError),
    /// A joint with a parent scaled to zero.
    Flat {
        /// Name of the joint.
        joint: String,
    },
    /// A time, rate, unit or length out of range.
    BadNumber {
        /// Its value.
        value: f64,
    },
    /// A clip of another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// The change was cancelled.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::NoHips => message!(
        "error.root.no_hips",
        "This character has no recognised hips, so the travel of its body is unknown. Assign the hips under Rig."
    ),
    Self::NoRoot { hips } => message!(
        "error.root.no_root",
        "The hips “%{hips}” have no parent joint that could be the root. Leave the travel in the hips, or add a root joint \
         to the character.",
        hips
    ),
    Self::Flat { joint } => message!(
        "error.root.flat",
        "A parent of joint “%{joint}” has scale 0, so the joint cannot be moved. Give the parent a scale other than 0.",
        joint
    ),
    Self::BadNumber { value } => message!(
        "error.root.bad_number",
        "The smoothing time, frame rate, unit or length is %{value}, which cannot be used. Use 0 to 60 seconds, 1 to \
         1000 frames per second, a unit above 0 m and at most an hour.",
        value
    ),
    Self::OtherSkeleton(error) => portamento_base::message::Tell::message(error),
    Self::NoFeet(error) => portamento_base::message::Tell::message(error),
    Self::Cancelled(cancelled) => portamento_base::message::Tell::message(cancelled),
});
