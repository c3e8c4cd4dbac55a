//! Repair of common errors of captured and exported motion: joint spikes and jumps, jitter while the body or a joint rests,
//! invalid rotations, a start away from the origin, and unnecessary keys.
//!
//! Jumps and pauses are detected by [`portamento_anim::quality`], so that what is reported is what gets repaired. Joints and frames
//! that need no repair are bit-identical.

mod error;
mod smoothing;
mod keys;
mod origin;
mod pauses;
mod report;
mod rotations;
mod settings;
mod spikes;

use std::ops::Range;

pub use error::BuildError;
pub use portamento_anim::quality::Input;
pub use report::{ChangedJoint, Report};
pub use settings::Settings;

use portamento_anim::math::mean::angle_between;
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::quality::{
    Jump, OtherJoints, Quality, QuickKeys, follows_its_foot, quality, turning_joints, turns_of,
};
use portamento_anim::root_motion::frame_times;
use portamento_anim::{Clip, Curve, Pose, Skeleton};
use portamento_base::progress::{Cancelled, Progress};

/// A cleaned-up motion with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion after cleanup.
    pub clip: Clip,
    /// Figures for panels and reports.
    pub report: Report,
}

/// Maximum length of a motion, seconds.
const MAX_LENGTH_SECONDS: f64 = 3600.0;

/// Maximum time by which keys of different curves differ for the same frame, seconds.
const KEY_TIME_TOLERANCE_SECONDS: f64 = 1e-4;
/// Rotation between two keys above which they are a step, not a duplicate, radians. Tuned; no derivation recorded.
const STEP_MIN_RADIANS: f64 = 0.01;

/// Cleans up `input` as `settings` say.
///
/// Returns `Err` if
/// - the clip belongs to another skeleton,
/// - the spread is outside 0…2 s, the key rate outside 1…1000, or the tolerance outside 0…1000 mm,
/// - the motion is longer than an hour,
/// - the work was cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input, settings)?;
    let mut clip = input.clip.clone();
    let mut report = Report { before: measure(input, input.clip, progress)?, ..Report::default() };
    progress.step(1, 4)?;
    if settings.rotations {
        report.rotations = rotations::repair(&mut clip);
    }
    if settings.pops || settings.jitter {
        report.changed = repair_poses(input, settings, &mut clip, progress)?;
    }
    progress.step(2, 4)?;
    if settings.origin {
        report.moved = origin::move_to_origin(input, &mut clip);
    }
    report.keys = keys::rebuild(input, settings, &mut clip, progress)?;
    progress.step(3, 4)?;
    report.after = measure(input, &clip, progress)?;
    Ok(Built { clip, report })
}

/// Returns the quality figures of `clip` with the rig of `input`. Returns `Err` if `progress` is cancelled.
fn measure(input: &Input, clip: &Clip, progress: &Progress) -> Result<Option<Quality>, Cancelled> {
    quality(&Input { clip, ..*input }, progress)
}

/// Repairs jumps and jitter of `clip` frame by frame, as set. Returns the changed joints. Returns `Err` if `progress` is
/// cancelled.
fn repair_poses(
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
        let keys = QuickKeys::between_frames(clip, step);
        for &joint in &turning {
            let is_intended = |times: &[f64], jump: &Jump| follows_its_foot(input, times, joint, jump);
            spikes::repair_keys(&mut clip.tracks[joint], keys, settings.spread, is_intended);
        }
    }
    let keyed: Vec<Pose> = times.iter().map(|&time| clip.pose_at(input.skeleton, time)).collect();
    let mut poses = keyed.clone();
    if settings.pops {
        let all = OtherJoints::of(&times, &keyed, &turning, &progress.part())?;
        for &joint in &turning {
            progress.step(1, 4)?;
            let mut turns = turns_of(&poses, joint);
            let others = |steps: Range<usize>| all.largest_bend_of_others(joint, steps);
            let is_intended = |times: &[f64], jump: &Jump| {
                all.moves_with_others(joint, jump) && follows_its_foot(input, times, joint, jump)
            };
            spikes::repair(&times, &mut turns, settings.spread, others, is_intended);
            poses.iter_mut().zip(&turns).for_each(|(pose, turn)| pose.locals[joint].rotation = *turn);
        }
    }
    if settings.jitter {
        // Joints first: pauses of the full body cover only a part of their jitter.
        pauses::smooth_joints(&mut poses, &turning, step, progress)?;
        pauses::smooth_body(input, &mut poses, &turning, step, progress)?;
    }
    write(input.skeleton, clip, &times, [&keyed, &poses], progress)?;
    Ok(changed(input.skeleton, &before, &poses))
}

