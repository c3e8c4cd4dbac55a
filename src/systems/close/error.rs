//! Why a closing is refused.

use crate::anim::clip_fit::{BrokenClip, OtherSkeleton};
use crate::message::{message, tell};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A seam that is too short or longer than half of the motion.
    BadSeam {
        /// Seconds asked for.
        seam: f64,
        /// The shortest allowed, seconds.
        least: f64,
        /// The longest allowed, seconds.
        most: f64,
    },
    /// Too few frames for a seam between two of them.
    TooShort {
        /// Frames there are.
        frames: usize,
        /// The fewest frames allowed.
        least: usize,
    },
    /// A frame rate, unit or length that cannot be used.
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
    Self::BadSeam { seam, least, most } => message!(
        "error.close.bad_seam",
        "The seam is %{seam} s long, which cannot be used. Use %{least} s to half of the motion, %{most} s.",
        seam = format!("{seam:.3}"),
        least = format!("{least:.3}"),
        most = format!("{most:.3}")
    ),
    Self::TooShort { frames, least } => message!(
        "error.close.too_short",
        "The motion has %{frames} frames; a seam needs %{least}. Choose a longer motion or a higher frame rate.",
        frames,
        least
    ),
    Self::BadNumber { value } => message!(
        "error.close.bad_number",
        "The motion's frame rate, unit or length is %{value}, which cannot be used. Use 1 to 1000 frames per second, a unit above \
         0 m and a motion of at most an hour.",
        value
    ),
    Self::OtherSkeleton(error) => crate::message::Tell::message(error),
    Self::BrokenClip(error) => crate::message::Tell::message(error),
    Self::Cancelled(cancelled) => crate::message::Tell::message(cancelled),
});
