//! Pictures: one of the whole window, or one of the view per frame of what plays.

pub(super) mod filming;
pub mod picture;
