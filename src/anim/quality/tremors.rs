//! Noise of a joint that rests by itself, though the body moves: an arm held still in a walk, a jaw, a hand on a rein.

use std::ops::Range;

use glam::Quat;

use super::pauses::{EvenTurn, frames_apart, median, off_curve_of};

/// Seconds that a joint rests by itself, at least, or all of a clip that is shorter: in less, a quick gesture of the body passes
/// through it.
const SHORTEST: f64 = 0.5;
/// Frames that tell of noise among those, at least.
const FEWEST: usize = 8;
/// Degrees off a smooth curve from which a joint trembles.
const LEAST: f64 = 0.05;
/// Which part of how far others are off a smooth curve a frame is that does not tremble, at most.
const QUIET: f64 = 0.25;
/// Degrees off an even slow turn, root mean square, up to which a joint trembles: what is more are jumps.
const SHAKES: f64 = 5.0;

/// While a joint that rests trembles.
#[derive(Clone, Debug, PartialEq)]
pub struct Tremor {
    /// Its frames, from the first that trembles to the last.
    pub frames: Range<usize>,
    /// How far every second frame of half a second is off a smooth curve at least, where that is most, degrees.
    pub degrees: f64,
    /// The frame of that half second that is farthest off.
    pub worst: usize,
}

/// When the joint that is turned by `turns` in frames `step` seconds apart trembles while it rests, whatever the others do; in order
/// and apart from each other.
pub fn tremors(turns: &[Quat], step: f64) -> Vec<Tremor> {
    let apart = frames_apart(step);
    let edge = 2 * apart;
    let usual = (SHORTEST / step.max(1e-6)).round() as usize + 1;
    let width = usual.min(turns.len()).max(2 * edge + FEWEST);
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
            even.is_slow(step) && even.noise <= SHAKES && even.is_rough(degrees)
        };
        let worst = || (0..inner.len()).max_by(|&a, &b| inner[a].total_cmp(&inner[b])).unwrap_or(0);
        (degrees > LEAST && trembles()).then(|| Tremor {
            degrees,
            worst: start + edge + worst(),
            frames: frames.clone(),
        })
    };
    let mut found: Vec<Tremor> = Vec::new();
    for tremor in (0..=turns.len() - width).filter_map(at) {
        match found.last_mut() {
            Some(last) if tremor.frames.start <= last.frames.end => last.go_on(tremor),
            _ => found.push(tremor),
        }
    }
    let is_quiet = |frame: usize, degrees: f64| {
        frame.checked_sub(edge).and_then(|at| off.get(at)).is_some_and(|&off| off < QUIET * degrees)
    };
    found.iter_mut().for_each(|tremor| tremor.leave_out(is_quiet));
    found
}

impl Tremor {
    /// Leaves out the frames at both ends that are quiet: there the joint moves already, or still, as it should.
    fn leave_out(&mut self, is_quiet: impl Fn(usize, f64) -> bool) {
        let Self { frames, degrees, worst } = self;
        while frames.start < *worst && is_quiet(frames.start, *degrees) {
            frames.start += 1;
        }
        while frames.end > *worst + 1 && is_quiet(frames.end - 1, *degrees) {
            frames.end -= 1;
        }
    }

    fn go_on(&mut self, then: Self) {
        let frames = self.frames.start..then.frames.end;
        let stronger = if then.degrees > self.degrees { then } else { self.clone() };
        *self = Self { frames, ..stronger };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::SplitMix64;
    use glam::Vec3;

    const STEP: f64 = 1.0 / 30.0;

    /// Two seconds of a joint that is turned by so many degrees at each frame, with noise in frames 20 to 35.
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
    fn noise_of_half_a_second_is_found_where_it_is_between_quick_motions() {
        let rests = |frame: usize| 20.0 * (20.0 - frame as f64).max(frame as f64 - 35.0).max(0.0);
        for noise in [1.0, 3.0] {
            let found = tremors(&turns(rests, noise), STEP);
            let [Tremor { frames, degrees, worst }] = &found[..] else { panic!("{noise}: {found:?}") };
            assert!(frames.start.abs_diff(20) <= 1 && frames.end.abs_diff(36) <= 1, "{frames:?}");
            assert!((0.5 * noise..2.0 * noise).contains(degrees) && frames.contains(worst), "{degrees} {worst}");
        }
    }

    #[test]
    fn what_moves_before_and_after_is_no_part_of_it_though_it_is_slow() {
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
        assert_eq!(tremors(&all[21..32], STEP), [], "too few frames tell of noise");
        assert_eq!(tremors(&all[..13], STEP), []);
    }

    #[test]
    fn what_goes_along_a_smooth_curve_does_not_tremble_and_neither_does_one_frame() {
        let sway = |hertz: f64| move |frame: usize| (std::f64::consts::TAU * hertz * frame as f64 * STEP).sin();
        let kink = |frame: usize| 0.9 * (frame as f64 - 25.0).max(0.0);
        let one = |frame: usize| if frame == 25 { 2.0 } else { 0.0 };
        let all = [turns(sway(2.0), 0.0), turns(sway(5.0), 0.0), turns(kink, 0.0), turns(one, 0.0)];
        assert_eq!(all.map(|turns| tremors(&turns, STEP)), [const { Vec::new() }; 4]);
    }

    #[test]
    fn what_is_looked_at_four_times_as_often_trembles_no_less() {
        let coarse = turns(|_| 0.0, 1.0);
        let between = |frame: usize| coarse[frame / 4].lerp(coarse[(frame / 4 + 1).min(59)], 0.25 * (frame % 4) as f32);
        let fine: Vec<Quat> = (0..237).map(between).collect();
        let [coarse, fine] = [tremors(&coarse, STEP), tremors(&fine, 0.25 * STEP)];
        let ratio = fine[0].degrees / coarse[0].degrees;
        // Between two keys that tremble a joint trembles by 0.7 of it, and the median is of more frames.
        assert!((0.4..1.1).contains(&ratio), "{ratio}");
    }
}
