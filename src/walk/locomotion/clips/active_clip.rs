//! The active clip at a time of a segment.

/// The clip that one frame plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ActiveClip {
    /// Gaits and the idle clip.
    Gait,
    /// Start clip: its time in seconds, and the weight of the gaits that fade in before its end.
    Start(f64, f64),
    /// Stop clip: its time in seconds, and the weight of the idle clip that fades in at its end.
    Stop(f64, f64),
}
