//! What goes evenly through values that tremble: near them, and bent as little as can be (Whittaker 1923, with pinned ends).

use std::cmp::Ordering;
use std::f64::consts::TAU;
use std::ops::Range;

use glam::DVec4;

use crate::anim::quality::frames_apart;

/// Seconds within which what comes and goes is halved, and what is quicker goes: who breathes or sways is slower.
const PERIOD: f64 = 0.5;
/// How many times as much as most others a bend is a turn of the motion itself, no trembling: it may stay.
const KINK: f64 = 3.0;
/// Which part of all bends those are.
const MOST: f64 = 0.7;
/// How many times as far off as half of the others two frames side by side are that move and do not tremble: they stay.
const MOVES: f64 = 3.0;
/// How often frames are looked for that move.
const LOOKS: usize = 8;

/// The values of `frames`, `step` seconds apart, as near to theirs as a curve comes that bends little and begins and ends at the frames
/// beside them, which stay, as those do that move. At a clip's first and last frame, which have nothing beside them, it begins and
/// ends at these themselves.
pub(super) fn evened(values: &[DVec4], frames: Range<usize>, step: f64) -> Vec<DVec4> {
    let inner = frames.start.max(1)..frames.end.min(values.len() - 1);
    let mut made = values.to_vec();
    if !inner.is_empty() {
        let bends: Vec<usize> = trembling(values, &inner, frames_apart(step)).collect();
        let mut is_free: Vec<bool> = (0..values.len()).map(|frame| inner.contains(&frame)).collect();
        for _ in 0..LOOKS {
            made[inner.clone()].copy_from_slice(&Bands::new(values, &inner, &is_free, &bends, step).solved());
            if !keep_moving(values, &made, &inner, &mut is_free) {
                break;
            }
        }
    }
    made[frames].to_vec()
}

/// Has those of the free frames of `inner` stay that `made` takes much farther than most from their `values`, and a neighbour to the
/// same side: noise is as far off but once. Whether there are such.
fn keep_moving(values: &[DVec4], made: &[DVec4], inner: &Range<usize>, is_free: &mut [bool]) -> bool {
    let off = |frame: usize| made[frame] - values[frame];
    let mut sorted: Vec<f64> = inner.clone().filter(|&frame| is_free[frame]).map(|frame| off(frame).length()).collect();
    sorted.sort_by(f64::total_cmp);
    let farthest = MOVES * sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let is_far = |frame: usize| inner.contains(&frame) && is_free[frame] && off(frame).length() > farthest;
    let with = |frame: usize, other: usize| is_far(other) && off(frame).dot(off(other)) > 0.0;
    let moves = |&frame: &usize| is_far(frame) && (with(frame, frame - 1) || with(frame, frame + 1));
    let moving: Vec<usize> = inner.clone().filter(moves).collect();
    moving.iter().for_each(|&frame| is_free[frame] = false);
    !moving.is_empty()
}

/// Symmetric equations, one for each value, in which each meets the two before it and the two after it.
struct Bands {
    diagonal: Vec<f64>,
    /// With the next one, and with the one after that.
    next: [Vec<f64>; 2],
    right: Vec<DVec4>,
}

impl Bands {
    /// For the least sum of squares of what the values of the frames `inner` are off, and of how they bend at those of `bends`; what is
    /// not free is where it is.
    fn new(values: &[DVec4], inner: &Range<usize>, is_free: &[bool], bends: &[usize], step: f64) -> Self {
        let count = inner.len();
        let zeros = || vec![0.0; count];
        let mut all =
            Self { diagonal: vec![1.0; count], next: [zeros(), zeros()], right: values[inner.clone()].to_vec() };
        let stiffness = (PERIOD / step / TAU).powi(4);
        for &middle in bends {
            let bend = [(middle - 1, 1.0), (middle, -2.0), (middle + 1, 1.0)];
            for (i, by) in bend.into_iter().filter(|(i, _)| is_free[*i]) {
                let row = i - inner.start;
                for (j, other) in bend {
                    let product = stiffness * by * other;
                    match (is_free[j], j.cmp(&i)) {
                        (false, _) => all.right[row] -= product * values[j],
                        (true, Ordering::Equal) => all.diagonal[row] += product,
                        (true, Ordering::Greater) => all.next[j - i - 1][row] += product,
                        (true, Ordering::Less) => {}
                    }
                }
            }
        }
        all
    }

    /// Each row is taken from the two below it, then all are put in from the last one up.
    fn solved(self) -> Vec<DVec4> {
        let Self { mut diagonal, mut next, mut right } = self;
        let count = diagonal.len();
        for row in 0..count {
            let [one, two] = [next[0][row] / diagonal[row], next[1][row] / diagonal[row]];
            let here = right[row];
            if row + 1 < count {
                diagonal[row + 1] -= one * next[0][row];
                next[0][row + 1] -= one * next[1][row];
                right[row + 1] -= one * here;
            }
            if row + 2 < count {
                diagonal[row + 2] -= two * next[1][row];
                right[row + 2] -= two * here;
            }
        }
        for row in (0..count).rev() {
            let after = |by: usize| right.get(row + by).copied().unwrap_or(DVec4::ZERO);
            right[row] = (right[row] - next[0][row] * after(1) - next[1][row] * after(2)) / diagonal[row];
        }
        right
    }
}

