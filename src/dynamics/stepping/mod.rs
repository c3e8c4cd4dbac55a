//! One step of all bones, its factors and forces, and partial steps between two steps.

pub(super) mod bone_step;
pub(super) mod carry;
pub(super) mod off_step;
pub(super) mod step;
pub(super) mod step_factors;
mod wind;
pub(super) mod world_transform;
