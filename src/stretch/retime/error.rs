//! Errors of a retime.

use portamento_anim::clip_fit::OtherSkeleton;
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// The reason why a motion could not be retimed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A knot with a speed or time out of range.
    BadKnot {
        /// Time of the knot, seconds.
        time: f64,
        /// Speed of the knot.
        speed: f64,
    } => message!(
        "error.retime.bad_knot",
        "The speed at %{time} s is %{speed}, which cannot be played. Use 0.001 to 1000.",
        time,
        speed
    ),
    /// Two knots at the same time.
    SameTime {
        /// Time of both knots, seconds.
        time: f64,
    } => message!(
        "error.retime.same_time",
        "Two time-warp keys are at %{time} s. Remove or move one of them.",
        time
    ),
    /// A duration out of range.
    BadLength {
        /// The duration, seconds.
        length: f64,
    } => message!(
        "error.retime.bad_length",
        "The target duration is %{length} s, which cannot be played. Use more than 0 s and at most 86400 s.",
        length
    ),
    /// A motion with a length out of range.
    BadClip {
        /// Its length, seconds.
        length: f64,
    } => message!(
        "error.retime.bad_clip",
        "The motion is %{length} s long, so its speed cannot be changed. Use a motion longer than 0 s and at most 86400 s.",
        length
    ),
    /// A clip of another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The retime was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
