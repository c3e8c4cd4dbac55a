//! Where the turns of a joint jump: at once to another place, or away for a frame or two and back.

use std::ops::Range;

use glam::Quat;

use super::other_joints::{bends, rates};
use crate::math::mean::{angle_between, slerp};

/// Degrees that a joint turns in one frame to be seen as a jump.
const LEAST: f64 = 12.0;
/// The same of a frame that is out in the middle of a rest.
const TICK: f64 = 2.0;
/// How many times a jump is larger than what is around it.
const ALONE: f64 = 4.0;
/// Degrees that a joint is out from which a quick limb hardly gets there and back within two frames.
const FAR: f64 = 40.0;
/// How many times as far out as the motion around it bends a frame then is: limbs that are as quick by themselves are up to 2.6 times.
const AMID_SWINGS: f64 = 2.8;

/// Degrees that a step among others is off those beside it to be seen as a jump, however long it is.
const ABRUPT: f64 = 15.0;
/// How many times as abrupt a jump among quick turns is as the joint itself before and after it.
const BEYOND_OWN: f64 = 2.0;
/// The same as any other joint then: in a strike or a landing several are about as abrupt.
const BEYOND_OTHERS: f64 = 2.5;
/// How many times as abrupt as any other joint one is that does so by itself, and as itself then: it may set out from a swing or end one.
const BY_ITSELF: f64 = 3.5;
const BEYOND_OWN_BY_ITSELF: f64 = 1.75;
/// The same of how far out a joint is for a frame or two: its steps there and back are off those beside by more than that.
const OUT_BEYOND_OTHERS: f64 = 1.5;

/// Seconds within which a joint that is out for two frames is back: three frames at the slowest rate of clips. In more, a limb strikes.
const BRIEF: f64 = 0.126;

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
///
/// A jump to another place is `ALONE` times larger than every turn within two frames of it, a frame that is out so much farther out
/// than the motion around it bends, far out and `AMID_SWINGS` times, or leaves a rest for that frame alone, in the middle of it by as
/// little as `TICK`; two that are out
/// together are both. Among quick turns either is a jump where no other joint turns about as abruptly: `others` tells, for steps from a
/// frame to the next, how far the most abrupt one of them is off the steps beside, degrees; infinite where that is not known.
pub fn jumps(times: &[f64], turns: &[Quat], others: impl Fn(Range<usize>) -> f64) -> Vec<Jump> {
    let steps = steps(turns);
    let quick = QuickTurns { times, turns, steps: &steps, others };
    let mut jumps = Vec::new();
    for i in 1..steps.len() {
        let degrees = steps[i];
        // The first and the last step have nothing on one side to be told by.
        if i + 1 < steps.len() {
            let is_alone = degrees >= LEAST && degrees > ALONE * around(&steps, i..i + 1);
            let elsewhere = is_alone.then_some(degrees).or_else(|| quick.goes_elsewhere(i));
            jumps.extend(elsewhere.map(|degrees| match quick.comes_back(i) {
                Some(out) => Jump { frame: out.start, degrees, out_for: out.len() },
                None => Jump { frame: i + 1, degrees, out_for: 0 },
            }));
        }
        let out = off_middle(times, turns, [i - 1, i, i + 1]);
        let goes_and_comes = out >= FAR && degrees.min(steps[i - 1]) >= 0.5 * out;
        let alone = if goes_and_comes { AMID_SWINGS } else { ALONE };
        let stands_out = || bend_without(times, turns, i..i + 1).is_some_and(|bend| out > alone * bend);
        if out >= TICK && ticks(turns, &steps, i, out)
            || out >= LEAST && (stands_out() || leaves_rest(turns, &steps, i, out) || quick.is_out(i..i + 1, out))
        {
            jumps.push(Jump { frame: i, degrees: out, out_for: 1 });
        }
        let two = out_for_two(&quick, i);
        jumps.extend(two.map(|degrees| Jump { frame: i, degrees, out_for: 2 }));
    }
    each_once(jumps)
}

/// `jumps` without those there and back of frames that are told to be out, in order.
fn each_once(mut jumps: Vec<Jump>) -> Vec<Jump> {
    let out: Vec<Range<usize>> =
        jumps.iter().filter(|jump| jump.out_for > 0).map(|jump| jump.frame..jump.frame + jump.out_for).collect();
    jumps.retain(|jump| jump.out_for > 0 || out.iter().all(|out| ![out.start, out.end].contains(&jump.frame)));
    jumps.sort_by_key(|jump| jump.frame);
    jumps.dedup_by_key(|jump| (jump.frame, jump.out_for));
    jumps
}

