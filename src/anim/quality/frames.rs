//! A clip sampled at every frame: local poses, and joint positions relative to the joint that carries the body.

use glam::{Affine3A, DAffine3, DQuat, DVec3};

use super::input::Input;
use crate::parallel_map::parallel_map;
use crate::root_motion::{headings, path, rest_at};
use crate::{Clip, Pose, RootMotion};
use portamento_base::progress::{Cancelled, Progress};

/// Maximum clip length that is measured.
const MAX_SECONDS: f64 = 3600.0;

/// A clip sampled at every frame of its rate, or at its keys if they are evenly spaced and have no rate.
pub(super) struct Frames {
    /// Seconds between two frames.
    pub step: f64,
    /// Times of the frames, seconds; at least two.
    pub times: Vec<f64>,
    /// Local transforms, one pose per frame.
    pub poses: Vec<Pose>,
    /// The joint that carries the body.
    pub carrier: usize,
    /// World positions of the carrier, in the file's unit.
    pub root: Vec<DVec3>,
    /// World position of the carrier in the rest pose.
    pub root_at_rest: DVec3,
    /// Heading of the body about +Y, radians relative to the rest pose.
    pub headings: Vec<f64>,
}

impl Frames {
    /// Samples the clip of `input` at every frame.
    ///
    /// Returns `Ok(None)` if the clip belongs to another skeleton, is longer than [`MAX_SECONDS`], or contains numbers that are
    /// not finite, and for a skeleton without joints. Returns `Err` if `progress` is cancelled.
    pub fn sample(input: &Input, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let Input { skeleton, clip, .. } = *input;
        let fits = clip.check_fits(skeleton).is_ok() && (0.0..=MAX_SECONDS).contains(&clip.duration);
        let Some(root) = RootMotion::find(skeleton, clip, input.roles).filter(|_| fits) else { return Ok(None) };
        let times = clip.even_keys().unwrap_or_else(|| frame_times(clip));
        let last = times.len() - 1;
        let pose = |frame: usize| clip.pose_at(skeleton, times[frame]);
        let poses = parallel_map(times.len(), skeleton.len(), progress, pose)?;
        let is_finite = poses.iter().all(|pose| pose.locals.iter().all(|local| local.is_finite()));
        Ok(is_finite.then(|| Self {
            step: (times[last] - times[0]) / last as f64,
            carrier: root.joint,
            root_at_rest: rest_at(skeleton, root.joint).translation,
            root: path(skeleton, clip, root.joint, &times),
            headings: headings(skeleton, clip, root.joint, &times),
            times,
            poses,
        }))
    }

    /// Returns the positions of all joints at `frame` in the file's unit, relative to the ground point under the body and its
    /// heading.
    pub(super) fn relative_to_root(&self, input: &Input, frame: usize) -> Vec<DVec3> {
        let carrier = DAffine3::from_rotation_translation(
            DQuat::from_rotation_y(self.headings[frame]),
            self.root[frame].with_y(0.0),
        );
        let inverse = carrier.inverse();
        let mut world: Vec<Affine3A> = Vec::new();
        self.poses[frame].world_from_joints(input.skeleton, &mut world);
        world.iter().map(|world| inverse.transform_point3(world.translation.as_dvec3())).collect()
    }
}

/// Returns the number of frames of the clip's rate, at least two. NaN and negative durations give two.
pub(super) fn frame_count(clip: &Clip) -> usize {
    (clip.duration * clip.fps()).round().max(1.0) as usize + 1
}

/// Returns the times of all frames of the clip's rate, seconds, evenly from the start to the end and including both.
fn frame_times(clip: &Clip) -> Vec<f64> {
    let count = (frame_count(clip) - 1) as f64;
    (0..=count as usize).map(|frame| clip.duration * frame as f64 / count).collect()
}
