//! Two-bone leg solving: the law of cosines in the leg's own bending plane, and a soft limit before the leg is straight
//! (after the exponential soft limit common in character work), so that knees do not pop.

use glam::{DAffine3, DQuat, DVec3};

use super::root_motion::rest_at;
use super::{Leg, Skeleton};

/// World positions of a leg's three joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegPlace {
    /// The joint that the leg hangs on; IK never moves it.
    pub hip: DVec3,
    /// The joint that bends.
    pub knee: DVec3,
    /// The end of the chain, which is brought to the target.
    pub ankle: DVec3,
}

/// World turns that bring a leg to its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegTurns {
    /// Turn of the thigh about the hip.
    pub thigh: DQuat,
    /// Turn of the shin about the (moved) knee; not relative to the thigh's.
    pub shin: DQuat,
    /// Distance left between ankle and target; 0 within reach.
    pub gap: f64,
}

impl LegPlace {
    /// Length of thigh and shin together.
    pub fn length(&self) -> f64 {
        (self.knee - self.hip).length() + (self.ankle - self.knee).length()
    }

    /// Distance from hip to ankle with the knee folded as far as a knee folds.
    pub fn folded(&self) -> f64 {
        // 140°: calf and thigh meet.
        const BETWEEN: f64 = 40.0 * std::f64::consts::PI / 180.0;
        let (upper, lower) = ((self.knee - self.hip).length(), (self.ankle - self.knee).length());
        (upper * upper + lower * lower - 2.0 * upper * lower * BETWEEN.cos()).sqrt()
    }

    /// How far the ankle may go up from `ankle` before the leg is folded so far that its knee turns over.
    pub fn room_above(&self, ankle: DVec3) -> f64 {
        // Parts of how near a folded knee brings the ankle to the hip.
        const NEAREST: f64 = 0.6;
        let to_hip = self.hip - ankle;
        let nearest = (NEAREST * self.folded()).min(to_hip.length());
        (to_hip.y - (nearest * nearest - to_hip.with_y(0.0).length_squared()).max(0.0).sqrt()).max(0.0)
    }

    /// Where the joints stand after `turns`.
    pub fn turned(&self, turns: &LegTurns) -> Self {
        let knee = self.hip + turns.thigh * (self.knee - self.hip);
        Self { hip: self.hip, knee, ankle: knee + turns.shin * (self.ankle - self.knee) }
    }

    /// The unit axis the knee bends about; it fades over to `hinge` (unit, world) as the leg gets straight, where the joints
    /// themselves no longer tell.
    fn bend_axis(&self, hinge: DVec3) -> DVec3 {
        let (thigh, shin) = (self.knee - self.hip, self.ankle - self.knee);
        let across = thigh.normalize_or_zero().cross(shin.normalize_or_zero());
        let sine = across.length();
        // Below 0.1 (six degrees of bend) capture noise turns the plane about; from 0.3 on it is trusted alone.
        let trust = ((sine - 0.1) / 0.2).clamp(0.0, 1.0);
        let own = across.normalize_or_zero() * trust;
        let along = (self.ankle - self.hip).normalize_or(DVec3::NEG_Y);
        let axis = own + hinge * (1.0 - trust);
        (axis - along * axis.dot(along)).normalize_or(along.any_orthonormal_vector())
    }
}

/// Turns that bring the ankle to `target`. `hinge` (unit, world) is the axis the knee bends about where the leg is straight.
/// The leg is never straightened beyond 99.5 % of its length, or the length it had, and slows down before that.
pub fn solve_leg(leg: &LegPlace, target: DVec3, hinge: DVec3) -> LegTurns {
    let (upper, lower) = ((leg.knee - leg.hip).length(), (leg.ankle - leg.knee).length());
    let old = leg.ankle - leg.hip;
    let wanted = target - leg.hip;
    let still = LegTurns { thigh: DQuat::IDENTITY, shin: DQuat::IDENTITY, gap: (target - leg.ankle).length() };
    if upper <= 0.0 || lower <= 0.0 || !wanted.is_finite() || !old.is_finite() {
        return still;
    }
    let way = wanted.normalize_or(old.normalize_or(DVec3::NEG_Y));
    let reach = soft_reach(wanted.length(), upper + lower, old.length()).max((upper - lower).abs() * 1.001);
    let arc = DQuat::from_rotation_arc(old.normalize_or(way), way);
    let axis = arc * leg.bend_axis(hinge);
    // Knee: along the way and off it, on the side it bends to.
    let along = (reach * reach + upper * upper - lower * lower) / (2.0 * reach);
    let off = (upper * upper - along * along).max(0.0).sqrt();
    let side = axis.cross(way).normalize_or_zero() * -off;
    let knee = leg.hip + way * along + side;
    let ankle = leg.hip + way * reach;
    let turn = |from: DVec3, to: DVec3| DQuat::from_rotation_arc(from.normalize(), to.normalize_or(from.normalize()));
    LegTurns {
        thigh: turn(leg.knee - leg.hip, knee - leg.hip),
        shin: turn(leg.ankle - leg.knee, ankle - knee),
        gap: (target - ankle).length(),
    }
}

/// The axis (unit, world) the knee bends about when the thigh stands as `thigh`: as the rest pose bends, else sideways.
pub fn hinge(skeleton: &Skeleton, leg: &Leg, thigh: &DAffine3) -> DVec3 {
    let [hip, knee, ankle] = [leg.thigh, leg.shin, leg.foot].map(|joint| rest_at(skeleton, joint));
    let (upper, lower) = (knee.translation - hip.translation, ankle.translation - knee.translation);
    let bend = upper.normalize_or_zero().cross(lower.normalize_or_zero());
    // A straight rest pose tells nothing; +X lets the knee of a hanging leg go forwards, to +Z.
    let axis = if bend.length() > 0.02 { bend.normalize() } else { DVec3::X };
    (thigh.matrix3 * (hip.matrix3.inverse() * axis)).normalize_or(axis)
}

/// `wanted` as it is while the leg is well bent, then approaching the limit ever more slowly.
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

    fn leg() -> LegPlace {
        LegPlace { hip: DVec3::new(0.1, 1.0, 0.0), knee: DVec3::new(0.1, 0.52, 0.1), ankle: DVec3::new(0.1, 0.08, 0.0) }
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
        let nowhere = solve_leg(&leg(), DVec3::NAN, HINGE);
        assert_eq!(nowhere.thigh, DQuat::IDENTITY);
    }

    #[test]
    fn the_knee_never_pops_while_the_target_runs_out_of_reach_and_back() {
        let target = |i: i32| DVec3::new(0.1, 0.3 - 0.004 * f64::from(i), 0.05);
        let knee = |i: i32| leg().turned(&solve_leg(&leg(), target(i), HINGE)).knee;
        let steps = (0..200).map(|i| (knee(i + 1) - knee(i)).length());
        assert!(steps.fold(0.0, f64::max) < 0.02);
    }

    #[test]
    fn a_straight_leg_bends_about_its_hinge() {
        let straight = LegPlace { hip: DVec3::Y, knee: DVec3::Y * 0.5, ankle: DVec3::ZERO };
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
