//! How far a body comes down for a foot that stays on a steep slope.

use std::ops::Range;

use glam::DVec3;

use super::Input;
use super::foot_plant::FootPlant;
use crate::anim::contacts::per_frame;
use crate::anim::foot_place::{CROUCH, STOOP, leg_place};
use crate::anim::{Leg, Pose};

/// Seconds in which a body comes down into a crouch and rises from it.
const COMES_DOWN: f64 = 0.4;

/// How far below the hip an ankle stays at least, as a share of the leg, unless its clip has it higher: from there up the knee
/// would turn over.
pub(super) const BELOW_HIP: f64 = 0.4;

/// The legs of a body, one sole per frame and where it stands.
pub(super) struct StandingLegs<'a> {
    pub input: &'a Input<'a>,
    pub legs: &'a [&'a Leg],
    pub poses: &'a [Pose],
    /// Per leg where its sole is in each frame, world units.
    pub soles: &'a [Vec<DVec3>],
    pub plants: &'a [Vec<FootPlant>],
}

impl StandingLegs<'_> {
    /// How far the body may crouch at each frame for one of the `legs`, as a share of it: the other legs, whose feet stand higher,
    /// do not fold up.
    pub(super) fn most_crouch(&self, leg: usize) -> Vec<f64> {
        let mut most = vec![CROUCH; self.poses.len()];
        for other in (0..self.legs.len()).filter(|&other| other != leg) {
            for plant in &self.plants[other] {
                plant.frames.clone().for_each(|i| most[i] = most[i].min(self.room(other, plant, i)).max(STOOP));
            }
        }
        most
    }

    /// How far the hip of a leg may come down over its foot in `plant`, as a share of the leg.
    fn room(&self, leg: usize, plant: &FootPlant, frame: usize) -> f64 {
        let place = leg_place(self.input.skeleton, self.legs[leg], &self.poses[frame]);
        let ankle = place.ankle + plant.place - self.soles[leg][frame];
        (place.hip.y - ankle.y) / place.length() - BELOW_HIP
    }
}

/// How far a body that crouches by at most `most` at each frame while a foot stands in `crouching` comes down for that foot: on its
/// way there before and back after as well.
pub(super) fn on_its_way(crouching: &[Range<usize>], most: &[f64], fps: f64) -> Vec<f64> {
    let way = COMES_DOWN * fps;
    let at = |(beside, most): (usize, &f64)| STOOP + (most - STOOP) * (1.0 - beside as f64 / way).max(0.0);
    beside_stands(&per_frame(crouching, most.len())).into_iter().zip(most).map(at).collect()
}

/// How many frames each frame is away from the nearest in which a foot `stands`; 0 while it does.
pub(super) fn beside_stands(stands: &[bool]) -> Vec<usize> {
    let mut beside = vec![usize::MAX; stands.len()];
    let mut last = usize::MAX;
    for i in (0..stands.len()).chain((0..stands.len()).rev()) {
        last = if stands[i] { 0 } else { last.saturating_add(1) };
        beside[i] = beside[i].min(last);
    }
    beside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Roles;

    #[test]
    fn a_body_crouches_until_the_higher_foot_is_near_the_hip_and_takes_its_time() {
        let hero = crate::samples::hero();
        let roles = Roles::find(&hero.skeleton, &hero.clips);
        let input =
            Input { skeleton: &hero.skeleton, clips: &hero.clips, roles: &roles, metres_per_unit: 1.0, ground: None };
        let legs: Vec<&Leg> = roles.legs.iter().collect();
        let poses = vec![Pose::rest(&hero.skeleton); 3];
        let soles: Vec<Vec<DVec3>> =
            legs.iter().map(|leg| super::super::foot_lock::soles(&input, leg, &poses)).collect();
        let length = leg_place(&hero.skeleton, legs[0], &poses[0]).length();
        let crouches = |raised: f64| {
            let stands = |leg: usize, up: f64| vec![FootPlant { frames: 1..2, place: soles[leg][1] + DVec3::Y * up }];
            let plants = [stands(0, raised * length), stands(1, 0.0)];
            let all = StandingLegs { input: &input, legs: &legs, poses: &poses, soles: &soles, plants: &plants };
            [all.most_crouch(1), all.most_crouch(0)]
        };
        let [lower, higher] = crouches(0.35);
        assert!(lower[1] > STOOP && lower[1] < CROUCH, "{lower:?}");
        assert_eq!([lower[0], lower[2], higher[1]], [CROUCH; 3]);
        assert_eq!(crouches(0.6)[0][1], STOOP);
        let down = on_its_way(&vec![10..20, 30..40][1..], &[0.25; 70], 60.0);
        assert!(down[0] == STOOP && down[69] == STOOP && down[30..40].iter().all(|down| *down == 0.25));
        assert!(down.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.005), "{down:?}");
    }
}
