//! Colliders in world space, and which directions of a bone they forbid.
//!
//! Nearest points of two segments: Ericson, *Real-Time Collision Detection*, 2005, section 5.1.9.

use glam::DVec3;

use super::settings::ColliderShape;
use super::spherical_cap::SphericalCap;
use super::world_transform::WorldTransform;

/// A collider in world space, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorldCollider {
    /// Bones stay out of all points nearer than `radius` to the segment `a`–`b`; a ball where the two are equal.
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
        /// Unit vector to the side that is allowed.
        normal: DVec3,
    },
}

/// The sphere that a bone's end can reach, and how thick the bone is.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoneReach {
    /// Where the bone starts, metres.
    pub start: DVec3,
    /// Metres, above 0.
    pub length: f64,
    /// Radius around its tip, metres, at least 0.
    pub radius: f64,
    /// Whether all of it collides and not only its tip.
    pub whole_bone: bool,
}

impl BoneReach {
    /// The tip of the bone in unit direction `direction`.
    pub fn tip(&self, direction: DVec3) -> DVec3 {
        self.start + direction * self.length
    }
}

impl WorldCollider {
    /// Puts a shape where its joint is; the joint's scale does not count, shapes are in metres.
    pub(crate) fn new(shape: &ColliderShape, joint: &WorldTransform) -> Self {
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

    /// How deep a joint of radius `tip_radius` lies inside what is forbidden, metres; negative where it is clear.
    pub(crate) fn depth(&self, tip: DVec3, tip_radius: f64) -> f64 {
        match *self {
            Self::Solid { a, b, radius } => radius + tip_radius - tip.distance(nearest_on_segment(a, b, tip)),
            Self::Inside { a, b, radius } => {
                tip.distance(nearest_on_segment(a, b, tip)) - (radius - tip_radius).max(0.0)
            }
            Self::Plane { point, normal } => tip_radius - (tip - point).dot(normal),
        }
    }

    /// A quick test: true only where `depth` is surely below 0.
    pub(super) fn is_clear_of(&self, tip: DVec3, tip_radius: f64) -> bool {
        let Self::Solid { a, b, radius } = *self else { return false };
        // A ball around all of it.
        let sum = (radius + 0.5 * a.distance(b) + tip_radius) * (1.0 + 1e-6);
        tip.distance_squared(a.midpoint(b)) > sum * sum
    }

    /// What depths are relative to: the sum of the radii, or the bone's length where the collider is not a solid one.
    pub(crate) fn depth_unit(&self, tip_radius: f64, bone_length: f64) -> f64 {
        match *self {
            Self::Solid { radius, .. } if radius + tip_radius > 0.0 => radius + tip_radius,
            _ => bone_length,
        }
    }

    /// The directions forbidden to a bone that now points along `direction`; `None` where the collider is out of reach.
    pub(super) fn forbidden(&self, bone: &BoneReach, direction: DVec3) -> Option<SphericalCap> {
        let BoneReach { start, length, .. } = *bone;
        let tip = bone.tip(direction);
        match *self {
            Self::Solid { a, b, radius } => {
                let sum = radius + bone.radius;
                let far = length + sum;
                if nearest_on_segment(a, b, start).distance_squared(start) >= far * far {
                    return None;
                }
                if bone.whole_bone {
                    let center = if a == b { a } else { nearest_of_segments([start, tip], [a, b]).1 };
                    SphericalCap::whole_bone_outside_ball(start, length, center, sum)
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

    /// Whether the forbidden directions depend on the present one: the nearest point of an axis moves with the bone.
    pub(super) fn is_elongated(&self) -> bool {
        matches!(*self, Self::Solid { a, b, .. } | Self::Inside { a, b, .. } if a != b)
    }
}

/// The point of the segment `a`–`b` nearest to `point`.
pub(super) fn nearest_on_segment(a: DVec3, b: DVec3, point: DVec3) -> DVec3 {
    let along = b - a;
    let squared = along.length_squared();
    if squared <= 0.0 { a } else { a + along * ((point - a).dot(along) / squared).clamp(0.0, 1.0) }
}

/// The nearest points of two segments, on the first and on the second.
pub(super) fn nearest_of_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> (DVec3, DVec3) {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let det = uu * vv - uv * uv;
    // Of parallel segments any pair of nearest points of the lines will do: the clamps below find an end.
    let s = if det > 1e-14 * uu * vv { ((uv * v.dot(w) - vv * u.dot(w)) / det).clamp(0.0, 1.0) } else { 0.0 };
    // Alternating the two clamped projections ends at the nearest pair: the distance is convex.
    let on_second = nearest_on_segment(c, d, a + u * s);
    let on_first = nearest_on_segment(a, b, on_second);
    let on_second = nearest_on_segment(c, d, on_first);
    (nearest_on_segment(a, b, on_second), on_second)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places(range: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-range..range).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn the_quick_test_is_sure_and_tells_what_is_far_away(
            a in places(0.3), along in places(0.2), radius in 0.005..0.2, thick in 0.0..0.1, tip in places(0.8),
        ) {
            for b in [a, a + along] {
                let collider = WorldCollider::Solid { a, b, radius };
                let clear = collider.is_clear_of(tip, thick);
                prop_assert!(!clear || collider.depth(tip, thick) < 0.0);
                // At a metre from all of it nothing is left to measure.
                let away = b + (tip - a).normalize_or(DVec3::X) * (1.0 + radius + thick + along.length());
                prop_assert!(collider.is_clear_of(away, thick));
            }
        }
    }
}
