//! The clips of a walk: their roles, their travel over time, and clips that start, stop, turn or stand.

pub(super) mod clip_roles;
pub(super) mod crossing_clips;
pub(super) mod distance_curve;
mod frozen_idle;
pub(super) mod in_place_clip;
pub(super) mod transition_clip;
pub(super) mod turn_clip;
