//! A box of the scene that stands on the ground of every walk.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use portamento_anim::geometry::Level;

/// The box of a scene object: part of the ground of every walk. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ObstacleBox {
    /// Length along its own X axis.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Length along its own Z axis.
    pub depth: f64,
    /// Rotation about the vertical axis, radians.
    pub heading: f64,
}

impl Default for ObstacleBox {
    /// Returns a wall that a person vaults.
    fn default() -> Self {
        Self { width: 2.0, height: 0.9, depth: 0.4, heading: 0.0 }
    }
}

impl ObstacleBox {
    /// Smallest length of an edge, metres.
    pub const MIN_LENGTH_M: f64 = 0.01;
    /// Largest length of an edge, metres.
    pub const MAX_LENGTH_M: f64 = 100.0;
    /// The faces as corner indices, counter-clockwise seen from outside.
    const FACES: [[usize; 4]; 6] = [[0, 1, 2, 3], [7, 6, 5, 4], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0]];

    /// Returns the corners with the centre of the base at `base`: four of the base, then four of the top. Lengths outside of the
    /// limits are limited; those that are not finite count as the smallest.
    pub fn corners(&self, base: DVec3) -> [DVec3; 8] {
        let length = |length: f64| if length.is_finite() { length } else { 0.0 };
        let length = |of: f64| length(of).clamp(Self::MIN_LENGTH_M, Self::MAX_LENGTH_M);
        let [x, z] = self.axes();
        let [x, z] = [x * 0.5 * length(self.width), z * 0.5 * length(self.depth)];
        let floor = [-x - z, x - z, x + z, z - x].map(|corner| base + corner);
        let up = DVec3::Y * length(self.height);
        let [a, b, c, d] = floor;
        [a, b, c, d, a + up, b + up, c + up, d + up]
    }

    /// Returns the corners of each face, counter-clockwise seen from outside, and its outward normal.
    pub fn faces(&self, base: DVec3) -> [([DVec3; 4], DVec3); 6] {
        let corners = self.corners(base);
        Self::FACES.map(|face| {
            let [a, b, c, d] = face.map(|corner| corners[corner]);
            ([a, b, c, d], (b - a).cross(c - a).normalize_or_zero())
        })
    }

    /// Adds the faces to `level`, in metres with Y up.
    pub fn add_to(&self, base: DVec3, level: &mut Level) {
        let points = self.corners(base).map(|corner| corner.as_vec3());
        let halves = Self::FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        level.add_mesh("box", &points, halves.map(|face| face.map(|corner| corner as u32)));
    }

    /// Returns the points by which the box is dragged: the centres of its base, its top, and its sides along X and Z.
    pub fn handles(&self, base: DVec3) -> [DVec3; 4] {
        let [x, z] = self.axes();
        let middle = base + DVec3::Y * 0.5 * self.height;
        [base, base + DVec3::Y * self.height, middle + x * 0.5 * self.width, middle + z * 0.5 * self.depth]
    }

    /// Returns the box at `base` after its handle at index `handle`, 1 … 3, was dragged to `point`.
    pub fn dragged(mut self, base: DVec3, handle: usize, point: DVec3) -> Self {
        let [x, z] = self.axes();
        // Rounded to a micrometre, so that a drag back restores the length.
        let limited = |length: f64| ((length * 1e6).round() / 1e6).clamp(Self::MIN_LENGTH_M, Self::MAX_LENGTH_M);
        match handle {
            1 => self.height = limited((point - base).y),
            2 => self.width = limited(2.0 * (point - base).dot(x)),
            3 => self.depth = limited(2.0 * (point - base).dot(z)),
            _ => {}
        }
        self
    }

    /// Returns the directions of its X and Z axes, unit vectors.
    fn axes(&self) -> [DVec3; 2] {
        let turn = DQuat::from_rotation_y(if self.heading.is_finite() { self.heading } else { 0.0 });
        [turn * DVec3::X, turn * DVec3::Z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_look_outside_and_enclose_the_volume() {
        let [shape, base] = [ObstacleBox { width: 3.0, height: 0.5, depth: 2.0, heading: 0.7 }, ObstacleBox::default()]
            .map(|shape| {
                let base = DVec3::new(4.0, 1.0, -2.0);
                let faces = shape.faces(base);
                let volume = faces.iter().map(|([a, b, c, d], _)| {
                    let part = |a: DVec3, b: DVec3, c: DVec3| (a - base).dot((b - base).cross(c - base)) / 6.0;
                    part(*a, *b, *c) + part(*a, *c, *d)
                });
                (shape, volume.sum::<f64>())
            });
        for (shape, volume) in [shape, base] {
            assert!((volume - shape.width * shape.height * shape.depth).abs() < 1e-9, "{shape:?}: {volume}");
        }
    }

    #[test]
    fn a_dragged_handle_is_where_it_was_dragged_to_and_lengths_stay_within_limits() {
        let (shape, base) = (ObstacleBox { heading: 0.4, ..ObstacleBox::default() }, DVec3::new(1.0, 0.5, 2.0));
        for handle in 1..4 {
            let from = shape.handles(base)[handle];
            let away = if handle == 1 { DVec3::Y } else { (from - base).with_y(0.0).normalize() };
            let to = from + away * 0.3;
            let at = shape.dragged(base, handle, to).handles(base)[handle];
            assert!((at - to).length() < 2e-6, "{handle}: {at} {to}");
            let crushed = shape.dragged(base, handle, base - away * 5.0);
            assert!(crushed.width.min(crushed.height).min(crushed.depth) >= ObstacleBox::MIN_LENGTH_M);
        }
        let broken = ObstacleBox { width: f64::NAN, heading: f64::INFINITY, ..shape };
        assert!(broken.corners(base).iter().all(|corner| corner.is_finite()));
    }
}
