//! Cycle offset: moves the start of a loop to another of its moments, so that loops take their steps together.
//!
//! ```text
//! output(t) = input(o + t)              o + t ≤ T
//! output(t) = C · input(o + t − T)      o + t > T
//! ```
//!
//! `o` is the offset, `T` the length of the loop and `C` the transform of one cycle. Both parts are moved back by the share
//! `o / T` of the cycle, so that the path of the character does not move. The result has a key on every frame, because an
//! offset is not a whole number of frames.

mod settings;
mod wrapped_curve;

pub use settings::Settings;

use glam::DAffine3;
use serde::{Deserialize, Serialize};

use crate::close::cycle::{CycleMap, LocalMap};
use crate::close::{BuildError, Cycle, Gap, Input, check, measure};
use portamento_anim::resample;
use portamento_anim::root_motion::frame_times;
use portamento_anim::{Clip, JointTracks, Pose};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use wrapped_curve::wrapped;

/// The loop with its new start, and the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion.
    pub clip: Clip,
    /// Figures for panels and reports.
    pub report: Report,
}

/// Figures for the panel and the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Time of the input with which the output starts, seconds.
    pub seconds: f64,
    /// Length of the loop, seconds.
    pub length: f64,
    /// Difference between the end and the start of the input, which the output has inside.
    pub gap: Gap,
}

impl Report {
    /// Converts input time to output time, seconds.
    pub fn output_time(&self, time: f64) -> f64 {
        if self.length > 0.0 { (time - self.seconds).rem_euclid(self.length) } else { time }
    }

    /// Converts output time to input time, seconds.
    pub fn input_time(&self, time: f64) -> f64 {
        if self.length > 0.0 { (time + self.seconds).rem_euclid(self.length) } else { time }
    }
}

impl Tell for Report {
    fn message(&self) -> Message {
        message!(
            "warning.offset.open",
            "The motion does not loop: its end is %{percent} % of the body size away from its start. The character jumps at \
             %{seconds} s. Add a close stage before the cycle offset.",
            percent = format!("{:.1}", 100.0 * self.gap.place),
            seconds = format!("{:.2}", self.length - self.seconds)
        )
    }
}

/// Moves the start of the loop `input` as `settings` say.
///
/// Returns `Err` if
/// - the clip belongs to another skeleton,
/// - `fps` is outside 1…1000, the unit is not positive, or the length is not in 0…3600 s,
/// - the offset is not finite,
/// - the work was cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input)?;
    if !settings.offset.is_finite() {
        return Err(BuildError::BadNumber { value: settings.offset });
    }
    let clip = input.clip;
    let length = f64::from(clip.duration as f32);
    let share = settings.offset.rem_euclid(1.0);
    let keys = frame_times(clip, 0..input.skeleton.len(), input.fps);
    let cycle = CycleMap::new(input, Cycle::Found, &keys);
    let gap = measure::gap(input, clip, &cycle, measure::quickest(input, &keys));
    let report = Report { seconds: share * length, length, gap };
    if share == 0.0 || length == 0.0 {
        return Ok(Built { clip: clip.clone(), report });
    }
    let times: Vec<f64> =
        resample::frame_times(length, input.fps).into_iter().map(|time| f64::from(time as f32)).collect();
    let back = cycle.part(-share);
    let maps =
        [back, back * cycle.world].map(|world| LocalMap::of_joints(input, &CycleMap { world, turn: cycle.turn }));
    let mut poses = Vec::with_capacity(times.len());
    for (at, &time) in times.iter().enumerate() {
        progress.step(at, times.len())?;
        let source = report.seconds + time;
        let (source, map) = if source <= length { (source, &maps[0]) } else { (source - length, &maps[1]) };
        poses.push(moved(clip.pose_at(input.skeleton, source), map));
    }
    let is_moved = |joint: usize| maps.iter().any(|maps| maps[joint] != LocalMap::NONE);
    let tracks = (0..clip.tracks.len()).map(|joint| tracks(input, joint, is_moved(joint), &times, &poses)).collect();
    Ok(Built { clip: Clip { name: clip.name.clone(), duration: length, tracks }, report })
}

/// Returns `pose` with the transforms `maps` of its joints.
fn moved(mut pose: Pose, maps: &[LocalMap]) -> Pose {
    for (local, map) in pose.locals.iter_mut().zip(maps).filter(|(_, map)| **map != LocalMap::NONE) {
        let LocalMap { affine, turn } = map;
        local.translation = DAffine3::transform_point3(affine, local.translation.as_dvec3()).as_vec3();
        local.rotation = (*turn * local.rotation.as_dquat()).normalize().as_quat();
    }
    pose
}

/// Returns the curves of `joint` through `poses` at `times` (seconds). `is_moved` is true if the cycle transform moves the joint.
fn tracks(input: &Input, joint: usize, is_moved: bool, times: &[f64], poses: &[Pose]) -> JointTracks {
    let (before, node) = (&input.clip.tracks[joint], &input.skeleton.joints[joint]);
    let morphs = node.first_morph..node.first_morph + node.morph_count;
    let local = |pose: &Pose| pose.locals[joint];
    JointTracks {
        translation: wrapped(&before.translation, is_moved, times, poses, |pose| vec![local(pose).translation]),
        rotation: wrapped(&before.rotation, is_moved, times, poses, |pose| vec![local(pose).rotation]),
        scale: wrapped(&before.scale, false, times, poses, |pose| vec![local(pose).scale]),
        morphs: wrapped(&before.morphs, false, times, poses, |pose| pose.morphs[morphs.clone()].to_vec()),
        ..JointTracks::default()
    }
}

#[cfg(test)]
mod tests;
