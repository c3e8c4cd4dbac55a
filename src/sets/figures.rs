//! The figures of a clip that contracts limit.

use std::collections::BTreeMap;

use glam::{Affine3A, DAffine3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::aim::{Aim, aims};
use crate::contract::SetRequirements;
use crate::stride::{Stride, strides};
use portamento_anim::quality::{Input, Quality, quality};
use portamento_anim::root_motion::{headings, path, rig_size};
use portamento_anim::{Clip, RootKind, RootMotion};
use portamento_base::progress::{Cancelled, Progress};

/// A clip of a file. Files are named as the user sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClipName {
    /// Name of the file.
    pub file: String,
    /// Name of the clip.
    pub clip: String,
}

/// A clip with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: ClipName,
    /// Names of all joints, and true for those that have a curve.
    pub joints: BTreeMap<String, bool>,
    /// Its figures; `None` if the clip cannot be measured.
    pub figures: Option<Figures>,
}

/// Figures of a clip, in metres, seconds and degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Quality figures of the clip.
    pub quality: Quality,
    /// Number of frames at its key rate, with the last; `None` without a rate.
    pub frames: Option<usize>,
    /// True if the clip is one pose: no curve has several keys.
    pub is_pose: bool,
    /// Diagonal of the box around all joints at rest, metres.
    pub size: f64,
    /// The strides of its pairs of legs, in joint order; empty without legs.
    pub strides: Vec<Stride>,
    /// Largest change of a joint's velocity from one frame to the next within the clip, metres per second.
    pub velocity_change: f64,
    /// Poses at the first and the last frame.
    pub ends: [EndPose; 2],
    /// Directions to which a pose turns each joint, by the joint's name; empty for motions.
    pub aims: BTreeMap<String, Aim>,
    /// Name of the head.
    pub head: Option<String>,
}

/// Joints at one end of a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EndPose {
    /// Joints relative to the ground under the joint that carries the body, and to its heading.
    pub joints: JointStates,
    /// Joints relative to the ground under the root of the rig, and to its heading; empty without a root above the hips.
    pub by_root: JointStates,
    /// True if a joint above the hips carries the body.
    pub has_moving_root: bool,
}

/// Position in metres and velocity in metres per second of each joint, by name. The velocity includes that of the body.
pub type JointStates = BTreeMap<String, [DVec3; 2]>;

impl Member {
    /// Measures the clip of `input`.
    ///
    /// Returns `Err` if `progress` is cancelled.
    pub fn measure(name: ClipName, input: &Input, progress: &Progress) -> Result<Self, Cancelled> {
        let Input { skeleton, clip, .. } = *input;
        let has_curve = |joint: usize| clip.tracks.get(joint).is_some_and(|tracks| !tracks.is_empty());
        let named = skeleton.joints.iter().enumerate();
        let joints = named.map(|(index, joint)| (joint.name.clone(), has_curve(index))).collect();
        let figures = quality(input, progress)?.map(|quality| Figures::measure(input, quality));
        Ok(Self { name, joints, figures })
    }
}

impl Figures {
    /// Measures the figures of `input` beyond its `quality`.
    fn measure(input: &Input, quality: Quality) -> Self {
        let frames = quality.key_rate.map(|rate| (quality.seconds * rate).round() as usize + 1);
        let is_pose = input.clip.key_times().all(|times| times.len() < 2);
        let step = 1.0 / quality.key_rate.unwrap_or_else(|| input.clip.fps());
        Self {
            frames,
            is_pose,
            aims: if is_pose { aims(input) } else { BTreeMap::new() },
            head: input.roles.head.and_then(|head| Some(input.skeleton.joints.get(head)?.name.clone())),
            size: input.metres_per_unit * rig_size(input.skeleton),
            strides: strides(input),
            velocity_change: velocity_change(input, step),
            ends: ends(input, step),
            quality,
        }
    }
}

impl Figures {
    /// Returns the direction of a pose in the aim grid `set`; `None` for motions and without the joint.
    pub fn aim(&self, set: &SetRequirements) -> Option<Aim> {
        self.aims.get(set.aim_joint.as_ref().or(self.head.as_ref())?).copied()
    }
}

