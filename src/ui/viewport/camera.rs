//! Where the viewport looks from; metres, +Y up.

use egui::{Pos2, Rect, Vec2};
use glam::{Mat4, Vec3, Vec4Swizzles};

/// A camera that turns around a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point it turns around.
    pub focus: Vec3,
    /// Radians about +Y; 0 looks at the front of a character that faces +Z.
    pub yaw: f32,
    /// Radians above the ground.
    pub pitch: f32,
    /// Metres from the focus.
    pub distance: f32,
    /// Parallel projection.
    pub orthographic: bool,
}

/// Vertical field of view: a mild telephoto, so that proportions read true.
pub const FIELD_OF_VIEW: f32 = 0.61;

impl Default for Camera {
    fn default() -> Self {
        Self { focus: Vec3::new(0.0, 0.9, 0.0), yaw: 0.6, pitch: 0.28, distance: 5.0, orthographic: false }
    }
}

impl Camera {
    /// From the focus to the eye.
    pub fn back(&self) -> Vec3 {
        let (sin, cos) = self.pitch.sin_cos();
        Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos)
    }

    /// Where the eye is.
    pub fn eye(&self) -> Vec3 {
        self.focus + self.back() * self.distance
    }

    /// Right and up on screen.
    pub fn screen_axes(&self) -> (Vec3, Vec3) {
        let right = Vec3::new(self.yaw.cos(), 0.0, -self.yaw.sin());
        (right, self.back().cross(right))
    }

    /// Eye space from world.
    pub fn view(&self) -> Mat4 {
        let (right, up) = self.screen_axes();
        let back = self.back();
        Mat4::from_cols(
            Vec3::new(right.x, up.x, back.x).extend(0.0),
            Vec3::new(right.y, up.y, back.y).extend(0.0),
            Vec3::new(right.z, up.z, back.z).extend(0.0),
            Vec3::new(-right.dot(self.eye()), -up.dot(self.eye()), -back.dot(self.eye())).extend(1.0),
        )
    }

    /// Metres that one pixel covers at `depth` metres before the eye.
    pub fn metres_per_pixel(&self, height: f32, depth: f32) -> f32 {
        let depth = if self.orthographic { self.distance } else { depth };
        2.0 * depth * (FIELD_OF_VIEW * 0.5).tan() / height.max(1.0)
    }

    /// Where `point` appears, and how far before the eye; nothing for points behind it.
    pub fn project(&self, rect: Rect, point: Vec3) -> Option<(Pos2, f32)> {
        let seen = self.view() * point.extend(1.0);
        let depth = -seen.z;
        if depth < 0.01 && !self.orthographic {
            return None;
        }
        let scale = 1.0 / self.metres_per_pixel(rect.height(), depth);
        let at = seen.xyz();
        Some((rect.center() + Vec2::new(at.x, -at.y) * scale, depth))
    }

    /// The ray through a place on screen: origin and unit direction.
    pub fn ray(&self, rect: Rect, at: Pos2) -> (Vec3, Vec3) {
        let (right, up) = self.screen_axes();
        let offset = at - rect.center();
        let step = self.metres_per_pixel(rect.height(), self.distance);
        let on_focus = self.focus + right * offset.x * step - up * offset.y * step;
        if self.orthographic {
            (on_focus + self.back() * self.distance, -self.back())
        } else {
            (self.eye(), (on_focus - self.eye()).normalize_or(-self.back()))
        }
    }

    /// Turns by so many pixels of mouse.
    pub fn orbit(&mut self, by: Vec2) {
        const PER_PIXEL: f32 = 0.008;
        self.yaw -= by.x * PER_PIXEL;
        self.pitch = (self.pitch + by.y * PER_PIXEL).clamp(-1.55, 1.55);
    }

    /// Shifts by so many pixels of mouse.
    pub fn pan(&mut self, by: Vec2, height: f32) {
        let (right, up) = self.screen_axes();
        let step = self.metres_per_pixel(height, self.distance);
        self.focus += (up * by.y - right * by.x) * step;
    }

    /// Comes nearer by `factor`, keeping what is under `at` where it is.
    pub fn zoom(&mut self, factor: f32, rect: Rect, at: Pos2) {
        let before = self.distance;
        self.distance = (self.distance / factor).clamp(0.05, 2000.0);
        let (right, up) = self.screen_axes();
        let offset = at - rect.center();
        let step = self.metres_per_pixel(rect.height(), before) * (1.0 - self.distance / before);
        self.focus += (right * offset.x - up * offset.y) * step;
    }

    /// Shows the box from `low` to `high` whole.
    pub fn show(&mut self, low: Vec3, high: Vec3) {
        self.focus = (low + high) * 0.5;
        let radius = ((high - low).length() * 0.5).max(0.05);
        self.distance = radius / (FIELD_OF_VIEW * 0.5).sin() * 1.05;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECT: Rect = Rect { min: Pos2::new(10.0, 20.0), max: Pos2::new(810.0, 620.0) };

    #[test]
    fn a_ray_goes_through_what_is_seen_there() {
        for orthographic in [false, true] {
            let camera = Camera { orthographic, ..Camera::default() };
            let point = Vec3::new(0.4, 1.2, -0.7);
            let (at, _) = camera.project(RECT, point).unwrap();
            let (origin, direction) = camera.ray(RECT, at);
            let beside = (point - origin).cross(direction).length();
            assert!(beside < 1e-4, "{beside}");
        }
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let mut camera = Camera::default();
        let at = Pos2::new(600.0, 200.0);
        let (origin, direction) = camera.ray(RECT, at);
        let plane = -camera.back();
        let point = origin + direction * ((camera.focus - origin).dot(plane) / direction.dot(plane));
        camera.zoom(1.7, RECT, at);
        let (moved, _) = camera.project(RECT, point).unwrap();
        assert!((moved - at).length() < 0.05, "{moved:?}");
    }
}
