//! Weights painted on meshes, images and joints.

pub mod brush;
pub mod image_paint;
pub mod joint_mask;
pub mod mesh_paint;
pub mod sizing;
