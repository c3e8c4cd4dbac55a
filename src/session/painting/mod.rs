//! Painting weights: the tool, what it paints on, and what acts on all weights at once.

pub mod area;
mod geodesic_gradient;
pub mod surface;
mod tool;
pub mod vertex_attribute;

pub use tool::*;
