//! Direction of a bone outside all colliders. Contact is a position-based projection (Müller et al., *Position Based
//! Dynamics*, 2007) in closed form on the sphere of directions ([`super::spherical_cap`]), with a sweep against
//! tunnelling.

use glam::DVec3;

use super::spherical_cap::{Escape, SphericalCap, nearest_free_of_all};
use super::world_collider::{BoneReach, WorldCollider, nearest_of_segments, nearest_on_segment};
use crate::chains::limit::Allowed;

/// Contact of one bone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    /// True if a collider was in the way and the bone touches it.
    pub touching: bool,
    /// True if no allowed direction is outside all colliders; the bone has the direction of least depth.
    pub infeasible: bool,
    /// True if only the angle limit prevents a free direction.
    pub limited: bool,
}

/// Colliders that may affect one bone.
#[derive(Clone, Copy)]
pub(crate) struct Candidates<'a> {
    /// All colliders of the step, in the order of the settings.
    pub colliders: &'a [WorldCollider],
    /// Indices of the colliders that may be within reach; all others must be out of reach.
    pub indices: &'a [usize],
    /// True if any collider is a capsule of non-zero length.
    pub any_elongated: bool,
}

/// Maximum number of rounds that update the nearest point of a capsule's axis. Tuned; no derivation recorded.
const MAX_CAPSULE_ROUNDS: usize = 48;
/// Squared distance below which two unit vectors are equal except for rounding.
const SAME_DIRECTION_DISTANCE_SQUARED: f64 = 1e-28;

/// Direction of a bone outside all colliders, and its contact.
pub(crate) struct Resolved {
    /// The direction of the bone, a unit vector.
    pub direction: DVec3,
    pub contact: Contact,
}

/// Returns the allowed direction nearest to unit vector `wanted` in which `bone` touches none of `candidates`.
///
/// `hint` selects the side if all sides are equally far; `caps` is scratch memory.
#[inline]
pub(crate) fn resolve(
    candidates: &Candidates,
    bone: &BoneReach,
    allowed: &Allowed,
    wanted: DVec3,
    hint: DVec3,
    caps: &mut Vec<SphericalCap>,
) -> Resolved {
    let mut contact = Contact::default();
    let mut direction = allowed.nearest(wanted, hint);
    let tip = bone.tip(direction);
    let is_clear = |&index: &usize| candidates.colliders[index].is_clear_of(tip, bone.radius);
    // Most bones touch nothing; this test is cheaper than the forbidden directions.
    if !bone.full_length_contact && candidates.indices.iter().all(is_clear) {
        return Resolved { direction, contact };
    }
    for _ in 0..MAX_CAPSULE_ROUNDS {
        caps.clear();
        let forbidden = |&index: &usize| candidates.colliders[index].forbidden_cap(bone, direction);
        caps.extend(candidates.indices.iter().filter_map(forbidden));
        if !caps.iter().any(|cap| cap.forbids(direction)) {
            break;
        }
        let next = leave(caps, allowed, direction, hint, &mut contact);
        let moved = next.distance_squared(direction);
        direction = next;
        // The directions that a ball forbids do not depend on the bone's direction, so one round is exact.
        if moved < SAME_DIRECTION_DISTANCE_SQUARED || !candidates.any_elongated {
            break;
        }
    }
    Resolved { direction, contact }
}

/// Returns the allowed direction nearest to `direction` outside all of `caps`, or the one of least depth if there is none.
/// All directions are unit vectors. Also sets `contact`.
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
    // The message names the angle limit only if widening it helps.
    contact.limited =
        contact.infeasible && *allowed != Allowed::Everything && leave_caps(caps, direction, hint).is_free;
    next.direction
}

