//! Watching of files that other programs write.

mod file_watch;
mod folders;

pub use file_watch::FileWatch;