/// Those of the frames `free` at which `values` bend no more than trembling does, told over frames that are `apart`.
fn trembling(values: &[DVec4], free: &Range<usize>, apart: usize) -> impl Iterator<Item = usize> {
    let bend = |i: usize| {
        let apart = apart.min(i).min(values.len() - 1 - i);
        (values[i - apart] - 2.0 * values[i] + values[i + apart]).length()
    };
    let bends: Vec<f64> = free.clone().map(bend).collect();
    let mut sorted = bends.clone();
    sorted.sort_by(f64::total_cmp);
    let largest = KINK * sorted[(MOST * sorted.len() as f64) as usize];
    free.clone().zip(bends).filter_map(move |(frame, bend)| (bend <= largest).then_some(frame))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::SplitMix64;

    const STEP: f64 = 1.0 / 30.0;

    fn noise(seed: u64, count: usize) -> Vec<DVec4> {
        let mut random = SplitMix64::new(seed);
        let mut shake = || 2.0 * random.unit() - 1.0;
        (0..count).map(|_| DVec4::new(shake(), shake(), shake(), 0.0)).collect()
    }

    fn bend(values: &[DVec4], i: usize) -> DVec4 {
        values[i - 1] - 2.0 * values[i] + values[i + 1]
    }

    #[test]
    fn a_line_stays_where_it_is_and_so_do_the_ends_of_a_clip() {
        let line: Vec<DVec4> = (0..41).map(|i| DVec4::new(3.0 * f64::from(i), 7.0, 0.0, -f64::from(i))).collect();
        for frames in [0..41, 10..31, 0..12, 30..41, 0..1, 40..41, 20..21] {
            let made = evened(&line, frames.clone(), STEP);
            let off = made.iter().zip(&line[frames.clone()]).map(|(made, line)| made.distance(*line));
            assert!(off.fold(0.0, f64::max) < 1e-9, "{frames:?}");
        }
        let noise = noise(3, 60);
        let made = evened(&noise, 0..60, STEP);
        assert_eq!([made[0], made[59]], [noise[0], noise[59]]);
    }

    #[test]
    fn what_trembles_bends_a_twentieth_as_much_up_to_the_frames_that_stay() {
        let noise = noise(4, 60);
        let mut whole = noise.clone();
        whole.splice(10..50, evened(&noise, 10..50, STEP));
        let rough = |values: &[DVec4]| (10..50).map(|i| bend(values, i).length_squared()).sum::<f64>().sqrt();
        assert!(rough(&whole) < 0.05 * rough(&noise), "{} of {}", rough(&whole), rough(&noise));
    }

    #[test]
    fn nothing_near_is_both_closer_to_the_values_and_less_bent() {
        let (noise, stiffness) = (noise(5, 30), (PERIOD / STEP / TAU).powi(4));
        let made = evened(&noise, 0..30, STEP);
        let cost = |values: &[DVec4]| {
            let off: f64 = values.iter().zip(&noise).map(|(value, noise)| value.distance_squared(*noise)).sum();
            off + stiffness * (1..29).map(|i| bend(values, i).length_squared()).sum::<f64>()
        };
        let least = cost(&made);
        for frame in 1..29 {
            for by in [-1e-3, 1e-3] {
                let mut other = made.clone();
                other[frame].y += by;
                assert!(cost(&other) > least, "{frame}");
            }
        }
    }

    #[test]
    fn a_motion_that_sets_in_within_the_frames_is_not_blurred() {
        for speed in [3.0, 8.0, 15.0, 40.0, 300.0] {
            let mut values = noise(6, 60);
            (30..60).for_each(|i| values[i] = DVec4::X * speed * (i as f64 - 29.0));
            let made = evened(&values, 5..36, STEP);
            let truth = |i: usize| DVec4::X * speed * (i as f64 - 29.0).max(0.0);
            let farthest = (5..36).map(|i| made[i - 5].distance(truth(i))).fold(0.0, f64::max);
            assert!(farthest < 3.0, "{speed}: {farthest}, noise goes to 1.7");
        }
    }

    #[test]
    fn what_lies_on_a_finer_rate_is_evened_alike() {
        let coarse = noise(7, 60);
        let fine: Vec<DVec4> =
            (0..237).map(|i| coarse[i / 4].lerp(coarse[(i / 4 + 1).min(59)], 0.25 * (i % 4) as f64)).collect();
        let [coarse, fine] = [evened(&coarse, 0..60, STEP), evened(&fine, 0..237, 0.25 * STEP)];
        let apart = (1..59).map(|i| coarse[i].distance(fine[4 * i])).fold(0.0, f64::max);
        assert!(apart < 0.2, "{apart} of noise up to 1");
    }

    #[test]
    fn a_frame_in_a_hundred_that_trembles_more_is_evened_with_the_others() {
        let mut random = SplitMix64::new(8);
        let mut bell = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let mut whole: Vec<DVec4> = (0..400).map(|_| DVec4::X * bell()).collect();
        let rough = |values: &[DVec4]| (10..390).map(|i| bend(values, i).length()).fold(0.0, f64::max);
        let before = rough(&whole);
        whole.splice(5..395, evened(&whole, 5..395, STEP));
        assert!(rough(&whole) < 0.1 * before, "{} of {before}", rough(&whole));
    }
}
