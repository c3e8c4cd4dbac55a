//! One step of all bones, parents before children.
//!
//! ```text
//!     pos' = pos + (pos − previous)·k + (g_v + d + s)·h²,   k = (1 − r)^(60h)
//!     g_v  = g − (g·b)b      gravity across the bone b;  d wind;  s stiffness along the animated direction
//! ```
//!
//! Verlet, *Physical Review* 159, 1967, with drag r per 1/60 s. The tip is put back to bone length along the bone's direction of the
//! step before (SHAKE: Ryckaert, Ciccotti & Berendsen, *Journal of Computational Physics* 23, 1977): so its velocity stays on the
//! sphere and a swing without drag keeps its height, where projection towards the joint damps it. Then it goes into the angle limit
//! and out of all colliders ([`super::contact`]). The bone's rotation is the shortest arc from the animated direction to the new
//! one, which has no twist by construction.
//!
//! What is shown follows what is simulated: joints take over a share of the rotation in each step (the slerp buffer), directions
//! follow with a time constant, and both are taken out of the colliders again, so neither adds twist or penetration.

use glam::DVec3;

use super::bone_pose::{AnimatedBone, LocalBone};
use super::carry;
use super::contact::{Candidates, Contact, MovingCollider, Resolved, sweep};
use super::driven_rows::DrivenFrame;
use super::rig::{DynamicsRig, STEP};
use super::state::{State, place_kinematic};
use super::wind::WindField;
use super::world_collider::WorldCollider;
use super::world_transform::{RigidMotion, slerp_direction};
use crate::anim::Pose;

/// What acts on all bones of a chain in a step.
struct ChainForces<'a> {
    factors: &'a StepFactors,
    chain: usize,
    /// Acceleration by the moving air, m/s².
    wind: DVec3,
    /// How the joint moved from which inertia is seen.
    center_motion: Option<RigidMotion>,
}

/// What is the same in all steps of one length.
pub(super) struct StepFactors {
    /// Length of the step, seconds.
    h: f64,
    /// Share of the speed that goes into the step: 1, or less for a part of a step.
    inertia: f64,
    /// What an acceleration is multiplied by, s².
    h_squared: f64,
    /// Share of the speed that drag leaves each bone after the step.
    kept_speed: Vec<f64>,
    /// How what is shown follows; `None` where what is simulated is shown.
    follow: Option<Follow>,
    air: WindField,
}

impl StepFactors {
    /// Those of the first `share` (above 0, up to 1) of a step of `whole` seconds.
    pub fn new(rig: &DynamicsRig, whole: f64, share: f64) -> Self {
        let h = whole * share;
        // A parabola through the tips of three steps: at share 1 just the step itself, to the last bit.
        let h_squared = whole * whole * (0.5 * (share * share + share));
        let kept_speed = rig.bones.iter().map(|bone| (1.0 - bone.drag).powf(60.0 * h)).collect();
        Self { h, inertia: share, h_squared, kept_speed, follow: Follow::new(rig, h), air: WindField::new(rig.wind) }
    }
}

/// Advances `state` by `h` seconds to the moment `time` (for the wind), at which the animation has `pose`.
///
/// `state` is of `rig`, and `pose` has all joints of its skeleton and only finite numbers.
pub fn step(rig: &DynamicsRig, state: &mut State, pose: &Pose, time: f64, h: f64) {
    let mut kinematic = Vec::with_capacity(rig.kinematic.len());
    place_kinematic(&rig.kinematic, rig.metres_per_unit, pose, &mut kinematic);
    step_part(rig, state, DrivenFrame { pose, kinematic: &kinematic, time }, &StepFactors::new(rig, h, 1.0));
}

/// Advances `state` by a step, or by the first part of one, on the parabola that the whole step closes; after a part no further step
/// can follow.
///
/// `moment` is the animation at its end.
pub(super) fn step_part(rig: &DynamicsRig, state: &mut State, moment: DrivenFrame, factors: &StepFactors) {
    let DrivenFrame { pose, kinematic, time } = moment;
    // Teleports and sweeping colliders need where things were before the step.
    let mut old = std::mem::take(&mut state.old);
    std::mem::swap(&mut old.kinematic, &mut state.kinematic);
    state.kinematic.clear();
    state.kinematic.extend_from_slice(kinematic);
    carry::follow_centers(rig, state, &old.kinematic);
    carry::teleport(rig, state, &old.kinematic, pose, factors.h);
    std::mem::swap(&mut old.colliders, &mut state.colliders);
    state.place_colliders(rig);
    state.broadphase.update(&old.colliders, &state.colliders);
    let mut forces = ChainForces { factors, chain: usize::MAX, wind: DVec3::ZERO, center_motion: None };
    for (index, bone) in rig.bones.iter().enumerate() {
        if forces.chain != bone.chain {
            (forces.chain, forces.wind) = (bone.chain, factors.air.at(time, bone.chain));
            let motion = |center: usize| old.kinematic[center].rigid_to(&state.kinematic[center]);
            forces.center_motion = rig.centers[bone.chain].map(motion);
        }
        let local = LocalBone::new(bone, pose);
        let animated = state.placed_bone(rig, bone, &state.bones, &local);
        simulate_bone(rig, state, index, &animated, &old.colliders, &forces);
        match factors.follow {
            Some(follow) => show_bone(rig, state, index, &local, follow),
            None => state.show(index, &animated, state.bones[index]),
        }
    }
    state.old = old;
}

