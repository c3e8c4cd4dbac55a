//! Draggable handles in the viewport.

pub mod dynamics;
pub mod handle;
pub(super) mod handle_drag;
pub(super) mod object;
pub mod pose;
pub mod rest;
pub mod rings;
pub(super) mod target;

use egui::CursorIcon;

use crate::drag::DragState;

/// Returns the mouse cursor over a handle: a closed hand during a drag, otherwise an open one.
fn cursor_icon<T>(drag: &DragState<T>) -> CursorIcon {
    if drag.active().is_some() { CursorIcon::Grabbing } else { CursorIcon::Grab }
}
