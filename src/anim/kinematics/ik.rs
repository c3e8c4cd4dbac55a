//! Two-bone leg IK: the law of cosines in the leg's own bending plane, and a soft limit before the leg is straight
//! (after the exponential soft limit common in character work), so that knees do not pop.

use glam::{DAffine3, DQuat, DVec3};

use crate::root_motion::rest_at;
use crate::{Leg, Skeleton};

/// World positions of a leg's three joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegPositions {
    /// The joint at which the leg begins; IK never moves it.
    pub hip: DVec3,
    /// The joint that bends.
    pub knee: DVec3,
    /// The end of the chain, which is moved to the target.
    pub ankle: DVec3,
}

/// World rotations that move a leg to its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegTurns {
    /// Rotation of the thigh about the hip.
    pub thigh: DQuat,
    /// Rotation of the shin about the (moved) knee; not relative to the thigh's.
    pub shin: DQuat,
    /// Remaining distance between ankle and target; 0 within reach.
    pub gap: f64,
}

impl LegPositions {
    /// Returns the length of thigh and shin together, in the unit of the positions.
    pub fn length(&self) -> f64 {
        (self.knee - self.hip).length() + (self.ankle - self.knee).length()
    }

    /// Returns the distance from hip to ankle with the knee fully folded, by 140°, in the unit of the positions.
    pub fn folded(&self) -> f64 {
        // A knee folds by 140°, then calf and thigh touch.
        const FOLDED_ANGLE: f64 = 40.0 * std::f64::consts::PI / 180.0;
        let (upper, lower) = ((self.knee - self.hip).length(), (self.ankle - self.knee).length());
        (upper * upper + lower * lower - 2.0 * upper * lower * FOLDED_ANGLE.cos()).sqrt()
    }

    /// Returns how far the ankle may rise straight up from `ankle` before the leg is folded so far that its knee flips, in the
    /// unit of the positions; 0 if it is that far already.
    pub fn room_above(&self, ankle: DVec3) -> f64 {
        // Minimum distance from ankle to hip, as a fraction of the folded distance. Tuned; no derivation recorded.
        const NEAREST_FRACTION: f64 = 0.6;
        let to_hip = self.hip - ankle;
        let nearest = (NEAREST_FRACTION * self.folded()).min(to_hip.length());
        (to_hip.y - (nearest * nearest - to_hip.with_y(0.0).length_squared()).max(0.0).sqrt()).max(0.0)
    }

    /// Returns the joint positions after `turns`.
    pub fn turned(&self, turns: &LegTurns) -> Self {
        let knee = self.hip + turns.thigh * (self.knee - self.hip);
        Self { hip: self.hip, knee, ankle: knee + turns.shin * (self.ankle - self.knee) }
    }

    /// Returns the unit axis of the knee. It fades to `hinge` (unit, world) as the leg gets straight, where the
    /// joints no longer define it.
    fn bend_axis(&self, hinge: DVec3) -> DVec3 {
        let (thigh, shin) = (self.knee - self.hip, self.ankle - self.knee);
        let across = thigh.normalize_or_zero().cross(shin.normalize_or_zero());
        let sine = across.length();
        // Below 0.1 (six degrees of bend) capture noise flips the plane; from 0.3 on only the joints count.
        let trust = ((sine - 0.1) / 0.2).clamp(0.0, 1.0);
        let own = across.normalize_or_zero() * trust;
        let along = (self.ankle - self.hip).normalize_or(DVec3::NEG_Y);
        let axis = own + hinge * (1.0 - trust);
        (axis - along * axis.dot(along)).normalize_or(along.any_orthonormal_vector())
    }
}

/// Solves for the rotations that move the ankle to `target`. `hinge` (unit, world) is the knee's axis for a straight
/// leg.
///
/// The leg is never straightened beyond 99.5 % of its length, or its current extension, and approaches that limit
/// softly.
///
/// Returns no rotation, and the distance from the ankle to the target as the gap, if
/// - the thigh or the shin has no length;
/// - a position of the leg or the target is not finite.
pub fn solve_leg(leg: &LegPositions, target: DVec3, hinge: DVec3) -> LegTurns {
    solve(leg, target, hinge, soft_reach)
}

/// Solves as [`solve_leg`], but without a soft limit: the end is at `target` wherever the limb is long enough, and else on the
/// straight line to it.
pub fn solve_limb(limb: &LegPositions, target: DVec3, hinge: DVec3) -> LegTurns {
    solve(limb, target, hinge, |wanted, length, _| wanted.min(length))
}

