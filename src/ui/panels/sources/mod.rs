//! Inspectors of source files and of the sources of a take: a rest pose, clips of other rigs, and cloth.

pub(crate) mod cloth;
pub(super) mod import_settings;
pub(super) mod missing_files;
pub(super) mod rest;
pub(crate) mod retarget;
pub(super) mod source_clip;
