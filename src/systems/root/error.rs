//! Why root motion cannot be changed.

use crate::anim::clip_fit::OtherSkeleton;
use crate::anim::root_synthesis::NoRootMotion;
use crate::message::{message, tell};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// No hips that show where the body goes.
    NoHips,
    /// No joint above the hips that could carry the body.
    NoRoot {
        /// The hips, by name.
        hips: String,
    },
    /// Nothing to read the travel from.
    NoFeet(#[from] NoRootMotion),
    /// A joint above the hips is scaled to zero.
    Flat {
        /// Name of the joint.
        joint: String,
    },
    /// A time, rate, unit or length that cannot be used.
    BadNumber {
        /// What it holds.
        value: f64,
    },
    /// The clip was made for another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::NoHips => message!(
        "error.root.no_hips",
        "No hips were recognised in this character, so it is not known where its body goes. Assign its hips under Rig."
    ),
    Self::NoRoot { hips } => message!(
        "error.root.no_root",
        "Nothing carries the hips “%{hips}”: no joint lies above them that could be the root. Leave the travel in the hips, or add \
         a root joint to the character.",
        hips
    ),
    Self::Flat { joint } => message!(
        "error.root.flat",
        "Something above joint “%{joint}” is scaled to zero, so the joint cannot be moved. Give it a size.",
        joint
    ),
    Self::BadNumber { value } => message!(
        "error.root.bad_number",
        "The time to even over, the frame rate, the unit or the length is %{value}, which cannot be used. Use 0 to 60 seconds, 1 to \
         1000 frames per second, a unit above 0 m and at most an hour.",
        value
    ),
    Self::OtherSkeleton(error) => crate::message::Tell::message(error),
    Self::NoFeet(error) => crate::message::Tell::message(error),
    Self::Cancelled(cancelled) => crate::message::Tell::message(cancelled),
});
