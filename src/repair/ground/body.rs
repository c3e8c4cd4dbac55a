//! Ground penetration of body parts other than feet, such as the back of a lying body or the hands of a crawling one.

use super::frames::Frames;
use super::{Input, raise, soft_envelope};
use portamento_anim::Pose;
use portamento_anim::root_motion::size_factor;

/// Depth in the ground above which a body is raised, metres, for a body of normal size. Tuned; no derivation recorded.
const BODY_DEPTH_MIN_M: f64 = 0.04;

/// Returns the depth above which the body of `input` is raised, metres: proportionally less for a small body.
pub(super) fn depth_threshold(input: &Input) -> f64 {
    BODY_DEPTH_MIN_M * size_factor(input.skeleton, input.metres_per_unit)
}

/// True if a joint of the trunk or the limbs is deeper in the ground than the threshold in any of `poses`.
pub(super) fn is_in_ground(input: &Input, poses: &[Pose]) -> bool {
    depths(input, poses).iter().any(|depth| depth * input.metres_per_unit > depth_threshold(input))
}

/// Returns the depth in the ground of the deepest joint of trunk and limbs in each of `poses`, world units; 0 above the ground.
pub(super) fn depths(input: &Input, poses: &[Pose]) -> Vec<f64> {
    let body = input.roles.trunk_and_limbs(input.skeleton);
    deepest(input, &body, poses).into_iter().map(|depth| depth.max(0.0)).collect()
}

/// Returns how far the hips can be lowered in each of `poses` before a descendant outside the legs touches the ground, world
/// units; infinite without ground.
pub(super) fn clearances(input: &Input, poses: &[Pose]) -> Vec<f64> {
    let is_of_leg = |joint: usize| input.roles.legs.iter().any(|leg| input.skeleton.is_within(joint, leg.thigh));
    let mut body = input.roles.trunk_and_limbs(input.skeleton);
    body.retain(|&joint| !is_of_leg(joint));
    deepest(input, &body, poses).into_iter().map(|depth| (-depth).max(0.0)).collect()
}

/// Returns the depth of the deepest of `joints` in each of `poses`, world units; negative above the ground and −∞ without ground.
fn deepest(input: &Input, joints: &[usize], poses: &[Pose]) -> Vec<f64> {
    let unit = input.metres_per_unit;
    let mut world = Vec::new();
    let depth = |pose: &Pose| {
        pose.world_from_joints(input.skeleton, &mut world);
        let of_joint = |&joint: &usize| {
            let position = glam::Vec3::from(world[joint].translation).as_dvec3();
            Some((input.ground)(position * unit)? / unit - position.y).filter(|depth| depth.is_finite())
        };
        joints.iter().filter_map(of_joint).fold(f64::NEG_INFINITY, f64::max)
    };
    poses.iter().map(depth).collect()
}

/// Raises `poses` smoothly until no body part is in the ground. Returns the rise of each, world units.
pub(super) fn raise_out(input: &Input, frames: Frames, poses: &mut [Pose]) -> Vec<f64> {
    let rises = soft_envelope(&depths(input, poses), frames);
    poses.iter_mut().zip(&rises).for_each(|(pose, &rise)| raise(input, input.root.joint, rise, pose));
    rises
}
