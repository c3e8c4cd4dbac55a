//! Finds jumps in the rotation of one joint: a step to another rotation, or one or two outlier frames after which it
//! returns.

use std::ops::Range;

use glam::Quat;

use super::other_joints::{bends, rates};
use crate::math::mean::{angle_between, slerp};

/// Minimum size of a jump. Tuned; no derivation recorded.
const JUMP_MIN_DEGREES: f64 = 12.0;
/// Minimum deviation of a single outlier frame in the middle of a rest. Tuned; no derivation recorded.
const REST_OUTLIER_MIN_DEGREES: f64 = 2.0;
/// Minimum ratio between a jump and the motion around it. Tuned; no derivation recorded.
const ISOLATION_RATIO: f64 = 4.0;
/// Deviation that even a fast limb hardly reaches and leaves again within two frames. Tuned; no derivation recorded.
const FAR_OUTLIER_MIN_DEGREES: f64 = 40.0;
/// Minimum ratio between a large outlier's deviation and the curvature of the motion around it. Sound fast limbs
/// reached 2.6.
const SWING_OUTLIER_RATIO: f64 = 2.8;

/// Minimum deviation of a step from the mean of its neighbours that counts as a jump among fast turns.
/// Tuned on 221 planted jumps and 224 sound clips, together with `OWN_MOTION_RATIO`, `OTHER_JOINTS_RATIO` and
/// `OUTLIER_OTHER_JOINTS_RATIO`.
const DEVIATION_MIN_DEGREES: f64 = 15.0;
/// Minimum ratio between a jump among fast turns and the other deviations of the same joint.
const OWN_MOTION_RATIO: f64 = 2.0;
/// Minimum ratio between a jump among fast turns and the deviations of all other joints.
/// In a strike or a landing several joints deviate by similar amounts.
const OTHER_JOINTS_RATIO: f64 = 2.5;
/// Minimum ratio to the other joints if the joint's own ratio is only `ISOLATED_OWN_MOTION_RATIO`: the jump may then
/// begin or end a swing. Tuned; no derivation recorded.
const ISOLATED_OTHER_JOINTS_RATIO: f64 = 3.5;
/// Minimum ratio between an isolated jump and the other deviations of the same joint; see
/// `ISOLATED_OTHER_JOINTS_RATIO`.
const ISOLATED_OWN_MOTION_RATIO: f64 = 1.75;
/// Minimum ratio between the deviation of one or two outlier frames and the deviations of all other joints.
const OUTLIER_OTHER_JOINTS_RATIO: f64 = 1.5;

/// Maximum duration of two outlier frames with their neighbours: three frames at the slowest usual clip rate.
/// A longer excursion can be a strike.
const OUTLIER_MAX_SECONDS: f64 = 0.126;

/// A jump of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// First outlier frame, or first frame after a step to another rotation.
    pub frame: usize,
    /// Deviation of the outlier frames, or size of the step, degrees.
    pub degrees: f64,
    /// Number of outlier frames before the joint returns, 1 or 2; 0 for a step to another rotation.
    pub outlier_frames: usize,
}