/// Turns of a joint that may be quick, and how abrupt those of the others are.
struct QuickTurns<'a, Others> {
    times: &'a [f64],
    turns: &'a [Quat],
    /// Degrees from each of the turns to the next.
    steps: &'a [f64],
    others: Others,
}

impl<Others: Fn(Range<usize>) -> f64> QuickTurns<'_, Others> {
    /// How far the joint goes to another place in step `i` by a jump of its own, on its way, against it or aside.
    fn goes_elsewhere(&self, i: usize) -> Option<f64> {
        if self.steps[i] + 0.5 * (self.steps[i - 1] + self.steps[i + 1]) < ABRUPT {
            return None;
        }
        let first = i.saturating_sub(4);
        let near = first..(i + 6).min(self.turns.len());
        let (times, at) = (&self.times[near.clone()], i - first);
        let rates = rates(times, &self.turns[near]);
        let bends = bends(&rates, times);
        // What the jump itself bends is left out.
        let own = [at.checked_sub(3), at.checked_sub(2), Some(at + 2), Some(at + 3)];
        let own = own.into_iter().flatten().filter_map(|step| bends.get(step)).copied().fold(0.0, f64::max);
        let across = (rates[at + 1] - rates[at - 1]).length() * (times[at + 1] - times[at]);
        let bend = bends[at];
        if bend < ABRUPT || bend <= BEYOND_OWN_BY_ITSELF * own.max(across) {
            return None;
        }
        let others = (self.others)(i - 1..i + 2);
        let beyond_others = if bend > BEYOND_OWN * own.max(across) { BEYOND_OTHERS } else { BY_ITSELF };
        (bend > beyond_others * others).then(|| bend.max(self.steps[i]))
    }

    /// The frames in which the joint is elsewhere, if step `i` leads there and another one back, or the other way round.
    fn comes_back(&self, i: usize) -> Option<Range<usize>> {
        let is_out = |frames: &Range<usize>| {
            let Range { start, end } = frames.clone();
            let half = 0.5 * self.steps[i];
            let is_brief = || self.times[end] - self.times[start - 1] <= BRIEF;
            let is_back = || angle_between(self.turns[start - 1], self.turns[end]).to_degrees() <= half;
            let both_ways = self.steps[start - 1].min(self.steps[end - 1]);
            both_ways >= half
                && both_ways > self.beside(frames.clone())
                && is_back()
                && (frames.len() == 1 || is_brief())
        };
        let places = [1, 2]
            .into_iter()
            .flat_map(|count| [Some(i + 1..i + 1 + count), (i + 1).checked_sub(count).map(|first| first..i + 1)]);
        places.flatten().filter(|frames| frames.start > 0 && frames.end < self.turns.len()).find(is_out)
    }

    /// Whether the joint, `out` by so many degrees in `frames`, is so by itself.
    fn is_out(&self, frames: Range<usize>, out: f64) -> bool {
        let Range { start, end } = frames.clone();
        let there_and_back = self.steps[start - 1].min(self.steps[end - 1]);
        let is_there_and_back = there_and_back >= 0.5 * out && there_and_back > self.beside(frames.clone());
        let others = || (self.others)(start.saturating_sub(2)..end + 1);
        let bend = || bend_without(self.times, self.turns, frames);
        is_there_and_back && out > OUT_BEYOND_OTHERS * others() && bend().is_some_and(|bend| out > BEYOND_OWN * bend)
    }

    /// The largest step beside those that lead into `frames` and out of them.
    fn beside(&self, frames: Range<usize>) -> f64 {
        let Range { start, end } = frames;
        let within = self.steps[start..end - 1].iter().copied();
        within.fold(around(self.steps, start - 1..end), f64::max)
    }
}

/// The largest of the two steps before `range` and the two after it, degrees.
fn around(steps: &[f64], range: Range<usize>) -> f64 {
    let before = steps[range.start.saturating_sub(2)..range.start].iter();
    let after = steps[range.end.min(steps.len())..(range.end + 2).min(steps.len())].iter();
    before.chain(after).copied().fold(0.0, f64::max)
}

