//! Joints that jump in single frames.

use std::ops::Range;

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::{Input, folds_a_leg};
use crate::anim::contacts::runs;
use crate::anim::{Clip, Curve, Interpolation, JointTracks};
use crate::math::mean::{angle_between, slerp};
use crate::progress::{Cancelled, Progress};

/// Degrees that a joint turns in one frame to be seen as a jump.
const LEAST: f64 = 12.0;
/// How many times a jump is larger than what is around it.
const ALONE: f64 = 4.0;
/// Degrees that a joint is out from which a quick limb hardly gets there and back within two frames.
const FAR: f64 = 40.0;
/// How many times as far out as the motion around it bends a frame then is: limbs that are as quick by themselves are up to 2.6 times.
const AMID_SWINGS: f64 = 2.8;

/// Seconds within which a joint that is out for two frames is back: three frames at the slowest rate of clips. In more, a limb strikes.
const BRIEF: f64 = 0.126;

/// Seconds between two keys up to which a single one that is out is a jump, not a gesture.
const QUICK: f64 = 0.06;
/// How much gaps between keys that follow each other evenly differ, in parts of one.
const UNEVEN: f64 = 0.1;

/// A joint that jumps for a frame or two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pop {
    /// The joint's name.
    pub joint: String,
    /// When, in seconds.
    pub time: f64,
    /// How far it turns at once, or how far it stands out, degrees.
    pub degrees: f64,
}

/// All jumps of a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pops {
    /// Frames in which a joint jumps.
    pub frames: usize,
    /// The largest of them.
    pub worst: Option<Pop>,
    /// The joint that turns in one frame the most beyond the frames beside it, be it seen as a jump or not: how far beyond them,
    /// and when.
    #[serde(default)]
    pub beyond: Option<Pop>,
}

impl Pops {
    /// Joints whose curves step do so on purpose and do not count, nor does what a quick but continuous motion turns: a jump to
    /// another place is [`ALONE`] times larger than every turn within two frames of it, a frame that is out so much farther out
    /// than the motion around it bends, far out and [`AMID_SWINGS`] times, or leaves a rest for that frame alone; two that are out
    /// together are both. Nor does a leg that lands hard.
    pub(super) fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Self, Cancelled> {
        let mut jumps = vec![0.0_f64; frames.poses.len()];
        let [mut worst, mut beyond]: [Option<Pop>; 2] = [None, None];
        let keep_larger = |known: &mut Option<Pop>, joint: usize, frame: usize, degrees: f64| {
            if known.as_ref().is_none_or(|known| degrees > known.degrees) {
                let name = input.skeleton.joints[joint].name.clone();
                *known = Some(Pop { joint: name, time: frames.times[frame], degrees });
            }
        };
        for joint in (0..input.skeleton.len()).filter(|&joint| turns(&input.clip.tracks[joint])) {
            progress.step(joint, input.skeleton.len())?;
            let turns: Vec<Quat> = frames.poses.iter().map(|pose| pose.locals[joint].rotation).collect();
            let curve = input.clip.tracks[joint].rotation.iter();
            let found = |times: &[f64], turns: &[Quat]| {
                let found = self::jumps(times, turns).into_iter();
                found.filter(|jump| !folds_a_leg(input, times, joint, jump)).collect::<Vec<Jump>>()
            };
            let quick = QuickKeys::beside_frames(input.clip, frames.step);
            let keys = curve.flat_map(|curve| key_jumps(curve, frames, quick, found));
            for Jump { frame, degrees, .. } in found(&frames.times, &turns).into_iter().chain(keys) {
                jumps[frame] = jumps[frame].max(degrees);
                keep_larger(&mut worst, joint, frame, degrees);
            }
            let steps = steps(&turns);
            let most =
                (0..steps.len()).map(|i| (i + 1, beyond_neighbours(&steps, i))).max_by(|a, b| a.1.total_cmp(&b.1));
            most.into_iter().for_each(|(frame, degrees)| keep_larger(&mut beyond, joint, frame, degrees));
        }
        Ok(Self { frames: jumps.iter().filter(|&&degrees| degrees > 0.0).count(), worst, beyond })
    }
}

