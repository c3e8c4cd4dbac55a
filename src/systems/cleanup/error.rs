//! Why a motion cannot be cleaned up.

use crate::anim::clip_fit::OtherSkeleton;
use crate::message::{message, tell};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A number that cannot be used.
    BadSpread {
        /// What it is.
        value: f64,
    },
    /// A rate that cannot be used, keys a second.
    BadRate {
        /// What it is.
        value: f64,
    },
    /// An error that cannot be allowed, millimetres.
    BadTolerance {
        /// What it is.
        value: f64,
    },
    /// The motion is longer than an hour.
    TooLong {
        /// How long, seconds.
        seconds: f64,
    },
    /// The clip was made for another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::BadSpread { value } => message!(
        "error.cleanup.spread",
        "A jump cannot be shared out over %{value} s on both sides. Use 0 to 2 seconds.",
        value
    ),
    Self::BadRate { value } => message!(
        "error.cleanup.rate",
        "There cannot be %{value} keys a second. Use 1 to 1000.",
        value
    ),
    Self::BadTolerance { value } => message!(
        "error.cleanup.tolerance",
        "Keys cannot be left out within %{value} mm. Use 0 to 1000.",
        value
    ),
    Self::TooLong { seconds } => message!(
        "error.cleanup.long",
        "The motion takes %{seconds} s; up to an hour can be cleaned up. Trim it first.",
        seconds = format!("{seconds:.0}")
    ),
    Self::OtherSkeleton(error) => crate::message::Tell::message(error),
    Self::Cancelled(cancelled) => crate::message::Tell::message(cancelled),
});