/// Solves for the rotations that move the ankle towards `target`, with `hinge` as in [`solve_leg`]. `reach_for` returns the
/// distance from hip to ankle for the wanted distance, the length of the leg and its current extension.
fn solve(leg: &LegPositions, target: DVec3, hinge: DVec3, reach_for: impl Fn(f64, f64, f64) -> f64) -> LegTurns {
    let (upper, lower) = ((leg.knee - leg.hip).length(), (leg.ankle - leg.knee).length());
    let current = leg.ankle - leg.hip;
    let offset = target - leg.hip;
    let unchanged = LegTurns { thigh: DQuat::IDENTITY, shin: DQuat::IDENTITY, gap: (target - leg.ankle).length() };
    let has_lengths = upper > 0.0 && lower > 0.0 && (upper + lower).is_finite();
    if !has_lengths || !offset.is_finite() || !current.is_finite() {
        return unchanged;
    }
    let direction = offset.normalize_or(current.normalize_or(DVec3::NEG_Y));
    let reach = reach_for(offset.length(), upper + lower, current.length()).max((upper - lower).abs() * 1.001);
    let arc = DQuat::from_rotation_arc(current.normalize_or(direction), direction);
    let axis = arc * leg.bend_axis(hinge);
    // The knee is on the line to the target plus an offset to the side to which it bends.
    let along = (reach * reach + upper * upper - lower * lower) / (2.0 * reach);
    let off = (upper * upper - along * along).max(0.0).sqrt();
    let side = axis.cross(direction).normalize_or_zero() * -off;
    let knee = leg.hip + direction * along + side;
    let ankle = leg.hip + direction * reach;
    let turn = |from: DVec3, to: DVec3| DQuat::from_rotation_arc(from.normalize(), to.normalize_or(from.normalize()));
    LegTurns {
        thigh: turn(leg.knee - leg.hip, knee - leg.hip),
        shin: turn(leg.ankle - leg.knee, ankle - knee),
        gap: (target - ankle).length(),
    }
}

/// Returns the knee's axis (unit, world) for the world transform `thigh` of the thigh: as bent in the rest pose, else sideways.
pub fn hinge(skeleton: &Skeleton, leg: &Leg, thigh: &DAffine3) -> DVec3 {
    let [hip, knee, ankle] = [leg.thigh, leg.shin, leg.foot].map(|joint| rest_at(skeleton, joint));
    let (upper, lower) = (knee.translation - hip.translation, ankle.translation - knee.translation);
    let bend = upper.normalize_or_zero().cross(lower.normalize_or_zero());
    // A straight rest pose defines no axis; with +X the knee of a hanging leg moves forwards, to +Z.
    let axis = if bend.length() > 0.02 { bend.normalize() } else { DVec3::X };
    (thigh.matrix3 * (hip.matrix3.inverse() * axis)).normalize_or(axis)
}

