//! Commands that write files about the program: samples, manual pages, completions, and the page of a table.

pub(super) mod completions;
pub(super) mod demo;
pub(super) mod man;
pub(super) mod page;
mod page_files;
pub(super) mod samples;
