//! Errors of a mirroring.

use portamento_anim::clip_fit::OtherSkeleton;
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// The reason why a motion could not be mirrored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A rig without a pair of left and right joints.
    NoPairs => message!(
        "error.mirror.no_pairs",
        "This character has no left/right joint pairs, so its motion cannot be mirrored. Name the joints by side, for example \
         hand.L and hand.R."
    ),
    /// An angle out of range.
    BadAngle {
        /// Its value, degrees.
        value: f64,
    } => message!(
        "error.mirror.bad_angle",
        "The angle of the mirror plane is %{value}, which cannot be used. Use degrees from -180 to 180.",
        value
    ),
    /// A plane offset out of range.
    BadOffset {
        /// Its value, metres.
        value: f64,
    } => message!(
        "error.mirror.bad_offset",
        "The mirror plane is %{value} m from the origin, which cannot be used. Use -10000 to 10000 m.",
        value
    ),
    /// A clip of another skeleton.
    OtherSkeleton(#[from] error: OtherSkeleton) => error.message(),
    /// The mirroring was cancelled.
    Cancelled(#[from] cancelled: Cancelled) => cancelled.message(),
}
}
