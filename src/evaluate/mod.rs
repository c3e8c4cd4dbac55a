//! Document + time → [`Frame`]: the only place where systems meet.
//!
//! A take is built stage by stage: a source gives a clip, each stage turns a clip into a clip; [`TakeCache`] keeps what was
//! built while its inputs are equal. What the viewport shows is sampled from the last stage's clip, which is also what export
//! writes: the two cannot differ.
//!
//! Another source is a file in `sources`, another stage a file in `stages`: each implements one trait, and one line in the
//! `mod.rs` there names it. In reading order; each module uses those above it.

mod stage_fault;
mod error;
pub mod content;
mod loop_source;
mod built;
mod stage_times;
mod stage_report;
mod report;
mod named_clips;
mod inputs;
mod memory;
pub mod bake;
pub mod changes;
mod sources;
mod stages;
mod cache;
pub mod overlay;
pub mod dynamics_view;
pub mod frame;

pub use built::{
    Blended, BuiltStage, BuiltTake, LegCheck, LevelGround, LevelRoutes, LoopKind, Looped, Retargeted, Scenery,
    StageResult, Thrown, Walked,
};
pub use cache::{BuildWork, Lookup, TakeCache};
pub use content::Content;
pub use dynamics_view::{BoneView, ColliderView, DynamicsView};
pub use error::TakeError;
pub use frame::{Frame, FrameContent, frame_at};
pub use loop_source::LoopSource;
pub use overlay::{Ghost, GhostKind, Overlay, Trail, TrailKind};

#[cfg(test)]
mod tests;
