//! Step of a single bone without lanes, and the contact search that bones of all lanes share.

use glam::DVec3;

use super::step_factors::{Follow, StepFactors};
use super::world_transform::{renormalize, slerp_direction};
use crate::chains::bone_pose::{AnimatedBone, LocalBone};
use crate::chains::rig::DynamicsRig;
use crate::chains::state::{ChainForces, State};
use crate::collide::contact::{Candidates, Contact, MovingCollider, Resolved, sweep};
use crate::collide::world_collider::WorldCollider;
use crate::settings::LengthCorrection;
use portamento_anim::Pose;

/// Factors and forces of all bones in one step.
#[derive(Clone, Copy)]
pub(crate) struct BoneStep<'a> {
    pub factors: &'a StepFactors,
    /// Forces by chain.
    pub forces: &'a [ChainForces],
    /// Colliders at the previous step.
    pub old_colliders: &'a [WorldCollider],
}

/// A bone and the direction it would take without contact.
pub(crate) struct BoneProposal<'a> {
    pub animated: &'a AnimatedBone,
    /// Direction before the step, unit vector.
    pub before: DVec3,
    /// Unit direction that it would have without angle limit and colliders.
    pub along: DVec3,
}

impl BoneStep<'_> {
    /// Simulates bone `index` without lanes. Also shows it if nothing smooths the shown bones.
    #[inline(never)]
    pub(crate) fn simulate_alone(&self, rig: &DynamicsRig, state: &mut State, pose: &Pose, index: usize) {
        let bone = &rig.bones[index];
        let animated = state.placed_bone(rig, bone, &state.bones, &LocalBone::new(bone, pose));
        self.simulate(rig, state, index, &animated);
        if self.factors.follow.is_none() {
            state.show(index, &animated, state.bones[index]);
        }
    }

    /// Advances bone `index` by one step, from `animated` on its simulated parent. A rigid bone gets the animated pose without
    /// contact.
    fn simulate(&self, rig: &DynamicsRig, state: &mut State, index: usize, animated: &AnimatedBone) {
        let (bone, factors) = (&rig.bones[index], self.factors);
        let (tip, before) = (state.bones[index].tip(), state.bones[index].direction);
        if animated.length == 0.0 {
            state.previous_tips[index] = tip;
            state.bones[index] = animated.pose();
            state.contacts[index] = Contact::default();
            return;
        }
        let gravity = rig.gravity * bone.gravity;
        // The bone's length cancels the gravity along it, so that part does no work.
        let across = gravity - before * gravity.dot(before);
        let acceleration = across + self.forces[bone.chain].wind + animated.direction * bone.stiffness;
        let inertia = (tip - state.previous_tips[index]) * (factors.retained_speed[index] * factors.inertia);
        let wanted = tip + inertia + acceleration * factors.h_squared;
        let offset = (wanted - animated.joint.position) / animated.length_along(before);
        let along = swing_direction(bone.length_correction, before, offset);
        let proposal = BoneProposal { animated, before, along };
        let Resolved { direction, contact } = self.resolve_simulated(rig, state, index, &proposal, tip);
        state.contacts[index] = contact;
        state.previous_tips[index] = tip;
        state.bones[index] = animated.rotated(direction, &mut state.axes[index]);
    }

    /// Returns the world direction of bone `index`, whose tip was at `tip` (metres), within its limit and outside all
    /// colliders.
    #[inline(never)]
    pub fn resolve_simulated(
        &self,
        rig: &DynamicsRig,
        state: &mut State,
        index: usize,
        proposal: &BoneProposal,
        tip: DVec3,
    ) -> Resolved {
        let (bone, &BoneProposal { animated, before, along }) = (&rig.bones[index], proposal);
        let start = animated.joint.position;
        let allowed = animated.allowed();
        let mut direction = allowed.nearest(along, before);
        // Sliding along one collider may lead to the next, but every path runs from `from` to the reach: the query uses a
        // ball around both.
        let from = self.forces[bone.chain].center_motion.map_or(tip, |motion| motion.undo(tip));
        let far = from.distance(start).max(animated.max_length()) + bone.radius;
        // Contact with balls is exact after one round; capsules need several.
        let any_elongated = state.broadphase.any_elongated;
        let indices = state.broadphase.query(start, far, &rig.collides[bone.chain]);
        for &collider in indices {
            let moving = MovingCollider { old: &self.old_colliders[collider], new: &state.colliders[collider] };
            let to = start + direction * animated.length_along(direction);
            if let Some(end) = sweep(moving, bone.radius, from, to) {
                direction = (end - start).try_normalize().unwrap_or(direction);
            }
        }
        let candidates = Candidates { colliders: &state.colliders, indices, any_elongated };
        animated.resolve(&candidates, &allowed, direction, before, &mut state.caps)
    }
}

