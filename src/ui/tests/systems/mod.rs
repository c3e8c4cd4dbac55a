//! Each system in its panels, on the timeline and in the viewport.

pub(super) mod blend;
mod blend_states;
mod dynamics;
mod keys;
mod looping;
mod pose;
mod rest;
mod rig_question;
mod stack;
mod stretch;
mod timeline;
mod variants;
mod walking;
