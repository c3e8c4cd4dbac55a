//! Which place of a level lies under a point of the screen.

use egui::{Pos2, Rect};
use glam::DVec3;

use crate::viewport::projection::{cursor, see, size};
use portamento_render::Camera;
use portamento_takes::evaluate::LevelGround;

/// How the level is seen.
pub struct GroundView<'a> {
    /// The camera that looks at it.
    pub camera: &'a Camera,
    /// Where on screen.
    pub rect: Rect,
    /// Metres per unit of the shown file.
    pub metres: f64,
    /// What is looked at.
    pub ground: &'a LevelGround,
}

impl GroundView<'_> {
    /// Where a place appears on screen; places here are in metres.
    pub fn see(&self, place: DVec3) -> Option<Pos2> {
        see(self.camera, self.rect, (place / self.metres).as_vec3())
    }

    /// The place of the level under a point of the screen.
    pub fn hit(&self, at: Pos2) -> Option<DVec3> {
        let ray = self.camera.ray(cursor(self.rect, at), size(self.rect));
        self.ground.hit(ray.origin.as_dvec3() * self.metres, ray.direction.as_dvec3())
    }

    /// How far a point of the screen is from a line in the level.
    pub(super) fn distance_to(&self, points: &[DVec3], at: Pos2) -> f32 {
        let seen: Vec<Option<Pos2>> = points.iter().map(|point| self.see(*point)).collect();
        let piece = |ends: &[Option<Pos2>]| {
            let (a, b) = (ends[0]?, ends[1]?);
            let way = b - a;
            let share = ((at - a).dot(way) / way.length_sq().max(1e-6)).clamp(0.0, 1.0);
            Some((a + way * share).distance(at))
        };
        seen.windows(2).filter_map(piece).fold(f32::MAX, f32::min)
    }

    /// The ground below or a little above a place, or the place itself.
    pub fn dropped(&self, place: DVec3) -> DVec3 {
        self.ground.hit(place + DVec3::Y, DVec3::NEG_Y).unwrap_or(place)
    }
}
