//! Noise of a single joint that rests while the body moves: an arm held still in a walk, a jaw, a hand on a rein.

use std::ops::Range;

use glam::Quat;

use super::pauses::{EvenTurn, median, noise_sample_spacing, off_curve_of};

/// Minimum duration of a joint's rest; a shorter clip must rest throughout. A fast gesture of the body fits into
/// less. Tuned; no derivation recorded.
const REST_MIN_SECONDS: f64 = 0.5;
/// Minimum number of frames that are tested for noise within the rest. Tuned; no derivation recorded.
const MIN_TESTED_FRAMES: usize = 8;
/// Minimum deviation from a smooth curve that counts as trembling.
const TREMOR_MIN_DEGREES: f64 = 0.05;
/// Maximum deviation of a frame that does not tremble, as a fraction of the tremor's. Tuned; no derivation recorded.
const QUIET_MAX_FRACTION: f64 = 0.25;
/// Maximum root-mean-square deviation from an even slow rotation; more are jumps. Tuned; no derivation recorded.
const TREMOR_MAX_NOISE_DEGREES: f64 = 5.0;

/// A tremor of one joint while it rests.
#[derive(Clone, Debug, PartialEq)]
pub struct Tremor {
    /// Frames of the tremor.
    pub frames: Range<usize>,
    /// Median deviation from a smooth curve over half a second, where it is largest, degrees.
    pub degrees: f64,
    /// The frame with the largest deviation in that half second.
    pub worst: usize,
}

/// Returns the tremors of a joint with rotations `turns` in frames `step` seconds apart, whatever the other joints
/// do.
/// They are in order and do not touch.
pub fn tremors(turns: &[Quat], step: f64) -> Vec<Tremor> {
    let apart = noise_sample_spacing(step);
    let edge = 2 * apart;
    let usual = (REST_MIN_SECONDS / step.max(1e-6)).round() as usize + 1;
    let width = usual.min(turns.len()).max(2 * edge + MIN_TESTED_FRAMES);
    if turns.len() < width {
        return Vec::new();
    }
    let off: Vec<f64> = (edge..turns.len() - edge).map(|frame| off_curve_of(turns, frame, apart)).collect();
    let at = |start: usize| {
        let frames = start..start + width;
        let inner = &off[start..frames.end - 2 * edge];
        let degrees = median(inner.to_vec());
        let trembles = || {
            let even = EvenTurn::through(&turns[frames.clone()]);
            even.is_slow(step) && even.noise <= TREMOR_MAX_NOISE_DEGREES && even.is_rough(degrees)
        };
        let worst = || (0..inner.len()).max_by(|&a, &b| inner[a].total_cmp(&inner[b])).unwrap_or(0);
        (degrees > TREMOR_MIN_DEGREES && trembles()).then(|| Tremor {
            degrees,
            worst: start + edge + worst(),
            frames: frames.clone(),
        })
    };
    let mut found: Vec<Tremor> = Vec::new();
    for tremor in (0..=turns.len() - width).filter_map(at) {
        match found.last_mut() {
            Some(last) if tremor.frames.start <= last.frames.end => last.merge(tremor),
            _ => found.push(tremor),
        }
    }
    let is_quiet = |frame: usize, degrees: f64| {
        frame.checked_sub(edge).and_then(|at| off.get(at)).is_some_and(|&off| off < QUIET_MAX_FRACTION * degrees)
    };
    found.iter_mut().for_each(|tremor| tremor.trim(is_quiet));
    found
}

impl Tremor {
    /// Removes quiet frames at both ends: there the joint moves as intended. `is_quiet(frame, degrees)` is true if a frame
    /// deviates much less than a tremor of `degrees`.
    fn trim(&mut self, is_quiet: impl Fn(usize, f64) -> bool) {
        let Self { frames, degrees, worst } = self;
        while frames.start < *worst && is_quiet(frames.start, *degrees) {
            frames.start += 1;
        }
        while frames.end > *worst + 1 && is_quiet(frames.end - 1, *degrees) {
            frames.end -= 1;
        }
    }

