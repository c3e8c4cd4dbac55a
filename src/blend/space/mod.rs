//! Blend spaces: samples placed by a parameter, their weights, and playback.
//!
//! A [`BlendSpace`](blend_space::BlendSpace) is compiled to two parts, and a [`SpaceStep`](space_step::SpaceStep) plays both:
//! - a [`SpaceMap`](space_map::SpaceMap) gives the weights at a position;
//! - a [`ParameterTrack`](parameter_track::ParameterTrack) gives the position over time.

pub(super) mod blend_space;
mod triangulation;
mod space_map;
pub(super) mod parameter_track;
pub(super) mod space_step;
