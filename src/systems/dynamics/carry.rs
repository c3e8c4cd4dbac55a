//! What moves the whole state rigidly: a center, a jump, the seam of a loop.

use super::bone::Bone;
use super::rig::DynamicsRig;
use super::settings::{Teleport, TeleportRule};
use super::state::State;
use super::world_transform::{RigidMotion, WorldTransform};
use crate::anim::Pose;

/// Carries every chain that has a center along with it; `old` is where the kinematic joints were.
pub(super) fn follow_centers(rig: &DynamicsRig, state: &mut State, old: &[WorldTransform]) {
    for (chain, center) in rig.centers.iter().enumerate() {
        if let Some(center) = *center {
            let motion = old[center].rigid_to(&state.kinematic[center]);
            carry(rig, state, |bone| bone.chain == chain, motion);
        }
    }
}

/// What counts as a jump in one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    /// Metres squared.
    far_squared: f64,
    /// Cosine of half the angle; −1 where no turn is a jump.
    half_turn: f64,
}

impl Jump {
    /// What `teleport` calls one in `h` seconds: speeds, not distances, so that the verdict does not depend on the length of the step.
    pub fn new(teleport: &Teleport, h: f64) -> Self {
        let (far, half) = (teleport.speed * h, 0.5 * teleport.turn * h);
        // Half a turn is as far as two rotations can be apart.
        let half_turn = if half < std::f64::consts::FRAC_PI_2 { half.cos() } else { -1.0 };
        Self { far_squared: far * far, half_turn }
    }

    fn is_jump(&self, from: &WorldTransform, to: &WorldTransform) -> bool {
        let far = from.position.distance_squared(to.position) > self.far_squared;
        far || from.rotation.dot(to.rotation).abs() < self.half_turn
    }
}

/// Applies the teleport rule to every tree whose anchor jumped.
pub(super) fn teleport(rig: &DynamicsRig, state: &mut State, old: &[WorldTransform], pose: &Pose, jump: Jump) {
    for tree in 0..rig.anchors.len() {
        let Some(anchor) = rig.anchors[tree] else { continue };
        let (from, to) = (&old[anchor], &state.kinematic[anchor]);
        if !jump.is_jump(from, to) {
            continue;
        }
        match rig.teleport.rule {
            // What has a center was carried along with that already.
            TeleportRule::Carry => {
                let carried = |bone: &Bone| bone.tree == tree && rig.centers[bone.chain].is_none();
                let motion = from.rigid_to(to);
                carry(rig, state, carried, motion);
            }
            TeleportRule::Reset => reset(rig, state, tree, pose),
        }
    }
}

/// Carries the whole state over the seam of a looping clip, whose last pose it has and whose first is `first`.
pub(super) fn carry_over_seam(rig: &DynamicsRig, state: &mut State, first: &Pose) {
    let old = state.kinematic.clone();
    state.place_kinematic(rig, first);
    for tree in 0..rig.anchors.len() {
        if let Some(anchor) = rig.anchors[tree] {
            let motion = old[anchor].rigid_to(&state.kinematic[anchor]);
            carry(rig, state, |bone| bone.tree == tree, motion);
        }
    }
    state.place_colliders(rig);
    // Ends of clips rarely meet to the last bit: the bones keep direction and speed on the first pose's own joints.
    for (index, bone) in rig.bones.iter().enumerate() {
        let tip = state.bones[index].tip();
        let animated = state.animated_bone(rig, bone, &state.bones, first);
        state.bones[index] = animated.rotated(state.bones[index].direction, &mut state.axes[index]);
        state.previous_tips[index] += state.bones[index].tip() - tip;
        let animated = state.animated_bone(rig, bone, &state.shown, first);
        state.shown[index] = animated.rotated(state.shown[index].direction, &mut state.axes[index]);
    }
}

fn carry(rig: &DynamicsRig, state: &mut State, which: impl Fn(&Bone) -> bool, motion: RigidMotion) {
    for index in (0..rig.bones.len()).filter(|&index| which(&rig.bones[index])) {
        state.previous_tips[index] = motion.apply(state.previous_tips[index]);
        state.axes[index] = motion.rotation * state.axes[index];
        for bone in [&mut state.bones[index], &mut state.shown[index]] {
            bone.joint = motion.apply_to_joint(&bone.joint);
            bone.direction = motion.rotation * bone.direction;
        }
    }
}

fn reset(rig: &DynamicsRig, state: &mut State, tree: usize, pose: &Pose) {
    for (index, bone) in rig.bones.iter().enumerate().filter(|(_, bone)| bone.tree == tree) {
        let animated = state.animated_bone(rig, bone, &state.bones, pose);
        state.lay_at_rest(rig, index, &animated);
        state.shown[index] = state.bones[index];
        state.previous_tips[index] = state.bones[index].tip();
    }
}
