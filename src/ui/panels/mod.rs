//! One file per panel, one function each: they edit the document in place and compute nothing.

pub mod dynamics;
mod dynamics_bodies;
mod dynamics_chain;
mod dynamics_presets;
mod dynamics_world;
pub mod history;
pub mod inspector;
pub mod log;
pub mod objects;
pub mod outliner;
pub mod plots;
pub mod rig;
pub mod stretch;
mod stretch_target;
mod stretch_windows;
