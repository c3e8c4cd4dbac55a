//! Finds pauses, frames at which a body rests or moves slowly, and measures the noise of its joints there.

use std::collections::VecDeque;
use std::f64::consts::PI;
use std::ops::Range;

use glam::{DVec3, Quat};

use super::findings::JITTER_MAX_DEGREES;
use crate::math::mean::aligned;
use crate::parallel_map::parallel_map;
use crate::{Clip, Curve, Interpolation, Pose};
use portamento_base::progress::{Cancelled, Progress};

/// Seconds before and after a frame for which a resting body must stay in place. Tuned; no derivation recorded.
const REST_HALF_WIDTH_SECONDS: f64 = 0.2;
/// Maximum deviation of a resting joint from an even slow rotation, degrees, root mean square.
/// The mean tolerates the one frame in a hundred that trembles more, so that it does not count as a gesture.
const REST_MAX_NOISE_DEGREES: f64 = 1.5;
/// Maximum speed of a resting joint, degrees per second; breathing counts as rest.
const REST_MAX_DEGREES_PER_SECOND: f64 = 30.0;

/// Minimum deviation from a smooth curve that can be trembling; slow intended motion bends less.
const TREMOR_MIN_DEGREES: f64 = 0.05;
/// Minimum ratio between the deviation from a smooth curve and that from an even slow motion if a joint trembles.
/// A gesture follows a smooth curve, however small and fast it is. Tuned; no derivation recorded.
pub(super) const ROUGH_MIN_RATIO: f64 = 0.7;

/// Degrees per radian.
const DEGREES_PER_RADIAN: f64 = 180.0 / PI;

/// Seconds between the frames at which noise is measured; denser keys or a finer rate do not lower it.
const NOISE_FRAME_SECONDS: f64 = 1.0 / 30.0;

/// The largest windowed median among the columns of a table.
pub(super) struct Worst {
    pub column: usize,
    /// The median, in the unit of the table.
    pub middle: f64,
    /// The row in which the column is largest within that window.
    pub frame: usize,
}

/// The frames at which a body rests.
pub struct Pauses {
    /// Centre frames of the rests, in order; each has [`Pauses::width`] resting frames before and after it.
    pub frames: Vec<usize>,
    /// Frames before and after a centre frame for which the body stays in place.
    pub width: usize,
    /// Frames between two samples of the noise measurement.
    pub(super) apart: usize,
}

impl Pauses {
    /// Finds the frames of `poses`, which are `step` seconds apart, at which the body rests.
    ///
    /// A body rests at a frame if each of `joints` turns slowly and evenly, except for noise, within a fifth of a second before
    /// and after it. Returns `Err` if `progress` is cancelled.
    pub fn find(poses: &[Pose], joints: &[usize], step: f64, progress: &Progress) -> Result<Self, Cancelled> {
        let (width, apart) = (rest_half_width(step), noise_sample_spacing(step));
        let margin = width.max(2 * apart);
        let is_pause = |index: usize| {
            let window = &poses[margin + index - width..=margin + index + width];
            let rests = |joint: &usize| EvenTurn::through(&turns_of(window, *joint)).rests(step);
            joints.iter().all(rests)
        };
        let count = poses.len().saturating_sub(2 * margin);
        let rests = parallel_map(count, joints.len() * (2 * width + 1), progress, is_pause)?;
        let frames = rests.into_iter().enumerate().filter(|(_, rests)| *rests).map(|(index, _)| margin + index);
        Ok(Self { frames: frames.collect(), width, apart })
    }

    /// True if `joint` trembles in `poses` at pauses within the frames `range`: by more than 0.25°, or by more than 0.05° and so
    /// roughly that no gesture explains it. Returns `Err` if `progress` is cancelled.
    pub fn trembles(
        &self,
        poses: &[Pose],
        joint: usize,
        range: Range<usize>,
        progress: &Progress,
    ) -> Result<bool, Cancelled> {
        let Some(worst) = self.worst(range, |frame| vec![self.off_curve(poses, joint, frame)], progress)? else {
            return Ok(false);
        };
        let is_rough = || EvenTurn::through(&turns_of(&poses[self.near(worst.frame)], joint)).is_rough(worst.middle);
        Ok(worst.middle > JITTER_MAX_DEGREES || worst.middle > TREMOR_MIN_DEGREES && is_rough())
    }

