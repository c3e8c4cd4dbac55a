//! Crossing: a character gets over an obstacle or across a gap with a clip of its own.

mod obstacle;

pub use obstacle::{ClipRange, CrossingKind, EdgeLine, Obstacle};
