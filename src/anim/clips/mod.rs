//! Clips and their curves: sampling, keys, key reduction, and the transfer to other skeletons.

pub mod clip;
pub mod clip_fit;
pub mod clip_match;
pub mod curve;
pub mod curve_keys;
mod curve_reduction;
mod even_keys;
pub mod joint_tracks;
pub mod pose_keys;
pub mod reduce;
pub mod resample;
pub mod rest_match;
pub mod shared_list;
pub mod shell;
pub mod still_curves;
mod track_sampling;