/// Degrees from each of `turns` to the next.
pub(super) fn steps(turns: &[Quat]) -> Vec<f64> {
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
/// [`ALONE`] times as far as in any frame beside these, and bends so many times as far as without them; or it is so by itself.
fn out_for_two<Others: Fn(Range<usize>) -> f64>(quick: &QuickTurns<Others>, i: usize) -> Option<f64> {
    let QuickTurns { times, turns, steps, .. } = *quick;
    let (before, after) = (i - 1, i + 2);
    if after >= turns.len() || times[after] - times[before] > BRIEF {
        return None;
    }
    let off = |frame: usize| off_middle(times, turns, [before, frame, after]);
    let out = off(i).min(off(i + 1));
    let is_sudden = steps[before].min(steps[i + 1]) > ALONE * quick.beside(i..after);
    let bends = || bend_without(times, turns, i..after).is_some_and(|bend| out > ALONE * bend);
    (out >= LEAST && (is_sudden && bends() || quick.is_out(i..after, out))).then_some(out)
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
    let [before, after] = rests_beside(turns, steps, i, out);
    before || after
}

/// The same of one that rests in both.
fn ticks(turns: &[Quat], steps: &[f64], i: usize, out: f64) -> bool {
    rests_beside(turns, steps, i, out) == [true; 2]
}

/// Whether a joint that is `out` by so many degrees in frame `i` alone rests in the frames before, and in those after.
fn rests_beside(turns: &[Quat], steps: &[f64], i: usize, out: f64) -> [bool; 2] {
    let still = out / (ALONE * ALONE);
    let rests = |frames: Option<&[f64]>| frames.is_some_and(|steps| steps.iter().all(|&step| step <= still));
    let before = i.checked_sub(3).and_then(|first| steps.get(first..i - 1));
    let is_back = angle_between(turns[i - 1], turns[i + 1]).to_degrees() <= still;
    [before, steps.get(i + 1..i + 3)].map(|frames| is_back && rests(frames))
}

/// How far the second of three frames is off where an even turn from the first to the last leads, degrees.
fn off_middle(times: &[f64], turns: &[Quat], [before, frame, after]: [usize; 3]) -> f64 {
    let part = (times[frame] - times[before]) / (times[after] - times[before]);
    angle_between(turns[frame], slerp(turns[before], turns[after], part as f32)).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is known of other joints.
    fn unknown(_: Range<usize>) -> f64 {
        f64::INFINITY
    }

    #[test]
    fn three_keys_of_a_quick_swing_are_no_jump_and_one_that_is_out_among_four_is() {
        let turns = |degrees: &[f32]| {
            degrees.iter().map(|degrees| Quat::from_rotation_x(degrees.to_radians())).collect::<Vec<_>>()
        };
        assert!(jumps(&[0.0, 1.0, 2.0], &turns(&[0.0, 25.0, 4.0]), unknown).is_empty());
        assert_eq!(jumps(&[0.0, 1.0, 2.0, 3.0], &turns(&[0.0, 25.0, 1.0, 2.0]), unknown).len(), 1);
    }

    #[test]
    fn a_frame_that_is_out_of_rest_is_a_jump_though_the_joint_is_quick_afterwards() {
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
    fn a_frame_that_is_out_of_a_rest_is_a_jump_though_it_is_hardly_out() {
        let found = |out: f32, speed: f32| {
            let degrees = |frame: usize| speed * frame as f32 + if frame == 5 { out } else { 0.0 };
            let turns: Vec<Quat> = (0..11).map(|frame| Quat::from_rotation_x(degrees(frame).to_radians())).collect();
            jumps(&std::array::from_fn::<f64, 11, _>(|frame| frame as f64), &turns, unknown)
                .iter()
                .map(|jump| (jump.frame, jump.out_for))
                .collect::<Vec<_>>()
        };
        assert_eq!([found(2.7, 0.0), found(2.7, 0.05)], [[(5, 1)], [(5, 1)]]);
        assert_eq!([found(1.5, 0.0), found(2.7, 0.5)], [const { Vec::new() }; 2], "too little, and in motion");
    }

    #[test]
    fn a_jump_that_comes_back_in_the_next_frame_is_one_frame_that_is_out() {
        let swing = |frame: usize| [0.0, 0.0, 12.0, 29.0, 56.0, 56.0, 56.0, 56.0, 69.0, 86.0, 90.0, 90.0][frame];
        let turn = |frame: usize| {
            let out = Quat::from_rotation_y(if frame == 5 { 100_f32.to_radians() } else { 0.0 });
            Quat::from_rotation_x(f32::to_radians(swing(frame))) * out
        };
        let turns: Vec<Quat> = (0..12).map(turn).collect();
        let times: Vec<f64> = (0..12).map(|frame| frame as f64 / 30.0).collect();
        // Others are so abrupt that only the bend there and back tells.
        let found = jumps(&times, &turns, |_| 70.0);
        assert!(matches!(found[..], [Jump { frame: 5, out_for: 1, .. }]), "{found:?}");
    }

    #[test]
    fn a_frame_that_is_far_out_is_a_jump_amid_a_quick_swing_too() {
        let swing = [0.0, 24.0, 56.0, 92.0, 112.0, 120.0, 123.0, 124.0_f32];
        let times: [f64; 8] = std::array::from_fn(|i| i as f64);
        let turns = swing.map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
        assert_eq!(jumps(&times, &turns, unknown), []);
        for out in [3, 4] {
            let mut damaged = turns;
            damaged[out] *= Quat::from_rotation_y(50_f32.to_radians());
            let found = jumps(&times, &damaged, unknown);
            assert!(matches!(found[..], [Jump { frame, out_for: 1, .. }] if frame == out), "{found:?}");
        }
        // A whip that is as quick by itself, out of a swing the other way.
        let whip =
            [0.0, -5.0, 30.0, 80.0, 30.0, -5.0, 0.0_f32].map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
        assert_eq!(jumps(&times[..7], &whip, unknown), []);
    }

    #[test]
    fn two_frames_that_are_out_together_are_one_jump_and_a_quick_strike_is_none() {
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
        assert_eq!(jumps(&times, &slow, unknown), [], "held for long enough");
    }

    #[test]
    fn an_even_turn_over_uneven_frames_is_no_jump() {
        let times = [0.0, 0.25, 1.0, 2.0, 2.001, 3.0, 4.0];
        let turns = times.map(|time| Quat::from_rotation_x((80.0 * time as f32).to_radians()));
        assert!(jumps(&times, &turns, unknown).is_empty());
    }

    #[test]
    fn one_frame_stands_out_and_a_quick_turn_does_not() {
        let calm = [1.0, 2.0, 20.0, 2.0, 1.0, 1.0];
        assert_eq!(beyond_neighbours(&calm, 2), 18.0);
        let quick = [1.0, 10.0, 20.0, 21.0, 12.0, 1.0];
        assert!((0..6).all(|i| beyond_neighbours(&quick, i) <= 1.0));
    }

    #[test]
    fn a_jump_that_goes_against_the_motion_or_aside_is_seen_though_its_step_is_no_longer_than_others() {
        let times: [f64; 12] = std::array::from_fn(|i| i as f64 / 30.0);
        let found = |off: Quat, others: f64| {
            let swing = |i: usize| Quat::from_rotation_x((11.0 * i as f32).to_radians());
            let turns: Vec<Quat> = (0..12).map(|i| if i < 6 { swing(i) } else { swing(i) * off }).collect();
            jumps(&times, &turns, |_| others).iter().map(|jump| (jump.frame, jump.out_for)).collect::<Vec<_>>()
        };
        for off in [Quat::from_rotation_x(-0.35), Quat::from_rotation_y(0.3) * Quat::from_rotation_x(-0.2)] {
            assert_eq!(found(off, 2.0), [(6, 0)]);
            assert_eq!(found(off, 12.0), [], "others are about as abrupt");
        }
        assert_eq!(found(Quat::IDENTITY, 0.0), []);
    }

    #[test]
    fn a_jump_amid_a_quick_swing_is_seen_where_no_other_joint_is_as_abrupt() {
        let swing = [0.0, 3.0, 14.0, 33.0, 58.0, 85.0, 110.0, 129.0, 140.0, 143.0_f32];
        let times: [f64; 10] = std::array::from_fn(|i| i as f64 / 30.0);
        let found = |degrees: f32, frames: Range<usize>, others: f64| {
            let off = Quat::from_rotation_y(degrees.to_radians());
            let turn = |i: usize| Quat::from_rotation_x(swing[i].to_radians());
            let turns: Vec<Quat> = (0..10).map(|i| if frames.contains(&i) { turn(i) * off } else { turn(i) }).collect();
            jumps(&times, &turns, |_| others).iter().map(|jump| (jump.frame, jump.out_for)).collect::<Vec<_>>()
        };
        for (degrees, frames, jump) in [(18.0, 4..5, (4, 1)), (18.0, 4..6, (4, 2)), (28.0, 5..10, (5, 0))] {
            assert_eq!(found(degrees, frames.clone(), 6.0), [jump], "{frames:?}");
            assert_eq!(found(degrees, frames.clone(), 20.0), [], "others are nearly as abrupt: {frames:?}");
        }
        assert_eq!(found(0.0, 0..0, 0.0), [], "the swing itself");
    }
}
