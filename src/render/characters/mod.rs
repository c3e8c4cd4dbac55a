//! Characters: vertices posed on the graphics card or the processor, and ghosts of other times.

pub(super) mod figures;
mod ghost;
mod influences;
pub(super) mod pose_table;
pub(super) mod posing;
pub(super) mod skinned_vertices;
pub(super) mod skinning;
pub(super) mod still_ghosts;
