//! Motion without joints: frames of vertices and frames of pixels, all immutable.

pub mod image_clip;
pub mod pixels;
pub mod sprite_sheet;
pub mod vertex_clip;

pub use image_clip::{ImageClip, ImageInfo};
pub use pixels::{Channels, Depth, Pixels};
pub use sprite_sheet::SheetGrid;
pub use vertex_clip::VertexClip;
