//! The direction of a bone that touches no collider: contact as position-based projection (Müller et al., *Position Based
//! Dynamics*, 2007) in closed form on the sphere of directions ([`super::spherical_cap`]), with a sweep against tunnelling.

use glam::DVec3;

use super::limit::Allowed;
use super::spherical_cap::{Escape, SphericalCap, nearest_free_of_all};
use super::world_collider::{BoneReach, WorldCollider, nearest_of_segments, nearest_on_segment};

/// How a bone came to lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    /// Some collider was in the way; the bone lies on its edge.
    pub touching: bool,
    /// No allowed direction is free of all colliders; the bone lies as shallow as it can.
    pub infeasible: bool,
    /// It is the angle limit that leaves no such direction.
    pub limited: bool,
}

/// The colliders that may matter to one bone.
#[derive(Clone, Copy)]
pub(super) struct Candidates<'a> {
    /// Every collider of the step, in the order of the settings.
    pub colliders: &'a [WorldCollider],
    /// Indices of those within reach; no other may be.
    pub indices: &'a [usize],
    /// Whether any collider is elongated.
    pub any_elongated: bool,
}

/// Rounds in which the nearest point of a capsule's axis is found anew.
const ROUNDS: usize = 48;
/// Squared distance of two unit vectors that are the same but for rounding.
const SAME: f64 = 1e-28;

/// Where a bone points once it is out of all colliders.
pub(super) struct Resolved {
    /// The direction of the bone, a unit vector.
    pub direction: DVec3,
    pub contact: Contact,
}

/// The allowed direction nearest to unit vector `wanted` in which `bone` touches none of `candidates`.
///
/// `hint` decides where all ways out are equally far; `caps` is scratch memory.
pub(super) fn resolve(
    candidates: &Candidates,
    bone: &BoneReach,
    allowed: &Allowed,
    wanted: DVec3,
    hint: DVec3,
    caps: &mut Vec<SphericalCap>,
) -> Resolved {
    let mut contact = Contact::default();
    let mut direction = allowed.nearest(wanted, hint);
    for _ in 0..ROUNDS {
        caps.clear();
        let forbidden = |&index: &usize| candidates.colliders[index].forbidden(bone, direction);
        caps.extend(candidates.indices.iter().filter_map(forbidden));
        if !caps.iter().any(|cap| cap.forbids(direction)) {
            break;
        }
        let next = leave(caps, allowed, direction, hint, &mut contact);
        let moved = next.distance_squared(direction);
        direction = next;
        // A ball forbids the same directions wherever the bone points, so one round is exact.
        if moved < SAME || !candidates.any_elongated {
            break;
        }
    }
    Resolved { direction, contact }
}

/// The allowed direction nearest to `direction` that is in none of `caps`, or the shallowest where there is none.
fn leave(
    caps: &mut Vec<SphericalCap>,
    allowed: &Allowed,
    direction: DVec3,
    hint: DVec3,
    contact: &mut Contact,
) -> DVec3 {
    let next = match allowed {
        Allowed::Everything => leave_caps(caps, direction, hint),
        Allowed::Cone(cone) => {
            caps.push(*cone);
            let found = leave_caps(caps, direction, hint);
            caps.pop();
            found
        }
        Allowed::Hinge(arc) => arc.leave(caps, direction),
    };
    contact.touching = true;
    contact.infeasible = !next.is_free;
    // Free but for the limit: the user can widen that, but cannot make room between colliders.
    contact.limited =
        contact.infeasible && *allowed != Allowed::Everything && leave_caps(caps, direction, hint).is_free;
    next.direction
}

/// Out of all caps by the smallest rotation; where there is none, out of one after the other, the last one for sure.
fn leave_caps(caps: &[SphericalCap], direction: DVec3, hint: DVec3) -> Escape {
    // The number of points to try grows with the cube; so many colliders around one bone leave no free direction in practice.
    const MANY: usize = 16;
    if let [only] = caps {
        return Escape { direction: only.nearest_free(direction, hint), is_free: only.is_feasible() };
    }
    // Exact where it can be afforded.
    if caps.len() <= MANY
        && let Some(free) = nearest_free_of_all(caps, direction, hint)
    {
        return Escape { direction: free, is_free: true };
    }
    let mut shallow = direction;
    for _ in 0..16 {
        let before = shallow;
        shallow = caps.iter().fold(shallow, |shallow, cap| cap.nearest_free(shallow, hint));
        if shallow.distance_squared(before) < SAME {
            break;
        }
    }
    Escape { direction: shallow, is_free: !caps.iter().any(|cap| cap.forbids(shallow)) }
}

/// A solid collider at the start and at the end of a step.
#[derive(Clone, Copy)]
pub(super) struct MovingCollider<'a> {
    /// At the start.
    pub old: &'a WorldCollider,
    /// At the end.
    pub new: &'a WorldCollider,
}

