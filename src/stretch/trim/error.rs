//! Errors of a cut.

use portamento_anim::clip_fit::OtherSkeleton;
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
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
    } => message!(
        "error.trim.bad_span",
        "The range from %{from} s to %{to} s contains no part of the motion (0 s to %{length} s). Move the cuts so that a part remains.",
        from,
        to,
        length = format!("{length:.3}")
    ),
    /// A clip of another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The cut was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
