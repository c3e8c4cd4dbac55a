//! Exporters: values to bytes, and bytes to disk completely or not at all.

mod error;
mod file_bytes;
pub mod file_set;
pub mod file_system;
mod sources;
mod texture_png;
pub mod animated_webp;
pub mod clip_set;
pub mod csv;
pub mod fbx;
pub mod gltf;
pub mod godot;
pub mod markers;
pub mod nav_link;
pub mod image_sequence;
pub mod images;
pub mod point_cache;
pub mod vat;
pub mod route;
pub mod spring_bone;
pub mod sprite_sheet;
pub mod vrma;
pub mod single_file;
pub mod unity;
pub mod unreal;

pub use error::ExportError;
pub use file_bytes::FileBytes;
pub use file_set::{FileSet, Interrupted, Replace, Resolution, WrittenFile};
pub use sources::Sources;
