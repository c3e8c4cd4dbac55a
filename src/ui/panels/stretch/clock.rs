//! Playback position used by the stretch inspector.

/// Playhead, duration and frame rate of the clip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Playhead, seconds.
    pub playhead: f64,
    /// Duration of the clip, seconds.
    pub duration: f64,
    /// Frames per second.
    pub fps: f64,
}
