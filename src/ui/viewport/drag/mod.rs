//! What is dragged in the view: from press to release, by the mouse or by typed numbers.

pub mod drag_state;
pub mod handle_drag;
pub mod typed;
