//! Repair of joint spikes and jumps.

use std::ops::Range;

use glam::Quat;

use portamento_anim::JointTracks;
use portamento_anim::math::mean::{angle_between, slerp};
use portamento_anim::quality::{Jump, QuickKeys, jumps};

/// Maximum number of passes, since a jump may hide a smaller one next to it. Anything found later is not noise. Tuned; no
/// derivation recorded.
const MAX_PASSES: usize = 6;
/// Maximum rotation speed added by spreading a jump, radians per second: 6° per frame at 30 frames per second, which is not
/// visible as a jump.
const MAX_ADDED_RADIANS_PER_SECOND: f64 = std::f64::consts::PI;

/// Repairs the rotations `turns` of one joint at `times` (seconds). Outlier frames are interpolated between their neighbours. A
/// jump is spread over `spread` seconds on each side, or longer if it is large. Jumps for which `is_intended` returns true, and
/// all other frames, stay bit-identical. `others` is passed to [`jumps`].
pub(super) fn repair(
    times: &[f64],
    turns: &mut [Quat],
    spread: f64,
    others: impl Fn(Range<usize>) -> f64,
    is_intended: impl Fn(&[f64], &Jump) -> bool,
) {
    let step = (times[times.len() - 1] - times[0]) / (times.len() - 1).max(1) as f64;
    for _ in 0..MAX_PASSES {
        let found: Vec<Jump> =
            jumps(times, turns, &others).into_iter().filter(|jump| !is_intended(times, jump)).collect();
        if found.is_empty() {
            return;
        }
        for jump in found {
            if jump.outlier_frames == 0 {
                spread_jump(turns, jump.frame, |angle| {
                    (spread.max(0.75 * angle / MAX_ADDED_RADIANS_PER_SECOND) / step.max(1e-6)).ceil() as usize
                });
            }
            let [before, after] = [jump.frame - 1, jump.frame + jump.outlier_frames];
            for frame in jump.frame..after {
                let part = (times[frame] - times[before]) / (times[after] - times[before]);
                turns[frame] = slerp(turns[before], turns[after], part as f32);
            }
        }
    }
}

/// Repairs runs of closely spaced rotation `keys` of the joint like [`repair`], with the same `spread` (seconds) and
/// `is_intended`. The other joints are unknown between frames.
pub(super) fn repair_keys(
    tracks: &mut JointTracks,
    keys: QuickKeys,
    spread: f64,
    is_intended: impl Fn(&[f64], &Jump) -> bool,
) {
    let Some(curve) = &mut tracks.rotation else { return };
    for run in keys.runs(curve) {
        let times: Vec<f64> = curve.times[run.clone()].iter().map(|&time| f64::from(time)).collect();
        repair(&times, &mut curve.values[run], spread, |_| f64::INFINITY, &is_intended);
    }
}

/// Spreads the jump into frame `at` over the frames before and after it, with less change farther away. The step into `at`
/// becomes that of the neighbouring steps. `width` returns the number of frames per side for an angle in radians.
fn spread_jump(turns: &mut [Quat], at: usize, width: impl Fn(f64) -> usize) {
    let step = |frame: usize| turns[frame - 1].inverse() * turns[frame];
    let [before, after] =
        [at.checked_sub(1).filter(|&frame| frame > 0), Some(at + 1).filter(|&frame| frame < turns.len())];
    let neighbour_step = match [before, after].map(|frame| frame.map(step)) {
        [Some(before), Some(after)] => slerp(before, after, 0.5),
        [one, other] => one.or(other).unwrap_or(Quat::IDENTITY),
    };
    let [on, back] = [step(at) * neighbour_step.inverse(), neighbour_step.inverse() * step(at)];
    // The first and last frame are fixed because a loop may close there. If one side has too few frames, the other takes more.
    let all = 2 * width(angle_between(step(at), neighbour_step));
    let [max_before, max_after] = [at - 1, turns.len() - 1 - at];
    let before = max_before.min((all / 2).max(all.saturating_sub(max_after)));
    let after = max_after.min(all - before);
    let part = |of: usize| of as f32 / (before + after) as f32;
    for k in 0..before {
        let on = slerp(Quat::IDENTITY, on, part(before) * falloff(k, before));
        turns[at - 1 - k] = (turns[at - 1 - k] * on).normalize();
    }
    for k in 0..after {
        let back = slerp(Quat::IDENTITY, back, part(after) * falloff(k, after));
        turns[at + k] = (turns[at + k] * back.inverse()).normalize();
    }
}

/// Returns the weight of frame `k` of `width`: from 1 down to 0 with a smooth end.
fn falloff(k: usize, width: usize) -> f32 {
    let remaining = 1.0 - (k as f32 + 0.5) / width as f32;
    remaining * remaining * (3.0 - 2.0 * remaining)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_during_a_swing_is_spread_and_the_swing_is_preserved() {
        let at = |degrees: f32| Quat::from_rotation_x(degrees.to_radians());
        let times: Vec<f64> = (0..24).map(|frame| f64::from(frame) / 30.0).collect();
        let mut turns: Vec<Quat> = (0..24).map(|i| at(11.0 * i as f32 - if i < 12 { 0.0 } else { 20.0 })).collect();
        repair(&times, &mut turns, 0.2, |_| 2.0, |_, _| false);
        let steps: Vec<f32> = turns.windows(2).map(|pair| pair[0].angle_between(pair[1]).to_degrees()).collect();
        assert!(steps.iter().all(|step| (5.0..12.0).contains(step)), "{steps:?}");
        assert!((steps[11] - 11.0).abs() < 3.0, "{steps:?}");
    }

    #[test]
    fn a_large_jump_is_spread_so_widely_that_speed_stays_limited() {
        let times: Vec<f64> = (0..60).map(|frame| f64::from(frame) / 30.0).collect();
        for jump_at in [4, 30, 57] {
            let turn = |frame: usize| if frame < jump_at { 0.0 } else { 110_f32.to_radians() };
            let mut turns: Vec<Quat> = (0..60).map(|frame| Quat::from_rotation_z(turn(frame))).collect();
            repair(&times, &mut turns, 0.1, |_| f64::INFINITY, |_, _| false);
            let quickest = turns.windows(2).map(|pair| angle_between(pair[0], pair[1])).fold(0.0, f64::max);
            assert!(quickest < 6.5_f64.to_radians(), "at {jump_at}: {}", quickest.to_degrees());
        }
    }

    #[test]
    fn a_jump_near_an_end_is_spread_on_the_other_side() {
        let at = |degrees: f32| Quat::from_rotation_x(degrees.to_radians());
        let times: Vec<f64> = (0..20).map(f64::from).collect();
        for jump_at in [1, 10, 19] {
            let mut turns: Vec<Quat> =
                (0..20).map(|i| at(0.2 * i as f32 + if i < jump_at { 0.0 } else { 22.0 })).collect();
            let [first, last] = [turns[0], turns[19]];
            repair(&times, &mut turns, 5.0, |_| f64::INFINITY, |_, _| false);
            assert!(jumps(&times, &turns, |_| f64::INFINITY).is_empty(), "at {jump_at}");
            assert_eq!([first, last], [turns[0], turns[19]], "the ends are fixed");
        }
    }
}
