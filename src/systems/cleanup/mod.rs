//! What captures and exports get wrong, mended: joints that jump for a frame or two, trembling while the body or a joint
//! rests, rotations that are none, a start off the origin, keys off their frames or without need.
//!
//! What is a jump and when a body rests is what [`crate::anim::quality`] says, so that what it finds is what is mended. Every joint
//! and frame that is not mended keeps its bits.

mod error;
mod even;
mod keys;
mod origin;
mod pauses;
mod report;
mod rotations;
mod settings;
mod spikes;

use std::ops::Range;

pub use crate::anim::quality::Input;
pub use error::BuildError;
pub use report::{ChangedJoint, Report};
pub use settings::Settings;

use crate::anim::pose_keys::{PoseSpan, write_poses};
use crate::anim::quality::{
    Jump, OtherJoints, Quality, QuickKeys, follows_its_foot, quality, turning_joints, turns_of,
};
use crate::anim::root_motion::frame_times;
use crate::anim::{Clip, Curve, Pose, Skeleton};
use crate::math::mean::angle_between;
use crate::progress::{Cancelled, Progress};

/// A motion that was cleaned up and what was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion after cleaning.
    pub clip: Clip,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// The longest motion, seconds.
const LONGEST: f64 = 3600.0;

/// Seconds by which curves round the time of one frame differently, at most.
const ROUNDING: f64 = 1e-4;
/// Radians between two keys that are a step and not one key twice.
const STEP: f64 = 0.01;

/// Mends `input` as `settings` say.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input, settings)?;
    let mut clip = input.clip.clone();
    let mut report = Report { before: measured(input, input.clip, progress)?, ..Report::default() };
    progress.step(1, 4)?;
    if settings.rotations {
        report.rotations = rotations::mend(&mut clip);
    }
    if settings.pops || settings.jitter {
        report.changed = mend_poses(input, settings, &mut clip, progress)?;
    }
    progress.step(2, 4)?;
    if settings.origin {
        report.moved = origin::move_to(input, &mut clip);
    }
    report.keys = keys::lay(input, settings, &mut clip, progress)?;
    progress.step(3, 4)?;
    report.after = measured(input, &clip, progress)?;
    Ok(Built { clip, report })
}

fn measured(input: &Input, clip: &Clip, progress: &Progress) -> Result<Option<Quality>, Cancelled> {
    quality(&Input { clip, ..*input }, progress)
}

/// Mends what is seen frame by frame; answers what was changed.
fn mend_poses(
    input: &Input,
    settings: &Settings,
    clip: &mut Clip,
    progress: &Progress,
) -> Result<Vec<ChangedJoint>, Cancelled> {
    let times = times(clip);
    let turning = turning_joints(clip);
    let before: Vec<Pose> = times.iter().map(|&time| clip.pose_at(input.skeleton, time)).collect();
    let last = times.len() - 1;
    let step = (times[last] - times[0]) / last.max(1) as f64;
    if settings.pops {
        let keys = QuickKeys::beside_frames(clip, step);
        for &joint in &turning {
            let follows = |times: &[f64], jump: &Jump| follows_its_foot(input, times, joint, jump);
            spikes::mend_keys(&mut clip.tracks[joint], keys, settings.spread, follows);
        }
    }
    let keyed: Vec<Pose> = times.iter().map(|&time| clip.pose_at(input.skeleton, time)).collect();
    let mut poses = keyed.clone();
    if settings.pops {
        let all = OtherJoints::of(&times, &keyed, &turning, &progress.part())?;
        for &joint in &turning {
            progress.step(1, 4)?;
            let mut turns = turns_of(&poses, joint);
            let others = |steps: Range<usize>| all.beside(joint, steps);
            let follows =
                |times: &[f64], jump: &Jump| all.join(joint, jump) && follows_its_foot(input, times, joint, jump);
            spikes::mend(&times, &mut turns, settings.spread, others, follows);
            poses.iter_mut().zip(&turns).for_each(|(pose, turn)| pose.locals[joint].rotation = *turn);
        }
    }
    if settings.jitter {
        // First all that a joint trembles: where the body rests is only a part of that.
        pauses::still_joints(&mut poses, &turning, step, progress)?;
        pauses::still(input, &mut poses, &turning, step, progress)?;
    }
    write(input.skeleton, clip, &times, [&keyed, &poses], progress)?;
    Ok(changed(input.skeleton, &before, &poses))
}

