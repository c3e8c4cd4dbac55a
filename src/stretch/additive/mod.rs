//! Additive motions: the difference of a motion from a reference pose, to be added to other motions.
//!
//! The result is the difference d, applied to the rest pose e, so that it can be shown and that engines which add the distance
//! from the rest pose play it as is. With the pose p and the reference r of a joint:
//!
//! ```text
//! translation   e + (p − r)
//! scale         e · p / r            e where r is 0
//! rotation      e · r⁻¹ · p          axes of the joint
//!               p · r⁻¹ · e          axes of its parent
//!               P · R⁻¹ · E          axes of the character, with P, R, E rotations relative to the character
//! blend shapes  e + (p − r)
//! ```
//!
//! Added to the reference in the same axes, each gives the pose p again. In the axes of the joint and of its parent all maps are
//! linear in the values of a key, so each key keeps its time and each curve its interpolation. The axes of the character mix the
//! curves of a joint and its parents, so rotations get a key on every frame.

mod error;
mod settings;

use glam::{DQuat, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::curve_rows::map_rows;
pub use error::BuildError;
use portamento_anim::math::mean::angle_between;
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::root_motion::frame_times;
use portamento_anim::{Clip, Curve, Interpolation, JointTracks, Pose, Skeleton};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
pub use settings::{Reference, Settings, Space};

/// The motion, with its rig.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// The incoming motion.
    pub clip: &'a Clip,
    /// Frames per second at which the axes of the character are sampled.
    pub fps: f64,
    /// The clip of [`Reference::Clip`], if the settings name one.
    pub reference: Option<&'a Clip>,
}

/// Report of an additive motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The reference.
    pub reference: Reference,
    /// Name and time (seconds) of the reference frame, if it is one of another clip.
    pub frame: Option<(String, f64)>,
    /// The axes in which rotations are compared.
    pub space: Space,
    /// Number of joints that differ from the reference at any time.
    pub joints: usize,
    /// Largest turn of a joint from the reference, degrees.
    pub turn: f64,
    /// Name of that joint.
    pub most_turned: Option<String>,
}

/// Turn up to which a joint counts as still, degrees: the rounding of 32-bit rotations.
const STILL_DEGREES: f64 = 0.01;
/// Move up to which a joint counts as still, as a fraction of its distance from its parent, or of one unit.
const STILL_FRACTION: f32 = 1e-5;

impl Report {
    /// True if the report is a warning: the motion is the reference.
    pub fn warns(&self) -> bool {
        self.joints == 0
    }
}

impl Tell for Report {
    fn message(&self) -> Message {
        message!(
            "warning.additive.same",
            "The motion does not differ from its reference, so nothing would be added. Choose another reference pose."
        )
    }
}

/// The additive motion with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The difference, applied to the rest pose.
    pub clip: Clip,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// Returns the difference of the motion of `input` from the reference that `settings` name.
///
/// Returns `Err` if
/// - the clip or the reference does not fit the skeleton;
/// - the reference is a clip and `input` has none;
/// - the time of its frame is outside that clip;
/// - `progress` is cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    input.clip.check_fits(input.skeleton)?;
    let reference = reference(input, settings)?;
    let mut clip = input.clip.clone();
    for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
        progress.step(joint, input.skeleton.len())?;
        *tracks = difference(input.skeleton, joint, &reference, settings.space, tracks);
    }
    if settings.space == Space::Character {
        turn_in_character_axes(input, &reference, &mut clip, progress)?;
    }
    let report = report(input, settings, &clip);
    Ok(Built { clip, report })
}

/// Returns the reference pose. Returns `Err` if its clip is missing or does not fit, or if its time is outside the clip.
fn reference(input: &Input, settings: &Settings) -> Result<Pose, BuildError> {
    match settings.reference {
        Reference::Rest => Ok(Pose::rest(input.skeleton)),
        Reference::FirstFrame => Ok(input.clip.pose_at(input.skeleton, 0.0)),
        Reference::Clip => {
            let clip = input.reference.ok_or(BuildError::NoClip)?;
            clip.check_fits(input.skeleton)?;
            // Key times are 32-bit, so the last frame may be later than the length by rounding.
            let length = clip.duration;
            if !(0.0..=length + 1e-6).contains(&settings.at) {
                return Err(BuildError::BadTime { at: settings.at, length });
            }
            Ok(clip.pose_at(input.skeleton, settings.at.min(length)))
        }
    }
}

