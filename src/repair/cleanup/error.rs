//! Reasons why a motion cannot be cleaned up.

use portamento_anim::clip_fit::OtherSkeleton;
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// Errors of [`super::build`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The spread time is outside 0…2 s.
    BadSpread {
        /// The invalid value, seconds.
        value: f64,
    } => message!(
        "error.cleanup.spread",
        "A jump cannot be spread over %{value} s on each side. Use 0 to 2 seconds.",
        value
    ),
    /// The key rate is outside 1…1000.
    BadRate {
        /// The invalid value, keys per second.
        value: f64,
    } => message!(
        "error.cleanup.rate",
        "The key rate cannot be %{value} keys per second. Use 1 to 1000.",
        value
    ),
    /// The tolerance is outside 0…1000 mm.
    BadTolerance {
        /// The invalid value, millimetres.
        value: f64,
    } => message!(
        "error.cleanup.tolerance",
        "Keys cannot be reduced within %{value} mm. Use 0 to 1000.",
        value
    ),
    /// The motion is longer than an hour.
    TooLong {
        /// Length of the motion, seconds.
        seconds: f64,
    } => message!(
        "error.cleanup.long",
        "The motion is %{seconds} s long, but the maximum is one hour. Trim it first.",
        seconds = format!("{seconds:.0}")
    ),
    /// The clip belongs to another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The work was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
