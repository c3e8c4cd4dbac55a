//! Transitions: weights and clip times over a fade, the arc along which two rotations mix, and interruptions.

pub(super) mod clock;
pub(super) mod transitions;
pub(super) mod arc_track;
pub(super) mod inertialization;
pub(super) mod fast_fade;
pub(super) mod fast_turn;
