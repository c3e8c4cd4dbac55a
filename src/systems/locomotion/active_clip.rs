//! What plays at a time of a segment.

/// What one frame plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ActiveClip {
    /// Gaits and the idle clip.
    Gait,
    /// The start clip at this time, seconds; before its end the gaits with this weight.
    Start(f64, f64),
    /// The stop clip at this time, seconds; after it the idle clip with this weight.
    Stop(f64, f64),
}
