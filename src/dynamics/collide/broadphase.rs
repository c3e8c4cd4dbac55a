//! Broad phase of contact: a fast and conservative selection of the colliders that may affect a bone in a step.
//!
//! Each collider is enclosed in a bounding ball, and so is the space that a bone can touch or cross. If the two are
//! clearly separate, the exact tests would find nothing. Skipping them changes no bit of the result.

use glam::DVec3;

use super::world_collider::WorldCollider;
use portamento_anim::math::four::{Four, FourVectors, Mask};
use portamento_anim::math::lanes::Vectors;

/// Bounding balls of all colliders, coordinate by coordinate for parallel comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Broadphase {
    /// True to return all colliders, as the reference for tests.
    pub exhaustive: bool,
    /// True if any collider is a capsule of non-zero length.
    pub any_elongated: bool,
    /// Centres of the balls along x, y and z, metres.
    centers: [Vec<f64>; 3],
    /// Radii of the balls, metres.
    radii: Vec<f64>,
    /// Balls around the solid colliders only, with their motion in the step.
    moving: Vec<MovingBall>,
    /// Planes as point and unit normal; in `centers` and `radii` they are infinite.
    planes: Vec<(DVec3, DVec3)>,
    /// True if all colliders except planes are bounded.
    is_bounded: bool,
    /// Scratch memory: squared distance of each ball from the query, minus the squared reach.
    gaps: Vec<f64>,
    found: Vec<usize>,
}

/// Ball around a solid collider at the end of a step, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MovingBall {
    center: DVec3,
    radius: f64,
    /// Displacement from the start of the step to its end; bones are swept along it.
    displacement: DVec3,
}

/// Points of four bones that must stay outside all colliders, and the displacements of their tips.
#[derive(Clone, Copy)]
pub(crate) struct FourBounds<V: Vectors> {
    /// Centres of the bounding balls.
    pub point: FourVectors<V>,
    /// Radii of the bounding balls.
    pub reach: Four<V>,
    /// Displacements of the tips in this step; `None` if no sweep is needed.
    pub displacement: Option<FourVectors<V>>,
}

/// Factor by which two balls must be separate; far larger than rounding.
const SEPARATION_FACTOR: f64 = 1.0 + 1e-6;

impl Broadphase {
    /// Computes the bounds of colliders that moved from `old` to `new` in this step; both lists have the same order.
    pub fn update(&mut self, old: &[WorldCollider], new: &[WorldCollider]) {
        self.centers.iter_mut().for_each(Vec::clear);
        self.radii.clear();
        self.planes.clear();
        self.moving.clear();
        self.is_bounded = true;
        self.any_elongated = new.iter().any(WorldCollider::is_elongated);
        for (index, collider) in new.iter().enumerate() {
            let (center, radius) = match (*collider, old.get(index)) {
                (WorldCollider::Solid { a, b, radius }, Some(&WorldCollider::Solid { a: from, .. })) => {
                    let ball = MovingBall {
                        center: a.midpoint(b),
                        radius: radius + 0.5 * a.distance(b),
                        displacement: a - from,
                    };
                    self.moving.push(ball);
                    // The ball includes the collider's old position, since the collider is swept over the step.
                    (ball.center, ball.radius + a.distance(from))
                }
                // Planes and enclosing colliders reach everywhere.
                (WorldCollider::Plane { point, normal }, _) => {
                    self.planes.push((point, normal));
                    (DVec3::ZERO, f64::INFINITY)
                }
                _ => {
                    self.is_bounded = false;
                    (DVec3::ZERO, f64::INFINITY)
                }
            };
            self.centers.iter_mut().zip(center.to_array()).for_each(|(list, value)| list.push(value));
            self.radii.push(radius);
        }
        self.gaps.resize(self.radii.len(), 0.0);
    }

    /// Returns the lanes of `bones` that certainly touch and cross nothing, whatever they collide with. Other lanes may be
    /// clear too. None is clear if a collider encloses bones.
    #[inline(always)]
    pub(crate) fn are_clear<V: Vectors>(&self, bounds: FourBounds<V>, bones: Mask<V>) -> Mask<V> {
        let FourBounds { point, reach, displacement } = bounds;
        if self.exhaustive || !self.is_bounded {
            return bones.and(reach.is_below(reach));
        }
        let mut clear = bones;
        for ball in &self.moving {
            let mut apart = reach + ball.radius;
            if let Some(displacement) = displacement {
                // Displacement relative to the ball. The sum over the axes is at least the length.
                let (x, y, z) = (
                    displacement.x - ball.displacement.x,
                    displacement.y - ball.displacement.y,
                    displacement.z - ball.displacement.z,
                );
                apart = apart + (x.abs() + y.abs() + z.abs());
            }
            let apart = apart * SEPARATION_FACTOR;
            let (x, y, z) = (point.x - ball.center.x, point.y - ball.center.y, point.z - ball.center.z);
            clear = clear.and((apart * apart).is_below(x * x + y * y + z * z));
        }
        for &(on, normal) in &self.planes {
            let (x, y, z) = (point.x - on.x, point.y - on.y, point.z - on.z);
            let height = x * normal.x + y * normal.y + z * normal.z;
            let size = x.abs() + y.abs() + z.abs() + reach;
            clear = clear.and((reach + size * (SEPARATION_FACTOR - 1.0)).is_below(height));
        }
        clear
    }

    /// Returns the ascending indices of the colliders with `collides` that come within `distance` of `point`, and
    /// possibly a few farther ones. `collides` has an entry per collider.
    #[inline]
    pub fn query(&mut self, point: DVec3, distance: f64, collides: &[bool]) -> &[usize] {
        let [xs, ys, zs] = &self.centers;
        let balls = xs.iter().zip(ys).zip(zs).zip(&self.radii);
        // A separate loop without branches, so that many colliders are compared in parallel.
        for (gap, (((x, y), z), radius)) in self.gaps.iter_mut().zip(balls) {
            let (x, y, z) = (x - point.x, y - point.y, z - point.z);
            let reach = (radius + distance) * SEPARATION_FACTOR;
            *gap = x * x + y * y + z * z - reach * reach;
        }
        self.found.clear();
        for (index, &gap) in self.gaps.iter().enumerate() {
            // Written so that NaN counts as near.
            let apart = gap > 0.0;
            if (!apart || self.exhaustive) && collides[index] {
                self.found.push(index);
            }
        }
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_and_insides_are_always_near_and_a_moving_ball_is_near_its_old_position() {
        let ball = |x: f64| WorldCollider::Solid { a: DVec3::X * x, b: DVec3::X * x, radius: 0.1 };
        let plane = WorldCollider::Plane { point: DVec3::ZERO, normal: DVec3::Y };
        let inside = WorldCollider::Inside { a: DVec3::ZERO, b: DVec3::ZERO, radius: 1.0 };
        let mut broadphase = Broadphase::default();
        broadphase.update(&[ball(0.0), ball(5.0), plane, inside], &[ball(3.0), ball(5.0), plane, inside]);
        assert_eq!(broadphase.query(DVec3::ZERO, 0.2, &[true; 4]), [0, 2, 3]);
        assert_eq!(broadphase.query(DVec3::X * 4.85, 0.1, &[true; 4]), [0, 1, 2, 3]);
        broadphase.exhaustive = true;
        assert_eq!(broadphase.query(DVec3::Y * 1e6, 0.0, &[true; 4]), [0, 1, 2, 3]);
        assert_eq!(broadphase.query(DVec3::ZERO, 0.0, &[true, false, false, true]), [0, 3]);
    }
}
