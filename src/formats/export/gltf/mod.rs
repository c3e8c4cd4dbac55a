//! Lossless glTF export: clips are added to, replaced in or removed from the file they came from.
//! Everything else (bytes, key order, materials, extras, unknown extensions) is unchanged.

mod clip;
mod clip_edit;
mod compact;
mod edits;
mod files;
mod from_model;
mod material;
mod morphs;
mod pack;
mod region;
mod scale;
mod buffer_ranges;
mod unused_data;

pub use clip_edit::ClipEdit;
pub use edits::{ClipEdits, Keep, write};
pub use files::{encode, files, save, to_glb_bytes};
pub use from_model::from_model;
pub use morphs::{Between, MorphClip, MorphedMesh, from_vertex_clip};
pub use scale::{scaled_clip, scaled_model};
