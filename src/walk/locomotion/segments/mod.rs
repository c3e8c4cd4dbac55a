//! Segments from stand to stand: the clips and weights of every frame, with their starts, stops and turns on the spot.

pub(super) mod crossing_part;
pub(super) mod moving_joint;
pub(super) mod plan;
pub(super) mod pose_match;
pub(super) mod segment;
pub(super) mod start_transition;
mod start_travel;
mod stepped_stop;
pub(super) mod turn_in_place;