/// Returns the frames of `clip`: its keys if they are uniform or on a common rate, else frames at its sampling rate. Times that
/// curves round differently are merged, since duplicates would hide a jump.
fn times(clip: &Clip) -> Vec<f64> {
    if let Some(keys) = clip.even_keys() {
        return keys;
    }
    let joints = if clip.key_rate().is_some() { 0..clip.tracks.len() } else { 0..0 };
    let mut times = frame_times(clip, joints, clip.fps());
    let tolerance = 0.25 / clip.fps();
    times.reverse();
    times.dedup_by(|earlier, later| *later - *earlier < tolerance);
    times.reverse();
    times[0] = 0.0;
    times
}

/// Writes the poses `after` to `clip` at every run of frames in which they differ from `before`. `times` are the seconds of the
/// frames. Returns `Err` if `progress` is cancelled.
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
        (start..end).for_each(|frame| snap_keys(clip, times[frame], [&before[frame], &after[frame]]));
        write_poses(skeleton, clip, &PoseSpan { times, first: start, poses: &after[start..end] });
        first = end;
    }
    Ok(())
}

/// Moves keys of changed joints near `time` exactly to it, so that no duplicate keys remain next to the new ones.
fn snap_keys(clip: &mut Clip, time: f64, [before, after]: [&Pose; 2]) {
    for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
        let [before, after] = [before, after].map(|pose| &pose.locals[joint]);
        if before.rotation != after.rotation {
            tracks
                .rotation
                .iter_mut()
                .for_each(|curve| snap_key(curve, time, |a, b| angle_between(*a, *b) < STEP_MIN_RADIANS));
        }
        if before.translation != after.translation {
            tracks.translation.iter_mut().for_each(|curve| snap_key(curve, time, |a, b| a == b));
        }
    }
}

/// Merges the keys of `curve` within the tolerance of `time` into one at `time`. Keys with different values form a step and are
/// unchanged.
fn snap_key<T: Clone>(curve: &mut Curve<T>, time: f64, is_same: impl Fn(&T, &T) -> bool) {
    let index_at = |end: f64| curve.times.partition_point(|&key| f64::from(key) < end);
    let [from, until] = [index_at(time - KEY_TIME_TOLERANCE_SECONDS), index_at(time + KEY_TIME_TOLERANCE_SECONDS)];
    let has_value_per_key = curve.times.len() == curve.values.len();
    if until > from + 1
        && has_value_per_key
        && curve.values[from..until].windows(2).all(|pair| is_same(&pair[0], &pair[1]))
    {
        curve.times.drain(from + 1..until);
        curve.values.drain(from + 1..until);
        curve.times[from] = time as f32;
    } else if until == from + 1 {
        curve.times[from] = time as f32;
    }
}

/// Returns the joints whose local transform differs in some frame, the largest rotation first.
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

/// Returns `Err` if the clip belongs to another skeleton or is too long, or if a setting is outside the range that [`build`]
/// lists.
fn check(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    input.clip.check_fits(input.skeleton)?;
    if !(0.0..=2.0).contains(&settings.spread) {
        return Err(BuildError::BadSpread { value: settings.spread });
    }
    if let Some(value) = settings.rate.filter(|rate| !(1.0..=1000.0).contains(rate)) {
        return Err(BuildError::BadRate { value });
    }
    let millimetres = settings.reduce.map(|tolerance| tolerance.millimetres);
    if let Some(value) = millimetres.filter(|value| !(0.0..=1000.0).contains(value)) {
        return Err(BuildError::BadTolerance { value });
    }
    let seconds = input.clip.duration;
    if seconds <= MAX_LENGTH_SECONDS { Ok(()) } else { Err(BuildError::TooLong { seconds }) }
}

#[cfg(test)]
mod tests;
