//! Levels with their edges and corner shading, and triangles laid over them.

mod ambient_occlusion;
mod creases;
pub mod land;
pub mod level_shape;
