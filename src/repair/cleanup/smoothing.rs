//! Whittaker smoothing (Whittaker 1923) of jittering values, with fixed end values.
//!
//! Finds the values z that minimise
//!
//! ```text
//! Σ |z[i] − y[i]|² + λ · Σ |z[i−1] − 2·z[i] + z[i+1]|²,   λ = (PERIOD_SECONDS / (2π · step))⁴
//! ```

use std::cmp::Ordering;
use std::f64::consts::TAU;
use std::ops::Range;

use glam::DVec4;

use portamento_anim::quality::noise_sample_spacing;

/// Period that the smoothing halves, seconds. Faster motion is removed; breathing and swaying are slower.
const PERIOD_SECONDS: f64 = 0.5;
/// Ratio to the [`TYPICAL_BEND_QUANTILE`] bend above which a bend belongs to the motion and is not smoothed. Tuned; no derivation
/// recorded.
const MOTION_BEND_RATIO: f64 = 3.0;
/// Quantile of all bends that counts as typical jitter. Tuned; no derivation recorded.
const TYPICAL_BEND_QUANTILE: f64 = 0.7;
/// Ratio to the median deviation above which two neighbouring frames belong to the motion and stay fixed. Tuned; no derivation
/// recorded.
const MOTION_DEVIATION_RATIO: f64 = 3.0;
/// Maximum number of searches for such frames.
const MAX_SEARCHES: usize = 8;

/// Returns the smoothed values of `frames`, which are `step` seconds apart. The neighbouring frames and frames that belong to the
/// motion stay fixed. At the ends of a clip, the first or last frame itself stays fixed.
pub(super) fn smoothed(values: &[DVec4], frames: Range<usize>, step: f64) -> Vec<DVec4> {
    let inner = frames.start.max(1)..frames.end.min(values.len() - 1);
    let mut result = values.to_vec();
    if !inner.is_empty() {
        let bends: Vec<usize> = jittering(values, &inner, noise_sample_spacing(step)).collect();
        let mut is_free: Vec<bool> = (0..values.len()).map(|frame| inner.contains(&frame)).collect();
        for _ in 0..MAX_SEARCHES {
            result[inner.clone()].copy_from_slice(&Bands::new(values, &inner, &is_free, &bends, step).solved());
            if !fix_moving_frames(values, &result, &inner, &mut is_free) {
                break;
            }
        }
    }
    result[frames].to_vec()
}

/// Fixes the free frames of `inner` whose deviation between `result` and `values` is large and has the same direction as that of
/// a neighbour. Isolated large deviations are noise. Returns true if any frame was fixed.
fn fix_moving_frames(values: &[DVec4], result: &[DVec4], inner: &Range<usize>, is_free: &mut [bool]) -> bool {
    let deviation = |frame: usize| result[frame] - values[frame];
    let mut sorted: Vec<f64> =
        inner.clone().filter(|&frame| is_free[frame]).map(|frame| deviation(frame).length()).collect();
    sorted.sort_by(f64::total_cmp);
    let limit = MOTION_DEVIATION_RATIO * sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let is_far = |frame: usize| inner.contains(&frame) && is_free[frame] && deviation(frame).length() > limit;
    let same_direction = |frame: usize, other: usize| is_far(other) && deviation(frame).dot(deviation(other)) > 0.0;
    let moves =
        |&frame: &usize| is_far(frame) && (same_direction(frame, frame - 1) || same_direction(frame, frame + 1));
    let moving: Vec<usize> = inner.clone().filter(moves).collect();
    moving.iter().for_each(|&frame| is_free[frame] = false);
    !moving.is_empty()
}

/// The banded, symmetric equations of the smoothing. Each value is coupled with its two neighbours on either side.
struct Bands {
    /// Coefficient of each value in its own equation.
    diagonal: Vec<f64>,
    /// Coupling with the next value, and with the one after it.
    next: [Vec<f64>; 2],
    /// Right side of each equation.
    right: Vec<DVec4>,
}

