//! Reasons why a motion cannot be made additive.

use portamento_anim::clip_fit::OtherSkeleton;
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// The reason why a motion could not be made additive.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The reference is a clip, but none was chosen.
    NoClip => message!(
        "error.additive.no_clip",
        "No clip was chosen as the reference. Choose a clip, or the rest pose or the first frame as the reference."
    ),
    /// The time of the frame is outside the reference clip.
    BadTime {
        /// The time, seconds.
        at: f64,
        /// Length of the clip, seconds.
        length: f64,
    } => message!(
        "error.additive.bad_time",
        "The reference clip has no frame at %{at} s. Choose a time from 0 to %{length} s.",
        at,
        length = format!("{length:.3}")
    ),
    /// A clip of another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The work was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
