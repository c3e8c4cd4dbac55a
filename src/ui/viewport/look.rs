//! How a picture of the scene is looked at.

use egui::{Color32, Rgba};
use glam::{Vec2, Vec3};

use crate::viewport::Overlays;
use crate::viewport::handles::target::TargetHandle;
use portamento_render::Camera;
use portamento_render::pick;

/// From where the scene is seen, how large, and what of it is highlighted.
#[derive(Clone, Debug)]
pub struct Look {
    /// Where it is seen from.
    pub camera: Camera,
    /// What is drawn over the figure.
    pub overlays: Overlays,
    /// The view's size in points.
    pub size: Vec2,
    /// Pixels per point.
    pub pixels_per_point: f32,
    /// Whether handles are drawn: not in films.
    pub has_handles: bool,
    /// The highlighted joint.
    pub selected: Option<usize>,
    /// The part of a target under the pointer.
    pub hovered: Option<TargetHandle>,
    /// Which of the targets has arrows.
    pub chosen_target: Option<usize>,
    /// Metres per unit.
    pub metres: f64,
    /// The time on the path that is pointed at, seconds.
    pub hover_time: Option<f64>,
}

impl Look {
    /// Scene units per point of the screen at `place`.
    pub fn unit_at(&self, place: Vec3) -> f32 {
        self.camera.units_per_pixel(self.size.y) * pick::depth_factor(&self.camera, place)
    }
}

/// A colour as the renderer takes it.
pub fn linear(color: Color32) -> [f32; 4] {
    Rgba::from(color).to_array()
}