/// The frames of `clip`: its keys where they are evenly apart or lie on one rate, else frames of the rate it is looked at. Where curves
/// round the time of one frame differently it counts once: a jump would hide beside its double.
fn times(clip: &Clip) -> Vec<f64> {
    if let Some(keys) = clip.even_keys() {
        return keys;
    }
    let joints = if clip.key_rate().is_some() { 0..clip.tracks.len() } else { 0..0 };
    let mut times = frame_times(clip, joints, clip.fps());
    let near = 0.25 / clip.fps();
    times.reverse();
    times.dedup_by(|earlier, later| *later - *earlier < near);
    times.reverse();
    times[0] = 0.0;
    times
}

/// Writes each run of frames that were changed.
fn write(
    skeleton: &Skeleton,
    clip: &mut Clip,
    times: &[f64],
    [before, after]: [&[Pose]; 2],
    progress: &Progress,
) -> Result<(), Cancelled> {
    let is_changed = |frame: usize| before[frame] != after[frame];
    let mut first = 0;
    while let Some(start) = (first..times.len()).find(|&frame| is_changed(frame)) {
        progress.step(1, 4)?;
        let end = (start..times.len()).find(|&frame| !is_changed(frame)).unwrap_or(times.len());
        (start..end).for_each(|frame| put_keys_on(clip, times[frame], [&before[frame], &after[frame]]));
        write_poses(skeleton, clip, &PoseSpan { times, first: start, poses: &after[start..end] });
        first = end;
    }
    Ok(())
}

/// Puts keys of joints that change at `time` on it where their curves round it differently: they would stay beside the new ones.
fn put_keys_on(clip: &mut Clip, time: f64, [before, after]: [&Pose; 2]) {
    for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
        let [before, after] = [before, after].map(|pose| &pose.locals[joint]);
        if before.rotation != after.rotation {
            tracks.rotation.iter_mut().for_each(|curve| put_key_on(curve, time, |a, b| angle_between(*a, *b) < STEP));
        }
        if before.translation != after.translation {
            tracks.translation.iter_mut().for_each(|curve| put_key_on(curve, time, |a, b| a == b));
        }
    }
}

/// Makes one key of those of `curve` that stand for `time`; where they are not the same they are a step, and stay.
fn put_key_on<T>(curve: &mut Curve<T>, time: f64, is_same: impl Fn(&T, &T) -> bool) {
    let place = |end: f64| curve.times.partition_point(|&key| f64::from(key) < end);
    let [from, until] = [place(time - ROUNDING), place(time + ROUNDING)];
    let is_whole = curve.times.len() == curve.values.len();
    if until > from + 1 && is_whole && curve.values[from..until].windows(2).all(|pair| is_same(&pair[0], &pair[1])) {
        curve.times.drain(from + 1..until);
        curve.values.drain(from + 1..until);
        curve.times[from] = time as f32;
    } else if until == from + 1 {
        curve.times[from] = time as f32;
    }
}

fn changed(skeleton: &Skeleton, before: &[Pose], after: &[Pose]) -> Vec<ChangedJoint> {
    let of_joint = |joint: usize| {
        let pairs = before.iter().zip(after).map(|(before, after)| (&before.locals[joint], &after.locals[joint]));
        let differing: Vec<_> = pairs.filter(|(before, after)| before != after).collect();
        let turn = differing.iter().map(|(before, after)| angle_between(before.rotation, after.rotation));
        (!differing.is_empty()).then(|| ChangedJoint {
            joint: skeleton.joints[joint].name.clone(),
            frames: differing.len(),
            degrees: turn.fold(0.0, f64::max).to_degrees(),
        })
    };
    let mut changed: Vec<ChangedJoint> = (0..skeleton.len()).filter_map(of_joint).collect();
    changed.sort_by(|a, b| b.degrees.total_cmp(&a.degrees));
    changed
}

fn check(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    input.clip.check_fits(input.skeleton)?;
    if !(0.0..=2.0).contains(&settings.spread) {
        return Err(BuildError::BadSpread { value: settings.spread });
    }
    if let Some(value) = settings.rate.filter(|rate| !(1.0..=1000.0).contains(rate)) {
        return Err(BuildError::BadRate { value });
    }
    let millimetres = settings.reduce.map(|tolerance| tolerance.millimetres);
    if let Some(value) = millimetres.filter(|most| !(0.0..=1000.0).contains(most)) {
        return Err(BuildError::BadTolerance { value });
    }
    let seconds = input.clip.duration;
    if seconds <= LONGEST { Ok(()) } else { Err(BuildError::TooLong { seconds }) }
}

#[cfg(test)]
mod tests;