    /// True if `positions`, one per frame, shake by more than `min_distance` (in their unit) and roughly, at pauses within the
    /// frames `range`. Returns `Err` if `progress` is cancelled.
    pub fn shakes(
        &self,
        positions: &[DVec3],
        min_distance: f64,
        range: Range<usize>,
        progress: &Progress,
    ) -> Result<bool, Cancelled> {
        let off = |frame: usize| {
            let smooth = cubic_at_middle(around(frame, self.apart).map(|sample| positions[sample]));
            vec![positions[frame].distance(smooth)]
        };
        let Some(worst) = self.worst(range, off, progress)? else { return Ok(false) };
        Ok(worst.middle > min_distance && EvenTurn::fit_line(&positions[self.near(worst.frame)]).is_rough(worst.middle))
    }

    /// Returns the resting frames around the centre frame `frame`.
    fn near(&self, frame: usize) -> Range<usize> {
        frame - self.width..frame + self.width + 1
    }

    /// Returns how far `joint` deviates at `frame` from the smooth curve through its rotations around it, degrees.
    pub(super) fn off_curve(&self, poses: &[Pose], joint: usize, frame: usize) -> f64 {
        let first = frame - 2 * self.apart;
        off_curve_of(&turns_of(&poses[first..=frame + 2 * self.apart], joint), frame - first, self.apart)
    }

    /// Returns the column with the largest median over [`Pauses::width`] rows on both sides, or `None` without pauses in `range`.
    ///
    /// `row` returns the numbers of one frame; only pauses in `range` count. A joint that stops abruptly, or has one outlier
    /// frame, does not raise a median. Returns `Err` if `progress` is cancelled.
    pub(super) fn worst(
        &self,
        range: Range<usize>,
        mut row: impl FnMut(usize) -> Vec<f64>,
        progress: &Progress,
    ) -> Result<Option<Worst>, Cancelled> {
        let mut window: VecDeque<(usize, Vec<f64>)> = VecDeque::new();
        let mut worst: Option<Worst> = None;
        let within = || self.frames.iter().filter(|frame| range.contains(frame));
        let min_rows = within().count().min(self.width + 1);
        for &frame in within() {
            progress.step(frame, range.end)?;
            window.push_back((frame, row(frame)));
            while window.front().is_some_and(|(first, _)| first + 2 * self.width < frame) {
                window.pop_front();
            }
            if window.len() < min_rows {
                continue;
            }
            let columns = window.front().map_or(0, |(_, row)| row.len());
            for column in 0..columns {
                let middle = median(window.iter().map(|(_, row)| row[column]).collect());
                if worst.as_ref().is_none_or(|worst| middle > worst.middle) {
                    let largest = window.iter().max_by(|a, b| a.1[column].total_cmp(&b.1[column]));
                    let frame = largest.map_or(frame, |(frame, _)| *frame);
                    worst = Some(Worst { column, middle, frame });
                }
            }
        }
        Ok(worst)
    }
}

/// Returns the median of `values`, the upper one of an even number; 0 if there are none.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Returns the local rotation of `joint` in each of `poses`.
pub fn turns_of(poses: &[Pose], joint: usize) -> Vec<Quat> {
    poses.iter().map(|pose| pose.locals[joint].rotation).collect()
}

/// Returns how far frame `frame` of `turns` deviates from the smooth curve through the two samples before it and the
/// two after it, degrees.
/// Samples are `apart` frames from each other.
pub(super) fn off_curve_of(turns: &[Quat], frame: usize, apart: usize) -> f64 {
    let here = turns[frame].inverse();
    cubic_at_middle(around(frame, apart).map(|sample| rotation_vector_degrees(here * turns[sample]))).length()
}