/// Returns the nearest direction outside all caps. If there is none, projects out of one cap after the other; only the
/// last projection is then satisfied for certain.
fn leave_caps(caps: &[SphericalCap], direction: DVec3, hint: DVec3) -> Escape {
    // The number of candidate points grows with the cube of the caps. So many colliders around one bone leave no free
    // direction in practice.
    const MAX_EXACT_CAPS: usize = 16;
    if let [only] = caps {
        return Escape { direction: only.nearest_free(direction, hint), is_free: only.is_feasible() };
    }
    // The exact search, where its cost is acceptable.
    if caps.len() <= MAX_EXACT_CAPS
        && let Some(free) = nearest_free_of_all(caps, direction, hint)
    {
        return Escape { direction: free, is_free: true };
    }
    let mut shallow = direction;
    for _ in 0..16 {
        let before = shallow;
        shallow = caps.iter().fold(shallow, |shallow, cap| cap.nearest_free(shallow, hint));
        if shallow.distance_squared(before) < SAME_DIRECTION_DISTANCE_SQUARED {
            break;
        }
    }
    Escape { direction: shallow, is_free: !caps.iter().any(|cap| cap.forbids(shallow)) }
}

/// A solid collider at the start and at the end of a step.
#[derive(Clone, Copy)]
pub(crate) struct MovingCollider<'a> {
    /// Collider at the start of the step.
    pub old: &'a WorldCollider,
    /// Collider at the end of the step.
    pub new: &'a WorldCollider,
}

/// Returns the end position (metres) of a tip that moves from `from` to `to` in one step through `collider`. The tip stops at
/// the first contact and slides along the surface.
///
/// Returns `None` if the end needs no correction here: the path does not cross the collider, starts inside, or ends inside on
/// the side where it entered. The last case is left to [`resolve`]. Only solid colliders count, and only their translation:
/// in 1/240 s the rotation is negligible.
#[inline]
pub(crate) fn sweep(collider: MovingCollider, tip_radius: f64, from: DVec3, to: DVec3) -> Option<DVec3> {
    let (WorldCollider::Solid { a: old_a, .. }, WorldCollider::Solid { a, b, radius }) = (*collider.old, *collider.new)
    else {
        return None;
    };
    let sum = tip_radius + radius;
    // In the frame of the collider, which is then at rest.
    let from = from + (a - old_a);
    if needs_no_sweep([a, b], sum, from, to) { None } else { find_crossing([a, b], sum, from, to) }
}

/// Fast conservative test: true only if [`find_crossing`] with the same arguments certainly returns `None`.
#[inline]
fn needs_no_sweep([a, b]: [DVec3; 2], sum: f64, from: DVec3, to: DVec3) -> bool {
    let path_squared = from.distance_squared(to);
    let end_squared = to.distance_squared(nearest_on_segment(a, b, to));
    // A short path that ends inside ends on the near side: nearest points of the axis move no further than the tip, so
    // that the outward direction turns by less than a right angle.
    if end_squared < sum * sum {
        return path_squared < 0.81 * sum * sum;
    }
    // A path shorter than the remaining distance touches nothing.
    let reach = (sum + path_squared.sqrt()) * (1.0 + 1e-9);
    end_squared >= reach * reach
}

/// Returns the result of [`sweep`] for the axis `a`–`b` at rest, in metres. `sum` is the sum of both radii.
fn find_crossing([a, b]: [DVec3; 2], sum: f64, from: DVec3, to: DVec3) -> Option<DVec3> {
    let (on_path, on_axis) = nearest_of_segments([from, to], [a, b]);
    let gap = |point: DVec3| point.distance(nearest_on_segment(a, b, point)) - sum;
    // A tip that starts inside was put there by an infeasible contact; it may leave.
    if on_path.distance(on_axis) >= sum * (1.0 - 1e-9) || gap(from) < -1e-9 * sum {
        return None;
    }
    let (mut clear, mut inside) = (0.0, from.distance(on_path) / from.distance(to));
    // Bisection down to the last bit of the fraction.
    for _ in 0..60 {
        let middle = 0.5 * (clear + inside);
        if gap(from.lerp(to, middle)) > 0.0 { clear = middle } else { inside = middle }
    }
    let touch = from.lerp(to, clear);
    let center = nearest_on_segment(a, b, touch);
    let outward = (touch - center).normalize_or_zero();
    let is_on_near_side = (to - nearest_on_segment(a, b, to)).dot(outward) > 0.0;
    // An end inside on the near side is the usual case: [`resolve`] moves it to the nearest point of the surface.
    if gap(to) < 0.0 && is_on_near_side {
        return None;
    }
    let rest = to - touch;
    let slid = touch + rest - outward * rest.dot(outward).min(0.0);
    let depth = (sum - on_path.distance(on_axis)) / sum;
    if !is_on_near_side || depth >= GRAZE_MAX_DEPTH {
        return Some(slid);
    }
    // Sliding would push a tip that only grazes the surface by the square root of its depth.
    let deflected = deflected([a, b], sum, from, to).filter(|end| end.distance_squared(to) < slid.distance_squared(to));
    Some(deflected.map_or(slid, |deflected| deflected.lerp(slid, depth / GRAZE_MAX_DEPTH)))
}

