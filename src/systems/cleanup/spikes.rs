//! Joints that jump for a frame or two, put back.

use std::ops::Range;

use glam::Quat;

use crate::anim::JointTracks;
use crate::anim::quality::{Jump, QuickKeys, jumps};
use crate::math::mean::{angle_between, slerp};

/// Jumps may hide smaller ones beside them; after so many rounds what is left is no noise.
const ROUNDS: usize = 6;
/// Radians per second that sharing out a jump adds at most: 6° a frame at 30 frames per second, which no eye takes for a jump.
const QUICKEST: f64 = std::f64::consts::PI;

/// Mends the turns of one joint, one at each of `times`: frames that stand out go between their neighbours, and a jump to another place is
/// shared out over `spread` seconds on both sides, a wide one over more, as far as there are. All other frames keep their bits, and so do jumps that are
/// `meant`. `others` is what [`jumps`] asks of other joints.
pub(super) fn mend(
    times: &[f64],
    turns: &mut [Quat],
    spread: f64,
    others: impl Fn(Range<usize>) -> f64,
    meant: impl Fn(&[f64], &Jump) -> bool,
) {
    let step = (times[times.len() - 1] - times[0]) / (times.len() - 1).max(1) as f64;
    for _ in 0..ROUNDS {
        let found: Vec<Jump> = jumps(times, turns, &others).into_iter().filter(|jump| !meant(times, jump)).collect();
        if found.is_empty() {
            return;
        }
        for jump in found {
            if jump.out_for == 0 {
                share_out(turns, jump.frame, |angle| {
                    (spread.max(0.75 * angle / QUICKEST) / step.max(1e-6)).ceil() as usize
                });
            }
            let [before, after] = [jump.frame - 1, jump.frame + jump.out_for];
            for frame in jump.frame..after {
                let part = (times[frame] - times[before]) / (times[after] - times[before]);
                turns[frame] = slerp(turns[before], turns[after], part as f32);
            }
        }
    }
}

/// The same among `keys` of the joint; `spread` in seconds.
pub(super) fn mend_keys(tracks: &mut JointTracks, keys: QuickKeys, spread: f64, meant: impl Fn(&[f64], &Jump) -> bool) {
    let Some(curve) = &mut tracks.rotation else { return };
    for run in keys.runs(curve) {
        let times: Vec<f64> = curve.times[run.clone()].iter().map(|&time| f64::from(time)).collect();
        mend(&times, &mut curve.values[run], spread, |_| f64::INFINITY, &meant);
    }
}

/// Turns what comes before frame `at` on towards it, and what comes after back, the less the farther away, so that the step between
/// them is that of the frames beside. `width` says for an angle how many frames of each side share it.
fn share_out(turns: &mut [Quat], at: usize, width: impl Fn(f64) -> usize) {
    let step = |frame: usize| turns[frame - 1].inverse() * turns[frame];
    let [before, after] =
        [at.checked_sub(1).filter(|&frame| frame > 0), Some(at + 1).filter(|&frame| frame < turns.len())];
    let usual = match [before, after].map(|frame| frame.map(step)) {
        [Some(before), Some(after)] => slerp(before, after, 0.5),
        [one, other] => one.or(other).unwrap_or(Quat::IDENTITY),
    };
    let [on, back] = [step(at) * usual.inverse(), usual.inverse() * step(at)];
    // The first and the last frame stay: a loop closes there. What has few frames beside it leaves more to the other side.
    let all = 2 * width(angle_between(step(at), usual));
    let [most_before, most_after] = [at - 1, turns.len() - 1 - at];
    let before = most_before.min((all / 2).max(all.saturating_sub(most_after)));
    let after = most_after.min(all - before);
    let part = |of: usize| of as f32 / (before + after) as f32;
    for k in 0..before {
        let on = slerp(Quat::IDENTITY, on, part(before) * share(k, before));
        turns[at - 1 - k] = (turns[at - 1 - k] * on).normalize();
    }
    for k in 0..after {
        let back = slerp(Quat::IDENTITY, back, part(after) * share(k, after));
        turns[at + k] = (turns[at + k] * back.inverse()).normalize();
    }
}

/// From one down to nothing, soft at its end.
fn share(k: usize, width: usize) -> f32 {
    let left = 1.0 - (k as f32 + 0.5) / width as f32;
    left * left * (3.0 - 2.0 * left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_against_a_swing_is_shared_out_and_the_swing_goes_on_as_before() {
        let at = |degrees: f32| Quat::from_rotation_x(degrees.to_radians());
        let times: Vec<f64> = (0..24).map(|frame| f64::from(frame) / 30.0).collect();
        let mut turns: Vec<Quat> = (0..24).map(|i| at(11.0 * i as f32 - if i < 12 { 0.0 } else { 20.0 })).collect();
        mend(&times, &mut turns, 0.2, |_| 2.0, |_, _| false);
        let steps: Vec<f32> = turns.windows(2).map(|pair| pair[0].angle_between(pair[1]).to_degrees()).collect();
        assert!(steps.iter().all(|step| (5.0..12.0).contains(step)), "{steps:?}");
        assert!((steps[11] - 11.0).abs() < 3.0, "{steps:?}");
    }

    #[test]
    fn a_wide_jump_is_shared_out_over_so_long_that_nothing_whips() {
        let times: Vec<f64> = (0..60).map(|frame| f64::from(frame) / 30.0).collect();
        for jump_at in [4, 30, 57] {
            let turn = |frame: usize| if frame < jump_at { 0.0 } else { 110_f32.to_radians() };
            let mut turns: Vec<Quat> = (0..60).map(|frame| Quat::from_rotation_z(turn(frame))).collect();
            mend(&times, &mut turns, 0.1, |_| f64::INFINITY, |_, _| false);
            let quickest = turns.windows(2).map(|pair| angle_between(pair[0], pair[1])).fold(0.0, f64::max);
            assert!(quickest < 6.5_f64.to_radians(), "at {jump_at}: {}", quickest.to_degrees());
        }
    }

    #[test]
    fn a_jump_beside_the_first_or_the_last_frame_is_shared_out_on_the_other_side() {
        let at = |degrees: f32| Quat::from_rotation_x(degrees.to_radians());
        let times: Vec<f64> = (0..20).map(f64::from).collect();
        for jump_at in [1, 10, 19] {
            let mut turns: Vec<Quat> =
                (0..20).map(|i| at(0.2 * i as f32 + if i < jump_at { 0.0 } else { 22.0 })).collect();
            let [first, last] = [turns[0], turns[19]];
            mend(&times, &mut turns, 5.0, |_| f64::INFINITY, |_, _| false);
            assert!(jumps(&times, &turns, |_| f64::INFINITY).is_empty(), "at {jump_at}");
            assert_eq!([first, last], [turns[0], turns[19]], "the ends stay");
        }
    }
}
