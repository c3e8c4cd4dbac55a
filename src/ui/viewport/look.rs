//! View settings for building a scene.

use egui::{Color32, Rgba};
use glam::{Vec2, Vec3};

use crate::viewport::Overlays;
use crate::viewport::handles::target::TargetHandle;
use portamento_render::Camera;
use portamento_render::pick;

/// Camera, overlays, size and highlights of one picture.
#[derive(Clone, Debug)]
pub struct Look {
    /// The camera.
    pub camera: Camera,
    /// The visible overlays.
    pub overlays: Overlays,
    /// The view's size in points.
    pub size: Vec2,
    /// Pixels per point.
    pub pixels_per_point: f32,
    /// True if handles are drawn; false in recordings.
    pub has_handles: bool,
    /// The highlighted joint.
    pub selected: Option<usize>,
    /// The target handle under the pointer.
    pub hovered: Option<TargetHandle>,
    /// Index of the target that has arrows.
    pub chosen_target: Option<usize>,
    /// Metres per scene unit.
    pub metres: f64,
    /// Time of the hovered path point, seconds.
    pub hover_time: Option<f64>,
}

impl Look {
    /// Returns the scene units per point on screen at the world position `position`.
    pub fn unit_at(&self, position: Vec3) -> f32 {
        self.camera.units_per_pixel(self.size.y) * pick::depth_factor(&self.camera, position)
    }
}

/// Converts a colour to the renderer's linear RGBA.
pub fn linear(color: Color32) -> [f32; 4] {
    Rgba::from(color).to_array()
}