/// Returns the jumps of the rotations `turns`, one at each of `times` (seconds), in order of frame.
///
/// A frame or step is a jump if one of these holds:
/// - A step is `ISOLATION_RATIO` times larger than all steps within two frames of it.
/// - A frame deviates `ISOLATION_RATIO` times more than the motion around it bends, or `SWING_OUTLIER_RATIO` times if
///   it leaves and returns by `FAR_OUTLIER_MIN_DEGREES`.
/// - A single frame deviates from a rest before or after it, by as little as `REST_OUTLIER_MIN_DEGREES` if both sides
///   rest.
/// - Two adjacent frames deviate together, with steps and a deviation `ISOLATION_RATIO` times larger than around them.
/// - Among fast turns, a step or outlier exceeds both the joint's other motion and the deviation of every other joint
///   by the ratios above.
///
/// `others` returns the largest deviation of any other joint over a range of steps, degrees; infinite if unknown.
pub fn jumps(times: &[f64], turns: &[Quat], others: impl Fn(Range<usize>) -> f64) -> Vec<Jump> {
    let steps = steps(turns);
    let quick = QuickTurns { times, turns, steps: &steps, others };
    let mut jumps = Vec::new();
    for i in 1..steps.len() {
        let degrees = steps[i];
        // The first and the last step have neighbours on one side only.
        if i + 1 < steps.len() {
            let is_alone = degrees >= JUMP_MIN_DEGREES && degrees > ISOLATION_RATIO * around(&steps, i..i + 1);
            let step = is_alone.then_some(degrees).or_else(|| quick.discontinuity(i));
            jumps.extend(step.map(|degrees| match quick.outlier_frames(i) {
                Some(out) => Jump { frame: out.start, degrees, outlier_frames: out.len() },
                None => Jump { frame: i + 1, degrees, outlier_frames: 0 },
            }));
        }
        let out = deviation(times, turns, [i - 1, i, i + 1]);
        let leaves_and_returns = out >= FAR_OUTLIER_MIN_DEGREES && degrees.min(steps[i - 1]) >= 0.5 * out;
        let min_ratio = if leaves_and_returns { SWING_OUTLIER_RATIO } else { ISOLATION_RATIO };
        let is_isolated = || bend_without(times, turns, i..i + 1).is_some_and(|bend| out > min_ratio * bend);
        if out >= REST_OUTLIER_MIN_DEGREES && is_outlier_in_rest(turns, &steps, i, out)
            || out >= JUMP_MIN_DEGREES
                && (is_isolated() || is_outlier_next_to_rest(turns, &steps, i, out) || quick.is_outlier(i..i + 1, out))
        {
            jumps.push(Jump { frame: i, degrees: out, outlier_frames: 1 });
        }
        let pair_deviation = two_frame_outlier(&quick, i);
        jumps.extend(pair_deviation.map(|degrees| Jump { frame: i, degrees, outlier_frames: 2 }));
    }
    without_duplicates(jumps)
}

/// Sorts `jumps`, drops duplicates, and drops the steps into and out of frames that are already reported as outliers.
fn without_duplicates(mut jumps: Vec<Jump>) -> Vec<Jump> {
    let out: Vec<Range<usize>> = jumps
        .iter()
        .filter(|jump| jump.outlier_frames > 0)
        .map(|jump| jump.frame..jump.frame + jump.outlier_frames)
        .collect();
    jumps.retain(|jump| jump.outlier_frames > 0 || out.iter().all(|out| ![out.start, out.end].contains(&jump.frame)));
    jumps.sort_by_key(|jump| jump.frame);
    jumps.dedup_by_key(|jump| (jump.frame, jump.outlier_frames));
    jumps
}

/// Rotations of a joint, with the deviations of the other joints, for the search among fast turns.
struct QuickTurns<'a, Others> {
    times: &'a [f64],
    turns: &'a [Quat],
    /// Degrees from each rotation to the next.
    steps: &'a [f64],
    /// Returns the largest deviation of any other joint over a range of steps, degrees.
    others: Others,
}