/// Where a tip that moves from `from` to `to` in one step ends when `collider` lies on its way but not at its end: it stops at
/// the first touch and slides on along the surface. `None` where it does not cross the collider.
///
/// Only the collider's translation counts: in 1/240 s a body turns too little to matter.
pub(super) fn sweep(collider: MovingCollider, tip_radius: f64, from: DVec3, to: DVec3) -> Option<DVec3> {
    let (WorldCollider::Solid { a: old_a, .. }, WorldCollider::Solid { a, b, radius }) = (*collider.old, *collider.new)
    else {
        return None;
    };
    let sum = tip_radius + radius;
    // Seen from the collider, which then stands still.
    let from = from + (a - old_a);
    if needs_no_sweep([a, b], sum, from, to) { None } else { cross([a, b], sum, from, to) }
}

/// A quick test: true only where [`cross`] surely finds nothing.
fn needs_no_sweep([a, b]: [DVec3; 2], sum: f64, from: DVec3, to: DVec3) -> bool {
    let path = from.distance(to);
    let end = to.distance(nearest_on_segment(a, b, to));
    // A way shorter than the distance that is left meets nothing.
    let is_far = end >= (sum + path) * (1.0 + 1e-9);
    // One that ends inside and is shorter than the radii ends on the near side: nearest points of the axis move no further than the
    // tip, so that the way out turns by less than a right angle.
    let ends_on_near_side = end < sum && path < 0.9 * sum;
    is_far || ends_on_near_side
}

