//! Sampling and mixing of clips in blocks of eight joints.
//!
//! A [`ClipBank`](clip_bank::ClipBank) holds the clips of a blend with their seams. `kernel` mixes blocks,
//! and `mix` defines the mean.

pub(super) mod soa_transform;
mod irregular_curve;
pub(super) mod soa_clip;
pub mod sync_markers;
pub(super) mod mix;
pub(super) mod layer;
mod seam;
pub(super) mod clip_bank;
pub(super) mod kernel;
pub(super) mod pose_search;
