//! Document + time → [`Frame`]: the only module in which systems are combined.
//!
//! A take is built stage by stage: a source produces a clip, and each stage turns a clip into a clip. [`TakeCache`] keeps results
//! while their inputs are equal. The viewport samples the clip of the last stage, which is also the clip that export writes.
//!
//! A new source is a file in `sources`, a new stage a file in `stages`. Each implements one trait and is registered in the
//! `mod.rs` of its folder. The modules after `stages` are in reading order; each uses only those listed before it.

#[macro_use]
pub(crate) mod stages;
mod error;
pub mod content;
mod loop_source;
mod built;
mod stage_times;
mod report;
mod other_rig;
mod named_clips;
mod inputs;
mod memory;
pub mod bake;
pub mod changes;
mod sources;
mod cache;
pub mod foot_contacts;
pub mod overlay;
pub mod dynamics_view;
pub mod frame;

pub use built::{
    BlendFigures, Blended, BuiltStage, BuiltTake, JointSpike, LegCheck, LevelGraph, LevelGround, LevelRoutes, LinkFit,
    LoopKind, Looped, ResultOfKind, Retargeted, Scenery, StageResult, Walked,
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
