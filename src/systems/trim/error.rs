//! Why a cut is refused.

use crate::anim::clip_fit::OtherSkeleton;
use crate::message::{message, tell};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// Cuts that leave nothing or lie outside the motion.
    BadSpan {
        /// Second of the first cut.
        from: f64,
        /// Second of the last cut.
        to: f64,
        /// The motion's seconds.
        length: f64,
    },
    /// The clip was made for another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::BadSpan { from, to, length } => message!(
        "error.trim.bad_span",
        "From %{from} s to %{to} s there is nothing of the motion (0 s to %{length} s). Let the cuts leave a part of it.",
        from,
        to,
        length = format!("{length:.3}")
    ),
    Self::OtherSkeleton(error) => crate::message::Tell::message(error),
    Self::Cancelled(cancelled) => crate::message::Tell::message(cancelled),
});
