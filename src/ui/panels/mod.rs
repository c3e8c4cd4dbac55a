//! Panels: one module per system and one function per panel. They edit the document in place and compute nothing.

pub(super) mod blend;
pub(super) mod clip_drop;
pub(super) mod clips;
pub(super) mod results;
pub(super) mod stages;
pub(super) mod sources;
pub(super) mod dynamics;
pub(super) mod frame_times;
pub(super) mod history;
pub(super) mod inspector;
mod inspector_scroll;
pub(super) mod log;
pub(super) mod looping;
pub(super) mod objects;
pub(super) mod outliner;
pub(super) mod painting;
pub(super) mod rig;
pub(super) mod stack;
pub(super) mod stretch;
mod unit;
pub(super) mod walk;