/// Jumps that are `found` among `keys` of a curve, each at the frame next to it.
fn key_jumps(
    curve: &Curve<Quat>,
    frames: &Frames,
    keys: QuickKeys,
    found: impl Fn(&[f64], &[Quat]) -> Vec<Jump>,
) -> Vec<Jump> {
    let last = frames.times.len() - 1;
    let frame = |key: usize| ((f64::from(curve.times[key]) / frames.step).round() as usize).min(last);
    let of_run = |run: Range<usize>| {
        let first = run.start;
        let times: Vec<f64> = curve.times[run.clone()].iter().map(|&time| f64::from(time)).collect();
        found(&times, &curve.values[run]).into_iter().map(move |jump| Jump { frame: first + jump.frame, ..jump })
    };
    keys.runs(curve).into_iter().flat_map(of_run).map(|jump| Jump { frame: frame(jump.frame), ..jump }).collect()
}

/// Which keys are looked at beside the frames of a clip.
#[derive(Clone, Copy, Debug)]
pub struct QuickKeys {
    /// Seconds that two of them are apart at least.
    shortest: f64,
    /// How much two gaps that follow each other differ at most, in parts of one.
    uneven: f64,
}

impl QuickKeys {
    /// Those of `clip`, whose frames are `step` seconds apart: keys that lie on frames are looked at there, but for the wider gaps
    /// between them; keys that lie on no rate, as they are, where they are even.
    pub fn beside_frames(clip: &Clip, step: f64) -> Self {
        match clip.key_rate() {
            Some(_) => Self { shortest: 1.5 * step, uneven: f64::INFINITY },
            None => Self { shortest: 0.5 * step, uneven: UNEVEN },
        }
    }

    /// Such keys of `curve` that follow each other quickly: one of them that is out is seen as a jump, though over several frames
    /// it is none.
    pub fn runs(self, curve: &Curve<Quat>) -> Vec<Range<usize>> {
        if curve.interpolation != Interpolation::Linear {
            return Vec::new();
        }
        let gaps: Vec<f64> = curve.times.windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0])).collect();
        let is_quick: Vec<bool> = gaps.iter().map(|gap| (self.shortest..=QUICK).contains(gap)).collect();
        let is_even = |i: usize| (gaps[i] - gaps[i - 1]).abs() <= self.uneven * gaps[i];
        let mut found: Vec<Range<usize>> = Vec::new();
        for quick in runs(&is_quick) {
            let cuts = (quick.start + 1..quick.end).filter(|&i| !is_even(i));
            let mut start = quick.start;
            for end in cuts.chain([quick.end]) {
                found.push(start..end + 1);
                start = end;
            }
        }
        found
    }
}

fn turns(tracks: &JointTracks) -> bool {
    let moves = |curve: &Curve<Quat>| curve.times.len() > 1 && curve.interpolation != Interpolation::Step;
    tracks.rotation.as_ref().is_some_and(moves)
}

/// Where a joint jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// The first frame that stands out, or the first at the other place.
    pub frame: usize,
    /// How far it is out, or how far it turns at once, degrees.
    pub degrees: f64,
    /// For how many frames it is out before it is back, 1 or 2; 0 where it goes to another place.
    pub out_for: usize,
}

/// Frames at which `turns`, one at each of `times`, jump: at once to another place, or away for one frame or two and back.
pub fn jumps(times: &[f64], turns: &[Quat]) -> Vec<Jump> {
    let steps = steps(turns);
    let around = |from: usize, until: usize| {
        let before = steps[from.saturating_sub(2)..from].iter();
        let after = steps[until.min(steps.len())..(until + 2).min(steps.len())].iter();
        before.chain(after).copied().fold(0.0, f64::max)
    };
    let mut jumps = Vec::new();
    for i in 1..steps.len() {
        let degrees = steps[i];
        // The first and the last step have nothing on one side to be told by.
        if i + 1 < steps.len() && degrees >= LEAST && degrees > ALONE * around(i, i + 1) {
            jumps.push(Jump { frame: i + 1, degrees, out_for: 0 });
        }
        let out = off_middle(times, turns, [i - 1, i, i + 1]);
        let goes_and_comes = out >= FAR && degrees.min(steps[i - 1]) >= 0.5 * out;
        let alone = if goes_and_comes { AMID_SWINGS } else { ALONE };
        let stands_out = bend_without(times, turns, i..i + 1).is_some_and(|bend| out > alone * bend);
        if out >= LEAST && (stands_out || leaves_rest(turns, &steps, i, out)) {
            jumps.push(Jump { frame: i, degrees: out, out_for: 1 });
        }
        let two = out_for_two(times, turns, &steps, i);
        jumps.extend(two.map(|degrees| Jump { frame: i, degrees, out_for: 2 }));
    }
    jumps
}