impl<Others: Fn(Range<usize>) -> f64> QuickTurns<'_, Others> {
    /// Returns the size of the discontinuity at step `i` in degrees, or `None` if the step fits its neighbours or
    /// other joints deviate too.
    fn discontinuity(&self, i: usize) -> Option<f64> {
        if self.steps[i] + 0.5 * (self.steps[i - 1] + self.steps[i + 1]) < DEVIATION_MIN_DEGREES {
            return None;
        }
        let first = i.saturating_sub(4);
        let near = first..(i + 6).min(self.turns.len());
        let (times, at) = (&self.times[near.clone()], i - first);
        let rates = rates(times, &self.turns[near]);
        let bends = bends(&rates, times);
        // The jump also changes the deviation of the adjacent steps, so those are skipped.
        let own = [at.checked_sub(3), at.checked_sub(2), Some(at + 2), Some(at + 3)];
        let own = own.into_iter().flatten().filter_map(|step| bends.get(step)).copied().fold(0.0, f64::max);
        let across = (rates[at + 1] - rates[at - 1]).length() * (times[at + 1] - times[at]);
        let bend = bends[at];
        if bend < DEVIATION_MIN_DEGREES || bend <= ISOLATED_OWN_MOTION_RATIO * own.max(across) {
            return None;
        }
        let others = (self.others)(i - 1..i + 2);
        let beyond_others =
            if bend > OWN_MOTION_RATIO * own.max(across) { OTHER_JOINTS_RATIO } else { ISOLATED_OTHER_JOINTS_RATIO };
        (bend > beyond_others * others).then(|| bend.max(self.steps[i]))
    }

    /// Returns the one or two outlier frames if step `i` leads into them and another step leads back, or the reverse; `None`
    /// otherwise.
    fn outlier_frames(&self, i: usize) -> Option<Range<usize>> {
        let is_out = |frames: &Range<usize>| {
            let Range { start, end } = frames.clone();
            let half = 0.5 * self.steps[i];
            let is_brief = || self.times[end] - self.times[start - 1] <= OUTLIER_MAX_SECONDS;
            let is_back = || angle_between(self.turns[start - 1], self.turns[end]).to_degrees() <= half;
            let smaller_step = self.steps[start - 1].min(self.steps[end - 1]);
            smaller_step >= half
                && smaller_step > self.largest_step_around(frames.clone())
                && is_back()
                && (frames.len() == 1 || is_brief())
        };
        let candidates = [1, 2]
            .into_iter()
            .flat_map(|count| [Some(i + 1..i + 1 + count), (i + 1).checked_sub(count).map(|first| first..i + 1)]);
        candidates.flatten().filter(|frames| frames.start > 0 && frames.end < self.turns.len()).find(is_out)
    }

    /// True if the joint leaves and returns by `out` degrees in `frames` and neither its own motion nor the other
    /// joints explain it.
    fn is_outlier(&self, frames: Range<usize>, out: f64) -> bool {
        let Range { start, end } = frames.clone();
        let there_and_back = self.steps[start - 1].min(self.steps[end - 1]);
        let is_there_and_back =
            there_and_back >= 0.5 * out && there_and_back > self.largest_step_around(frames.clone());
        let others = || (self.others)(start.saturating_sub(2)..end + 1);
        let bend = || bend_without(self.times, self.turns, frames);
        is_there_and_back
            && out > OUTLIER_OTHER_JOINTS_RATIO * others()
            && bend().is_some_and(|bend| out > OWN_MOTION_RATIO * bend)
    }

    /// Returns the largest rotation step around `frames`, degrees: of the steps between them, the two before the step into
    /// them and the two after the step out of them.
    fn largest_step_around(&self, frames: Range<usize>) -> f64 {
        let Range { start, end } = frames;
        let within = self.steps[start..end - 1].iter().copied();
        within.fold(around(self.steps, start - 1..end), f64::max)
    }
}

/// Returns the largest of the two steps before `range` and the two after it, degrees.
fn around(steps: &[f64], range: Range<usize>) -> f64 {
    let before = steps[range.start.saturating_sub(2)..range.start].iter();
    let after = steps[range.end.min(steps.len())..(range.end + 2).min(steps.len())].iter();
    before.chain(after).copied().fold(0.0, f64::max)
}

/// Returns the degrees from each of `turns` to the next.
pub(super) fn steps(turns: &[Quat]) -> Vec<f64> {
    turns.windows(2).map(|pair| angle_between(pair[0], pair[1]).to_degrees()).collect()
}

/// Returns by how much step `i` exceeds the largest of the two steps on either side; 0 if it does not, or with fewer than two on a
/// side.
pub fn excess_over_neighbours(steps: &[f64], i: usize) -> f64 {
    if i < 2 || i + 2 >= steps.len() {
        return 0.0;
    }
    let neighbours = [i - 2, i - 1, i + 1, i + 2].map(|i| steps[i]);
    (steps[i] - neighbours.into_iter().fold(0.0, f64::max)).max(0.0)
}

