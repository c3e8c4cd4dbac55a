//! A camera that orbits a point.

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

/// An orbit camera: looks at `target` from `distance` away. Lengths are in scene units, angles in radians.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// The point in the middle of the picture.
    pub target: Vec3,
    /// Rotation about +Y; 0 looks along −Z, at the character's face.
    pub yaw: f32,
    /// Elevation, −π/2 … π/2; positive values look down.
    pub pitch: f32,
    /// Distance from the target to the eye.
    pub distance: f32,
    /// True if the projection is orthographic.
    pub orthographic: bool,
}

/// A ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The start point.
    pub origin: Vec3,
    /// The direction, a unit vector.
    pub direction: Vec3,
}

/// A named direction to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// From +Z, at the face of a character.
    Front,
    /// From −Z, at the back of a character.
    Back,
    /// From −X, the character's right.
    Right,
    /// From +X, the character's left.
    Left,
    /// From +Y, straight down.
    Top,
    /// From −Y, straight up.
    Bottom,
}

/// Vertical field of view in radians, about that of a 50 mm lens.
const FIELD_OF_VIEW_RADIANS: f32 = 0.6;
/// Largest pitch, just short of vertical, so that the picture's up direction stays defined.
const MAX_PITCH_RADIANS: f32 = std::f32::consts::FRAC_PI_2 - 1e-3;

impl Default for Camera {
    fn default() -> Self {
        Self { target: Vec3::Y, yaw: 0.6, pitch: 0.25, distance: 6.0, orthographic: false }
    }
}

impl Camera {
    /// Returns the world rotation of the camera. Its −Z axis points at the target.
    pub fn rotation(&self) -> Quat {
        Quat::from_rotation_y(self.yaw) * Quat::from_rotation_x(-self.pitch)
    }

    /// Returns the eye's world position.
    pub fn eye(&self) -> Vec3 {
        self.target + self.rotation() * Vec3::Z * self.distance
    }

    /// Orbits the target by a drag of `pixels`, x right and y down. Clamps the pitch just short of vertical.
    pub fn orbit(&mut self, pixels: Vec2) {
        const RADIANS_PER_PIXEL: f32 = 0.008;
        self.yaw -= pixels.x * RADIANS_PER_PIXEL;
        self.pitch = (self.pitch + pixels.y * RADIANS_PER_PIXEL).clamp(-MAX_PITCH_RADIANS, MAX_PITCH_RADIANS);
    }

    /// Moves target and eye so that the target plane follows a drag of `pixels` (x right, y down). The view is `height` pixels
    /// high.
    pub fn pan(&mut self, pixels: Vec2, height: f32) {
        let unit = self.units_per_pixel(height);
        self.target += self.rotation() * Vec3::new(-pixels.x * unit, pixels.y * unit, 0.0);
    }

    /// Multiplies the distance by `factor` (< 1 zooms in), clamped to 0.001 … 1 000 000. The point of the target plane under
    /// `cursor` stays there.
    ///
    /// `cursor` is in pixels from the upper left of the view, whose size is `size` pixels.
    pub fn zoom(&mut self, factor: f32, cursor: Vec2, size: Vec2) {
        let before = self.on_target_plane(cursor, size);
        self.distance = (self.distance * factor).clamp(1e-3, 1e6);
        self.target += before - self.on_target_plane(cursor, size);
    }

    /// Centres the world box from `low` to `high` and fits it into the view. Yaw and pitch do not change.
    pub fn frame(&mut self, low: Vec3, high: Vec3) {
        let radius = ((high - low).length() * 0.5).max(1e-3);
        self.target = (low + high) * 0.5;
        self.distance = radius * 1.15 / (FIELD_OF_VIEW_RADIANS * 0.5).sin();
    }

    /// Sets yaw and pitch to a named view direction. Target and distance do not change.
    pub fn look_from(&mut self, view: View) {
        use std::f32::consts::{FRAC_PI_2, PI};
        (self.yaw, self.pitch) = match view {
            View::Front => (0.0, 0.0),
            View::Back => (PI, 0.0),
            View::Right => (-FRAC_PI_2, 0.0),
            View::Left => (FRAC_PI_2, 0.0),
            View::Top => (0.0, MAX_PITCH_RADIANS),
            View::Bottom => (0.0, -MAX_PITCH_RADIANS),
        };
    }

    /// Returns the scene units per pixel at the target, in a view `height` pixels high.
    pub fn units_per_pixel(&self, height: f32) -> f32 {
        2.0 * self.distance * (FIELD_OF_VIEW_RADIANS * 0.5).tan() / height.max(1.0)
    }