/// Degrees from each of `turns` to the next.
fn steps(turns: &[Quat]) -> Vec<f64> {
    turns.windows(2).map(|pair| angle_between(pair[0], pair[1]).to_degrees()).collect()
}

/// By how much the step at `i` stands out from the largest of the two on either side; 0 where there are no two.
pub fn beyond_neighbours(steps: &[f64], i: usize) -> f64 {
    if i < 2 || i + 2 >= steps.len() {
        return 0.0;
    }
    let beside = [i - 2, i - 1, i + 1, i + 2].map(|i| steps[i]);
    (steps[i] - beside.into_iter().fold(0.0, f64::max)).max(0.0)
}

/// How far a joint is out in frame `i` and in the next one, degrees, which by themselves hide behind each other: it turns there and back
/// [`ALONE`] times as far as in any frame beside these, and bends so many times as far as without them.
fn out_for_two(times: &[f64], turns: &[Quat], steps: &[f64], i: usize) -> Option<f64> {
    let (before, after) = (i - 1, i + 2);
    if after >= turns.len() || times[after] - times[before] > BRIEF {
        return None;
    }
    let there_and_back = steps[before].min(steps[i + 1]);
    let beside = [&steps[before.saturating_sub(2)..before], &steps[i..=i], &steps[after..(after + 2).min(steps.len())]];
    let usual = beside.into_iter().flatten().copied().fold(0.0, f64::max);
    if there_and_back <= ALONE * usual {
        return None;
    }
    let off = |frame: usize| off_middle(times, turns, [before, frame, after]);
    let out = off(i).min(off(i + 1));
    let bends = || bend_without(times, turns, i..after).is_some_and(|bend| out > ALONE * bend);
    (out >= LEAST && bends()).then_some(out)
}

/// How much the motion around `frames` bends once these are taken out, degrees: fast motion hardly does, so that a frame that is
/// out is seen in it too. `None` where only one frame is on either side: whether those are out then cannot be told.
fn bend_without(times: &[f64], turns: &[Quat], frames: Range<usize>) -> Option<f64> {
    let Range { start, end } = frames;
    let places =
        [start.checked_sub(3), start.checked_sub(2), start.checked_sub(1), Some(end), Some(end + 1), Some(end + 2)];
    let bend = |three: &[Option<usize>]| {
        let &[Some(before), Some(frame), Some(after)] = three else { return None };
        (after < turns.len()).then(|| off_middle(times, turns, [before, frame, after]))
    };
    places.windows(3).filter_map(bend).reduce(f64::max)
}

/// Whether a joint that is `out` by so many degrees in frame `i` is back where it was in the next one, and rests in the frames before
/// or in those after: however quickly it moves on the other side, no motion goes there and back.
fn leaves_rest(turns: &[Quat], steps: &[f64], i: usize, out: f64) -> bool {
    let still = out / (ALONE * ALONE);
    let rests = |frames: Option<&[f64]>| frames.is_some_and(|steps| steps.iter().all(|&step| step <= still));
    let before = i.checked_sub(3).and_then(|first| steps.get(first..i - 1));
    let is_back = angle_between(turns[i - 1], turns[i + 1]).to_degrees() <= still;
    is_back && (rests(before) || rests(steps.get(i + 1..i + 3)))
}