/// [`sweep`] past the axis `a`–`b` that stands still, `sum` being the radii of both.
fn cross([a, b]: [DVec3; 2], sum: f64, from: DVec3, to: DVec3) -> Option<DVec3> {
    let (on_path, on_axis) = nearest_of_segments([from, to], [a, b]);
    let gap = |point: DVec3| point.distance(nearest_on_segment(a, b, point)) - sum;
    // What starts inside was put there by an infeasible contact; it may leave.
    if on_path.distance(on_axis) >= sum * (1.0 - 1e-9) || gap(from) < -1e-9 * sum {
        return None;
    }
    let (mut clear, mut inside) = (0.0, from.distance(on_path) / from.distance(to));
    // Bisection to the last bit of the share.
    for _ in 0..60 {
        let middle = 0.5 * (clear + inside);
        if gap(from.lerp(to, middle)) > 0.0 { clear = middle } else { inside = middle }
    }
    let touch = from.lerp(to, clear);
    let center = nearest_on_segment(a, b, touch);
    let outward = (touch - center).normalize_or_zero();
    // An end that lies inside on the near side is the ordinary case: the nearest point of the edge is right there.
    if gap(to) < 0.0 && (to - nearest_on_segment(a, b, to)).dot(outward) > 0.0 {
        return None;
    }
    let rest = to - touch;
    Some(touch + rest - outward * rest.dot(outward).min(0.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;
    use WorldCollider::{Inside, Plane, Solid};

    fn reach(start: DVec3, length: f64, radius: f64) -> BoneReach {
        BoneReach { start, length, radius, whole_bone: false }
    }

    fn ball(center: DVec3, radius: f64) -> WorldCollider {
        Solid { a: center, b: center, radius }
    }

    /// The tip and the contact of a bone that wants to point along `wanted`.
    fn settled(colliders: &[WorldCollider], bone: &BoneReach, wanted: DVec3) -> (DVec3, Contact) {
        let indices: Vec<usize> = (0..colliders.len()).collect();
        let any_elongated = colliders.iter().any(WorldCollider::is_elongated);
        let candidates = Candidates { colliders, indices: &indices, any_elongated };
        let Resolved { direction, contact } =
            resolve(&candidates, bone, &Allowed::Everything, wanted, DVec3::X, &mut Vec::new());
        (bone.tip(direction), contact)
    }

    #[test]
    fn known_answers_of_ball_inside_ball_and_capsule() {
        let large = ball(DVec3::ZERO, 10.0);
        let bone = reach(DVec3::X * 1013.0, 1008.0, 3.0);
        let (tip, _) = settled(&[large], &bone, DVec3::NEG_X);
        assert!((tip.length() - 13.0).abs() < 1e-6, "{tip}");
        let inside = Inside { a: DVec3::ZERO, b: DVec3::ZERO, radius: 10.0 };
        let (tip, contact) =
            settled(&[inside], &reach(DVec3::Y * 3.0, 5.0, 3.0), DVec3::new(1.0, 1.0, 0.0).normalize());
        assert!((tip.length() - 7.0).abs() < 7e-6 && contact.touching && !contact.infeasible, "{tip}");
        let capsule = Solid { a: DVec3::NEG_Y * 5.0, b: DVec3::Y * 5.0, radius: 4.0 };
        let (tip, contact) = settled(&[capsule], &reach(DVec3::new(8.0, 1.0, 2.0), 5.0, 3.0), DVec3::NEG_X);
        let off_axis = DVec3::new(tip.x, 0.0, tip.z).length();
        assert!((off_axis - 7.0).abs() < 7e-6 && contact.touching, "{tip} {off_axis}");
    }

    #[test]
    fn an_inside_capsule_and_a_plane_hold_the_bone_on_their_edge() {
        let inside = Inside { a: DVec3::NEG_Y, b: DVec3::Y, radius: 1.0 };
        let (tip, contact) = settled(&[inside], &reach(DVec3::ZERO, 1.5, 0.2), DVec3::new(1.0, 1.0, 0.1).normalize());
        assert!(contact.touching && inside.depth(tip, 0.2).abs() < 1e-6, "{}", inside.depth(tip, 0.2));
        let plane = Plane { point: DVec3::ZERO, normal: DVec3::Y };
        let (tip, _) = settled(&[plane], &reach(DVec3::Y * 0.5, 1.0, 0.1), DVec3::new(0.1, -1.0, 0.0).normalize());
        assert!((tip.y - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_ball_beside_the_middle_of_a_bone_pushes_the_whole_bone() {
        let beside = ball(DVec3::new(0.05, -0.5, 0.0), 0.1);
        let bone = BoneReach { whole_bone: true, ..reach(DVec3::ZERO, 1.0, 0.02) };
        let (tip, contact) = settled(&[beside], &bone, DVec3::NEG_Y);
        let gap =
            nearest_on_segment(DVec3::ZERO, tip, DVec3::new(0.05, -0.5, 0.0)).distance(DVec3::new(0.05, -0.5, 0.0));
        assert!(contact.touching && (gap - 0.12).abs() < 1e-9, "{gap}");
        let (_, untouched) = settled(&[beside], &reach(DVec3::ZERO, 1.0, 0.02), DVec3::NEG_Y);
        assert!(!untouched.touching);
    }

    #[test]
    fn the_order_of_two_colliders_does_not_matter() {
        let (one, two) = (ball(DVec3::new(0.2, -1.0, 0.05), 0.4), ball(DVec3::new(-0.15, -1.0, 0.0), 0.4));
        let bone = reach(DVec3::ZERO, 1.0, 0.0);
        let (a, contact) = settled(&[one, two], &bone, DVec3::NEG_Y);
        let (b, _) = settled(&[two, one], &bone, DVec3::NEG_Y);
        assert!(a.distance(b) < 1e-9 && !contact.infeasible);
        assert!(one.depth(a, 0.0) < 1e-9 && two.depth(a, 0.0) < 1e-9);
    }

    #[test]
    fn no_way_out_is_said_and_stays_finite() {
        let bone = reach(DVec3::ZERO, 0.1, 0.01);
        for center in [DVec3::ZERO, DVec3::X * 0.05, DVec3::Y * 0.1] {
            let (tip, contact) = settled(&[ball(center, 1.0)], &bone, DVec3::Y);
            assert!(contact.infeasible && (tip.length() - 0.1).abs() < 1e-12);
        }
    }

    #[test]
    fn a_tip_that_flies_through_a_ball_stops_at_it() {
        let small = ball(DVec3::ZERO, 0.02);
        let still = MovingCollider { old: &small, new: &small };
        let end = sweep(still, 0.0, DVec3::new(-0.1, 0.005, 0.0), DVec3::new(0.1, 0.005, 0.0)).unwrap();
        assert!(end.x < 0.02 && small.depth(end, 0.0) < 1e-9, "{end}");
        assert!(sweep(still, 0.0, DVec3::new(-0.1, 0.03, 0.0), DVec3::new(0.1, 0.03, 0.0)).is_none());
    }

    fn places(range: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-range..range).prop_map(DVec3::from_array)
    }

    #[test]
    fn the_quick_test_leaves_out_only_ways_that_cross_nothing_and_most_of_them() {
        let mut runner = TestRunner::deterministic();
        let ways = (places(0.2), places(0.2), 0.005..0.2, places(0.4), places(0.8));
        let (mut left_out, mut crossed) = (0, 0);
        for number in 0..20_000 {
            let (a, along, sum, to, way) = ways.new_tree(&mut runner).unwrap().current();
            // Every second one a ball; from a long way down to none.
            let b = if number % 2 == 0 { a } else { a + along };
            for short in [1.0, 0.3, 0.03, 1e-3, 0.0] {
                let from = to + way * short;
                let end = cross([a, b], sum, from, to);
                crossed += usize::from(end.is_some());
                if needs_no_sweep([a, b], sum, from, to) {
                    left_out += 1;
                    assert_eq!(end, None, "{a} {b} {sum} {from} {to}");
                }
            }
        }
        assert!(left_out > 50_000 && crossed > 500, "{left_out} {crossed}");
    }
}
