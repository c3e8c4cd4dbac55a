//! Rigs of opened characters: presets, questions about uncertain roles, and retargeting.

mod retarget;
pub(super) mod retarget_many;
mod rig_preset;
pub(super) mod rig_question;
mod up_axis;
