//! When a body rests or moves slowly, and how far its joints are off an even turn and off a smooth curve then.

use std::collections::VecDeque;
use std::f64::consts::PI;
use std::ops::Range;

use glam::{DVec3, Quat};

use super::findings::JITTER;
use crate::anim::{Clip, Curve, Interpolation, Pose};
use crate::math::mean::aligned;
use crate::progress::{Cancelled, Progress};

/// Seconds on both sides of a frame within which a body that rests stays where it is.
const AROUND: f64 = 0.2;
/// How far a body that rests is off an even slow turn, degrees: the root mean square of each joint over the frames within which it
/// does, so that the one frame in a hundred that trembles more does not pass for a gesture.
const NOISE: f64 = 1.5;
/// Degrees per second up to which a joint of a body that rests turns: who breathes rests.
const SLOW: f64 = 30.0;

/// Degrees off a smooth curve from which a joint may tremble; what turns slowly by intent bends less.
const TREMBLES: f64 = 0.05;
/// Which part of how far it is off an even slow motion what trembles is off a smooth curve, at least: a gesture, however small and
/// quick, follows one.
pub(super) const ROUGH: f64 = 0.7;

/// In a radian.
const DEGREES: f64 = 180.0 / PI;

/// Seconds between two frames as trembling is told: keys that lie more closely, or on a finer rate by chance, tremble no less.
const FRAME: f64 = 1.0 / 30.0;

/// The column of rows of numbers whose middle value over a part of them is largest.
pub(super) struct Worst {
    pub column: usize,
    pub middle: f64,
    /// Where the column is largest among them.
    pub frame: usize,
}

/// Where a body rests.
pub struct Pauses {
    /// The frames at which it does, in order; each has [`Pauses::width`] more on both sides.
    pub frames: Vec<usize>,
    /// Frames on both sides of one within which a body that rests stays where it is.
    pub width: usize,
    /// Frames between two as trembling is told.
    pub(super) apart: usize,
}

impl Pauses {
    /// The frames of `poses`, which are `step` seconds apart, at which each of `joints` turns slowly and evenly, but for noise,
    /// within a fifth of a second on both sides, all of which there is.
    pub fn find(poses: &[Pose], joints: &[usize], step: f64, progress: &Progress) -> Result<Self, Cancelled> {
        let (width, apart) = (neighbours(step), frames_apart(step));
        let mut frames = Vec::new();
        let margin = width.max(2 * apart);
        for frame in margin..poses.len().saturating_sub(margin) {
            progress.step(frame, poses.len())?;
            let near = &poses[frame - width..=frame + width];
            let rests = |joint: &usize| EvenTurn::through(&turns_of(near, *joint)).rests(step);
            if joints.iter().all(rests) {
                frames.push(frame);
            }
        }
        Ok(Self { frames, width, apart })
    }

    /// Whether `joint` trembles in `poses` over those of the frames that lie in `range`: so that it is seen, or roughly.
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
        Ok(worst.middle > JITTER || worst.middle > TREMBLES && is_rough())
    }

    /// Whether `places`, one for each of all frames, shake roughly by more than `least` over those of the frames that lie in `range`.
    pub fn shakes(
        &self,
        places: &[DVec3],
        least: f64,
        range: Range<usize>,
        progress: &Progress,
    ) -> Result<bool, Cancelled> {
        let off = |frame: usize| {
            let smooth = off_curve(around(frame, self.apart).map(|near| places[near]));
            vec![places[frame].distance(smooth)]
        };
        let Some(worst) = self.worst(range, off, progress)? else { return Ok(false) };
        Ok(worst.middle > least && EvenTurn::along(&places[self.near(worst.frame)]).is_rough(worst.middle))
    }

    /// The frames within which a body that rests at `frame` does so.
    fn near(&self, frame: usize) -> Range<usize> {
        frame - self.width..frame + self.width + 1
    }

    /// How far `joint` turns off the smooth curve through its turns around `frame`, degrees.
    pub(super) fn off_curve(&self, poses: &[Pose], joint: usize, frame: usize) -> f64 {
        let first = frame - 2 * self.apart;
        off_curve_of(&turns_of(&poses[first..=frame + 2 * self.apart], joint), frame - first, self.apart)
    }

    /// Of rows of numbers, one for each frame in `range`, the column whose middle value over [`Pauses::width`] on both sides of a frame is
    /// largest: a joint that stops at once or is out for a frame does not tremble.
    pub(super) fn worst(
        &self,
        range: Range<usize>,
        mut row: impl FnMut(usize) -> Vec<f64>,
        progress: &Progress,
    ) -> Result<Option<Worst>, Cancelled> {
        let mut near: VecDeque<(usize, Vec<f64>)> = VecDeque::new();
        let mut worst: Option<Worst> = None;
        let within = || self.frames.iter().filter(|frame| range.contains(frame));
        let fewest = within().count().min(self.width + 1);
        for &frame in within() {
            progress.step(frame, range.end)?;
            near.push_back((frame, row(frame)));
            while near.front().is_some_and(|(first, _)| first + 2 * self.width < frame) {
                near.pop_front();
            }
            if near.len() < fewest {
                continue;
            }
            let columns = near.front().map_or(0, |(_, row)| row.len());
            for column in 0..columns {
                let middle = median(near.iter().map(|(_, row)| row[column]).collect());
                if worst.as_ref().is_none_or(|worst| middle > worst.middle) {
                    let largest = near.iter().max_by(|a, b| a.1[column].total_cmp(&b.1[column]));
                    let frame = largest.map_or(frame, |(frame, _)| *frame);
                    worst = Some(Worst { column, middle, frame });
                }
            }
        }
        Ok(worst)
    }
}

