//! One room per system, one function per panel: they edit the document in place and compute nothing.

pub(super) mod blend;
pub(super) mod clip_drop;
pub(super) mod clips;
mod changes;
mod cleanup;
mod close;
mod cloth;
mod dynamics;
mod ground;
pub(super) mod history;
pub(super) mod inspector;
pub(super) mod log;
pub(super) mod looping;
mod objects;
pub(super) mod outliner;
mod painting;
pub(super) mod plots;
mod rest;
mod retime;
mod rig;
mod mirror;
mod retarget;
mod root;
mod source_clip;
mod stack;
mod stretch;
mod walk;
