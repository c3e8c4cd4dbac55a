//! The path of a walk and the speed along it.

pub(super) mod braking;
pub(super) mod path;
pub(super) mod closed_path;
pub(super) mod crossed_path;
pub(super) mod smooth_path;
pub(super) mod speed_profile;
