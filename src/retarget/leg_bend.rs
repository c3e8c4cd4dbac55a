//! The correction of a leg as a change of its joints' rotations.
//!
//! Between two stances the correction of a swinging leg is interpolated as a rotation and a length, not as a displacement of its
//! foot: the displacement that rotates a straight leg by 10° rotates a folded one by 30°, so that a joint would turn much faster
//! than in the source.
//!
//! ```text
//! turn    rotation from the direction of hip to ankle to that of hip to goal
//! reach   =  |goal − hip| − |ankle − hip|
//! κ(d)    =  acos((a² + b² − d²) / 2ab)      interior angle of the knee with thigh a, shin b and d from hip to ankle
//! ```

use glam::{DQuat, DVec3};

use portamento_anim::ik::LegPositions;

/// The correction of a leg in one pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LegBend {
    /// Rotation of the leg about the hip, a world rotation vector in radians.
    pub turn: DVec3,
    /// Change of the distance between hip and ankle, in the unit of the rig.
    pub reach: f64,
    /// Additional decrease of the interior angle of the knee, radians.
    pub knee: f64,
}

impl LegBend {
    /// Returns the correction of `leg` that moves its ankle by `shift`, as far as its length allows.
    pub fn from_shift(leg: &LegPositions, shift: DVec3) -> Self {
        let [own, moved] = [leg.ankle, leg.ankle + shift].map(|ankle| ankle - leg.hip);
        let turn = own.try_normalize().zip(moved.try_normalize());
        let turn = turn.map_or(DQuat::IDENTITY, |(own, moved)| DQuat::from_rotation_arc(own, moved));
        Self { turn: turn.to_scaled_axis(), reach: moved.length() - own.length(), knee: 0.0 }
    }

    /// Returns the displacement of the ankle of `leg` by this correction. The knee folds no further than
    /// [`LegPositions::folded`] or than it is.
    pub fn shift(&self, leg: &LegPositions) -> DVec3 {
        let own = leg.ankle - leg.hip;
        let length = own.length();
        let Some(direction) = own.try_normalize() else { return DVec3::ZERO };
        let nearest = leg.folded().min(length);
        let reached = (length + self.reach).max(nearest).min(leg.length());
        let angle = (knee_angle(leg, reached) - self.knee).max(0.0);
        let distance = if self.knee == 0.0 { reached } else { ankle_distance(leg, angle).max(nearest) };
        DQuat::from_scaled_axis(self.turn) * direction * distance - own
    }
}

/// Returns the additional bend of the knee that raises the ankle of `leg` by `height` when it is moved by `bend`, radians. The leg
/// keeps its direction, so that a nearly horizontal one is raised by less.
pub(super) fn knee_bend_for_lift(leg: &LegPositions, bend: &LegBend, height: f64) -> f64 {
    /// Smallest share of a shortening of the leg that raises the ankle: a leg at 60° to the vertical.
    const MIN_RISE_SHARE: f64 = 0.5;
    let moved = leg.ankle + bend.shift(leg) - leg.hip;
    let length = moved.length();
    let rise_share = (-moved.y / length).max(MIN_RISE_SHARE);
    let nearest = leg.folded().min(length);
    (knee_angle(leg, length) - knee_angle(leg, (length - height / rise_share).max(nearest))).max(0.0)
}

/// Returns the interior angle of the knee of `leg` at which hip and ankle are `distance` apart, radians; π beyond its length.
pub(super) fn knee_angle(leg: &LegPositions, distance: f64) -> f64 {
    let [thigh, shin] = lengths(leg);
    let cosine = (thigh * thigh + shin * shin - distance * distance) / (2.0 * thigh * shin);
    if cosine.is_finite() { cosine.clamp(-1.0, 1.0).acos() } else { std::f64::consts::PI }
}

/// Returns the distance between hip and ankle with the interior angle `angle` of the knee, radians.
fn ankle_distance(leg: &LegPositions, angle: f64) -> f64 {
    let [thigh, shin] = lengths(leg);
    (thigh * thigh + shin * shin - 2.0 * thigh * shin * angle.cos()).max(0.0).sqrt()
}

fn lengths(leg: &LegPositions) -> [f64; 2] {
    [leg.hip.distance(leg.knee), leg.knee.distance(leg.ankle)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(knee: DVec3, ankle: DVec3) -> LegPositions {
        LegPositions { hip: DVec3::Y, knee, ankle }
    }

    #[test]
    fn a_correction_moves_the_ankle_by_the_shift_it_was_made_from() {
        let bent = leg(DVec3::new(0.0, 0.5, 0.2), DVec3::new(0.0, 0.1, -0.05));
        for shift in [DVec3::ZERO, DVec3::new(0.05, 0.02, -0.1), DVec3::new(0.0, 0.3, 0.1)] {
            let moved = LegBend::from_shift(&bent, shift).shift(&bent);
            assert!(moved.distance(shift) < 1e-9, "{shift} {moved}");
        }
        // A goal beyond the leg is approached with a straight knee.
        let down = LegBend::from_shift(&bent, DVec3::new(0.0, -1.0, 0.0));
        let reached = bent.ankle + down.shift(&bent) - bent.hip;
        assert!((reached.length() - bent.length()).abs() < 1e-6);
        assert_eq!(LegBend::default().shift(&bent), DVec3::ZERO);
    }

    #[test]
    fn equal_corrections_turn_a_straight_and_a_folded_leg_alike() {
        let straight = leg(DVec3::new(0.0, 0.5, 0.01), DVec3::new(0.0, 0.02, 0.0));
        let folded = leg(DVec3::new(0.0, 0.55, 0.2), DVec3::new(0.0, 0.6, -0.25));
        let bend = LegBend { turn: DVec3::X * 0.2, ..LegBend::default() };
        for leg in [straight, folded] {
            let [own, moved] = [leg.ankle, leg.ankle + bend.shift(&leg)].map(|ankle| ankle - leg.hip);
            assert!((own.angle_between(moved) - 0.2).abs() < 1e-6 && (own.length() - moved.length()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_knee_bends_as_far_as_a_lift_needs_and_folds_no_further_than_it_can() {
        let leg = leg(DVec3::new(0.0, 0.5, 0.1), DVec3::ZERO);
        let raised = |height: f64| {
            let knee = knee_bend_for_lift(&leg, &LegBend::default(), height);
            LegBend { knee, ..LegBend::default() }.shift(&leg).y
        };
        assert!((raised(0.1) - 0.1).abs() < 1e-9 && raised(0.0).abs() < 1e-9);
        let highest = (leg.ankle - leg.hip).length() - leg.folded();
        assert!((raised(0.9) - highest).abs() < 1e-6, "{} {highest}", raised(0.9));
    }
}
