//! Rigs of opened characters: presets, questions about uncertain roles, and retargeting.

mod retarget;
mod rig_preset;
pub(super) mod rig_question;
mod up_axis;
