//! Document + time → [`Frame`]: the only place where systems meet.
//!
//! A take is built stage by stage, each stage turning a clip into a clip; [`Memo`] keeps built stages while their inputs are
//! equal. What the viewport shows is sampled from the last stage's clip, which is also what export writes: the two cannot
//! differ.

pub mod bake;
pub mod frame;
pub mod memo;
mod report;

pub use frame::{Frame, Ghost, GhostKind, Overlay, Trail, TrailKind, frame_at};
pub use memo::{BuiltTake, Memo, Stage, TakeError};
