//! What of a body besides its feet must not be in the ground: the back of one that lies, the hands of one that crawls.

use super::frames::Frames;
use super::{Input, evened_frames, raise};
use crate::anim::Pose;
use crate::anim::root_motion::smallness;

/// Metres under the ground up to which a body is left where it was laid; a small one by less.
const SEEN: f64 = 0.04;

/// The same of the body of `input`.
pub(super) fn seen(input: &Input) -> f64 {
    SEEN * smallness(input.skeleton, input.metres_per_unit)
}

/// Whether a joint of the trunk or the limbs is seen to be in the ground in one of `poses`.
pub(super) fn is_in_ground(input: &Input, poses: &[Pose]) -> bool {
    depths(input, poses).iter().any(|depth| depth * input.metres_per_unit > seen(input))
}

/// How far such a joint is under the ground in each of `poses`, world units.
pub(super) fn depths(input: &Input, poses: &[Pose]) -> Vec<f64> {
    let body = input.roles.trunk_and_limbs(input.skeleton);
    deepest(input, &body, poses).into_iter().map(|depth| depth.max(0.0)).collect()
}

/// How far the hips can come down in each of `poses` before what hangs on them besides the legs is in the ground, world units.
pub(super) fn clearances(input: &Input, poses: &[Pose]) -> Vec<f64> {
    let is_of_leg = |joint: usize| input.roles.legs.iter().any(|leg| input.skeleton.is_within(joint, leg.thigh));
    let mut body = input.roles.trunk_and_limbs(input.skeleton);
    body.retain(|&joint| !is_of_leg(joint));
    deepest(input, &body, poses).into_iter().map(|depth| (-depth).max(0.0)).collect()
}

/// How far the one of `joints` that is deepest is under the ground in each of `poses`, world units; below 0 above it.
fn deepest(input: &Input, joints: &[usize], poses: &[Pose]) -> Vec<f64> {
    let unit = input.metres_per_unit;
    let mut world = Vec::new();
    let depth = |pose: &Pose| {
        pose.world_from_joints(input.skeleton, &mut world);
        let of_joint = |&joint: &usize| {
            let place = glam::Vec3::from(world[joint].translation).as_dvec3();
            Some((input.ground)(place * unit)? / unit - place.y).filter(|depth| depth.is_finite())
        };
        joints.iter().filter_map(of_joint).fold(f64::NEG_INFINITY, f64::max)
    };
    poses.iter().map(depth).collect()
}

/// Raises `poses` softly to where nothing of the body is in the ground; answers how far each, world units.
pub(super) fn raise_out(input: &Input, frames: Frames, poses: &mut [Pose]) -> Vec<f64> {
    let rises = evened_frames(&depths(input, poses), frames);
    poses.iter_mut().zip(&rises).for_each(|(pose, &rise)| raise(input, input.root.joint, rise, pose));
    rises
}
