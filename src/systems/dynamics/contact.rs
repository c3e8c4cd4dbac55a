//! Bodies in the world, and the direction of a bone that touches none of them.

use glam::DVec3;

use super::cap::{Cap, nearest_free_of_all};
use super::place::Place;
use super::settings::Shape;

/// A collider in world space, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// Bones stay out of all points nearer than `radius` to the segment `a`–`b`; a ball where the two are equal.
    Solid(DVec3, DVec3, f64),
    /// Bones stay within `radius` of the segment.
    Hollow(DVec3, DVec3, f64),
    /// Bones stay on the side of the unit normal.
    Plane(DVec3, DVec3),
}

/// A bone as contact sees it.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Where it starts.
    pub start: DVec3,
    /// How long it is, metres, above 0.
    pub len: f64,
    /// Radius around its tip.
    pub radius: f64,
    /// Whether all of it collides.
    pub whole: bool,
}

/// How a bone came to lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// Some body was in the way; the bone lies on its edge.
    pub contact: bool,
    /// Some body was in the way of its end and is behind it now.
    pub passed: bool,
    /// No direction is free of all bodies; the bone lies as shallow as it can, body after body.
    pub infeasible: bool,
}

/// Rounds in which the nearest point of a capsule's axis is found anew.
const ROUNDS: usize = 48;

impl Body {
    /// Puts a shape where its joint is.
    pub fn new(shape: &Shape, at: &Place) -> Self {
        let point = |local: DVec3| at.position + at.rotation * local;
        match *shape {
            Shape::Sphere { center, radius } => Self::Solid(point(center), point(center), radius),
            Shape::Capsule { a, b, radius } => Self::Solid(point(a), point(b), radius),
            Shape::InsideSphere { center, radius } => Self::Hollow(point(center), point(center), radius),
            Shape::InsideCapsule { a, b, radius } => Self::Hollow(point(a), point(b), radius),
            Shape::Plane { point: on, normal } => Self::Plane(point(on), at.rotation * normal),
        }
    }

    /// How deep a joint of this radius lies inside what is forbidden, metres; negative where it is clear.
    pub fn depth(&self, joint: DVec3, radius: f64) -> f64 {
        match *self {
            Self::Solid(a, b, r) => r + radius - joint.distance(nearest_on(a, b, joint)),
            Self::Hollow(a, b, r) => joint.distance(nearest_on(a, b, joint)) - (r - radius).max(0.0),
            Self::Plane(on, normal) => radius - (joint - on).dot(normal),
        }
    }

    /// Whether a joint of this radius is so far off that it is surely not inside what is forbidden; quick.
    pub(super) fn is_clear_of(&self, joint: DVec3, radius: f64) -> bool {
        let Self::Solid(a, b, r) = *self else { return false };
        let sum = (r + radius) * (1.0 + 1e-6);
        a == b && joint.distance_squared(a) > sum * sum
    }

    /// The length that depths are compared with: the sum of the radii, or the bone's length where the body is not a solid one.
    pub fn measure(&self, radius: f64, len: f64) -> f64 {
        match *self {
            Self::Solid(_, _, r) if r + radius > 0.0 => r + radius,
            _ => len,
        }
    }

    /// The forbidden directions of a bone that lies along `u` now; `None` where the body is out of reach.
    fn cap(&self, bone: &Reach, u: DVec3) -> Option<Cap> {
        match *self {
            Self::Solid(a, b, r) => {
                let sum = r + bone.radius;
                let far = bone.len + sum;
                let near = nearest_on(a, b, bone.start);
                if near.distance_squared(bone.start) >= far * far {
                    return None;
                }
                let tip = bone.start + u * bone.len;
                if bone.whole {
                    let center = if a == b { a } else { nearest_between(bone.start, tip, a, b).1 };
                    Cap::outside_ball_whole(bone.start, bone.len, center, sum)
                } else {
                    Cap::outside_ball(bone.start, bone.len, nearest_on(a, b, tip), sum)
                }
            }
            Self::Hollow(a, b, r) => {
                let center = nearest_on(a, b, bone.start + u * bone.len);
                Cap::inside_ball(bone.start, bone.len, center, (r - bone.radius).max(0.0))
            }
            Self::Plane(on, normal) => Cap::above_plane(bone.start, bone.len, (on, normal), bone.radius),
        }
    }

    /// Whether the forbidden directions depend on the present one.
    pub(super) fn is_long(&self) -> bool {
        matches!(*self, Self::Solid(a, b, _) | Self::Hollow(a, b, _) if a != b)
    }
}

/// The direction nearest to `u` in which `bone` touches no body; `hint` decides where all ways are equally far.
pub fn resolve(bodies: &[Body], bone: &Reach, u: DVec3, hint: DVec3, caps: &mut Vec<Cap>) -> (DVec3, Touch) {
    let all: Vec<usize> = (0..bodies.len()).collect();
    resolve_near((bodies, &all, bodies.iter().any(Body::is_long)), bone, u, hint, caps)
}

