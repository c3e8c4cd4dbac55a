//! Yaw of planted feet: each stance keeps one toe direction while the body turns, and a lifted foot turns to the next
//! one.

use glam::DQuat;

use super::foot_plant::frame_beside_end;
use crate::locomotion::Input;
use portamento_anim::chain_ik::turn_in_world;
use portamento_anim::contacts::runs;
use portamento_anim::math::easing::Easing;
use portamento_anim::root_motion::{rest_at, turn_of, wrap};
use portamento_anim::{Leg, Pose};

/// Smallest turn of the body during a stance that locks the foot's yaw, radians. On a straight path a foot turns as in
/// its clip.
const BODY_TURN_MIN_RADIANS: f64 = 0.03;
/// Largest correction, radians. Beyond it the foot turns on its ball, so that no knee is twisted.
const CORRECTION_MAX_RADIANS: f64 = 0.7;

/// Turns the feet of `poses` back to one direction per stance while the body turns over them. `standing` gives the
/// stances per leg and frame, `headings` the body's heading (radians). At an anchor a foot keeps its direction, and so does one
/// that lands or leaves less than `fade` frames from either end.
pub(crate) fn lock(
    input: &Input,
    standing: &[Vec<bool>],
    headings: &[f64],
    anchors: &[usize],
    fade: f64,
    poses: &mut [Pose],
) {
    for (leg, planted) in input.legs().into_iter().zip(standing) {
        let yaws = yaws(input, leg, poses);
        let corrections = corrections(&Feet { yaws: &yaws, planted, headings, anchors, fade });
        for (pose, turn) in poses.iter_mut().zip(corrections) {
            if turn != 0.0 {
                // Half of it comes from the hip, so that the knee follows.
                let share = if leg.has_separate_foot(input.skeleton) { 1.0 } else { 0.5 };
                turn_in_world(input.skeleton, pose, leg.thigh, DQuat::from_rotation_y(0.5 * turn));
                turn_in_world(input.skeleton, pose, leg.foot, DQuat::from_rotation_y(share * turn));
            }
        }
    }
}

/// Returns the yaw of the foot at each frame relative to its rest, radians about +Y, unwrapped.
pub(crate) fn yaws(input: &Input, leg: &Leg, poses: &[Pose]) -> Vec<f64> {
    let rest = turn_of(&rest_at(input.skeleton, leg.foot)).inverse();
    let mut last = 0.0;
    let yaw = |pose: &Pose| {
        let turned = turn_of(&pose.world_from_joint(input.skeleton, leg.foot)) * rest;
        last += wrap(2.0 * turned.y.atan2(turned.w) - last);
        last
    };
    poses.iter().map(yaw).collect()
}

/// One leg's foot over all frames.
struct Feet<'a> {
    yaws: &'a [f64],
    planted: &'a [bool],
    headings: &'a [f64],
    anchors: &'a [usize],
    fade: f64,
}

impl Feet<'_> {
    /// Returns the locked yaw (radians) of the stance from frame `from` to before `end`; `None` if the body hardly turns
    /// during it.
    fn locked_yaw(&self, from: usize, end: usize) -> Option<f64> {
        let turned = self.headings[from..end].iter().map(|heading| (heading - self.headings[from]).abs());
        if turned.fold(0.0, f64::max) < BODY_TURN_MIN_RADIANS {
            return None;
        }
        let anchor = self.anchors.iter().copied().find(|anchor| (from..end).contains(anchor));
        let fixed = anchor.or_else(|| frame_beside_end(&(from..end), self.yaws.len(), self.fade));
        let mean = || self.yaws[from..end].iter().sum::<f64>() / (end - from) as f64;
        Some(fixed.map_or_else(mean, |frame| self.yaws[frame]))
    }
}

/// Returns the correction in radians added to each yaw: constant direction within a stance, blended between stances. The first and
/// the last frame have no correction if the foot is in the air, which happens next to a crossing.
fn corrections(feet: &Feet) -> Vec<f64> {
    let (yaws, planted) = (feet.yaws, feet.planted);
    let count = yaws.len();
    let mut turns = vec![0.0; count];
    // The last frame of the previous stance, and its correction.
    let mut previous = (0, 0.0);
    for stance in runs(planted) {
        if let Some(locked_yaw) = feet.locked_yaw(stance.start, stance.end) {
            stance.clone().for_each(|i| {
                turns[i] = (locked_yaw - yaws[i]).clamp(-CORRECTION_MAX_RADIANS, CORRECTION_MAX_RADIANS);
            });
        }
        let next = (stance.start, turns[stance.start]);
        blend(&mut turns, previous, next);
        previous = (stance.end - 1, turns[stance.end - 1]);
    }
    let end = (count.saturating_sub(1), turns.last().copied().unwrap_or(0.0));
    blend(&mut turns, previous, end);
    turns
}

/// Blends `turns` between two frames from the correction of the first to that of the second, radians.
fn blend(turns: &mut [f64], (before, leave): (usize, f64), (after, arrive): (usize, f64)) {
    for (i, turn) in turns[..after].iter_mut().enumerate().skip(before + 1) {
        let share = Easing::Smoothstep.at((i - before) as f64 / (after - before) as f64);
        *turn = leave + (arrive - leave) * share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_foot_keeps_its_direction_and_a_lifted_one_turns_evenly_to_the_next() {
        let yaws: Vec<f64> = (0..=30).map(|i| f64::from(i) * 0.05).collect();
        let planted: Vec<bool> = (0..=30).map(|i| !(10..20).contains(&i)).collect();
        let feet = Feet { yaws: &yaws, planted: &planted, headings: &yaws, anchors: &[0, 30], fade: 5.0 };
        let corrected: Vec<f64> = yaws.iter().zip(corrections(&feet)).map(|(yaw, turn)| yaw + turn).collect();
        assert!(corrected[..10].iter().all(|yaw| yaw.abs() < 1e-12));
        assert!(corrected[20..].iter().all(|yaw| (yaw - 1.5).abs() < 1e-12));
        assert!(
            corrected.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12 && pair[1] - pair[0] < 0.3),
            "{corrected:?}"
        );
        assert_eq!(corrections(&Feet { planted: &[false; 31], ..feet }), [0.0; 31]);
        assert_eq!(corrections(&Feet { headings: &[0.0; 31], ..feet }), [0.0; 31]);
    }

    #[test]
    fn a_foot_that_is_in_the_air_at_an_end_turns_evenly_from_and_to_its_own_direction() {
        let yaws: Vec<f64> = (0..=40).map(|i| f64::from(i) * 0.02).collect();
        let planted: Vec<bool> = (0..=40).map(|i| (8..33).contains(&i)).collect();
        let turns =
            corrections(&Feet { yaws: &yaws, planted: &planted, headings: &yaws, anchors: &[0, 40], fade: 5.0 });
        assert_eq!((turns[0], turns[40]), (0.0, 0.0));
        assert!(turns[8] > 0.2 && turns[32] < -0.2, "{turns:?}");
        assert!(turns.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.06), "{turns:?}");
        let soon = corrections(&Feet { yaws: &yaws, planted: &planted, headings: &yaws, anchors: &[0, 40], fade: 9.0 });
        assert_eq!((soon[7], soon[8]), (0.0, 0.0), "a foot that lands too soon to turn lands as it is");
    }
}
