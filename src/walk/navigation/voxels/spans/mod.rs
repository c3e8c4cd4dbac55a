//! Solid spans: triangles rasterised into columns of voxels, and Recast's filters over them.

pub(super) mod bands;
mod columns;
pub(super) mod fill;
pub(super) mod rasterise;
pub(super) mod solid;
