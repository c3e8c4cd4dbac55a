//! Places in the view and places in the scene.

use egui::Rect;
use glam::Vec3;

use crate::theme;
use portamento_render::Camera;

/// The size of `rect` as the camera takes it.
pub(super) fn size(rect: Rect) -> glam::Vec2 {
    glam::Vec2::new(rect.width(), rect.height())
}

/// A place on screen as the camera takes it.
pub(super) fn cursor(rect: Rect, at: egui::Pos2) -> glam::Vec2 {
    glam::Vec2::new(at.x - rect.min.x, at.y - rect.min.y)
}

/// Where a point of the scene appears on screen.
pub(super) fn see(camera: &Camera, rect: Rect, point: Vec3) -> Option<egui::Pos2> {
    camera.project(point, size(rect)).map(|at| rect.min + egui::vec2(at.x, at.y))
}

/// A rectangle in the upper right corner of the viewport, for the axes.
pub(super) fn corner(rect: Rect, size: f32) -> Rect {
    let min = egui::pos2(rect.max.x - size - theme::MEDIUM, rect.min.y + theme::MEDIUM);
    Rect::from_min_size(min, egui::Vec2::splat(size))
}
