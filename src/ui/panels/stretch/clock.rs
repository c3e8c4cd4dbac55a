//! Where the playhead is.

/// Where the playhead is and how long the clip; seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Where the playhead is.
    pub playhead: f64,
    /// The clip's end.
    pub duration: f64,
    /// Frames per second.
    pub fps: f64,
}