/// Returns the two samples before `frame` and the two after it, in order of time. Samples are `apart` frames from each other.
pub(super) fn around(frame: usize, apart: usize) -> [usize; 4] {
    [frame - 2 * apart, frame - apart, frame + apart, frame + 2 * apart]
}

/// Returns the number of frames between two samples of the noise measurement if frames are `step` seconds apart, at least 1.
pub fn noise_sample_spacing(step: f64) -> usize {
    ((NOISE_FRAME_SECONDS / step.max(1e-6)).round() as usize).max(1)
}

/// Returns the joints with more than one rotation key and no step interpolation.
pub fn turning_joints(clip: &Clip) -> Vec<usize> {
    let moving = |curve: &Curve<Quat>| curve.times.len() > 1 && curve.interpolation != Interpolation::Step;
    let turns = |joint: &usize| clip.tracks[*joint].rotation.as_ref().is_some_and(moving);
    (0..clip.tracks.len()).filter(turns).collect()
}

/// Returns the number of frames before and after a pause's centre for which the body rests, if frames are `step` seconds apart.
pub fn rest_half_width(step: f64) -> usize {
    (REST_HALF_WIDTH_SECONDS / step.max(1e-6)).ceil() as usize
}

/// Returns the value at a moment of the cubic through four points that are evenly spaced around it. Fast swaying hardly leaves
/// this curve; noise does.
pub(super) fn cubic_at_middle([two_before, before, after, two_after]: [DVec3; 4]) -> DVec3 {
    (4.0 * (before + after) - two_before - two_after) / 6.0
}

/// Returns `turn` as a rotation vector in degrees.
pub(super) fn rotation_vector_degrees(turn: Quat) -> DVec3 {
    aligned(turn, Quat::IDENTITY).as_dquat().to_scaled_axis() * DEGREES_PER_RADIAN
}

/// The even rotation that fits the rotations of a joint best.
pub(super) struct EvenTurn {
    /// Deviation from it, root mean square over the frames, degrees.
    pub noise: f64,
    /// Degrees per frame.
    pub speed: f64,
}

impl EvenTurn {
    /// Fits a line through the rotation vectors of `turns`, one per frame, relative to the middle one. There are at least two.
    pub fn through(turns: &[Quat]) -> Self {
        let middle = turns[turns.len() / 2].inverse();
        Self::fit_line(&turns.iter().map(|&turn| rotation_vector_degrees(middle * turn)).collect::<Vec<_>>())
    }

    /// Fits a line through vectors, one per frame, of which there are at least two. The noise is in their unit and the speed in
    /// that unit per frame, also for positions.
    fn fit_line(turns: &[DVec3]) -> Self {
        let count = turns.len() as f64;
        let at = |i: usize| i as f64 - 0.5 * (count - 1.0);
        let mean = turns.iter().sum::<DVec3>() / count;
        let spread = (0..turns.len()).map(|i| at(i) * at(i)).sum::<f64>();
        let slope = turns.iter().enumerate().map(|(i, turn)| *turn * at(i)).sum::<DVec3>() / spread;
        let off = |(i, turn): (usize, &DVec3)| turn.distance_squared(mean + slope * at(i));
        let noise = (turns.iter().enumerate().map(off).sum::<f64>() / count).sqrt();
        Self { noise, speed: slope.length() }
    }

    /// True if the joint rests, except for noise, with frames `step` seconds apart.
    pub fn rests(&self, step: f64) -> bool {
        self.noise <= REST_MAX_NOISE_DEGREES && self.is_slow(step)
    }

    /// True if the joint turns slowly, whatever its noise.
    pub fn is_slow(&self, step: f64) -> bool {
        self.speed <= REST_MAX_DEGREES_PER_SECOND * step
    }

    /// True if a deviation `off_curve` from a smooth curve is too large a part of the noise for intended motion. It has the unit
    /// of the fitted vectors.
    pub fn is_rough(&self, off_curve: f64) -> bool {
        off_curve >= ROUGH_MIN_RATIO * self.noise
    }
}
