//! What moves the whole state rigidly: a center, a jump, the seam of a loop.

use super::rig::{Bone, DynamicsRig};
use super::settings::TeleportRule;
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

/// Applies the teleport rule to every tree whose anchor moved further than the settings allow in `h` seconds.
pub(super) fn teleport(rig: &DynamicsRig, state: &mut State, old: &[WorldTransform], pose: &Pose, h: f64) {
    for tree in 0..rig.anchors.len() {
        let Some(anchor) = rig.anchors[tree] else { continue };
        let (from, to) = (old[anchor], state.kinematic[anchor]);
        // Rounding may take the dot product of equal rotations past 1, where the arc cosine is NaN.
        let turned = from.rotation.dot(to.rotation).abs().min(1.0).acos() * 2.0;
        // Speeds, not distances, so that the verdict does not depend on the length of the step.
        let far = from.position.distance(to.position) > rig.teleport.speed * h;
        match rig.teleport.rule {
            _ if !far && turned <= rig.teleport.turn * h => {}
            // What has a center was carried along with that already.
            TeleportRule::Carry => {
                let carried = |bone: &Bone| bone.tree == tree && rig.centers[bone.chain].is_none();
                carry(rig, state, carried, from.rigid_to(&to));
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
