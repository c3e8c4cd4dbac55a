//! The content of one opened file, and geometry computed from it.

pub mod footage;
pub mod joint_capsule;
pub mod morph_playback;
pub mod model;
pub mod shape_names;
pub mod source;
pub mod spring_bone;
mod up_axis;
pub mod uri;
pub(super) mod world_mesh;
