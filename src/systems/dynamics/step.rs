//! One step of all bones, parents before children.
//!
//! ```text
//!     pos' = pos + (pos − previous)·k + (g_v + d + s)·h²,   k = (1 − r)^(60h)
//!     g_v  = g − (g·b)b      gravity across the bone b;  d wind;  s stiffness along the animated direction
//! ```
//!
//! Verlet, *Physical Review* 159, 1967, with drag r per 1/60 s. Then the tip goes back to bone length, into the angle limit and out
//! of all colliders ([`super::contact`]). The bone's rotation is the shortest arc from the animated direction to the new one, which
//! has no twist by construction. The shown directions follow the simulated ones with time constant τ and are taken out of the
//! colliders again, so smoothing adds neither twist nor penetration.

use glam::DVec3;

use super::carry;
use super::contact::{Candidates, Contact, MovingCollider, resolve, sweep};
use super::limit::limited;
use super::rig::DynamicsRig;
use super::state::{AnimatedBone, State};
use super::world_collider::WorldCollider;
use super::world_transform::{RigidMotion, slerp_direction};
use crate::anim::Pose;

/// What acts on all bones of a chain in a step.
#[derive(Clone, Copy)]
struct ChainForces {
    chain: usize,
    /// m/s².
    wind: DVec3,
    /// Share of the speed lost per 1/60 s, for which `kept_speed` was computed.
    drag: f64,
    /// Share of the speed that drag leaves after the step.
    kept_speed: f64,
    /// Share of the speed that goes into the step: 1, or less for a part of a step.
    inertia: f64,
    /// What an acceleration is multiplied by, s².
    h_squared: f64,
    /// How the joint moved from which inertia is seen.
    center_motion: Option<RigidMotion>,
}

/// How far a step goes.
#[derive(Clone, Copy)]
pub(super) struct StepLength {
    /// Seconds of the whole step.
    pub whole: f64,
    /// How much of it is done, above 0, up to 1.
    pub share: f64,
}

/// Advances `state` by `h` seconds to the moment `time` (for the wind), at which the animation has `pose`.
///
/// `state` is of `rig`, and `pose` has all joints of its skeleton and only finite numbers.
pub fn step(rig: &DynamicsRig, state: &mut State, pose: &Pose, time: f64, h: f64) {
    step_part(rig, state, pose, time, StepLength { whole: h, share: 1.0 });
}

/// Advances `state` by the first part of a step, on the parabola that the whole step closes.
///
/// Only to look at what lies between two steps: no further step can follow.
pub(super) fn step_part(rig: &DynamicsRig, state: &mut State, pose: &Pose, time: f64, length: StepLength) {
    let StepLength { whole, share } = length;
    let h = whole * share;
    let old = state.kinematic.clone();
    state.place_kinematic(rig, pose);
    carry::follow_centers(rig, state, &old);
    carry::teleport(rig, state, &old, pose, h);
    let old_colliders = state.colliders.clone();
    state.place_colliders(rig);
    state.broadphase.update(&old_colliders, &state.colliders);
    let shown_share = if rig.smoothing > 0.0 { 1.0 - (-h / rig.smoothing).exp() } else { 1.0 };
    // A parabola through the tips of three steps: at share 1 just the step itself, to the last bit.
    let h_squared = whole * whole * (0.5 * (share * share + share));
    let mut forces = ChainForces {
        chain: usize::MAX,
        wind: DVec3::ZERO,
        drag: f64::NAN,
        kept_speed: 0.0,
        inertia: share,
        h_squared,
        center_motion: None,
    };
    for (index, bone) in rig.bones.iter().enumerate() {
        if forces.chain != bone.chain {
            (forces.chain, forces.wind) = (bone.chain, rig.wind.at(time, bone.chain));
            let motion = |center: usize| old[center].rigid_to(&state.kinematic[center]);
            forces.center_motion = rig.centers[bone.chain].map(motion);
        }
        // Bones of a chain mostly share their drag, and a power costs more than the rest of the bone.
        if forces.drag != bone.drag {
            (forces.drag, forces.kept_speed) = (bone.drag, (1.0 - bone.drag).powf(60.0 * h));
        }
        let animated = state.animated_bone(rig, bone, &state.bones, pose);
        simulate_bone(rig, state, index, animated, &old_colliders, forces);
        if shown_share < 1.0 {
            smooth_bone(rig, state, index, pose, shown_share);
        } else {
            state.shown[index] = state.bones[index];
        }
    }
}

fn simulate_bone(
    rig: &DynamicsRig,
    state: &mut State,
    index: usize,
    animated: AnimatedBone,
    old_colliders: &[WorldCollider],
    forces: ChainForces,
) {
    let bone = &rig.bones[index];
    let before = state.bones[index];
    let tip = before.tip();
    if animated.length == 0.0 {
        state.previous_tips[index] = tip;
        state.bones[index] = animated.rotated(DVec3::Y, &mut state.axes[index]);
        state.contacts[index] = Contact::default();
        return;
    }
    let gravity = rig.gravity * bone.gravity;
    let across = gravity - before.direction * gravity.dot(before.direction);
    let acceleration = across + forces.wind + animated.direction * bone.stiffness;
    let inertia = (tip - state.previous_tips[index]) * (forces.kept_speed * forces.inertia);
    let wanted = tip + inertia + acceleration * forces.h_squared;
    let reach = animated.reach(rig, bone);
    let toward = |point: DVec3| (point - reach.start).try_normalize().unwrap_or(before.direction);
    let mut direction = limited(bone.limit, animated.joint.rotation, animated.direction, toward(wanted));
    // Sliding along one collider may lead to the next, but every path goes from `from` to the reach: a ball around both holds it.
    let from = forces.center_motion.map_or(tip, |motion| motion.undo(tip));
    let far = from.distance(reach.start).max(reach.length) + bone.radius;
    let any_elongated = state.broadphase.any_elongated;
    let indices = state.broadphase.query(reach.start, far, &rig.collides[bone.chain]);
    for &collider in indices {
        let moving = MovingCollider { old: &old_colliders[collider], new: &state.colliders[collider] };
        if let Some(end) = sweep(moving, bone.radius, from, reach.tip(direction)) {
            direction = toward(end);
        }
    }
    let candidates = Candidates { colliders: &state.colliders, indices, any_elongated };
    let (free, contact) = resolve(&candidates, &reach, direction, before.direction, &mut state.caps);
    state.contacts[index] = contact;
    state.previous_tips[index] = tip;
    state.bones[index] = animated.rotated(free, &mut state.axes[index]);
}

/// Shows the bone part-way from where it was shown to where it is, out of all colliders.
fn smooth_bone(rig: &DynamicsRig, state: &mut State, index: usize, pose: &Pose, share: f64) {
    let bone = &rig.bones[index];
    let animated = state.animated_bone(rig, bone, &state.shown, pose);
    if animated.length == 0.0 {
        state.shown[index] = animated.rotated(DVec3::Y, &mut state.axes[index]);
        return;
    }
    let before = state.shown[index].direction;
    let wanted = slerp_direction(before, state.bones[index].direction, share);
    let reach = animated.reach(rig, bone);
    let any_elongated = state.broadphase.any_elongated;
    let indices = state.broadphase.query(reach.start, reach.length + bone.radius, &rig.collides[bone.chain]);
    let candidates = Candidates { colliders: &state.colliders, indices, any_elongated };
    let (free, contact) = resolve(&candidates, &reach, wanted, before, &mut state.caps);
    state.contacts[index] = contact;
    state.shown[index] = animated.rotated(free, &mut state.axes[index]);
}
