//! The step of one bone by itself, and what keeps bones out of colliders, one after the other.

use glam::DVec3;

use super::bone_pose::{AnimatedBone, LocalBone};
use super::contact::{Candidates, Contact, MovingCollider, Resolved, sweep};
use super::rig::DynamicsRig;
use super::state::{ChainForces, State};
use super::step_factors::{Follow, StepFactors};
use super::world_collider::WorldCollider;
use super::world_transform::{polished, slerp_direction};
use crate::anim::Pose;

/// What acts on the bones in one step.
#[derive(Clone, Copy)]
pub(super) struct BoneStep<'a> {
    pub factors: &'a StepFactors,
    /// One for each chain.
    pub forces: &'a [ChainForces],
    /// Where the colliders were before.
    pub old_colliders: &'a [WorldCollider],
}

/// A bone on its way to where it comes to lie.
pub(super) struct Settling<'a> {
    pub animated: &'a AnimatedBone,
    /// Its direction before the step.
    pub before: DVec3,
    /// The direction that it would have if nothing stopped it.
    pub along: DVec3,
}

impl BoneStep<'_> {
    /// Simulates bone `index` by itself, and shows it where nothing else is shown.
    #[inline(never)]
    pub(super) fn simulate_alone(&self, rig: &DynamicsRig, state: &mut State, pose: &Pose, index: usize) {
        let bone = &rig.bones[index];
        let animated = state.placed_bone(rig, bone, &state.bones, &LocalBone::new(bone, pose));
        self.simulate(rig, state, index, &animated);
        if self.factors.follow.is_none() {
            state.show(index, &animated, state.bones[index]);
        }
    }

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
        // Gravity along the bone is held by its length and does no work.
        let across = gravity - before * gravity.dot(before);
        let acceleration = across + self.forces[bone.chain].wind + animated.direction * bone.stiffness;
        let inertia = (tip - state.previous_tips[index]) * (factors.kept_speed[index] * factors.inertia);
        let wanted = tip + inertia + acceleration * factors.h_squared;
        let along = swung(before, (wanted - animated.joint.position) / animated.length_along(before));
        let settling = Settling { animated, before, along };
        let Resolved { direction, contact } = self.settled(rig, state, index, &settling, tip);
        state.contacts[index] = contact;
        state.previous_tips[index] = tip;
        state.bones[index] = animated.rotated(direction, &mut state.axes[index]);
    }

    /// Where bone `index`, whose tip was at `tip`, comes to lie within its limit and out of all colliders.
    #[inline(never)]
    pub fn settled(
        &self,
        rig: &DynamicsRig,
        state: &mut State,
        index: usize,
        settling: &Settling,
        tip: DVec3,
    ) -> Resolved {
        let (bone, &Settling { animated, before, along }) = (&rig.bones[index], settling);
        let start = animated.joint.position;
        let allowed = animated.allowed();
        let mut direction = allowed.nearest(along, before);
        // Sliding along one collider may lead to the next, but every path goes from `from` to the reach: a ball around both holds it.
        let from = self.forces[bone.chain].center_motion.map_or(tip, |motion| motion.undo(tip));
        let far = from.distance(start).max(animated.longest()) + bone.radius;
        // Contact with balls is exact after one round; elongated colliders need several.
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

/// The direction after a step of a bone that had `before` (unit vector) and whose tip is at `offset` from its start, in bone
/// lengths, before it is put back to length along `before`.
pub(super) fn swung(before: DVec3, offset: DVec3) -> DVec3 {
    let along = offset.dot(before);
    let across = offset - before * along;
    let sine_squared = across.length_squared();
    if sine_squared < 1.0 {
        let direction = before * (1.0 - sine_squared).sqrt() + across;
        return polished(direction, direction.length_squared());
    }
    // No point of the sphere lies there: more than a quarter turn in a step, of which the offset's own direction tells how much more.
    let ahead = if along < 0.0 { offset } else { across };
    ahead.try_normalize().unwrap_or(before)
}

/// Shows bone `index` by itself, part-way from where it was shown to where it is, out of all colliders.
#[inline(never)]
pub(super) fn show_alone(rig: &DynamicsRig, state: &mut State, pose: &Pose, index: usize, follow: Follow) {
    let (bone, before) = (&rig.bones[index], state.shown[index].direction);
    let local = LocalBone::new(bone, pose);
    let animated = state.placed_bone(rig, bone, &state.shown, &local);
    if animated.length == 0.0 {
        return state.show(index, &animated, animated.pose());
    }
    let simulated = state.bones[index].direction;
    // The shown bone goes along with the animation and closes a share of what is left to the simulated one.
    let carried = animated.joint.rotation * state.buffered[index];
    let mut wanted = slerp_direction(carried, simulated, follow.buffer);
    if follow.smoothing < 1.0 {
        wanted = slerp_direction(before, wanted, follow.smoothing);
    }
    let settling = Settling { animated: &animated, before, along: wanted };
    let Resolved { direction: free, contact } = settled_as_shown(rig, state, index, &settling);
    state.contacts[index] = contact;
    let shown = animated.rotated(free, &mut state.axes[index]);
    state.show(index, &animated, shown);
}

/// Where bone `index` is shown within its limit and out of all colliders.
#[inline(never)]
pub(super) fn settled_as_shown(rig: &DynamicsRig, state: &mut State, index: usize, settling: &Settling) -> Resolved {
    let (bone, &Settling { animated, before, along }) = (&rig.bones[index], settling);
    let (start, far) = (animated.joint.position, animated.longest() + bone.radius);
    let any_elongated = state.broadphase.any_elongated;
    let indices = state.broadphase.query(start, far, &rig.collides[bone.chain]);
    let candidates = Candidates { colliders: &state.colliders, indices, any_elongated };
    let allowed = animated.allowed();
    animated.resolve(&candidates, &allowed, along, before, &mut state.caps)
}
