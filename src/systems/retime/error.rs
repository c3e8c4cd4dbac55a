//! Why a retime is refused.

use crate::anim::clip_fit::OtherSkeleton;
use crate::message::{message, tell};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A speed that cannot be played, or a time that is not a number.
    BadKnot {
        /// Seconds of the knot.
        time: f64,
        /// Times the original speed.
        speed: f64,
    },
    /// Two knots at one time.
    SameTime {
        /// Their time, seconds.
        time: f64,
    },
    /// A total length that cannot be played.
    BadLength {
        /// Seconds asked for.
        length: f64,
    },
    /// A clip without a usable length.
    BadClip {
        /// How long it would be, seconds.
        length: f64,
    },
    /// The clip was made for another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::BadKnot { time, speed } => message!(
        "error.retime.bad_knot",
        "The speed at %{time} s is %{speed}, which cannot be played. Use 0.001 to 1000.",
        time,
        speed
    ),
    Self::SameTime { time } => message!(
        "error.retime.same_time",
        "Two speeds are set at %{time} s. Remove one or move it.",
        time
    ),
    Self::BadLength { length } => message!(
        "error.retime.bad_length",
        "The wanted length is %{length} s, which cannot be played. Use more than 0 s and at most 86400 s.",
        length
    ),
    Self::BadClip { length } => message!(
        "error.retime.bad_clip",
        "The motion's length is %{length} s, so there is nothing to play faster or slower. Choose a longer motion.",
        length
    ),
    Self::OtherSkeleton(error) => crate::message::Tell::message(error),
    Self::Cancelled(cancelled) => crate::message::Tell::message(cancelled),
});