fn simulate_bone(
    rig: &DynamicsRig,
    state: &mut State,
    index: usize,
    animated: &AnimatedBone,
    old_colliders: &[WorldCollider],
    forces: &ChainForces,
) {
    let (bone, factors) = (&rig.bones[index], forces.factors);
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
    let acceleration = across + forces.wind + animated.direction * bone.stiffness;
    let inertia = (tip - state.previous_tips[index]) * (factors.kept_speed[index] * factors.inertia);
    let wanted = tip + inertia + acceleration * factors.h_squared;
    let start = animated.joint.position;
    let along = swung(before, (wanted - start) / animated.length_along(before));
    let allowed = animated.allowed();
    let mut direction = allowed.nearest(along, before);
    // Sliding along one collider may lead to the next, but every path goes from `from` to the reach: a ball around both holds it.
    let from = forces.center_motion.map_or(tip, |motion| motion.undo(tip));
    let far = from.distance(start).max(animated.longest()) + bone.radius;
    // Contact with balls is exact after one round; elongated colliders need several.
    let any_elongated = state.broadphase.any_elongated;
    let indices = state.broadphase.query(start, far, &rig.collides[bone.chain]);
    for &collider in indices {
        let moving = MovingCollider { old: &old_colliders[collider], new: &state.colliders[collider] };
        let to = start + direction * animated.length_along(direction);
        if let Some(end) = sweep(moving, bone.radius, from, to) {
            direction = (end - start).try_normalize().unwrap_or(direction);
        }
    }
    let candidates = Candidates { colliders: &state.colliders, indices, any_elongated };
    let Resolved { direction: free, contact } =
        animated.resolve(&candidates, &allowed, direction, before, &mut state.caps);
    state.contacts[index] = contact;
    state.previous_tips[index] = tip;
    state.bones[index] = animated.rotated(free, &mut state.axes[index]);
}

/// The direction after a step of a bone that had `before` (unit vector) and whose tip is at `offset` from its start, in bone
/// lengths, before it is put back to length along `before`.
fn swung(before: DVec3, offset: DVec3) -> DVec3 {
    let along = offset.dot(before);
    let across = offset - before * along;
    let sine = across.length();
    if sine < 1.0 {
        return (before * (1.0 - sine * sine).sqrt() + across).normalize_or(before);
    }
    // No point of the sphere lies there: more than a quarter turn in a step, of which the offset's own direction tells how much more.
    let ahead = if along < 0.0 { offset } else { across };
    ahead.try_normalize().unwrap_or(before)
}

/// How fast what is shown follows what is simulated, as shares per step below or equal to 1.
#[derive(Clone, Copy)]
struct Follow {
    /// Of the joint's rotation, which the parent carries along.
    buffer: f64,
    /// Of the bone's direction in world space.
    smoothing: f64,
}

impl Follow {
    /// `None` where what is simulated is shown.
    fn new(rig: &DynamicsRig, h: f64) -> Option<Self> {
        // The buffer's share is that of a step of 1/240 s, whatever the substeps.
        let buffer = if rig.slerp_buffer < 1.0 { 1.0 - (1.0 - rig.slerp_buffer).powf(h / STEP) } else { 1.0 };
        let smoothing = if rig.smoothing > 0.0 { 1.0 - (-h / rig.smoothing).exp() } else { 1.0 };
        (buffer < 1.0 || smoothing < 1.0).then_some(Self { buffer, smoothing })
    }
}

/// Shows the bone part-way from where it was shown to where it is, out of all colliders.
fn show_bone(rig: &DynamicsRig, state: &mut State, index: usize, local: &LocalBone, follow: Follow) {
    let (bone, before) = (&rig.bones[index], state.shown[index].direction);
    let animated = state.placed_bone(rig, bone, &state.shown, local);
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
    let (start, far) = (animated.joint.position, animated.longest() + bone.radius);
    let any_elongated = state.broadphase.any_elongated;
    let indices = state.broadphase.query(start, far, &rig.collides[bone.chain]);
    let candidates = Candidates { colliders: &state.colliders, indices, any_elongated };
    let allowed = animated.allowed();
    let Resolved { direction: free, contact } =
        animated.resolve(&candidates, &allowed, wanted, before, &mut state.caps);
    state.contacts[index] = contact;
    let shown = animated.rotated(free, &mut state.axes[index]);
    state.show(index, &animated, shown);
}
