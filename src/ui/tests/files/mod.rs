//! Files, clips and takes: the outliner, the clip library and the export dialog.

mod clip_rows;
mod clip_table;
pub(super) mod clips;
mod export;
mod finish;
pub(super) mod outliner;
mod remote;
mod sets;