/// Returns the deviation of frames `i` and `i + 1` together, degrees, or `None` if they are no outliers.
///
/// Two adjacent outliers hide each other in a test of single frames. They count if the steps into and out of them
/// exceed the neighbours [`ISOLATION_RATIO`] times and so does their deviation, or if [`QuickTurns::is_outlier`]
/// holds.
fn two_frame_outlier<Others: Fn(Range<usize>) -> f64>(quick: &QuickTurns<Others>, i: usize) -> Option<f64> {
    let QuickTurns { times, turns, steps, .. } = *quick;
    let (before, after) = (i - 1, i + 2);
    if after >= turns.len() || times[after] - times[before] > OUTLIER_MAX_SECONDS {
        return None;
    }
    let off = |frame: usize| deviation(times, turns, [before, frame, after]);
    let out = off(i).min(off(i + 1));
    let is_sudden = steps[before].min(steps[i + 1]) > ISOLATION_RATIO * quick.largest_step_around(i..after);
    let bends = || bend_without(times, turns, i..after).is_some_and(|bend| out > ISOLATION_RATIO * bend);
    (out >= JUMP_MIN_DEGREES && (is_sudden && bends() || quick.is_outlier(i..after, out))).then_some(out)
}

/// Returns the largest [`deviation`] of a frame near `frames` after these are removed, degrees. `turns` are the rotations at
/// `times` (seconds).
///
/// Fast motion hardly bends, so outliers show in it too. Up to three frames on either side are used. Returns `None` if fewer than
/// three remain in total.
fn bend_without(times: &[f64], turns: &[Quat], frames: Range<usize>) -> Option<f64> {
    let Range { start, end } = frames;
    let frames_outside =
        [start.checked_sub(3), start.checked_sub(2), start.checked_sub(1), Some(end), Some(end + 1), Some(end + 2)];
    let bend = |three: &[Option<usize>]| {
        let &[Some(before), Some(frame), Some(after)] = three else { return None };
        (after < turns.len()).then(|| deviation(times, turns, [before, frame, after]))
    };
    frames_outside.windows(3).filter_map(bend).reduce(f64::max)
}

/// True if frame `i` deviates by `out` degrees, the joint returns in the next frame, and it rests in the frames
/// before or after.
///
/// No real motion leaves a rest and returns within a frame, however fast it is on the other side.
fn is_outlier_next_to_rest(turns: &[Quat], steps: &[f64], i: usize, out: f64) -> bool {
    let [before, after] = rests_around(turns, steps, i, out);
    before || after
}

/// True if the joint rests both before and after frame `i`, which deviates by `out` degrees.
fn is_outlier_in_rest(turns: &[Quat], steps: &[f64], i: usize, out: f64) -> bool {
    rests_around(turns, steps, i, out) == [true; 2]
}

/// Returns whether the joint rests in the frames before frame `i`, which deviates by `out` degrees, and whether in those after it.
/// `steps` are the degrees from each of `turns` to the next.
fn rests_around(turns: &[Quat], steps: &[f64], i: usize, out: f64) -> [bool; 2] {
    let still = out / (ISOLATION_RATIO * ISOLATION_RATIO);
    let rests = |frames: Option<&[f64]>| frames.is_some_and(|steps| steps.iter().all(|&step| step <= still));
    let before = i.checked_sub(3).and_then(|first| steps.get(first..i - 1));
    let is_back = angle_between(turns[i - 1], turns[i + 1]).to_degrees() <= still;
    [before, steps.get(i + 1..i + 3)].map(|frames| is_back && rests(frames))
}

