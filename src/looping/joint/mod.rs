//! Loops of skeletal clips: the unit is a joint.
//!
//! Frames are samples of the clip at a fixed rate. The character's travel is removed first ([`travel`]): over both cycles
//! it is a straight mean path of r per frame, and the remaining motion sways about it. The remaining motion is mixed like
//! any other; the travel, X·r per cycle, is then added again or left out. Morph weights fade with the joint whose mesh
//! they shape.

mod input;
mod travel;

use glam::{DVec3, Vec3};

use super::crossfade::{Crossfade, Pair};
use super::fade::{FadeWeights, Weights};
use super::meter::{self, Measured, SeamReport};
use super::{BuildError, LoopTravel, Settings, Source, Warning};
pub use input::Input;
use portamento_anim::math::mean;
use portamento_anim::{Clip, Curve, Interpolation, JointTracks, Pose, Skeleton};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use travel::{RootTravel, root_travel};

/// Maximum number of frames: an hour at 60 per second.
const MAX_FRAMES: f64 = 216_000.0;

/// A skeletal loop with its mixed poses, frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLoop {
    name: String,
    fps: f64,
    /// X + 1 poses; the last one is dropped from the loop.
    poses: Vec<Pose>,
    /// World displacement per cycle; zero unless the travel continues.
    travel: DVec3,
    /// Per joint, true if the source animates translation, rotation, scale and morph weights.
    is_animated: Vec<[bool; 4]>,
    report: SeamReport,
    warnings: Vec<Warning>,
}

/// Returns the number of frames of `clip` at `fps`, including both ends; at most an hour at 60 per second.
pub fn frames_in(clip: &Clip, fps: f64) -> usize {
    // A last key slightly before its frame, from rounded key times, still counts as that frame.
    (clip.duration.max(0.0) * fps + 1e-3).min(MAX_FRAMES) as usize + 1
}

/// Validates `settings` and the clip, and mixes all frames.
///
/// Returns `Err` if
/// - the clip has another number of tracks than the skeleton has joints;
/// - the frame rate is outside 1…1000;
/// - the clip's length is not finite, or more than 216,000 frames;
/// - the root is not a joint of the skeleton;
/// - a curve lacks values, or a value is not finite;
/// - the window or the weights are invalid ([`super::window`], [`FadeWeights::new`]);
/// - `progress` is cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<JointLoop, BuildError> {
    check(input)?;
    let Input { skeleton, clip, fps, .. } = *input;
    let window = super::window(settings, &clip.name, frames_in(clip, fps))?;
    let weights = FadeWeights::new(settings, skeleton.len(), &clip.name)?;
    let mut warnings = super::fade_warnings(&weights, skeleton.len());
    let travel = root_travel(input, settings.travel, window, &mut warnings);
    let in_place = |frame: usize| pose_in_place(input, frame, frame as f64 - window.start as f64, &travel);
    let mut source = Vec::with_capacity(2 * window.length + 1);
    for offset in 0..=2 * window.length {
        progress.step(offset, 2 * window.length + 1)?;
        source.push(in_place(window.start + offset));
    }
    let mut poses: Vec<Pose> = (0..=window.length).map(|k| mix_frame(skeleton, &weights, k, &source)).collect();
    // Aligned before measuring, since the measured poses must be the exported ones.
    align(&mut poses);
    let Measured { report, mean_change } = measure_seam(skeleton, &source, &poses)?;
    let mut flatten = world_position_reader(skeleton);
    let source_of_clip = Source { name: &clip.name, frames: frames_in(clip, fps) };
    warnings.extend(super::closing_warning(source_of_clip, window, mean_change, |frame, out| {
        flatten(&in_place(frame), out)
    })?);
    let carried =
        if settings.travel == LoopTravel::Onward { travel.per_frame * window.length as f64 } else { DVec3::ZERO };
    if settings.travel == LoopTravel::Onward {
        poses.iter_mut().enumerate().for_each(|(k, pose)| travel.carry(pose, k as f64));
    }
    let is_animated = clip.tracks.iter().map(animated_tracks).collect();
    progress.step(1, 1)?;
    Ok(JointLoop { name: clip.name.clone(), fps, poses, travel: carried, is_animated, report, warnings })
}

