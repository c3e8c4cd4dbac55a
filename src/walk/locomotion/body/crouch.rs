//! Crouch of a body for a foot that stays on a steep slope.

use std::ops::Range;

use glam::DVec3;

use crate::locomotion::Input;
use crate::locomotion::feet::foot_plant::FootPlant;
use portamento_anim::contacts::per_frame;
use portamento_anim::foot_place::{SLOPE_MAX_DROP, STEP_MAX_DROP, leg_positions};
use portamento_anim::{Leg, Pose};

/// Time to lower the body into a crouch and to raise it, seconds. Tuned; no derivation recorded.
const CROUCH_SECONDS: f64 = 0.4;

/// Smallest drop from hip to ankle, as a share of the leg, unless the clip has less. Above it the knee would flip.
pub(crate) const ANKLE_MIN_DROP: f64 = 0.4;

/// The legs of a body with their soles and plants.
pub(crate) struct StandingLegs<'a> {
    pub input: &'a Input<'a>,
    pub legs: &'a [&'a Leg],
    pub poses: &'a [Pose],
    /// Per leg, the sole position in each frame, world units.
    pub soles: &'a [Vec<DVec3>],
    pub plants: &'a [Vec<FootPlant>],
}

impl StandingLegs<'_> {
    /// Returns the largest crouch of the body at each frame for one of the `legs`, as a share of that leg, between
    /// [`STEP_MAX_DROP`] and [`SLOPE_MAX_DROP`]. It is limited where another leg is planted, which must not fold up.
    pub(crate) fn max_crouch(&self, leg: usize) -> Vec<f64> {
        let mut limits = vec![SLOPE_MAX_DROP; self.poses.len()];
        for other in (0..self.legs.len()).filter(|&other| other != leg) {
            for plant in &self.plants[other] {
                plant
                    .frames
                    .clone()
                    .for_each(|i| limits[i] = limits[i].min(self.room(other, plant, i)).max(STEP_MAX_DROP));
            }
        }
        limits
    }

    /// Returns the distance by which a leg's hip may be lowered over its foot in `plant`, as a share of the leg.
    fn room(&self, leg: usize, plant: &FootPlant, frame: usize) -> f64 {
        let leg_at = leg_positions(self.input.skeleton, self.legs[leg], &self.poses[frame]);
        let ankle = leg_at.ankle + plant.position - self.soles[leg][frame];
        (leg_at.hip.y - ankle.y) / leg_at.length() - ANKLE_MIN_DROP
    }
}

/// Returns the largest lowering of the body at each frame, as a share of the leg: `most` within the `crouching`
/// stances, and [`STEP_MAX_DROP`] elsewhere. The value fades over [`CROUCH_SECONDS`] before and after a stance.
pub(crate) fn crouch_limits(crouching: &[Range<usize>], most: &[f64], fps: f64) -> Vec<f64> {
    let fade_frames = CROUCH_SECONDS * fps;
    let at = |(frames_away, most): (usize, &f64)| {
        STEP_MAX_DROP + (most - STEP_MAX_DROP) * (1.0 - frames_away as f64 / fade_frames).max(0.0)
    };
    frames_to_stance(&per_frame(crouching, most.len())).into_iter().zip(most).map(at).collect()
}

/// Returns the distance in frames from each frame to the nearest planted one; 0 if planted. Without a planted frame all are
/// `usize::MAX`.
pub(crate) fn frames_to_stance(planted: &[bool]) -> Vec<usize> {
    let mut frames_away = vec![usize::MAX; planted.len()];
    let mut last = usize::MAX;
    for i in (0..planted.len()).chain((0..planted.len()).rev()) {
        last = if planted[i] { 0 } else { last.saturating_add(1) };
        frames_away[i] = frames_away[i].min(last);
    }
    frames_away
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::Roles;

    #[test]
    fn a_body_crouches_until_the_higher_foot_is_near_the_hip_and_fades_in_and_out() {
        let hero = portamento_test_support::hero();
        let roles = Roles::find(&hero.skeleton, &hero.clips);
        let input =
            Input { skeleton: &hero.skeleton, clips: &hero.clips, roles: &roles, metres_per_unit: 1.0, ground: None };
        let legs: Vec<&Leg> = roles.legs.iter().collect();
        let poses = vec![Pose::rest(&hero.skeleton); 3];
        let soles: Vec<Vec<DVec3>> =
            legs.iter().map(|leg| crate::locomotion::feet::foot_lock::soles(&input, leg, &poses)).collect();
        let length = leg_positions(&hero.skeleton, legs[0], &poses[0]).length();
        let crouches = |raised: f64| {
            let plant_at =
                |leg: usize, up: f64| vec![FootPlant { frames: 1..2, position: soles[leg][1] + DVec3::Y * up }];
            let plants = [plant_at(0, raised * length), plant_at(1, 0.0)];
            let all = StandingLegs { input: &input, legs: &legs, poses: &poses, soles: &soles, plants: &plants };
            [all.max_crouch(1), all.max_crouch(0)]
        };
        let [lower, higher] = crouches(0.35);
        assert!(lower[1] > STEP_MAX_DROP && lower[1] < SLOPE_MAX_DROP, "{lower:?}");
        assert_eq!([lower[0], lower[2], higher[1]], [SLOPE_MAX_DROP; 3]);
        assert_eq!(crouches(0.6)[0][1], STEP_MAX_DROP);
        let down = crouch_limits(&vec![10..20, 30..40][1..], &[0.25; 70], 60.0);
        assert!(down[0] == STEP_MAX_DROP && down[69] == STEP_MAX_DROP && down[30..40].iter().all(|down| *down == 0.25));
        assert!(down.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.005), "{down:?}");
    }
}
