//! Writes the voxels of a level, its edges and the links over them.

pub mod crossings;
pub mod voxel_map;
