//! A clip on every frame: local poses, and where the joints are beside what carries the body.

use glam::{Affine3A, DAffine3, DQuat, DVec3};

use super::input::Input;
use crate::anim::root_motion::{headings, path, rest_at};
use crate::anim::{Clip, Pose, RootMotion};
use crate::progress::{Cancelled, Progress};

/// Longer clips are not looked at, seconds.
const LONGEST: f64 = 3600.0;

/// A clip on every frame of its rate, or on every key where these tell frames and no rate does.
pub(super) struct Frames {
    /// Seconds between two.
    pub step: f64,
    pub times: Vec<f64>,
    /// Local transforms, one pose per frame.
    pub poses: Vec<Pose>,
    /// What carries the body.
    pub carrier: usize,
    /// Its world places, in the file's unit.
    pub root: Vec<DVec3>,
    /// The same at rest.
    pub root_at_rest: DVec3,
    /// Where the body looks about +Y, radians since the rest pose.
    pub headings: Vec<f64>,
}

impl Frames {
    pub fn sample(input: &Input, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let Input { skeleton, clip, .. } = *input;
        let fits = clip.check_fits(skeleton).is_ok() && (0.0..=LONGEST).contains(&clip.duration);
        let Some(root) = RootMotion::find(skeleton, clip, input.roles).filter(|_| fits) else { return Ok(None) };
        let times = clip.even_keys().unwrap_or_else(|| of_rate(clip));
        let last = times.len() - 1;
        let pose = |(frame, &time): (usize, &f64)| {
            progress.step(frame, times.len())?;
            Ok(clip.pose_at(skeleton, time))
        };
        let poses: Vec<Pose> = times.iter().enumerate().map(pose).collect::<Result<_, Cancelled>>()?;
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

    /// Where all joints of a frame are beside the place on the ground under the body, looking as the body looks.
    pub(super) fn beside_root(&self, input: &Input, frame: usize) -> Vec<DVec3> {
        let carrier = DAffine3::from_rotation_translation(
            DQuat::from_rotation_y(self.headings[frame]),
            self.root[frame].with_y(0.0),
        );
        let inverse = carrier.inverse();
        let mut world: Vec<Affine3A> = Vec::new();
        self.poses[frame].world_from_joints(input.skeleton, &mut world);
        world.iter().map(|place| inverse.transform_point3(place.translation.as_dvec3())).collect()
    }
}

/// Every frame of the clip's rate, at least its start and its end.
fn of_rate(clip: &Clip) -> Vec<f64> {
    let count = (clip.duration * clip.fps()).round().max(1.0);
    (0..=count as usize).map(|frame| clip.duration * frame as f64 / count).collect()
}
