//! Colliders in world space, and the bone directions that they forbid.
//!
//! Nearest points of two segments: Ericson, *Real-Time Collision Detection*, 2005, section 5.1.9.

use glam::DVec3;

use super::spherical_cap::SphericalCap;
use crate::settings::ColliderShape;
use crate::stepping::world_transform::WorldTransform;

/// A collider in world space, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorldCollider {
    /// Bones stay outside all points nearer than `radius` to the segment `a`–`b`; a ball if `a` equals `b`.
    Solid {
        /// One end of the axis.
        a: DVec3,
        /// The other end.
        b: DVec3,
        /// At least 0.
        radius: f64,
    },
    /// Bones stay within `radius` of the segment.
    Inside {
        /// One end of the axis.
        a: DVec3,
        /// The other end.
        b: DVec3,
        /// At least 0.
        radius: f64,
    },
    /// Bones stay on the side the normal points to.
    Plane {
        /// Any point of the plane.
        point: DVec3,
        /// Unit vector to the allowed side.
        normal: DVec3,
    },
}

/// The sphere that a bone's end can reach, and the bone's thickness.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoneReach {
    /// Start of the bone, metres.
    pub start: DVec3,
    /// Metres, above 0.
    pub length: f64,
    /// Radius around its tip, metres, at least 0.
    pub radius: f64,
    /// True if the bone collides over its full length and not only at its tip.
    pub full_length_contact: bool,
}

impl BoneReach {
    /// Returns the tip of the bone in unit direction `direction`.
    pub fn tip(&self, direction: DVec3) -> DVec3 {
        self.start + direction * self.length
    }
}

impl WorldCollider {
    /// Places a shape on its joint. The joint's scale does not apply: shapes are in metres.
    pub fn new(shape: &ColliderShape, joint: &WorldTransform) -> Self {
        let world = |local: DVec3| joint.position + joint.rotation * local;
        match *shape {
            ColliderShape::Sphere { center, radius } => Self::Solid { a: world(center), b: world(center), radius },
            ColliderShape::Capsule { a, b, radius } => Self::Solid { a: world(a), b: world(b), radius },
            ColliderShape::InsideSphere { center, radius } => {
                Self::Inside { a: world(center), b: world(center), radius }
            }
            ColliderShape::InsideCapsule { a, b, radius } => Self::Inside { a: world(a), b: world(b), radius },
            ColliderShape::Plane { point, normal } => {
                Self::Plane { point: world(point), normal: joint.rotation * normal }
            }
        }
    }

    /// Returns the penetration depth in metres of a ball of radius `tip_radius` around the world position `tip`; negative
    /// where it is outside.
    pub fn depth(&self, tip: DVec3, tip_radius: f64) -> f64 {
        match *self {
            Self::Solid { a, b, radius } => radius + tip_radius - tip.distance(nearest_on_segment(a, b, tip)),
            Self::Inside { a, b, radius } => {
                tip.distance(nearest_on_segment(a, b, tip)) - (radius - tip_radius).max(0.0)
            }
            Self::Plane { point, normal } => tip_radius - (tip - point).dot(normal),
        }
    }

    /// Fast conservative test: true only if [`Self::depth`] of the same ball is certainly below 0.
    #[inline]
    pub(crate) fn is_clear_of(&self, tip: DVec3, tip_radius: f64) -> bool {
        let Self::Solid { a, b, radius } = *self else { return false };
        // Bounding ball of the collider.
        let sum = (radius + 0.5 * a.distance(b) + tip_radius) * (1.0 + 1e-6);
        tip.distance_squared(a.midpoint(b)) > sum * sum
    }

    /// Returns the length that depths are relative to: the sum of the radii for solid colliders, otherwise the bone's
    /// length.
    pub fn depth_unit(&self, tip_radius: f64, bone_length: f64) -> f64 {
        match *self {
            Self::Solid { radius, .. } if radius + tip_radius > 0.0 => radius + tip_radius,
            _ => bone_length,
        }
    }

    /// Returns the directions forbidden to a bone that now points along `direction`; `None` if the collider is out of
    /// reach.
    #[inline]
    pub(super) fn forbidden_cap(&self, bone: &BoneReach, direction: DVec3) -> Option<SphericalCap> {
        let BoneReach { start, length, .. } = *bone;
        let tip = bone.tip(direction);
        match *self {
            Self::Solid { a, b, radius } => {
                let sum = radius + bone.radius;
                let far = length + sum;
                if nearest_on_segment(a, b, start).distance_squared(start) >= far * far {
                    return None;
                }
                if bone.full_length_contact {
                    let center = if a == b { a } else { nearest_of_segments([start, tip], [a, b]).1 };
                    SphericalCap::capsule_outside_ball(start, length, center, sum)
                } else {
                    SphericalCap::outside_ball(start, length, nearest_on_segment(a, b, tip), sum)
                }
            }
            Self::Inside { a, b, radius } => {
                let center = nearest_on_segment(a, b, tip);
                SphericalCap::inside_ball(start, length, center, (radius - bone.radius).max(0.0))
            }
            Self::Plane { point, normal } => {
                SphericalCap::above_plane(length, (start - point).dot(normal) - bone.radius, normal)
            }
        }
    }

    /// True if the forbidden directions depend on the current direction: the nearest point of a capsule's axis moves with
    /// the bone.
    pub(crate) fn is_elongated(&self) -> bool {
        matches!(*self, Self::Solid { a, b, .. } | Self::Inside { a, b, .. } if a != b)
    }
}

/// Returns the point of the segment `a`–`b` nearest to `point`.
#[inline]
pub(crate) fn nearest_on_segment(a: DVec3, b: DVec3, point: DVec3) -> DVec3 {
    let along = b - a;
    let squared = along.length_squared();
    if squared <= 0.0 { a } else { a + along * ((point - a).dot(along) / squared).clamp(0.0, 1.0) }
}

/// Returns the nearest points of two segments, on the first and on the second.
pub(super) fn nearest_of_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> (DVec3, DVec3) {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let det = uu * vv - uv * uv;
    // For parallel segments any start works: the clamps below find an end.
    let s = if det > 1e-14 * uu * vv { ((uv * v.dot(w) - vv * u.dot(w)) / det).clamp(0.0, 1.0) } else { 0.0 };
    // Alternating the two clamped projections converges to the nearest pair: the distance is convex.
    let on_second = nearest_on_segment(c, d, a + u * s);
    let on_first = nearest_on_segment(a, b, on_second);
    let on_second = nearest_on_segment(c, d, on_first);
    (nearest_on_segment(a, b, on_second), on_second)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn points(range: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-range..range).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn the_fast_test_has_no_false_positives_and_detects_distant_points(
            a in points(0.3), along in points(0.2), radius in 0.005..0.2, thick in 0.0..0.1, tip in points(0.8),
        ) {
            for b in [a, a + along] {
                let collider = WorldCollider::Solid { a, b, radius };
                let clear = collider.is_clear_of(tip, thick);
                prop_assert!(!clear || collider.depth(tip, thick) < 0.0);
                // One metre outside the collider, the test must succeed.
                let away = b + (tip - a).normalize_or(DVec3::X) * (1.0 + radius + thick + along.length());
                prop_assert!(collider.is_clear_of(away, thick));
            }
        }
    }
}
