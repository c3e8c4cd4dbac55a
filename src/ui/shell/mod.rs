//! The frame around the panels: the bar, the places of the dock, the palette, messages and the status line.

pub mod dock;
pub mod lesson;
pub mod menu;
pub(super) mod offer;
pub mod palette;
pub(super) mod pictures;
pub mod shortcuts;
pub mod start;
pub mod status;
pub mod toasts;
pub(super) mod followed;
mod window_requests;
pub(super) mod workspace;
