//! Gait cycles: stride, phase and contacts, and the gaits for a slope.

pub(super) mod gait;
pub(super) mod gait_clip;
pub(super) mod gait_phase;
pub(super) mod stance;
pub(super) mod slope_sets;
pub(super) mod step_time;
