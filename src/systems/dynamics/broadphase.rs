//! Broad phase of contact: which colliders could matter to a bone in a step, asked quickly and answered safely.
//!
//! Every collider lies in a bounding ball; what a bone can touch or cross lies in another. Where the two are clearly apart the
//! exact tests would find nothing, so leaving them out changes no bit of the result.

use glam::DVec3;

use super::world_collider::WorldCollider;
use crate::math::four::{Four, FourVectors, Mask};
use crate::math::lanes::Vectors;

/// Bounding balls of all colliders, coordinate by coordinate so that many are compared at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Broadphase {
    /// Answer with all colliders: the plain way, for comparison.
    pub exhaustive: bool,
    /// Whether any collider, near or far, is elongated.
    pub any_elongated: bool,
    centers: [Vec<f64>; 3],
    radii: Vec<f64>,
    /// The same balls of the solid colliders alone, and how each moved in the step.
    moving: Vec<MovingBall>,
    /// Half-spaces to stay in, as point and unit normal; in the lists above they are near everywhere.
    planes: Vec<(DVec3, DVec3)>,
    /// Whether all but planes have bounds.
    is_bounded: bool,
    /// Scratch memory: how far each ball is from what is asked for, squared.
    gaps: Vec<f64>,
    found: Vec<usize>,
}

/// A ball around a solid collider at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MovingBall {
    center: DVec3,
    radius: f64,
    /// From the start of the step to its end, as bones are swept past it.
    way: DVec3,
}

/// Points of four bones that must stay out of all colliders, and the ways there of their tips.
#[derive(Clone, Copy)]
pub(super) struct FourWays<V: Vectors> {
    /// Middles of what can touch.
    pub point: FourVectors<V>,
    /// How far that is from the middle.
    pub reach: Four<V>,
    /// Of the tips in this step; `None` for what no collider moves past.
    pub way: Option<FourVectors<V>>,
}

/// The two balls must be apart by this factor, which is far beyond rounding.
const MARGIN: f64 = 1.0 + 1e-6;

impl Broadphase {
    /// Bounds colliders that in this step moved from `old` to `new`, which are in the same order.
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
                    let ball =
                        MovingBall { center: a.midpoint(b), radius: radius + 0.5 * a.distance(b), way: a - from };
                    self.moving.push(ball);
                    // The ball also holds where the collider came from, since it is swept over the step.
                    (ball.center, ball.radius + a.distance(from))
                }
                // Planes and what bones stay inside of reach everywhere.
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

    /// Which of `bones` surely touch and cross nothing, whatever they collide with; not all that do are among them.
    #[inline(always)]
    pub(super) fn are_clear<V: Vectors>(&self, ways: FourWays<V>, bones: Mask<V>) -> Mask<V> {
        let FourWays { point, reach, way } = ways;
        if self.exhaustive || !self.is_bounded {
            return bones.and(reach.is_below(reach));
        }
        let mut clear = bones;
        for ball in &self.moving {
            let mut apart = reach + ball.radius;
            if let Some(way) = way {
                // As seen from the ball: what moves along with it goes no way. The sum of all axes is at least the length.
                let (x, y, z) = (way.x - ball.way.x, way.y - ball.way.y, way.z - ball.way.z);
                apart = apart + (x.abs() + y.abs() + z.abs());
            }
            let apart = apart * MARGIN;
            let (x, y, z) = (point.x - ball.center.x, point.y - ball.center.y, point.z - ball.center.z);
            clear = clear.and((apart * apart).is_below(x * x + y * y + z * z));
        }
        for &(on, normal) in &self.planes {
            let (x, y, z) = (point.x - on.x, point.y - on.y, point.z - on.z);
            let height = x * normal.x + y * normal.y + z * normal.z;
            let size = x.abs() + y.abs() + z.abs() + reach;
            clear = clear.and((reach + size * (MARGIN - 1.0)).is_below(height));
        }
        clear
    }

    /// Indices, ascending, of the colliders with `collides` that come within `distance` of `point`; a few farther ones may be among
    /// them. `collides` has an entry per collider.
    #[inline]
    pub fn query(&mut self, point: DVec3, distance: f64, collides: &[bool]) -> &[usize] {
        let [xs, ys, zs] = &self.centers;
        let balls = xs.iter().zip(ys).zip(zs).zip(&self.radii);
        // By itself, without a branch: many colliders are compared at once.
        for (gap, (((x, y), z), radius)) in self.gaps.iter_mut().zip(balls) {
            let (x, y, z) = (x - point.x, y - point.y, z - point.z);
            let reach = (radius + distance) * MARGIN;
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
    fn planes_and_insides_are_always_near_and_a_moving_ball_is_near_where_it_was() {
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
