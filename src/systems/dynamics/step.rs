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

use super::bone_step::BoneStep;
use super::carry;
use super::driven_rows::DrivenFrame;
use super::lanes::StepLanes;
use super::rig::DynamicsRig;
use super::state::{ChainForces, State, Surroundings, place_colliders, place_kinematic};
use super::step_factors::StepFactors;
use crate::anim::Pose;
use crate::math::lanes::dispatch_lanes;

/// Advances `state` by `h` seconds to the moment `time` (for the wind), at which the animation has `pose`.
///
/// `state` is of `rig`, and `pose` has all joints of its skeleton and only finite numbers.
pub fn step(rig: &DynamicsRig, state: &mut State, pose: &Pose, time: f64, h: f64) {
    // In the memory of the step before: nothing is allocated while bones are driven by hand.
    let Surroundings { mut kinematic, mut colliders } = std::mem::take(&mut state.next);
    place_kinematic(&rig.kinematic, rig.metres_per_unit, pose, &mut kinematic);
    place_colliders(&rig.colliders, &kinematic, &mut colliders);
    let moment = DrivenFrame { pose, kinematic: &kinematic, colliders: &colliders, time };
    let factors = StepFactors::in_room(rig, h, 1.0, std::mem::take(&mut state.kept_speed));
    step_part(rig, state, moment, &factors);
    (state.kept_speed, state.next) = (factors.kept_speed, Surroundings { kinematic, colliders });
}

/// Advances `state` by a step, or by the first part of one, on the parabola that the whole step closes; after a part no further step
/// can follow.
///
/// `moment` is the animation at its end.
pub(super) fn step_part(rig: &DynamicsRig, state: &mut State, moment: DrivenFrame, factors: &StepFactors) {
    let DrivenFrame { pose, kinematic, colliders, time } = moment;
    // Teleports and sweeping colliders need where things were before the step.
    let mut old = std::mem::take(&mut state.old);
    std::mem::swap(&mut old.kinematic, &mut state.kinematic);
    state.kinematic.clear();
    state.kinematic.extend_from_slice(kinematic);
    carry::follow_centers(rig, state, &old.kinematic);
    carry::teleport(rig, state, &old.kinematic, pose, factors.jump);
    std::mem::swap(&mut old.colliders, &mut state.colliders);
    state.colliders.clear();
    state.colliders.extend_from_slice(colliders);
    state.broadphase.update(&old.colliders, &state.colliders);
    let mut forces = std::mem::take(&mut state.forces);
    forces.clear();
    forces.extend(rig.centers.iter().enumerate().map(|(chain, center)| ChainForces {
        wind: factors.air.at(time, chain),
        center_motion: center.map(|center| old.kinematic[center].rigid_to(&state.kinematic[center])),
    }));
    let bones = BoneStep { factors, forces: &forces, old_colliders: &old.colliders };
    dispatch_lanes(StepLanes { rig, state, pose, step: bones });
    (state.old, state.forces) = (old, forces);
}
