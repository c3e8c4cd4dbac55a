//! Errors of a root motion change.

use portamento_anim::clip_fit::OtherSkeleton;
use portamento_anim::root_synthesis::RootMotionError;
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// The reason why the root motion could not be changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A character without recognised hips.
    NoHips => message!(
        "error.root.no_hips",
        "This character has no recognised hips, so the travel of its body is unknown. Assign the hips under Rig."
    ),
    /// A character without a joint above the hips that could be the root.
    NoRoot {
        /// Name of the hips.
        hips: String,
    } => message!(
        "error.root.no_root",
        "The hips “%{hips}” have no parent joint that could be the root. Leave the travel in the hips, or add a root joint \
         to the character.",
        hips
    ),
    /// Feet from which no travel can be computed.
    NoFeet(#[from] error: RootMotionError) => error.message(),
    /// A joint with a parent scaled to zero.
    Flat {
        /// Name of the joint.
        joint: String,
    } => message!(
        "error.root.flat",
        "A parent of joint “%{joint}” has scale 0, so the joint cannot be moved. Give the parent a scale other than 0.",
        joint
    ),
    /// A time, rate, unit or length out of range.
    BadNumber {
        /// Its value.
        value: f64,
    } => message!(
        "error.root.bad_number",
        "The smoothing time, frame rate, unit or length is %{value}, which cannot be used. Use 0 to 60 seconds, 1 to \
         1000 frames per second, a unit above 0 m and at most an hour.",
        value
    ),
    /// A clip of another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The change was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
