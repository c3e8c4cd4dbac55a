//! Errors of a mirroring.

use portamento_anim::clip_fit::OtherSkeleton;
use portamento_base::message::{message, tell};
use portamento_base::progress::Cancelled;

/// The reason why a motion could not be mirrored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A rig without a pair of left and right joints.
    NoPairs,
    /// An angle out of range.
    BadAngle {
        /// Its value, degrees.
        value: f64,
    },
    /// A plane offset out of range.
    BadOffset {
        /// Its value, metres.
        value: f64,
    },
    /// A clip of another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// The mirroring was cancelled.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::NoPairs => message!(
        "error.mirror.no_pairs",
        "This character has no left/right joint pairs, so its motion cannot be mirrored. Name the joints by side, for example \
         hand.L and hand.R."
    ),
    Self::BadAngle { value } => message!(
        "error.mirror.bad_angle",
        "The angle of the mirror plane is %{value}, which cannot be used. Use degrees from -180 to 180.",
        value
    ),
    Self::BadOffset { value } => message!(
        "error.mirror.bad_offset",
        "The mirror plane is %{value} m from the origin, which cannot be used. Use -10000 to 10000 m.",
        value
    ),
    Self::OtherSkeleton(error) => portamento_base::message::Tell::message(error),
    Self::Cancelled(cancelled) => portamento_base::message::Tell::message(cancelled),
});