    /// Returns the world-to-clip matrix of a view of `size` pixels; OpenGL depth −1 … 1.
    pub(super) fn clip_from_world(&self, size: Vec2) -> Mat4 {
        let aspect = size.x.max(1.0) / size.y.max(1.0);
        let far = self.distance * 60.0 + 10.0;
        let projection = if self.orthographic {
            let half = self.distance * (FIELD_OF_VIEW_RADIANS * 0.5).tan();
            glam::camera::rh::proj::opengl::orthographic(-half * aspect, half * aspect, -half, half, -far, far)
        } else {
            glam::camera::rh::proj::opengl::perspective(FIELD_OF_VIEW_RADIANS, aspect, self.near(), far)
        };
        projection * self.view_from_world()
    }

    /// Returns the world-to-camera matrix.
    fn view_from_world(&self) -> Mat4 {
        Mat4::from_rotation_translation(self.rotation(), self.eye()).inverse()
    }

    /// Returns the distance of the near plane from the eye, for perspective views.
    pub fn near(&self) -> f32 {
        self.distance * 0.01
    }

    /// Returns the world ray through `cursor`, pixels from the upper left of a view of `size` pixels.
    pub fn ray(&self, cursor: Vec2, size: Vec2) -> Ray {
        let x = 2.0 * cursor.x / size.x.max(1.0) - 1.0;
        let y = 1.0 - 2.0 * cursor.y / size.y.max(1.0);
        let aspect = size.x.max(1.0) / size.y.max(1.0);
        let half = (FIELD_OF_VIEW_RADIANS * 0.5).tan();
        let rotation = self.rotation();
        if self.orthographic {
            let offset = Vec3::new(x * half * aspect, y * half, 0.0) * self.distance;
            return Ray { origin: self.eye() + rotation * offset, direction: rotation * Vec3::NEG_Z };
        }
        let direction = rotation * Vec3::new(x * half * aspect, y * half, -1.0).normalize();
        Ray { origin: self.eye(), direction }
    }

    /// Returns the position of the world `point` in pixels from the upper left of a view of `size` pixels.
    ///
    /// Returns `None` if it is behind the eye. A point outside the view gets a position outside.
    pub fn project(&self, point: Vec3, size: Vec2) -> Option<Vec2> {
        let clip: Vec4 = self.clip_from_world(size) * point.extend(1.0);
        (clip.w > 1e-6)
            .then(|| Vec2::new((clip.x / clip.w + 1.0) * 0.5 * size.x, (1.0 - clip.y / clip.w) * 0.5 * size.y))
    }

    /// Returns the point under `cursor` (pixels from the upper left) in the plane through the target that faces the camera.
    fn on_target_plane(&self, cursor: Vec2, size: Vec2) -> Vec3 {
        let ray = self.ray(cursor, size);
        let normal = self.rotation() * Vec3::Z;
        let along = (self.target - ray.origin).dot(normal) / ray.direction.dot(normal);
        ray.origin + ray.direction * along
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);

    #[test]
    fn a_ray_through_a_pixel_hits_the_point_drawn_there() {
        for orthographic in [false, true] {
            let camera = Camera { orthographic, ..Camera::default() };
            let point = Vec3::new(0.7, 0.3, -0.4);
            let pixel = camera.project(point, SIZE).unwrap();
            let ray = camera.ray(pixel, SIZE);
            let off = (point - ray.origin).cross(ray.direction).length();
            assert!(off < 1e-4, "{orthographic}: {off}");
        }
    }

    #[test]
    fn zooming_keeps_the_point_under_the_cursor() {
        for orthographic in [false, true] {
            let mut camera = Camera { orthographic, ..Camera::default() };
            let (cursor, other) = (Vec2::new(650.0, 120.0), Vec2::new(610.0, 150.0));
            let [point, neighbour] = [cursor, other].map(|pixel| camera.on_target_plane(pixel, SIZE));
            camera.zoom(0.5, cursor, SIZE);
            let [at, neighbour] = [point, neighbour].map(|point| camera.project(point, SIZE).unwrap());
            assert!(at.distance(cursor) < 0.05, "{orthographic}: {at}");
            // At half the distance everything in the target plane is twice as far from the cursor.
            let expected = cursor + 2.0 * (other - cursor);
            assert!(neighbour.distance(expected) < 0.05, "{orthographic}: {neighbour}");
        }
    }

    #[test]
    fn a_framed_box_is_completely_visible() {
        let mut camera = Camera::default();
        let (low, high) = (Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0));
        camera.frame(low, high);
        for corner in [low, high, Vec3::new(-1.0, 2.0, 1.0), Vec3::new(1.0, 0.0, -1.0)] {
            let pixel = camera.project(corner, SIZE).unwrap();
            assert!(pixel.cmpge(Vec2::ZERO).all() && pixel.cmple(SIZE).all(), "{pixel}");
        }
    }

    #[test]
    fn the_front_view_looks_at_the_face() {
        let mut camera = Camera::default();
        camera.look_from(View::Front);
        assert!((camera.eye() - camera.target).normalize().abs_diff_eq(Vec3::Z, 1e-5));
    }
}