/// Returns how far the second of three frames deviates from an even rotation between the first and the third,
/// degrees.
fn deviation(times: &[f64], turns: &[Quat], [before, frame, after]: [usize; 3]) -> f64 {
    let part = (times[frame] - times[before]) / (times[after] - times[before]);
    angle_between(turns[frame], slerp(turns[before], turns[after], part as f32)).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an infinite deviation: the other joints are unknown.
    fn unknown(_: Range<usize>) -> f64 {
        f64::INFINITY
    }

    #[test]
    fn three_keys_of_a_fast_swing_are_no_jump_and_one_outlier_among_four_is() {
        let turns = |degrees: &[f32]| {
            degrees.iter().map(|degrees| Quat::from_rotation_x(degrees.to_radians())).collect::<Vec<_>>()
        };
        assert!(jumps(&[0.0, 1.0, 2.0], &turns(&[0.0, 25.0, 4.0]), unknown).is_empty());
        assert_eq!(jumps(&[0.0, 1.0, 2.0, 3.0], &turns(&[0.0, 25.0, 1.0, 2.0]), unknown).len(), 1);
    }

    #[test]
    fn an_outlier_next_to_a_rest_is_a_jump_even_if_the_joint_is_fast_afterwards() {
        let found = |degrees: [f32; 9]| {
            let turns = degrees.map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
            jumps(&std::array::from_fn::<f64, 9, _>(|i| i as f64), &turns, unknown)
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
    fn a_small_outlier_in_the_middle_of_a_rest_is_a_jump() {
        let found = |out: f32, speed: f32| {
            let degrees = |frame: usize| speed * frame as f32 + if frame == 5 { out } else { 0.0 };
            let turns: Vec<Quat> = (0..11).map(|frame| Quat::from_rotation_x(degrees(frame).to_radians())).collect();
            jumps(&std::array::from_fn::<f64, 11, _>(|frame| frame as f64), &turns, unknown)
                .iter()
                .map(|jump| (jump.frame, jump.outlier_frames))
                .collect::<Vec<_>>()
        };
        assert_eq!([found(2.7, 0.0), found(2.7, 0.05)], [[(5, 1)], [(5, 1)]]);
        assert_eq!([found(1.5, 0.0), found(2.7, 0.5)], [const { Vec::new() }; 2], "too little, and in motion");
    }

    #[test]
    fn a_jump_that_returns_in_the_next_frame_is_one_outlier_frame() {
        let swing = |frame: usize| [0.0, 0.0, 12.0, 29.0, 56.0, 56.0, 56.0, 56.0, 69.0, 86.0, 90.0, 90.0][frame];
        let turn = |frame: usize| {
            let out = Quat::from_rotation_y(if frame == 5 { 100_f32.to_radians() } else { 0.0 });
            Quat::from_rotation_x(f32::to_radians(swing(frame))) * out
        };
        let turns: Vec<Quat> = (0..12).map(turn).collect();
        let times: Vec<f64> = (0..12).map(|frame| frame as f64 / 30.0).collect();
        // The other joints deviate so much that only the curvature of the outlier itself gives it away.
        let found = jumps(&times, &turns, |_| 70.0);
        assert!(matches!(found[..], [Jump { frame: 5, outlier_frames: 1, .. }]), "{found:?}");
    }

    #[test]
    fn a_large_outlier_is_a_jump_even_within_a_fast_swing() {
        let swing = [0.0, 24.0, 56.0, 92.0, 112.0, 120.0, 123.0, 124.0_f32];
        let times: [f64; 8] = std::array::from_fn(|i| i as f64);
        let turns = swing.map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
        assert_eq!(jumps(&times, &turns, unknown), []);
        for out in [3, 4] {
            let mut damaged = turns;
            damaged[out] *= Quat::from_rotation_y(50_f32.to_radians());
            let found = jumps(&times, &damaged, unknown);
            assert!(matches!(found[..], [Jump { frame, outlier_frames: 1, .. }] if frame == out), "{found:?}");
        }
        // A whip of similar speed, which starts out of a swing in the other direction.
        let whip =
            [0.0, -5.0, 30.0, 80.0, 30.0, -5.0, 0.0_f32].map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
        assert_eq!(jumps(&times[..7], &whip, unknown), []);
    }

    #[test]
    fn two_adjacent_outliers_are_one_jump_and_a_fast_strike_is_none() {
        let found = |degrees: &[f32]| {
            let turns: Vec<Quat> = degrees.iter().map(|degrees| Quat::from_rotation_x(degrees.to_radians())).collect();
            let times: Vec<f64> = (0..turns.len()).map(|frame| frame as f64 / 30.0).collect();
            jumps(&times, &turns, unknown).iter().map(|jump| jump.frame).collect::<Vec<_>>()
        };
        assert_eq!(found(&[0.0, 2.0, 4.0, 46.0, 48.0, 10.0, 12.0, 14.0]), [3]);
        assert_eq!(found(&[0.0, 2.0, 46.0, 48.0, 8.0, 10.0, 12.0]), [2], "near the start");
        assert_eq!(found(&[0.0, 5.0, 15.0, 45.0, 50.0, 22.0, 8.0, 2.0]), [0; 0], "there and back");
        let times: Vec<f64> = (0..8).map(|frame| f64::from(frame) / 15.0).collect();
        let slow = [0.0, 2.0, 4.0, 46.0, 48.0, 10.0, 12.0, 14.0_f32].map(|by| Quat::from_rotation_x(by.to_radians()));
        assert_eq!(jumps(&times, &slow, unknown), [], "out for too long");
    }

    #[test]
    fn an_even_turn_over_uneven_frames_is_no_jump() {
        let times = [0.0, 0.25, 1.0, 2.0, 2.001, 3.0, 4.0];
        let turns = times.map(|time| Quat::from_rotation_x((80.0 * time as f32).to_radians()));
        assert!(jumps(&times, &turns, unknown).is_empty());
    }

    #[test]
    fn a_single_large_step_exceeds_its_neighbours_and_a_fast_turn_does_not() {
        let calm = [1.0, 2.0, 20.0, 2.0, 1.0, 1.0];
        assert_eq!(excess_over_neighbours(&calm, 2), 18.0);
        let quick = [1.0, 10.0, 20.0, 21.0, 12.0, 1.0];
        assert!((0..6).all(|i| excess_over_neighbours(&quick, i) <= 1.0));
    }

    #[test]
    fn a_jump_against_the_motion_or_sideways_is_found_even_if_its_step_is_no_larger_than_others() {
        let times: [f64; 12] = std::array::from_fn(|i| i as f64 / 30.0);
        let found = |off: Quat, others: f64| {
            let swing = |i: usize| Quat::from_rotation_x((11.0 * i as f32).to_radians());
            let turns: Vec<Quat> = (0..12).map(|i| if i < 6 { swing(i) } else { swing(i) * off }).collect();
            jumps(&times, &turns, |_| others).iter().map(|jump| (jump.frame, jump.outlier_frames)).collect::<Vec<_>>()
        };
        for off in [Quat::from_rotation_x(-0.35), Quat::from_rotation_y(0.3) * Quat::from_rotation_x(-0.2)] {
            assert_eq!(found(off, 2.0), [(6, 0)]);
            assert_eq!(found(off, 12.0), [], "others are about as abrupt");
        }
        assert_eq!(found(Quat::IDENTITY, 0.0), []);
    }

    #[test]
    fn a_jump_within_a_fast_swing_is_found_if_no_other_joint_deviates_as_much() {
        let swing = [0.0, 3.0, 14.0, 33.0, 58.0, 85.0, 110.0, 129.0, 140.0, 143.0_f32];
        let times: [f64; 10] = std::array::from_fn(|i| i as f64 / 30.0);
        let found = |degrees: f32, frames: Range<usize>, others: f64| {
            let off = Quat::from_rotation_y(degrees.to_radians());
            let turn = |i: usize| Quat::from_rotation_x(swing[i].to_radians());
            let turns: Vec<Quat> = (0..10).map(|i| if frames.contains(&i) { turn(i) * off } else { turn(i) }).collect();
            jumps(&times, &turns, |_| others).iter().map(|jump| (jump.frame, jump.outlier_frames)).collect::<Vec<_>>()
        };
        for (degrees, frames, jump) in [(18.0, 4..5, (4, 1)), (18.0, 4..6, (4, 2)), (28.0, 5..10, (5, 0))] {
            assert_eq!(found(degrees, frames.clone(), 6.0), [jump], "{frames:?}");
            assert_eq!(found(degrees, frames.clone(), 20.0), [], "others are nearly as abrupt: {frames:?}");
        }
        assert_eq!(found(0.0, 0..0, 0.0), [], "the swing itself");
    }
}
