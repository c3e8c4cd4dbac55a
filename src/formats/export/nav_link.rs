//! A crossing from one part of the ground to another, as engines add it to their navigation.

use glam::DVec3;

/// A crossing that leads in one direction. Metres, +Y up.
#[derive(Clone, Debug, PartialEq)]
pub struct NavLink {
    /// Name of the kind: `vault`, `jump_across`.
    pub kind: String,
    /// Bit of the kind within a mask of layers, from 0.
    pub layer: u32,
    /// Index of the clip that crosses.
    pub clip: usize,
    /// Start on the ground.
    pub start: DVec3,
    /// Landing on the ground.
    pub landing: DVec3,
    /// Duration, seconds.
    pub seconds: f64,
    /// Distance that is walked on level ground in the same time.
    pub metres: f64,
}
