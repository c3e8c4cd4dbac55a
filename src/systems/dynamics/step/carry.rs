//! What moves the whole state at once: a centre, a jump, the seam of a loop.

use glam::{DQuat, DVec3};

use super::{State, place_bodies, place_carriers, rest, start_of, turned};
use crate::anim::Pose;
use crate::systems::dynamics::place::Place;
use crate::systems::dynamics::rig::{Bone, Rig};
use crate::systems::dynamics::settings::TeleportRule;

/// Carries every chain that has a centre along with it.
pub(super) fn follow_centres(rig: &Rig, state: &mut State, old: &[Place]) {
    for (chain, slot) in rig.centres.iter().enumerate() {
        if let Some(slot) = *slot {
            let way = old[slot].rigid_to(&state.carriers[slot]);
            carry(rig, state, |bone| bone.chain == chain, way);
        }
    }
}

/// Applies the jump rule to every tree whose anchor moved further than the settings allow in `h` seconds.
pub(super) fn jump(rig: &Rig, state: &mut State, old: &[Place], pose: &Pose, h: f64) {
    for tree in 0..rig.anchors.len() {
        let Some(slot) = rig.anchors[tree] else { continue };
        let (from, to) = (old[slot], state.carriers[slot]);
        let turned = from.rotation.dot(to.rotation).abs().min(1.0).acos() * 2.0;
        let far = from.position.distance(to.position) > rig.teleport.speed * h;
        match rig.teleport.rule {
            _ if !far && turned <= rig.teleport.turn * h => {}
            // What has a centre was carried along with that already.
            TeleportRule::Carry => {
                let carried = |bone: &Bone| bone.tree == tree && rig.centres[bone.chain].is_none();
                carry(rig, state, carried, from.rigid_to(&to));
            }
            TeleportRule::Reset => reset(rig, state, tree, pose),
        }
    }
}

/// Carries the whole state over the seam of a looping clip, whose last pose it has and whose first is `first`.
pub fn carry_over_seam(rig: &Rig, state: &mut State, first: &Pose) {
    let old = state.carriers.clone();
    place_carriers(rig, first, &mut state.carriers);
    for tree in 0..rig.anchors.len() {
        if let Some(slot) = rig.anchors[tree] {
            carry(rig, state, |bone| bone.tree == tree, old[slot].rigid_to(&state.carriers[slot]));
        }
    }
    place_bodies(rig, &state.carriers, &mut state.bodies);
    // Ends of clips rarely meet to the last bit: the bones keep direction and speed on the first pose's own joints.
    for (index, bone) in rig.bones.iter().enumerate() {
        let tip = state.bones[index].tip();
        let start = start_of(rig, bone, &state.carriers, &state.bones, first);
        state.bones[index] = turned(start, state.bones[index].along, &mut state.axes[index]);
        state.previous[index] += state.bones[index].tip() - tip;
        let start = start_of(rig, bone, &state.carriers, &state.shown, first);
        state.shown[index] = turned(start, state.shown[index].along, &mut state.axes[index]);
    }
}

fn carry(rig: &Rig, state: &mut State, which: impl Fn(&Bone) -> bool, (turn, shift): (DQuat, DVec3)) {
    for index in (0..rig.bones.len()).filter(|&index| which(&rig.bones[index])) {
        state.previous[index] = turn * state.previous[index] + shift;
        state.axes[index] = turn * state.axes[index];
        for lie in [&mut state.bones[index], &mut state.shown[index]] {
            lie.place.position = turn * lie.place.position + shift;
            lie.place.rotation = turn * lie.place.rotation;
            lie.along = turn * lie.along;
        }
    }
}

fn reset(rig: &Rig, state: &mut State, tree: usize, pose: &Pose) {
    for (index, bone) in rig.bones.iter().enumerate().filter(|(_, bone)| bone.tree == tree) {
        let start = start_of(rig, bone, &state.carriers, &state.bones, pose);
        rest(rig, state, index, start);
        state.shown[index] = state.bones[index];
        state.previous[index] = state.bones[index].tip();
    }
}
