//! Commands that write files about the program: samples, the guide, manual pages, completions, and the page of a table.

pub(super) mod completions;
pub(super) mod demo;
pub(super) mod guide;
pub(super) mod man;
pub(super) mod page;
mod page_files;
pub(super) mod samples;