/// The same with the bodies whose indices are `near`, outside of which no body is within reach; `long`: some body is long.
pub(super) fn resolve_near(
    (bodies, near, long): (&[Body], &[usize], bool),
    bone: &Reach,
    u: DVec3,
    hint: DVec3,
    caps: &mut Vec<Cap>,
) -> (DVec3, Touch) {
    let mut touch = Touch::default();
    let mut v = u;
    for _ in 0..ROUNDS {
        caps.clear();
        caps.extend(near.iter().filter_map(|&index| bodies[index].cap(bone, v)));
        if !caps.iter().any(|cap| cap.forbids(v)) {
            break;
        }
        touch.contact = true;
        let (next, infeasible) = leave(caps, v, hint);
        touch.infeasible = infeasible;
        let moved = next.distance_squared(v);
        v = next;
        if moved < 1e-28 || !long {
            break;
        }
    }
    (v, touch)
}

/// Out of all caps by the least turn; where that cannot be, out of one after the other.
fn leave(caps: &[Cap], u: DVec3, hint: DVec3) -> (DVec3, bool) {
    // The number of candidates grows with the cube; so many bodies around one bone leave no free way in practice.
    const MANY: usize = 16;
    if let [only] = caps {
        return (only.nearest_free(u, hint), !only.is_feasible());
    }
    if caps.len() <= MANY
        && let Some(free) = nearest_free_of_all(caps, u, hint)
    {
        return (free, false);
    }
    let mut v = u;
    for _ in 0..16 {
        let before = v;
        v = caps.iter().fold(v, |v, cap| cap.nearest_free(v, hint));
        if v.distance_squared(before) < 1e-28 {
            break;
        }
    }
    (v, caps.iter().any(|cap| cap.forbids(v)))
}

/// Where a joint that moves from `from` to `to` in one step ends when `body` (at `old`, now at `new`) is in its way but no
/// longer at its end: it stops at the first touch and slides on along the surface. `None` where it does not cross the body.
pub fn stopped(old: &Body, new: &Body, radius: f64, from: DVec3, to: DVec3) -> Option<DVec3> {
    let (Body::Solid(old_a, ..), Body::Solid(a, b, r)) = (*old, *new) else { return None };
    let sum = radius + r;
    let from = from + (a - old_a);
    let reach = sum + from.distance(to) + a.distance(b);
    if a.distance_squared(to) > reach * reach {
        return None;
    }
    let (on_path, on_axis) = nearest_between(from, to, a, b);
    let gap = |x: DVec3| x.distance(nearest_on(a, b, x)) - sum;
    if on_path.distance(on_axis) >= sum * (1.0 - 1e-9) || gap(from) < -1e-9 * sum {
        return None;
    }
    let (mut clear, mut inside) = (0.0, from.distance(on_path) / from.distance(to));
    for _ in 0..60 {
        let middle = 0.5 * (clear + inside);
        if gap(from.lerp(to, middle)) > 0.0 { clear = middle } else { inside = middle }
    }
    let touch = from.lerp(to, clear);
    let center = nearest_on(a, b, touch);
    let outward = (touch - center).normalize_or_zero();
    // An end that lies inside on the near side is the ordinary case: the nearest point of the edge is right there.
    if gap(to) < 0.0 && (to - nearest_on(a, b, to)).dot(outward) > 0.0 {
        return None;
    }
    let rest = to - touch;
    Some(touch + rest - outward * rest.dot(outward).min(0.0))
}

/// The point of the segment `a`–`b` nearest to `x`.
pub fn nearest_on(a: DVec3, b: DVec3, x: DVec3) -> DVec3 {
    let way = b - a;
    let squared = way.length_squared();
    if squared <= 0.0 { a } else { a + way * ((x - a).dot(way) / squared).clamp(0.0, 1.0) }
}

