//! The surface on top of the spans: slope, stairs, painted areas, and walking speed.

pub mod area;
pub(super) mod area_stroke;
pub(super) mod sample;
pub(super) mod slope;
pub(super) mod speed;
pub(super) mod stairs;