/// Returns the direction of a bone after a step.
///
/// `before` is its unit direction, `offset` the vector from its start to the unconstrained tip in bone lengths. The tip
/// is projected back to the bone's length: towards its start, or along `before`.
pub(crate) fn swing_direction(correction: LengthCorrection, before: DVec3, offset: DVec3) -> DVec3 {
    if correction == LengthCorrection::AsPublished {
        return offset.try_normalize().unwrap_or(before);
    }
    let along = offset.dot(before);
    let across = offset - before * along;
    let sine_squared = across.length_squared();
    if sine_squared < 1.0 {
        let direction = before * (1.0 - sine_squared).sqrt() + across;
        return renormalize(direction, direction.length_squared());
    }
    // No point of the sphere lies there: the bone turns by more than a quarter turn in a step. The direction of the
    // offset decides by how much.
    let ahead = if along < 0.0 { offset } else { across };
    ahead.try_normalize().unwrap_or(before)
}

/// Shows bone `index` without lanes: part of the way from the shown to the simulated direction, outside all colliders.
#[inline(never)]
pub(crate) fn show_alone(rig: &DynamicsRig, state: &mut State, pose: &Pose, index: usize, follow: Follow) {
    let (bone, before) = (&rig.bones[index], state.shown[index].direction);
    let local = LocalBone::new(bone, pose);
    let animated = state.placed_bone(rig, bone, &state.shown, &local);
    if animated.length == 0.0 {
        return state.show(index, &animated, animated.pose());
    }
    let simulated = state.bones[index].direction;
    // The shown bone follows the animation and closes a share of the remaining angle to the simulated one.
    let carried = animated.joint.rotation * state.buffered[index];
    let mut wanted = slerp_direction(carried, simulated, follow.buffer);
    if follow.smoothing < 1.0 {
        wanted = slerp_direction(before, wanted, follow.smoothing);
    }
    let proposal = BoneProposal { animated: &animated, before, along: wanted };
    let Resolved { direction: free, contact } = resolve_shown(rig, state, index, &proposal);
    state.contacts[index] = contact;
    let shown = animated.rotated(free, &mut state.axes[index]);
    state.show(index, &animated, shown);
}

/// Returns the shown direction of bone `index` within its limit and outside all colliders.
#[inline(never)]
pub(crate) fn resolve_shown(rig: &DynamicsRig, state: &mut State, index: usize, proposal: &BoneProposal) -> Resolved {
    let (bone, &BoneProposal { animated, before, along }) = (&rig.bones[index], proposal);
    let (start, far) = (animated.joint.position, animated.max_length() + bone.radius);
    let any_elongated = state.broadphase.any_elongated;
    let indices = state.broadphase.query(start, far, &rig.collides[bone.chain]);
    let candidates = Candidates { colliders: &state.colliders, indices, any_elongated };
    let allowed = animated.allowed();
    animated.resolve(&candidates, &allowed, along, before, &mut state.caps)
}
