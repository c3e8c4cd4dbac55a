//! Why a motion cannot be mirrored.

use crate::anim::clip_fit::OtherSkeleton;
use crate::message::{message, tell};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// No joint has one on the other side.
    NoPairs,
    /// An angle that is not a number.
    BadAngle {
        /// What it holds.
        value: f64,
    },
    /// A plane too far away, or a distance that is not a number.
    BadOffset {
        /// What it holds.
        value: f64,
    },
    /// The clip was made for another skeleton.
    OtherSkeleton(#[from] OtherSkeleton),
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::NoPairs => message!(
        "error.mirror.no_pairs",
        "No joint of this character was found to have one on the other side, so left and right cannot change places. Name them by \
         side, as hand.L and hand.R."
    ),
    Self::BadAngle { value } => message!(
        "error.mirror.bad_angle",
        "The angle of the plane is %{value}, which cannot be used. Use degrees from -180 to 180.",
        value
    ),
    Self::BadOffset { value } => message!(
        "error.mirror.bad_offset",
        "The plane lies %{value} m from the origin, which cannot be used. Use -10000 to 10000 m.",
        value
    ),
    Self::OtherSkeleton(error) => crate::message::Tell::message(error),
    Self::Cancelled(cancelled) => crate::message::Tell::message(cancelled),
});