    /// Extends the tremor to the end of `next`. Strength and worst frame are those of the stronger one.
    fn merge(&mut self, next: Self) {
        let frames = self.frames.start..next.frames.end;
        let stronger = if next.degrees > self.degrees { next } else { self.clone() };
        *self = Self { frames, ..stronger };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::SplitMix64;
    use glam::Vec3;

    const STEP: f64 = 1.0 / 30.0;

    /// Returns two seconds of rotations by `degrees` at each frame, with noise in frames 20 to 35.
    fn turns(degrees: impl Fn(usize) -> f64, noise: f64) -> Vec<Quat> {
        let mut random = SplitMix64::new(7);
        let mut shake = || (noise * (2.0 * random.unit() - 1.0)).to_radians() as f32;
        let turn = |frame: usize| {
            let by = [shake(), shake(), shake()];
            let shaken = if (20..36).contains(&frame) { Vec3::from(by) } else { Vec3::ZERO };
            Quat::from_rotation_x(degrees(frame).to_radians() as f32) * Quat::from_scaled_axis(shaken)
        };
        (0..60).map(turn).collect()
    }

    #[test]
    fn noise_of_half_a_second_is_located_between_fast_motions() {
        let rests = |frame: usize| 20.0 * (20.0 - frame as f64).max(frame as f64 - 35.0).max(0.0);
        for noise in [1.0, 3.0] {
            let found = tremors(&turns(rests, noise), STEP);
            let [Tremor { frames, degrees, worst }] = &found[..] else { panic!("{noise}: {found:?}") };
            assert!(frames.start.abs_diff(20) <= 1 && frames.end.abs_diff(36) <= 1, "{frames:?}");
            assert!((0.5 * noise..2.0 * noise).contains(degrees) && frames.contains(worst), "{degrees} {worst}");
        }
    }

    #[test]
    fn slow_motion_before_and_after_is_not_part_of_a_tremor() {
        let comes_to_rest = |frame: usize| 1.5 * (20.0 - frame as f64).max(frame as f64 - 35.0).max(0.0);
        for noise in [1.0, 2.0, 4.0] {
            let found = tremors(&turns(comes_to_rest, noise), STEP);
            let [Tremor { frames, .. }] = &found[..] else { panic!("{noise}: {found:?}") };
            assert!(frames.start.abs_diff(20) <= 1 && frames.end.abs_diff(36) <= 1, "{noise}: {frames:?}");
        }
    }

    #[test]
    fn a_clip_shorter_than_half_a_second_trembles_all_along_or_not_at_all() {
        let all = turns(|_| 0.0, 1.0);
        let found = tremors(&all[21..34], STEP);
        assert!(found.len() == 1 && found[0].frames == (0..13), "{found:?}");
        assert_eq!(tremors(&all[21..32], STEP), [], "too few frames to test for noise");
        assert_eq!(tremors(&all[..13], STEP), []);
    }

    #[test]
    fn motion_along_a_smooth_curve_and_a_single_outlier_do_not_tremble() {
        let sway = |hertz: f64| move |frame: usize| (std::f64::consts::TAU * hertz * frame as f64 * STEP).sin();
        let kink = |frame: usize| 0.9 * (frame as f64 - 25.0).max(0.0);
        let one = |frame: usize| if frame == 25 { 2.0 } else { 0.0 };
        let all = [turns(sway(2.0), 0.0), turns(sway(5.0), 0.0), turns(kink, 0.0), turns(one, 0.0)];
        assert_eq!(all.map(|turns| tremors(&turns, STEP)), [const { Vec::new() }; 4]);
    }

    #[test]
    fn sampling_four_times_as_often_finds_the_same_tremor() {
        let coarse = turns(|_| 0.0, 1.0);
        let between = |frame: usize| coarse[frame / 4].lerp(coarse[(frame / 4 + 1).min(59)], 0.25 * (frame % 4) as f32);
        let fine: Vec<Quat> = (0..237).map(between).collect();
        let [coarse, fine] = [tremors(&coarse, STEP), tremors(&fine, 0.25 * STEP)];
        let ratio = fine[0].degrees / coarse[0].degrees;
        // Between two noisy keys the interpolated noise is 0.7 of theirs, and the median is over more frames.
        assert!((0.4..1.1).contains(&ratio), "{ratio}");
    }
}
