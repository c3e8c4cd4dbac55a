//! Conversion between screen and scene positions.

use egui::Rect;
use glam::Vec3;

use crate::theme;
use portamento_render::Camera;

/// Returns the size of `rect` (points) as a camera parameter.
pub(super) fn size(rect: Rect) -> glam::Vec2 {
    glam::Vec2::new(rect.width(), rect.height())
}

/// Returns the screen position `at` relative to the upper left corner of `rect`, as a camera parameter.
pub(super) fn cursor(rect: Rect, at: egui::Pos2) -> glam::Vec2 {
    glam::Vec2::new(at.x - rect.min.x, at.y - rect.min.y)
}

/// Returns the screen position of a world point in the view `rect`, or `None` behind the camera. It may be outside `rect`.
pub(super) fn see(camera: &Camera, rect: Rect, point: Vec3) -> Option<egui::Pos2> {
    camera.project(point, size(rect)).map(|at| rect.min + egui::vec2(at.x, at.y))
}

/// Returns a square of `size` points in the upper right corner of the view `rect`.
pub(super) fn corner(rect: Rect, size: f32) -> Rect {
    let min = egui::pos2(rect.max.x - size - theme::GAP_MEDIUM, rect.min.y + theme::GAP_MEDIUM);
    Rect::from_min_size(min, egui::Vec2::splat(size))
}