/// Depth of a path below the surface, as a share of the sum of the radii, up to which a tip grazes the collider and is
/// deflected rather than slid along.
const GRAZE_MAX_DEPTH: f64 = 0.01;

/// Returns the end nearest to `to` to which a straight path from `from` touches the surface at distance `sum` from `axis`,
/// metres; `None` if no finite end is found.
fn deflected(axis: [DVec3; 2], sum: f64, from: DVec3, to: DVec3) -> Option<DVec3> {
    let mut end = to;
    // Each round leaves about the square of the depth.
    for _ in 0..8 {
        let (on_path, on_axis) = nearest_of_segments([from, end], axis);
        let depth = sum - on_path.distance(on_axis);
        if depth <= 1e-12 * sum {
            break;
        }
        let share = from.distance(on_path) / from.distance(end);
        end += (on_path - on_axis).normalize_or_zero() * (depth / share);
    }
    end.is_finite().then_some(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;
    use WorldCollider::{Inside, Plane, Solid};

    fn reach(start: DVec3, length: f64, radius: f64) -> BoneReach {
        BoneReach { start, length, radius, full_length_contact: false }
    }

    fn ball(center: DVec3, radius: f64) -> WorldCollider {
        Solid { a: center, b: center, radius }
    }

    /// Returns the tip and the contact of a bone that wants to point along `wanted`.
    fn resolved_tip(colliders: &[WorldCollider], bone: &BoneReach, wanted: DVec3) -> (DVec3, Contact) {
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
        let (tip, _) = resolved_tip(&[large], &bone, DVec3::NEG_X);
        assert!((tip.length() - 13.0).abs() < 1e-6, "{tip}");
        let inside = Inside { a: DVec3::ZERO, b: DVec3::ZERO, radius: 10.0 };
        let (tip, contact) =
            resolved_tip(&[inside], &reach(DVec3::Y * 3.0, 5.0, 3.0), DVec3::new(1.0, 1.0, 0.0).normalize());
        assert!((tip.length() - 7.0).abs() < 7e-6 && contact.touching && !contact.infeasible, "{tip}");
        let capsule = Solid { a: DVec3::NEG_Y * 5.0, b: DVec3::Y * 5.0, radius: 4.0 };
        let (tip, contact) = resolved_tip(&[capsule], &reach(DVec3::new(8.0, 1.0, 2.0), 5.0, 3.0), DVec3::NEG_X);
        let off_axis = DVec3::new(tip.x, 0.0, tip.z).length();
        assert!((off_axis - 7.0).abs() < 7e-6 && contact.touching, "{tip} {off_axis}");
    }

    #[test]
    fn an_inside_capsule_and_a_plane_stop_the_bone_at_their_surface() {
        let inside = Inside { a: DVec3::NEG_Y, b: DVec3::Y, radius: 1.0 };
        let (tip, contact) =
            resolved_tip(&[inside], &reach(DVec3::ZERO, 1.5, 0.2), DVec3::new(1.0, 1.0, 0.1).normalize());
        assert!(contact.touching && inside.depth(tip, 0.2).abs() < 1e-6, "{}", inside.depth(tip, 0.2));
        let plane = Plane { point: DVec3::ZERO, normal: DVec3::Y };
        let (tip, _) = resolved_tip(&[plane], &reach(DVec3::Y * 0.5, 1.0, 0.1), DVec3::new(0.1, -1.0, 0.0).normalize());
        assert!((tip.y - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_ball_at_the_middle_of_a_bone_pushes_the_bone_with_full_length_contact() {
        let side_ball = ball(DVec3::new(0.05, -0.5, 0.0), 0.1);
        let bone = BoneReach { full_length_contact: true, ..reach(DVec3::ZERO, 1.0, 0.02) };
        let (tip, contact) = resolved_tip(&[side_ball], &bone, DVec3::NEG_Y);
        let gap =
            nearest_on_segment(DVec3::ZERO, tip, DVec3::new(0.05, -0.5, 0.0)).distance(DVec3::new(0.05, -0.5, 0.0));
        assert!(contact.touching && (gap - 0.12).abs() < 1e-9, "{gap}");
        let (_, untouched) = resolved_tip(&[side_ball], &reach(DVec3::ZERO, 1.0, 0.02), DVec3::NEG_Y);
        assert!(!untouched.touching);
    }

    #[test]
    fn the_order_of_two_colliders_does_not_matter() {
        let (one, two) = (ball(DVec3::new(0.2, -1.0, 0.05), 0.4), ball(DVec3::new(-0.15, -1.0, 0.0), 0.4));
        let bone = reach(DVec3::ZERO, 1.0, 0.0);
        let (a, contact) = resolved_tip(&[one, two], &bone, DVec3::NEG_Y);
        let (b, _) = resolved_tip(&[two, one], &bone, DVec3::NEG_Y);
        assert!(a.distance(b) < 1e-9 && !contact.infeasible);
        assert!(one.depth(a, 0.0) < 1e-9 && two.depth(a, 0.0) < 1e-9);
    }

    #[test]
    fn an_infeasible_contact_is_reported_and_stays_finite() {
        let bone = reach(DVec3::ZERO, 0.1, 0.01);
        for center in [DVec3::ZERO, DVec3::X * 0.05, DVec3::Y * 0.1] {
            let (tip, contact) = resolved_tip(&[ball(center, 1.0)], &bone, DVec3::Y);
            assert!(contact.infeasible && (tip.length() - 0.1).abs() < 1e-12);
        }
    }

    #[test]
    fn a_tip_that_flies_through_a_ball_stops_at_it() {
        let small = ball(DVec3::ZERO, 0.02);
        let resting = MovingCollider { old: &small, new: &small };
        let end = sweep(resting, 0.0, DVec3::new(-0.1, 0.005, 0.0), DVec3::new(0.1, 0.005, 0.0)).unwrap();
        assert!(end.x < 0.02 && small.depth(end, 0.0) < 1e-9, "{end}");
        assert!(sweep(resting, 0.0, DVec3::new(-0.1, 0.03, 0.0), DVec3::new(0.1, 0.03, 0.0)).is_none());
    }

    #[test]
    fn a_tip_that_grazes_a_ball_is_pushed_by_little_more_than_its_depth() {
        let radius = 0.04;
        let resting = ball(DVec3::ZERO, radius);
        let collider = MovingCollider { old: &resting, new: &resting };
        // From outside to outside past the pole, which is half-way: the end is deflected by twice the depth.
        for depth in [1e-9, 6e-8, 1e-6] {
            let [from, to] = [-0.03, 0.03].map(|x| DVec3::new(x, radius - depth, 0.0));
            let end = sweep(collider, 0.0, from, to).unwrap();
            assert!(end.distance(to) <= 3.0 * depth, "{} m for {depth} m", end.distance(to));
            let (on_path, _) = nearest_of_segments([from, end], [DVec3::ZERO; 2]);
            assert!(on_path.length() >= radius * (1.0 - 1e-6), "the path stays outside");
        }
    }

    fn points(range: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-range..range).prop_map(DVec3::from_array)
    }

    #[test]
    fn the_fast_test_skips_most_paths_and_only_those_that_cross_nothing() {
        let mut runner = TestRunner::deterministic();
        let paths = (points(0.2), points(0.2), 0.005..0.2, points(0.4), points(0.8));
        let (mut left_out, mut crossed) = (0, 0);
        for number in 0..20_000 {
            let (a, along, sum, to, path) = paths.new_tree(&mut runner).unwrap().current();
            // Every second collider is a ball; paths shrink from long to zero.
            let b = if number % 2 == 0 { a } else { a + along };
            for scale in [1.0, 0.3, 0.03, 1e-3, 0.0] {
                let from = to + path * scale;
                let end = find_crossing([a, b], sum, from, to);
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