impl Bands {
    /// Builds the equations for the values of `inner`. Bends are penalised at the frames `bends`; frames that are not free are
    /// constants. Frames are `step` seconds apart.
    fn new(values: &[DVec4], inner: &Range<usize>, is_free: &[bool], bends: &[usize], step: f64) -> Self {
        let count = inner.len();
        let zeros = || vec![0.0; count];
        let mut all =
            Self { diagonal: vec![1.0; count], next: [zeros(), zeros()], right: values[inner.clone()].to_vec() };
        let stiffness = (PERIOD_SECONDS / step / TAU).powi(4);
        for &frame in bends {
            let bend = [(frame - 1, 1.0), (frame, -2.0), (frame + 1, 1.0)];
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

    /// Returns the solution of the equations, one value per frame of `inner`.
    fn solved(self) -> Vec<DVec4> {
        let Self { mut diagonal, mut next, mut right } = self;
        let count = diagonal.len();
        for row in 0..count {
            let [one, two] = [next[0][row] / diagonal[row], next[1][row] / diagonal[row]];
            let value = right[row];
            if row + 1 < count {
                diagonal[row + 1] -= one * next[0][row];
                next[0][row + 1] -= one * next[1][row];
                right[row + 1] -= one * value;
            }
            if row + 2 < count {
                diagonal[row + 2] -= two * next[1][row];
                right[row + 2] -= two * value;
            }
        }
        for row in (0..count).rev() {
            let after = |by: usize| right.get(row + by).copied().unwrap_or(DVec4::ZERO);
            right[row] = (right[row] - next[0][row] * after(1) - next[1][row] * after(2)) / diagonal[row];
        }
        right
    }
}

/// Returns the frames of `free` at which the bend of `values`, measured over `apart` frames, is that of jitter.
fn jittering(values: &[DVec4], free: &Range<usize>, apart: usize) -> impl Iterator<Item = usize> {
    let bend = |i: usize| {
        let apart = apart.min(i).min(values.len() - 1 - i);
        (values[i - apart] - 2.0 * values[i] + values[i + apart]).length()
    };
    let bends: Vec<f64> = free.clone().map(bend).collect();
    let mut sorted = bends.clone();
    sorted.sort_by(f64::total_cmp);
    let largest = MOTION_BEND_RATIO * sorted[(TYPICAL_BEND_QUANTILE * sorted.len() as f64) as usize];
    free.clone().zip(bends).filter_map(move |(frame, bend)| (bend <= largest).then_some(frame))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::math::random::SplitMix64;

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
    fn a_line_and_the_ends_of_a_clip_are_unchanged() {
        let line: Vec<DVec4> = (0..41).map(|i| DVec4::new(3.0 * f64::from(i), 7.0, 0.0, -f64::from(i))).collect();
        for frames in [0..41, 10..31, 0..12, 30..41, 0..1, 40..41, 20..21] {
            let result = smoothed(&line, frames.clone(), STEP);
            let deviation = result.iter().zip(&line[frames.clone()]).map(|(result, line)| result.distance(*line));
            assert!(deviation.fold(0.0, f64::max) < 1e-9, "{frames:?}");
        }
        let noise = noise(3, 60);
        let result = smoothed(&noise, 0..60, STEP);
        assert_eq!([result[0], result[59]], [noise[0], noise[59]]);
    }

    #[test]
    fn jitter_is_reduced_to_a_twentieth_up_to_the_fixed_frames() {
        let noise = noise(4, 60);
        let mut all = noise.clone();
        all.splice(10..50, smoothed(&noise, 10..50, STEP));
        let rough = |values: &[DVec4]| (10..50).map(|i| bend(values, i).length_squared()).sum::<f64>().sqrt();
        assert!(rough(&all) < 0.05 * rough(&noise), "{} of {}", rough(&all), rough(&noise));
    }

    #[test]
    fn the_result_minimises_the_cost() {
        let (noise, stiffness) = (noise(5, 30), (PERIOD_SECONDS / STEP / TAU).powi(4));
        let result = smoothed(&noise, 0..30, STEP);
        let cost = |values: &[DVec4]| {
            let deviation: f64 = values.iter().zip(&noise).map(|(value, noise)| value.distance_squared(*noise)).sum();
            deviation + stiffness * (1..29).map(|i| bend(values, i).length_squared()).sum::<f64>()
        };
        let lowest = cost(&result);
        for frame in 1..29 {
            for by in [-1e-3, 1e-3] {
                let mut other = result.clone();
                other[frame].y += by;
                assert!(cost(&other) > lowest, "{frame}");
            }
        }
    }

    #[test]
    fn a_motion_that_starts_within_the_frames_is_not_blurred() {
        for speed in [3.0, 8.0, 15.0, 40.0, 300.0] {
            let mut values = noise(6, 60);
            (30..60).for_each(|i| values[i] = DVec4::X * speed * (i as f64 - 29.0));
            let result = smoothed(&values, 5..36, STEP);
            let truth = |i: usize| DVec4::X * speed * (i as f64 - 29.0).max(0.0);
            let farthest = (5..36).map(|i| result[i - 5].distance(truth(i))).fold(0.0, f64::max);
            assert!(farthest < 3.0, "{speed}: {farthest}, noise goes to 1.7");
        }
    }

    #[test]
    fn a_finer_rate_gives_the_same_result() {
        let coarse = noise(7, 60);
        let fine: Vec<DVec4> =
            (0..237).map(|i| coarse[i / 4].lerp(coarse[(i / 4 + 1).min(59)], 0.25 * (i % 4) as f64)).collect();
        let [coarse, fine] = [smoothed(&coarse, 0..60, STEP), smoothed(&fine, 0..237, 0.25 * STEP)];
        let apart = (1..59).map(|i| coarse[i].distance(fine[4 * i])).fold(0.0, f64::max);
        assert!(apart < 0.2, "{apart} of noise up to 1");
    }

    #[test]
    fn occasional_stronger_jitter_is_smoothed_too() {
        let mut random = SplitMix64::new(8);
        let mut bell = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let mut all: Vec<DVec4> = (0..400).map(|_| DVec4::X * bell()).collect();
        let rough = |values: &[DVec4]| (10..390).map(|i| bend(values, i).length()).fold(0.0, f64::max);
        let before = rough(&all);
        all.splice(5..395, smoothed(&all, 5..395, STEP));
        assert!(rough(&all) < 0.1 * before, "{} of {before}", rough(&all));
    }
}