/// Returns the curves of one joint as differences from `reference`, in the axes of the joint or of its parent. A joint without a
/// curve gets a key if its rest differs from the reference.
fn difference(skeleton: &Skeleton, joint: usize, reference: &Pose, space: Space, tracks: &JointTracks) -> JointTracks {
    let node = &skeleton.joints[joint];
    let (rest, from) = (node.rest, reference.locals[joint]);
    let shift = rest.translation - from.translation;
    let [before, after] = match space {
        Space::Parent => [Quat::IDENTITY, from.rotation.conjugate() * rest.rotation],
        Space::Local | Space::Character => [rest.rotation * from.rotation.conjugate(), Quat::IDENTITY],
    };
    // A reference scale of 0 has no ratio, so the rest scale stays.
    let is_zero = from.scale.abs().cmple(Vec3::splat(f32::EPSILON));
    let factor = Vec3::select(is_zero, Vec3::ZERO, rest.scale / from.scale);
    let stays = Vec3::select(is_zero, rest.scale, Vec3::ZERO);
    let rows = node.first_morph..node.first_morph + node.morph_count;
    let [rest_morphs, from_morphs] = [&skeleton.rest_morphs[rows.clone()], &reference.morphs[rows]];
    JointTracks {
        translation: mapped(&tracks.translation, &[rest.translation], &[from.translation], |_, is_tangent, value| {
            if is_tangent { value } else { value + shift }
        }),
        rotation: mapped(&tracks.rotation, &[rest.rotation], &[from.rotation], |_, _, value| before * value * after),
        scale: mapped(&tracks.scale, &[rest.scale], &[from.scale], |_, is_tangent, value| {
            if is_tangent { value * factor } else { value * factor + stays }
        }),
        morphs: mapped(&tracks.morphs, rest_morphs, from_morphs, |row, is_tangent, value| {
            if is_tangent { value } else { value + (rest_morphs[row] - from_morphs[row]) }
        }),
        not_unit: tracks.not_unit,
    }
}

/// Returns the curve `track`, or the `rest` of a joint without one, with `change` applied to each value: its place in the row
/// of a key, whether it is a tangent, and the value. Returns `None` without a curve if the rest is the reference `from`.
fn mapped<T: Copy + PartialEq>(
    track: &Option<Curve<T>>,
    rest: &[T],
    from: &[T],
    change: impl Fn(usize, bool, T) -> T,
) -> Option<Curve<T>> {
    match track.as_ref().filter(|curve| !curve.times.is_empty()) {
        Some(curve) => Some(map_rows(curve, rest.len(), change)),
        None => (rest != from).then(|| {
            let at_rest =
                Curve { interpolation: Interpolation::Linear, times: vec![0.0].into(), values: rest.to_vec().into() };
            map_rows(&at_rest, rest.len(), change)
        }),
    }
}

/// Replaces the rotations of `clip`, the difference in local axes, by those in the axes of the character, with a key on every
/// frame. Returns `Err` if `progress` is cancelled.
fn turn_in_character_axes(
    input: &Input,
    reference: &Pose,
    clip: &mut Clip,
    progress: &Progress,
) -> Result<(), BuildError> {
    let skeleton = input.skeleton;
    let times = frame_times(input.clip, 0..skeleton.len(), input.fps);
    let from = rotations(skeleton, reference);
    let rest = rotations(skeleton, &Pose::rest(skeleton));
    let mut poses = Vec::with_capacity(times.len());
    for (frame, &time) in times.iter().enumerate() {
        progress.step(frame, times.len())?;
        let own = rotations(skeleton, &input.clip.pose_at(skeleton, time));
        let turned: Vec<DQuat> =
            (0..skeleton.len()).map(|joint| own[joint] * from[joint].inverse() * rest[joint]).collect();
        let mut pose = clip.pose_at(skeleton, time);
        for (joint, node) in skeleton.joints.iter().enumerate() {
            let parent = node.parent.map_or(DQuat::IDENTITY, |parent| turned[parent]);
            pose.locals[joint].rotation = (parent.inverse() * turned[joint]).normalize().as_quat();
        }
        poses.push(pose);
    }
    write_poses(skeleton, clip, &PoseSpan { times: &times, first: 0, poses: &poses });
    Ok(())
}

/// Returns the rotation of each joint relative to the character: the product of the rotations down to it, without scales.
fn rotations(skeleton: &Skeleton, pose: &Pose) -> Vec<DQuat> {
    let mut all: Vec<DQuat> = Vec::with_capacity(skeleton.len());
    for (joint, node) in skeleton.joints.iter().enumerate() {
        let parent = node.parent.map_or(DQuat::IDENTITY, |parent| all[parent]);
        all.push((parent * pose.locals[joint].rotation.as_dquat()).normalize());
    }
    all
}

/// Measures how far the difference `clip` is from the rest pose.
fn report(input: &Input, settings: &Settings, clip: &Clip) -> Report {
    let rest = Pose::rest(input.skeleton);
    let mut turns = vec![0.0_f64; input.skeleton.len()];
    let mut is_different = vec![false; input.skeleton.len()];
    for time in frame_times(clip, 0..input.skeleton.len(), input.fps) {
        let pose = clip.pose_at(input.skeleton, time);
        for (joint, (local, rest)) in pose.locals.iter().zip(&rest.locals).enumerate() {
            turns[joint] = turns[joint].max(angle_between(local.rotation, rest.rotation).to_degrees());
            let size = rest.translation.length().max(1.0);
            is_different[joint] |= turns[joint] > STILL_DEGREES
                || local.translation.distance(rest.translation) > STILL_FRACTION * size
                || local.scale.distance(rest.scale) > STILL_FRACTION;
        }
    }
    let most = (0..turns.len()).max_by(|&a, &b| turns[a].total_cmp(&turns[b])).filter(|&joint| turns[joint] > 0.0);
    let frame = input.reference.filter(|_| settings.reference == Reference::Clip);
    Report {
        reference: settings.reference,
        frame: frame.map(|clip| (clip.name.clone(), settings.at)),
        space: settings.space,
        joints: is_different.iter().filter(|different| **different).count(),
        turn: most.map_or(0.0, |joint| turns[joint]),
        most_turned: most.map(|joint| input.skeleton.joints[joint].name.clone()),
    }
}

#[cfg(test)]
mod tests;