/// Returns `Err` if the clip, its skeleton, the frame rate, the root or a curve is invalid, as listed at [`build`].
fn check(input: &Input) -> Result<(), BuildError> {
    let refuse = |reason| Err(BuildError::BadClip { clip: input.clip.name.clone(), reason });
    if input.clip.tracks.len() != input.skeleton.len() {
        return refuse(message!("reason.other_skeleton", "it was made for a skeleton with another number of joints"));
    }
    if !(1.0..=1000.0).contains(&input.fps) {
        return refuse(message!("reason.rate", "the frame rate is not between 1 and 1000 per second"));
    }
    if !input.clip.duration.is_finite() || input.clip.duration * input.fps > MAX_FRAMES {
        return refuse(message!("reason.hour", "it is longer than an hour or its length is not a number"));
    }
    if input.root.is_some_and(|root| root.joint >= input.skeleton.len()) {
        return refuse(message!("reason.no_root", "the selected root joint does not exist"));
    }
    let sound = |tracks: &JointTracks| {
        is_complete(&tracks.translation, |value| value.is_finite())
            && is_complete(&tracks.rotation, |value| value.is_finite())
            && is_complete(&tracks.scale, |value| value.is_finite())
            && tracks.morphs.as_ref().is_none_or(|curve| curve.values.iter().all(|value| value.is_finite()))
    };
    if input.clip.tracks.iter().all(sound) {
        return Ok(());
    }
    refuse(message!("reason.broken_curve", "a curve lacks values or holds numbers that are not finite"))
}

/// True if a curve has all its values, and all of them are finite.
fn is_complete<T: Copy>(curve: &Option<Curve<T>>, is_finite: fn(T) -> bool) -> bool {
    curve.as_ref().is_none_or(|curve| {
        let per_key = if curve.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        curve.values.len() == curve.times.len() * per_key && curve.values.iter().all(|&value| is_finite(value))
    })
}

/// True for translation, rotation, scale and morphs if they have a curve.
fn animated_tracks(tracks: &JointTracks) -> [bool; 4] {
    [tracks.translation.is_some(), tracks.rotation.is_some(), tracks.scale.is_some(), tracks.morphs.is_some()]
}

/// Returns the source pose at `frame` with the travel of `travelled_frames` frames removed, which may be negative.
fn pose_in_place(input: &Input, frame: usize, travelled_frames: f64, travel: &RootTravel) -> Pose {
    let mut pose = input.clip.pose_at(input.skeleton, frame as f64 / input.fps);
    travel.carry(&mut pose, -travelled_frames);
    pose
}

/// Returns frame `k` of the loop: A is `source[k]`, B is `source[length + k]`; both ends are copies of the shared pose.
fn mix_frame(skeleton: &Skeleton, weights: &FadeWeights, k: usize, source: &[Pose]) -> Pose {
    let length = source.len() / 2;
    // A computed mixture would differ by rounding, and the seam would not be exact.
    if k == 0 || k == length {
        return source[length].clone();
    }
    let (a, b) = (&source[k], &source[length + k]);
    let mut out = b.clone();
    let mut buffer = vec![0.0; b.locals.len()];
    let weights = weights.at(k, 0, &mut buffer);
    Crossfade::crossfade(Pair { outgoing: &b.locals, incoming: &a.locals }, weights, (), &mut out.locals);
    for (joint, node) in skeleton.joints.iter().enumerate() {
        for i in node.first_morph..node.first_morph + node.morph_count {
            out.morphs[i] = b.morphs[i] + (a.morphs[i] - b.morphs[i]) * weights.at(joint);
        }
    }
    out
}

/// Moves every quaternion to the hemisphere of the previous frame, so that keys interpolate along the short arc. The
/// closing frame stays an exact copy.
fn align(poses: &mut [Pose]) {
    for k in 1..poses.len().saturating_sub(1) {
        let (before, here) = poses.split_at_mut(k);
        for (here, before) in here[0].locals.iter_mut().zip(&before[k - 1].locals) {
            here.rotation = mean::aligned(here.rotation, before.rotation);
        }
    }
}

/// Returns a function that writes the world positions of all joints as one list.
fn world_position_reader(skeleton: &Skeleton) -> impl FnMut(&Pose, &mut Vec<f32>) -> Result<(), BuildError> + '_ {
    let mut world = Vec::new();
    move |pose, out| {
        pose.world_from_joints(skeleton, &mut world);
        out.clear();
        out.extend(world.iter().flat_map(|joint| joint.translation.to_array()));
        Ok(())
    }
}

/// Measures the seam of `poses`, X + 1 frames mixed from the 2X + 1 of `source`, on world positions in the file's unit. The gap
/// is the largest sum of a joint's local distance and angle (radians) between the first frame and the last.
fn measure_seam(skeleton: &Skeleton, source: &[Pose], poses: &[Pose]) -> Result<Measured, BuildError> {
    let mut flat = world_position_reader(skeleton);
    let length = poses.len() - 1;
    let seam = meter::seam(length, |k, out| flat(&poses[k], out))?;
    let mut all = Vec::new();
    for pose in source.iter().chain(poses) {
        let mut out = Vec::new();
        flat(pose, &mut out)?;
        all.push(out);
    }
    let copy = |at: usize, out: &mut Vec<f32>| -> Result<(), BuildError> {
        out.clone_from(&all[at]);
        Ok(())
    };
    let [dip, source_dip] = meter::dips(source.len(), copy, length, |k, out| copy(source.len() + k, out))?;
    // Rounding would give equal quaternions an angle above 0, but the gap of a copied frame must be exactly 0.
    let turn = |a: glam::Quat, b: glam::Quat| if a == b { 0.0 } else { mean::angle_between(a, b) };
    let gap = |a: &Pose, b: &Pose| {
        let pairs = a.locals.iter().zip(&b.locals);
        pairs
            .map(|(a, b)| f64::from(a.translation.distance(b.translation)) + turn(a.rotation, b.rotation))
            .fold(0.0, f64::max)
    };
    let report = SeamReport { value_gap: gap(&poses[0], &poses[length]), dip, source_dip, ..seam.report };
    Ok(Measured { report, ..seam })
}

