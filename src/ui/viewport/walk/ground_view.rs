//! Conversion between screen positions and positions on a level.

use egui::{Pos2, Rect};
use glam::DVec3;

use crate::viewport::projection::{cursor, see, size};
use portamento_render::Camera;
use portamento_takes::evaluate::LevelGround;

/// A level in a view.
pub struct GroundView<'a> {
    /// The camera.
    pub camera: &'a Camera,
    /// The view's rectangle on screen.
    pub rect: Rect,
    /// Metres per unit of the shown file.
    pub metres: f64,
    /// The level's ground.
    pub ground: &'a LevelGround,
}

impl GroundView<'_> {
    /// Returns the screen position of `position` (metres), or `None` behind the camera.
    pub fn see(&self, position: DVec3) -> Option<Pos2> {
        see(self.camera, self.rect, (position / self.metres).as_vec3())
    }

    /// Returns the position on the level under a screen position, in metres; `None` off the level.
    pub fn hit(&self, at: Pos2) -> Option<DVec3> {
        let ray = self.camera.ray(cursor(self.rect, at), size(self.rect));
        self.ground.hit(ray.origin.as_dvec3() * self.metres, ray.direction.as_dvec3())
    }

    /// Returns the distance in screen points from `at` to the line through `points` (metres). Pieces behind the camera do not
    /// count.
    pub(super) fn distance_to(&self, points: &[DVec3], at: Pos2) -> f32 {
        let seen: Vec<Option<Pos2>> = points.iter().map(|point| self.see(*point)).collect();
        let piece = |ends: &[Option<Pos2>]| {
            let (a, b) = (ends[0]?, ends[1]?);
            let segment = b - a;
            let share = ((at - a).dot(segment) / segment.length_sq().max(1e-6)).clamp(0.0, 1.0);
            Some((a + segment * share).distance(at))
        };
        seen.windows(2).filter_map(piece).fold(f32::MAX, f32::min)
    }

    /// Returns the ground position below `position`, or up to 1 m above it; `position` itself if there is none. Both are in
    /// metres.
    pub fn dropped(&self, position: DVec3) -> DVec3 {
        self.ground.hit(position + DVec3::Y, DVec3::NEG_Y).unwrap_or(position)
    }
}
