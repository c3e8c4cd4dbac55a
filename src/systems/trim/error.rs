//! Errors of a cut.

use crate::anim::clip_fit::OtherSkeleton;
use crate::message::{message, tell};
use crate::progress::Cancelled;

/// The reason why a motion could not be cut.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// Cuts that leave nothing or are outside the motion.
    BadSpan {
        /// Time of the first cut, seconds.
        from: f64,
        /// Time of the second cut, seconds.
        to: f64,
        /// Duration of the motion, seconds.
        length: f64,
    },
    /// A clip of another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// The cut was cancelled.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::BadSpan { from, to, length } => message!(
        "error.trim.bad_span",
        "The range from %{from} s to %{to} s contains no part of the motion (0 s to %{length} s). Move the cuts so that a part remains.",
        from,
        to,
        length = format!("{length:.3}")
    ),
    Self::OtherSkeleton(error) => crate::message::Tell::message(error),
    Self::Cancelled(cancelled) => crate::message::Tell::message(cancelled),
});