impl JointLoop {
    /// Returns the number of frames in the loop, X.
    pub fn frames(&self) -> usize {
        self.poses.len() - 1
    }

    /// Returns the duration of one cycle, seconds.
    pub fn duration(&self) -> f64 {
        self.frames() as f64 / self.fps
    }

    /// Returns the world displacement per cycle in the file's unit; zero unless the travel continues.
    pub fn travel(&self) -> DVec3 {
        self.travel
    }

    /// Returns the measurements of the seam, made on the joints' world positions without the travel.
    pub fn report(&self) -> &SeamReport {
        &self.report
    }

    /// Returns the warnings for the user.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns frame `k` of 0 … X of the first cycle; larger numbers give frame X. That is the dropped one, displaced by the
    /// travel of a cycle.
    pub fn cycle_frame(&self, k: usize) -> &Pose {
        &self.poses[k.min(self.frames())]
    }

    /// Writes the pose at `time` seconds. Any time is valid; the loop repeats, and the travel restarts with each cycle.
    pub fn sample(&self, time: f64, out: &mut Pose) {
        let super::LoopPosition { frame, fraction } = super::frame_at(time, self.fps, self.frames());
        // The dropped pose at X is stored so that the last frame can interpolate towards it.
        let (here, next) = (&self.poses[frame], &self.poses[frame + 1]);
        out.locals.clone_from(&here.locals);
        out.morphs.clone_from(&here.morphs);
        if fraction > 0.0 {
            let pair = Pair { outgoing: &here.locals, incoming: &next.locals };
            Crossfade::crossfade(pair, Weights::Even(fraction), (), &mut out.locals);
            out.morphs.iter_mut().zip(&next.morphs).for_each(|(out, next)| *out += (next - *out) * fraction);
        }
    }

    /// Returns the loop as a clip with a key on every frame, for the curves that the source has; `closing` adds the key
    /// at X.
    pub fn to_clip(&self, skeleton: &Skeleton, closing: bool) -> Clip {
        let count = self.frames() + usize::from(closing);
        let times: Vec<f32> = (0..count).map(|k| (k as f64 / self.fps) as f32).collect();
        let poses = &self.poses[..count];
        let tracks = (0..skeleton.len()).map(|joint| {
            let is_animated = self.is_animated[joint];
            let vectors = |is_animated: bool, pick: fn(&portamento_anim::math::Transform) -> Vec3| {
                is_animated
                    .then(|| Curve::linear(times.clone(), poses.iter().map(|pose| pick(&pose.locals[joint])).collect()))
            };
            let morphs = || {
                let node = &skeleton.joints[joint];
                let row = node.first_morph..node.first_morph + node.morph_count;
                Curve {
                    times: times.clone().into(),
                    values: poses.iter().flat_map(|pose| pose.morphs[row.clone()].to_vec()).collect(),
                    ..Curve::default()
                }
            };
            JointTracks {
                translation: vectors(is_animated[0] || (self.travel != DVec3::ZERO && self.travels(joint)), |local| {
                    local.translation
                }),
                rotation: is_animated[1].then(|| Curve::linear(times.clone(), rotations(poses, joint))),
                scale: vectors(is_animated[2], |local| local.scale),
                morphs: is_animated[3].then(morphs),
                ..JointTracks::default()
            }
        });
        let tracks = tracks.collect();
        Clip { name: self.name.clone(), duration: (count.max(1) - 1) as f64 / self.fps, tracks }
    }

    /// True if the translation of `joint` differs between the first and the last pose.
    fn travels(&self, joint: usize) -> bool {
        self.poses
            .first()
            .zip(self.poses.last())
            .is_some_and(|(a, b)| a.locals[joint].translation != b.locals[joint].translation)
    }
}

/// Returns the rotations of one joint, each in the hemisphere of the previous one.
fn rotations(poses: &[Pose], joint: usize) -> Vec<glam::Quat> {
    let mut values: Vec<glam::Quat> = Vec::with_capacity(poses.len());
    for pose in poses {
        let rotation = pose.locals[joint].rotation;
        values.push(values.last().map_or(rotation, |&before| mean::aligned(rotation, before)));
    }
    values
}

#[cfg(test)]
mod tests;