/// How far the second of three frames is off where an even turn from the first to the last leads, degrees.
fn off_middle(times: &[f64], turns: &[Quat], [before, frame, after]: [usize; 3]) -> f64 {
    let part = (times[frame] - times[before]) / (times[after] - times[before]);
    angle_between(turns[frame], slerp(turns[before], turns[after], part as f32)).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_keys_of_a_quick_swing_are_no_jump_and_one_that_is_out_among_four_is() {
        let turns = |degrees: &[f32]| {
            degrees.iter().map(|degrees| Quat::from_rotation_x(degrees.to_radians())).collect::<Vec<_>>()
        };
        assert!(jumps(&[0.0, 1.0, 2.0], &turns(&[0.0, 25.0, 4.0])).is_empty());
        assert_eq!(jumps(&[0.0, 1.0, 2.0, 3.0], &turns(&[0.0, 25.0, 1.0, 2.0])).len(), 1);
    }

    #[test]
    fn a_frame_that_is_out_of_rest_is_a_jump_though_the_joint_is_quick_afterwards() {
        let found = |degrees: [f32; 9]| {
            let turns = degrees.map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
            jumps(&std::array::from_fn::<f64, 9, _>(|i| i as f64), &turns)
                .iter()
                .map(|jump| jump.frame)
                .collect::<Vec<_>>()
        };
        assert_eq!(found([0.0, 0.0, 0.0, 50.0, 0.0, 23.0, 61.0, 80.0, 83.0]), [3]);
        assert_eq!(found([83.0, 80.0, 61.0, 23.0, 0.0, 50.0, 0.0, 0.0, 0.0]), [5]);
        assert_eq!(found([0.0, 0.0, 0.0, 50.0, 20.0, 70.0, 30.0, 80.0, 40.0]), [0; 0], "it does not come back");
        assert_eq!(found([120.0, 60.0, 0.0, 50.0, 0.0, 60.0, 120.0, 130.0, 133.0]), [0; 0], "it rests on neither side");
    }

    #[test]
    fn a_frame_that_is_far_out_is_a_jump_amid_a_quick_swing_too() {
        let swing = [0.0, 24.0, 56.0, 92.0, 112.0, 120.0, 123.0, 124.0_f32];
        let times: [f64; 8] = std::array::from_fn(|i| i as f64);
        let turns = swing.map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
        assert_eq!(jumps(&times, &turns), []);
        for out in [3, 4] {
            let mut damaged = turns;
            damaged[out] *= Quat::from_rotation_y(50_f32.to_radians());
            let found = jumps(&times, &damaged);
            assert!(matches!(found[..], [Jump { frame, out_for: 1, .. }] if frame == out), "{found:?}");
        }
        // A whip that is as quick by itself, out of a swing the other way.
        let whip =
            [0.0, -5.0, 30.0, 80.0, 30.0, -5.0, 0.0_f32].map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
        assert_eq!(jumps(&times[..7], &whip), []);
    }

    #[test]
    fn two_frames_that_are_out_together_are_one_jump_and_a_quick_strike_is_none() {
        let found = |degrees: &[f32]| {
            let turns: Vec<Quat> = degrees.iter().map(|degrees| Quat::from_rotation_x(degrees.to_radians())).collect();
            let times: Vec<f64> = (0..turns.len()).map(|frame| frame as f64 / 30.0).collect();
            jumps(&times, &turns).iter().map(|jump| jump.frame).collect::<Vec<_>>()
        };
        assert_eq!(found(&[0.0, 2.0, 4.0, 46.0, 48.0, 10.0, 12.0, 14.0]), [3]);
        assert_eq!(found(&[0.0, 2.0, 46.0, 48.0, 8.0, 10.0, 12.0]), [2], "near the start");
        assert_eq!(found(&[0.0, 5.0, 15.0, 45.0, 50.0, 22.0, 8.0, 2.0]), [0; 0], "there and back");
        let times: Vec<f64> = (0..8).map(|frame| f64::from(frame) / 15.0).collect();
        let slow = [0.0, 2.0, 4.0, 46.0, 48.0, 10.0, 12.0, 14.0_f32].map(|by| Quat::from_rotation_x(by.to_radians()));
        assert_eq!(jumps(&times, &slow), [], "held for long enough");
    }

    #[test]
    fn an_even_turn_over_uneven_frames_is_no_jump() {
        let times = [0.0, 0.25, 1.0, 2.0, 2.001, 3.0, 4.0];
        let turns = times.map(|time| Quat::from_rotation_x((80.0 * time as f32).to_radians()));
        assert!(jumps(&times, &turns).is_empty());
    }

    #[test]
    fn one_frame_stands_out_and_a_quick_turn_does_not() {
        let calm = [1.0, 2.0, 20.0, 2.0, 1.0, 1.0];
        assert_eq!(beyond_neighbours(&calm, 2), 18.0);
        let quick = [1.0, 10.0, 20.0, 21.0, 12.0, 1.0];
        assert!((0..6).all(|i| beyond_neighbours(&quick, i) <= 1.0));
    }
}