impl EndPose {
    /// Returns the largest difference of position, metres, and of velocity, metres per second, of a joint that both poses
    /// have; `None` if they share no joint. If the root moves in one of the clips, a game moves the root in both.
    pub fn difference(&self, other: &Self) -> Option<[f64; 2]> {
        let is_by_root = [self, other].iter().any(|pose| pose.has_moving_root)
            && [self, other].iter().all(|pose| !pose.by_root.is_empty());
        let [own, others] = [self, other].map(|pose| if is_by_root { &pose.by_root } else { &pose.joints });
        let shared = own.iter().filter_map(|(name, joint)| Some((joint, others.get(name)?)));
        let apart = |(a, b): (&[DVec3; 2], &[DVec3; 2])| [a[0].distance(b[0]), a[1].distance(b[1])];
        shared.map(apart).reduce(|a, b| [a[0].max(b[0]), a[1].max(b[1])])
    }
}

/// Returns the poses at both ends of the clip, in the space of [`joint_states`]. Velocities are those of the first
/// and the last `step` seconds, or of the whole clip if it is shorter. Both poses are empty if no joint carries the
/// body.
fn ends(input: &Input, step: f64) -> [EndPose; 2] {
    let Input { skeleton, clip, roles, .. } = *input;
    let Some(carrier) = RootMotion::find(skeleton, clip, roles) else { return Default::default() };
    let step = step.min(clip.duration).max(f64::MIN_POSITIVE);
    [[0.0, step], [clip.duration, clip.duration - step]].map(|times| EndPose {
        joints: joint_states(input, carrier.joint, times),
        by_root: roles.root(skeleton).map(|root| joint_states(input, root, times)).unwrap_or_default(),
        has_moving_root: carrier.kind == RootKind::Root,
    })
}

/// Returns position (metres) and velocity (m/s) of `root` and all joints below it at the time `end` (seconds), by
/// name. They are relative to the ground under `root` and to its heading. Velocities are those from the time `inside`
/// to `end`.
fn joint_states(input: &Input, root: usize, [end, inside]: [f64; 2]) -> JointStates {
    let Input { skeleton, clip, metres_per_unit, .. } = *input;
    let ground = path(skeleton, clip, root, &[end])[0].with_y(0.0);
    // The heading at a time depends on the times before it, because it does not jump by a turn.
    let heading = headings(skeleton, clip, root, &heading_times(clip, end)).last().copied().unwrap_or(0.0);
    let inverse = DAffine3::from_rotation_translation(DQuat::from_rotation_y(heading), ground).inverse();
    let [at_end, at_inside] = [end, inside].map(|time| positions(input, time));
    let joint = |joint: usize| {
        let [position, before] =
            [&at_end, &at_inside].map(|all| inverse.transform_point3(all[joint]) * metres_per_unit);
        (skeleton.joints[joint].name.clone(), [position, (position - before) / (end - inside)])
    };
    // Cameras and props outside the body do not have to meet.
    skeleton.subtree(root).into_iter().map(joint).collect()
}

/// Returns the largest change of a joint's velocity relative to the body's position on the ground, metres per second, over
/// frames of `step` seconds. 0 without root motion.
fn velocity_change(input: &Input, step: f64) -> f64 {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let Some(root) = RootMotion::find(skeleton, clip, roles) else { return 0.0 };
    let body = skeleton.subtree(root.joint);
    let mut frames: [Vec<DVec3>; 3] = Default::default();
    let (mut largest, count) = (0.0_f64, (clip.duration / step).round() as usize);
    for frame in 0..=count {
        frames.rotate_left(1);
        let world = positions(input, (frame as f64 * step).min(clip.duration));
        let ground = world[root.joint].with_y(0.0);
        frames[2] = body.iter().map(|&joint| world[joint] - ground).collect();
        let [before, at, after] = &frames;
        let changes =
            before.iter().zip(at).zip(after).map(|((before, at), after)| (*after - 2.0 * *at + *before).length());
        largest = changes.fold(largest, f64::max);
    }
    largest * metres_per_unit / step
}

/// Returns the world positions of all joints at `time` (seconds), in the file's unit.
fn positions(input: &Input, time: f64) -> Vec<DVec3> {
    let mut world: Vec<Affine3A> = Vec::new();
    input.clip.pose_at(input.skeleton, time).world_from_joints(input.skeleton, &mut world);
    world.iter().map(|world| world.translation.as_dvec3()).collect()
}

/// Returns the times of all frames up to `end`.
fn heading_times(clip: &Clip, end: f64) -> Vec<f64> {
    let count = (end * clip.fps()).ceil() as usize;
    (0..=count).map(|frame| if count == 0 { end } else { end * frame as f64 / count as f64 }).collect()
}
