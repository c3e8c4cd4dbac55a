//! What an export writes about a level: its voxels, its edges and the links over them.

pub mod crossings;
pub mod voxel_map;
