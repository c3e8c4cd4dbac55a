//! Preferences and progress of the user, independent of any project.

pub mod appearance;
pub mod first_steps;
pub mod keymap;
pub mod preferences;
pub mod units;