/// Returns the distance from hip to ankle for the distance `wanted`: `wanted` itself while the leg is well bent, then ever slower
/// towards the limit. `length` is that of the leg, and `before` its current extension.
fn soft_reach(wanted: f64, length: f64, before: f64) -> f64 {
    // 95 %: about 36° of bend in the knee, where a person's leg starts to look stretched.
    let start = before.max(0.95 * length).min(length);
    let room = (before.max(0.995 * length) - start).min(length - start).max(0.0);
    if wanted <= start {
        wanted
    } else if room <= 0.0 {
        start
    } else {
        start + room * (1.0 - (-(wanted - start) / room).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HINGE: DVec3 = DVec3::X;

    fn leg() -> LegPositions {
        LegPositions {
            hip: DVec3::new(0.1, 1.0, 0.0),
            knee: DVec3::new(0.1, 0.52, 0.1),
            ankle: DVec3::new(0.1, 0.08, 0.0),
        }
    }

    #[test]
    fn a_leg_that_is_already_there_does_not_move() {
        let turns = solve_leg(&leg(), leg().ankle, HINGE);
        let moved = leg().turned(&turns);
        assert!(moved.knee.abs_diff_eq(leg().knee, 1e-9) && turns.gap < 1e-9, "{moved:?} {}", turns.gap);
    }

    #[test]
    fn a_target_out_of_reach_reports_the_gap_and_the_knee_stays_bent() {
        let turns = solve_leg(&leg(), DVec3::new(0.1, -1.0, 0.0), HINGE);
        let moved = leg().turned(&turns);
        assert!((turns.gap - (moved.ankle - DVec3::new(0.1, -1.0, 0.0)).length()).abs() < 1e-9 && turns.gap > 0.9);
        assert!((moved.ankle - moved.hip).length() < leg().length() * 0.996);
    }

    #[test]
    fn a_leg_without_length_or_with_broken_numbers_does_not_move() {
        let with = |change: &dyn Fn(&mut LegPositions)| {
            let mut leg = leg();
            change(&mut leg);
            leg
        };
        let target = DVec3::new(0.1, 0.3, 0.2);
        let broken = [DVec3::NAN, DVec3::new(0.1, f64::INFINITY, 0.0)];
        let mut cases = vec![
            (with(&|leg| leg.knee = leg.hip), target),
            (with(&|leg| leg.ankle = leg.knee), target),
            (with(&|leg| (leg.knee, leg.ankle) = (leg.hip, leg.hip)), target),
        ];
        for position in broken {
            cases.push((leg(), position));
            cases.push((with(&|leg| leg.hip = position), target));
            cases.push((with(&|leg| leg.knee = position), target));
            cases.push((with(&|leg| leg.ankle = position), target));
        }
        for (leg, target) in cases {
            let turns = solve_leg(&leg, target, HINGE);
            assert_eq!([turns.thigh, turns.shin], [DQuat::IDENTITY; 2], "{leg:?} {target}");
            let distance = (target - leg.ankle).length();
            assert!(turns.gap == distance || turns.gap.is_nan() && distance.is_nan(), "{leg:?} {target}");
        }
    }

    #[test]
    fn a_hinge_that_is_no_direction_still_gives_unit_rotations() {
        let straight = LegPositions { hip: DVec3::Y, knee: DVec3::Y * 0.5, ankle: DVec3::ZERO };
        for hinge in [DVec3::ZERO, DVec3::NAN, DVec3::Y] {
            for leg in [leg(), straight] {
                let target = leg.hip + DVec3::new(0.1, -0.5, 0.2);
                let turns = solve_leg(&leg, target, hinge);
                assert!(
                    turns.thigh.is_normalized() && turns.shin.is_normalized() && turns.gap < 1e-6,
                    "{hinge}: {turns:?}"
                );
            }
        }
    }

    #[test]
    fn the_knee_never_pops_while_the_target_runs_out_of_reach_and_back() {
        let target = |i: i32| DVec3::new(0.1, 0.3 - 0.004 * f64::from(i), 0.05);
        let moved = |i: i32| leg().turned(&solve_leg(&leg(), target(i), HINGE));
        let steps = (0..200).map(|i| (moved(i + 1).knee - moved(i).knee).length());
        assert!(steps.fold(0.0, f64::max) < 0.02);
        // The leg is 0.94 m long: up to 0.88 m below the hip the ankle follows, and the knee unbends.
        assert!((0..45).all(|i| moved(i).ankle.abs_diff_eq(target(i), 1e-6)));
        assert!(moved(0).knee.distance(moved(200).knee) > 0.2, "{:?} {:?}", moved(0), moved(200));
    }

    #[test]
    fn a_limb_reaches_every_target_within_its_length_by_the_law_of_cosines() {
        let limb = leg();
        let (upper, lower) = ((limb.knee - limb.hip).length(), (limb.ankle - limb.knee).length());
        for i in 1..=40 {
            let distance = (upper - lower).abs() * 1.01 + (upper + lower - (upper - lower).abs()) * f64::from(i) / 40.0;
            let direction = DVec3::new(0.3, -1.0, 0.2).normalize();
            let moved = limb.turned(&solve_limb(&limb, limb.hip + direction * distance, HINGE));
            let reached = distance.min(upper + lower);
            assert!((moved.ankle - limb.hip).abs_diff_eq(direction * reached, 1e-9), "{distance}");
            let [thigh, shin] = [moved.hip - moved.knee, moved.ankle - moved.knee];
            let cosine = (upper * upper + lower * lower - reached * reached) / (2.0 * upper * lower);
            assert!((thigh.normalize().dot(shin.normalize()) - cosine).abs() < 1e-9, "{distance}");
            // The knee stays on its own side.
            assert!(
                (moved.knee - moved.hip)
                    .cross(moved.ankle - moved.knee)
                    .dot((limb.knee - limb.hip).cross(limb.ankle - limb.knee))
                    >= -1e-12
            );
        }
    }

    #[test]
    fn a_straight_leg_bends_about_its_hinge() {
        let straight = LegPositions { hip: DVec3::Y, knee: DVec3::Y * 0.5, ankle: DVec3::ZERO };
        let moved = straight.turned(&solve_leg(&straight, DVec3::Y * 0.2, HINGE));
        assert!(moved.knee.z > 0.2 && moved.ankle.abs_diff_eq(DVec3::Y * 0.2, 1e-9), "{moved:?}");
    }

    proptest! {
        #[test]
        fn bones_keep_their_length_and_the_ankle_arrives_within_reach(x in -0.5..0.5, y in 0.0..0.9, z in -0.5..0.5) {
            let target = DVec3::new(x, y, z);
            let turns = solve_leg(&leg(), target, HINGE);
            let moved = leg().turned(&turns);
            prop_assert!((moved.length() - leg().length()).abs() < 1e-9);
            prop_assert!(((moved.ankle - target).length() - turns.gap).abs() < 1e-6);
            let distance = (target - leg().hip).length();
            if distance < 0.94 * leg().length() && distance > 0.06 {
                prop_assert!(turns.gap < 1e-6, "{}", turns.gap);
            }
        }
    }
}