/// The nearest points of segments `a`–`b` and `c`–`d`.
fn nearest_between(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (DVec3, DVec3) {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let det = uu * vv - uv * uv;
    let s = if det > 1e-14 * uu * vv { ((uv * v.dot(w) - vv * u.dot(w)) / det).clamp(0.0, 1.0) } else { 0.0 };
    // Alternating the two clamped projections ends at the nearest pair: the distance is convex.
    let on_second = nearest_on(c, d, a + u * s);
    let on_first = nearest_on(a, b, on_second);
    let on_second = nearest_on(c, d, on_first);
    (nearest_on(a, b, on_second), on_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(start: DVec3, len: f64, radius: f64) -> Reach {
        Reach { start, len, radius, whole: false }
    }

    fn settle(bodies: &[Body], bone: &Reach, u: DVec3) -> (DVec3, Touch) {
        let (u, touch) = resolve(bodies, bone, u, DVec3::X, &mut Vec::new());
        (bone.start + u * bone.len, touch)
    }

    #[test]
    fn known_answers_of_ball_hollow_ball_and_capsule() {
        let ball = Body::Solid(DVec3::ZERO, DVec3::ZERO, 10.0);
        let bone = reach(DVec3::X * 1013.0, 1008.0, 3.0);
        let (tip, _) = settle(&[ball], &bone, DVec3::NEG_X);
        assert!((tip.length() - 13.0).abs() < 1e-6, "{tip}");
        let hollow = Body::Hollow(DVec3::ZERO, DVec3::ZERO, 10.0);
        let (tip, touch) = settle(&[hollow], &reach(DVec3::Y * 3.0, 5.0, 3.0), DVec3::new(1.0, 1.0, 0.0).normalize());
        assert!((tip.length() - 7.0).abs() < 7e-6 && touch.contact && !touch.infeasible, "{tip}");
        let capsule = Body::Solid(DVec3::NEG_Y * 5.0, DVec3::Y * 5.0, 4.0);
        let (tip, touch) = settle(&[capsule], &reach(DVec3::new(8.0, 1.0, 2.0), 5.0, 3.0), DVec3::NEG_X);
        let off_axis = DVec3::new(tip.x, 0.0, tip.z).length();
        assert!((off_axis - 7.0).abs() < 7e-6 && touch.contact, "{tip} {off_axis}");
    }

    #[test]
    fn a_hollow_capsule_and_a_plane_hold_the_bone_on_their_edge() {
        let hollow = Body::Hollow(DVec3::NEG_Y, DVec3::Y, 1.0);
        let (tip, touch) = settle(&[hollow], &reach(DVec3::ZERO, 1.5, 0.2), DVec3::new(1.0, 1.0, 0.1).normalize());
        assert!(touch.contact && hollow.depth(tip, 0.2).abs() < 1e-6, "{}", hollow.depth(tip, 0.2));
        let plane = Body::Plane(DVec3::ZERO, DVec3::Y);
        let (tip, _) = settle(&[plane], &reach(DVec3::Y * 0.5, 1.0, 0.1), DVec3::new(0.1, -1.0, 0.0).normalize());
        assert!((tip.y - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_ball_beside_the_middle_of_a_bone_pushes_the_whole_bone() {
        let ball = Body::Solid(DVec3::new(0.05, -0.5, 0.0), DVec3::new(0.05, -0.5, 0.0), 0.1);
        let bone = Reach { whole: true, ..reach(DVec3::ZERO, 1.0, 0.02) };
        let (tip, touch) = settle(&[ball], &bone, DVec3::NEG_Y);
        let gap = nearest_on(DVec3::ZERO, tip, DVec3::new(0.05, -0.5, 0.0)).distance(DVec3::new(0.05, -0.5, 0.0));
        assert!(touch.contact && (gap - 0.12).abs() < 1e-9, "{gap}");
        let (_, untouched) = settle(&[ball], &reach(DVec3::ZERO, 1.0, 0.02), DVec3::NEG_Y);
        assert!(!untouched.contact);
    }

    #[test]
    fn the_order_of_two_bodies_does_not_matter() {
        let ball = |x: f64, z: f64| Body::Solid(DVec3::new(x, -1.0, z), DVec3::new(x, -1.0, z), 0.4);
        let (one, two) = (ball(0.2, 0.05), ball(-0.15, 0.0));
        let bone = reach(DVec3::ZERO, 1.0, 0.0);
        let (a, touch) = settle(&[one, two], &bone, DVec3::NEG_Y);
        let (b, _) = settle(&[two, one], &bone, DVec3::NEG_Y);
        assert!(a.distance(b) < 1e-9 && !touch.infeasible);
        assert!(one.depth(a, 0.0) < 1e-9 && two.depth(a, 0.0) < 1e-9);
    }

    #[test]
    fn no_way_out_is_said_and_stays_finite() {
        let bone = reach(DVec3::ZERO, 0.1, 0.01);
        for center in [DVec3::ZERO, DVec3::X * 0.05, DVec3::Y * 0.1] {
            let (tip, touch) = settle(&[Body::Solid(center, center, 1.0)], &bone, DVec3::Y);
            assert!(touch.infeasible && (tip.length() - 0.1).abs() < 1e-12);
        }
    }

    #[test]
    fn a_joint_that_flies_through_a_body_stops_at_it() {
        let body = Body::Solid(DVec3::ZERO, DVec3::ZERO, 0.02);
        let end = stopped(&body, &body, 0.0, DVec3::new(-0.1, 0.005, 0.0), DVec3::new(0.1, 0.005, 0.0)).unwrap();
        assert!(end.x < 0.02 && body.depth(end, 0.0) < 1e-9, "{end}");
        assert!(stopped(&body, &body, 0.0, DVec3::new(-0.1, 0.03, 0.0), DVec3::new(0.1, 0.03, 0.0)).is_none());
    }
}
