//! The project on disk: opening, saving, autosaves and backups.

pub mod autosave;
mod files;

pub(super) use files::unreadable;
