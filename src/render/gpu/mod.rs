//! Buffers, textures and shaders on the graphics card.

pub(super) mod gpu_shape;
pub(super) mod gpu_texture;
pub(super) mod pass;
pub(super) mod shaders;
pub(super) mod surface;
pub(super) mod table;