/// The middle one of `values`; 0 where there are none.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// How `joint` is turned in each of `poses`.
pub fn turns_of(poses: &[Pose], joint: usize) -> Vec<Quat> {
    poses.iter().map(|pose| pose.locals[joint].rotation).collect()
}

/// How far frame `frame` of `turns` is off the smooth curve through the two before it and the two after it, `apart` frames between
/// each, degrees.
pub(super) fn off_curve_of(turns: &[Quat], frame: usize, apart: usize) -> f64 {
    let here = turns[frame].inverse();
    off_curve(around(frame, apart).map(|near| turned(here * turns[near]))).length()
}

/// Two frames before `frame` and two after it.
pub(super) fn around(frame: usize, apart: usize) -> [usize; 4] {
    [frame - 2 * apart, frame - apart, frame + apart, frame + 2 * apart]
}

/// Frames between two as trembling is told, where they are `step` seconds apart.
pub fn frames_apart(step: f64) -> usize {
    ((FRAME / step.max(1e-6)).round() as usize).max(1)
}

/// Joints whose curves turn them, and not in steps.
pub fn turning_joints(clip: &Clip) -> Vec<usize> {
    let moving = |curve: &Curve<Quat>| curve.times.len() > 1 && curve.interpolation != Interpolation::Step;
    let turns = |joint: &usize| clip.tracks[*joint].rotation.as_ref().is_some_and(moving);
    (0..clip.tracks.len()).filter(turns).collect()
}

/// Frames on both sides of one within which a body that rests stays where it is, where frames are `step` seconds apart.
pub fn neighbours(step: f64) -> usize {
    (AROUND / step.max(1e-6)).ceil() as usize
}

/// Where the cubic through four points, two before a moment and two after it, is at that moment: a quick sway hardly leaves it,
/// while noise does.
pub(super) fn off_curve([before_that, before, after, after_that]: [DVec3; 4]) -> DVec3 {
    (4.0 * (before + after) - before_that - after_that) / 6.0
}

/// `turn` as an axis as long as its angle in degrees.
pub(super) fn turned(turn: Quat) -> DVec3 {
    aligned(turn, Quat::IDENTITY).as_dquat().to_scaled_axis() * DEGREES
}

/// How a joint turns evenly, at best.
pub(super) struct EvenTurn {
    /// How far it is off that, the root mean square over the frames, degrees.
    pub noise: f64,
    /// Degrees from one frame to the next.
    pub speed: f64,
}

impl EvenTurn {
    /// How far each of `turns` is from the middle one, as a vector, is fitted by a line.
    pub fn through(turns: &[Quat]) -> Self {
        let middle = turns[turns.len() / 2].inverse();
        Self::along(&turns.iter().map(|&turn| turned(middle * turn)).collect::<Vec<_>>())
    }

    /// The same of what is there already as vectors: noise and speed are in their unit.
    fn along(turns: &[DVec3]) -> Self {
        let count = turns.len() as f64;
        let at = |i: usize| i as f64 - 0.5 * (count - 1.0);
        let mean = turns.iter().sum::<DVec3>() / count;
        let spread = (0..turns.len()).map(|i| at(i) * at(i)).sum::<f64>();
        let slope = turns.iter().enumerate().map(|(i, turn)| *turn * at(i)).sum::<DVec3>() / spread;
        let off = |(i, turn): (usize, &DVec3)| turn.distance_squared(mean + slope * at(i));
        let noise = (turns.iter().enumerate().map(off).sum::<f64>() / count).sqrt();
        Self { noise, speed: slope.length() }
    }

    /// Whether that is rest, but for noise, where frames are `step` seconds apart.
    pub fn rests(&self, step: f64) -> bool {
        self.noise <= NOISE && self.is_slow(step)
    }

    /// The same whatever the noise.
    pub fn is_slow(&self, step: f64) -> bool {
        self.speed <= SLOW * step
    }

    /// Whether what is off a smooth curve by so much does not follow one.
    pub fn is_rough(&self, off_curve: f64) -> bool {
        off_curve >= ROUGH * self.noise
    }
}
