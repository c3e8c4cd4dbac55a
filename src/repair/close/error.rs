//! Reasons why the seam, the start, the strides or the ends of a motion cannot be changed.

use portamento_anim::clip_fit::{BrokenClip, OtherSkeleton};
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// Errors of [`super::build`], and of the builds of [`crate::offset`], [`crate::stride`] and [`crate::align`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The seam is too short, or longer than half of the motion.
    BadSeam {
        /// The requested length, seconds.
        seam: f64,
        /// The minimum length, seconds.
        least: f64,
        /// The maximum length, seconds.
        most: f64,
    } => message!(
        "error.close.bad_seam",
        "The seam cannot be %{seam} s long. Use %{least} s to %{most} s (half of the motion).",
        seam = format!("{seam:.3}"),
        least = format!("{least:.3}"),
        most = format!("{most:.3}")
    ),
    /// The motion has too few frames for a seam.
    TooShort {
        /// Number of frames of the motion.
        frames: usize,
        /// The minimum number of frames.
        least: usize,
    } => message!(
        "error.close.too_short",
        "The motion has %{frames} frames, but a seam needs %{least}. Choose a longer motion or a higher frame rate.",
        frames,
        least
    ),
    /// The frame rate, unit or length is invalid.
    BadNumber {
        /// The invalid value.
        value: f64,
    } => message!(
        "error.close.bad_number",
        "The motion's frame rate, unit or length cannot be %{value}. Use 1 to 1000 frames per second, a unit above \
         0 m and a motion of at most an hour.",
        value
    ),
    /// The factor of the strides is out of range.
    BadFactor {
        /// The requested factor.
        factor: f64,
        /// The minimum factor.
        least: f64,
        /// The maximum factor.
        most: f64,
    } => message!(
        "error.stride.bad_factor",
        "The strides cannot be scaled by %{factor}. Use %{least} to %{most}.",
        factor,
        least,
        most
    ),
    /// The changed part of an aligned motion is too short or too long.
    BadPart {
        /// The requested length, seconds.
        seconds: f64,
        /// The minimum length, seconds.
        least: f64,
        /// The maximum length, seconds.
        most: f64,
    } => message!(
        "error.align.bad_part",
        "The poses cannot be aligned over %{seconds} s. Use %{least} s to %{most} s.",
        seconds,
        least,
        most
    ),
    /// The clip belongs to another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The clip contains infinite or undefined numbers.
    BrokenClip(#[from] error: BrokenClip) => error.message(),
    /// The work was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
