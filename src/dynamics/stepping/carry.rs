//! Rigid motions of the state: a center joint, a jump, the seam of a loop.

use super::world_transform::{RigidMotion, WorldTransform};
use crate::chains::bone::Bone;
use crate::chains::rig::DynamicsRig;
use crate::chains::state::State;
use crate::settings::{Teleport, TeleportRule};
use portamento_anim::Pose;

/// Moves every chain that has a center along with it. `old` are the kinematic joints at the previous step.
pub(crate) fn follow_centers(rig: &DynamicsRig, state: &mut State, old: &[WorldTransform]) {
    for (chain, center) in rig.centers.iter().enumerate() {
        if let Some(center) = *center {
            let motion = old[center].rigid_to(&state.kinematic[center]);
            carry(rig, state, |bone| bone.chain == chain, motion);
        }
    }
}

/// Thresholds above which a step counts as a jump.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jump {
    /// Squared distance, m².
    max_distance_squared: f64,
    /// Cosine of half the angle; −1 where no rotation is a jump.
    min_half_angle_cosine: f64,
}

impl Jump {
    /// Returns the thresholds of `teleport` for a step of `h` seconds. They are speeds, not distances, so that the result
    /// does not depend on the length of the step.
    pub fn new(teleport: &Teleport, h: f64) -> Self {
        let (far, half) = (teleport.speed * h, 0.5 * teleport.turn * h);
        // Two rotations are at most half a turn apart.
        let min_half_angle_cosine = if half < std::f64::consts::FRAC_PI_2 { half.cos() } else { -1.0 };
        Self { max_distance_squared: far * far, min_half_angle_cosine }
    }

    /// True if the step from `from` to `to` exceeds a threshold.
    fn is_jump(&self, from: &WorldTransform, to: &WorldTransform) -> bool {
        let far = from.position.distance_squared(to.position) > self.max_distance_squared;
        far || from.rotation.dot(to.rotation).abs() < self.min_half_angle_cosine
    }
}

/// Applies the teleport rule to every tree whose anchor jumped.
pub(crate) fn teleport(rig: &DynamicsRig, state: &mut State, old: &[WorldTransform], pose: &Pose, jump: Jump) {
    for tree in 0..rig.anchors.len() {
        let Some(anchor) = rig.anchors[tree] else { continue };
        let (from, to) = (&old[anchor], &state.kinematic[anchor]);
        if !jump.is_jump(from, to) {
            continue;
        }
        match rig.teleport.rule {
            // A chain with a center was already moved by it.
            TeleportRule::Carry => {
                let carried = |bone: &Bone| bone.tree == tree && rig.centers[bone.chain].is_none();
                let motion = from.rigid_to(to);
                carry(rig, state, carried, motion);
            }
            TeleportRule::Reset => reset(rig, state, tree, pose),
        }
    }
}

/// Carries the state over the seam of a looping clip, from its last pose to its first pose `first`. Also sets the kinematic
/// joints and the colliders to those of `first`.
pub(crate) fn carry_over_seam(rig: &DynamicsRig, state: &mut State, first: &Pose) {
    let old = state.kinematic.clone();
    state.place_kinematic(rig, first);
    for tree in 0..rig.anchors.len() {
        if let Some(anchor) = rig.anchors[tree] {
            let motion = old[anchor].rigid_to(&state.kinematic[anchor]);
            carry(rig, state, |bone| bone.tree == tree, motion);
        }
    }
    state.place_colliders(rig);
    // The ends of clips rarely match to the last bit: the bones keep direction and speed on the joints of the first pose.
    for (index, bone) in rig.bones.iter().enumerate() {
        let tip = state.bones[index].tip();
        let animated = state.animated_bone(rig, bone, &state.bones, first);
        state.bones[index] = animated.rotated(state.bones[index].direction, &mut state.axes[index]);
        state.previous_tips[index] += state.bones[index].tip() - tip;
        let animated = state.animated_bone(rig, bone, &state.shown, first);
        state.shown[index] = animated.rotated(state.shown[index].direction, &mut state.axes[index]);
    }
}

/// Moves the bones that `selects` accepts rigidly by `motion`, with their previous tips, so that they keep their speed relative
/// to it.
fn carry(rig: &DynamicsRig, state: &mut State, selects: impl Fn(&Bone) -> bool, motion: RigidMotion) {
    for index in (0..rig.bones.len()).filter(|&index| selects(&rig.bones[index])) {
        state.previous_tips[index] = motion.apply(state.previous_tips[index]);
        state.axes[index] = motion.rotation * state.axes[index];
        for bone in [&mut state.bones[index], &mut state.shown[index]] {
            bone.joint = motion.apply_to_joint(&bone.joint);
            bone.direction = motion.rotation * bone.direction;
        }
    }
}

/// Sets the bones of `tree` to the animation `pose`, without speed.
fn reset(rig: &DynamicsRig, state: &mut State, tree: usize, pose: &Pose) {
    for (index, bone) in rig.bones.iter().enumerate().filter(|(_, bone)| bone.tree == tree) {
        let animated = state.animated_bone(rig, bone, &state.bones, pose);
        state.pose_at_rest(rig, index, &animated);
        state.shown[index] = state.bones[index];
        state.previous_tips[index] = state.bones[index].tip();
    }
}
