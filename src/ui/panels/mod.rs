//! One file per panel, one function each: they edit the document in place and compute nothing.

pub mod blend;
pub mod blend_events;
pub mod dynamics;
mod dynamics_bodies;
mod dynamics_chain;
mod dynamics_presets;
mod dynamics_world;
pub mod history;
pub mod inspector;
pub mod log;
pub mod looping;
mod looping_cloth;
mod looping_paint;
pub mod mask;
pub mod objects;
pub mod outliner;
pub mod plots;
pub mod rig;
pub mod seams;
pub mod stretch;
mod stretch_target;
mod stretch_windows;
pub mod weights;
