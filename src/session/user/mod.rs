//! Preferences and progress of the user, independent of any project.

pub mod appearance;
pub mod lessons;
pub mod keymap;
pub mod preferences;
pub mod units;
