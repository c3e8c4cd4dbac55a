//! One step of all bones, parents before children.
//!
//! ```text
//!     pos' = pos + (pos − previous)·k + (g_v + d + s)·h²,   k = (1 − r)^(60h)
//!     g_v  = g − (g·b)b      gravity across the bone b;  d wind;  s stiffness along the animated direction
//! ```
//!
//! Verlet, *Physical Review* 159, 1967, with drag r per 1/60 s. The tip is projected to bone length as the chain's
//! [`LengthCorrection`](crate::LengthCorrection) says. *As published*, it moves towards the bone's start p, which damps
//! wide swings:
//!
//! ```text
//!     pos' ← p + len·(pos' − p)/|pos' − p|
//! ```
//!
//! *Energy-keeping*, it moves along the bone's direction in the previous step (SHAKE: Ryckaert, Ciccotti & Berendsen,
//! *Journal of Computational Physics* 23, 1977). Its velocity thus stays on the sphere, and a swing without drag keeps
//! its height. Then the angle limit and the colliders are applied ([`crate::collide::contact`]). The bone's rotation is the shortest
//! arc from the animated to the new direction, which has no twist by construction.
//!
//! The shown bones follow the simulated ones. Joints make a share of the rotation in each step (the slerp buffer), and
//! directions follow with a time constant. The result is moved out of the colliders too, so neither adds twist or
//! penetration.

use super::bone_step::BoneStep;
use super::carry;
use super::step_factors::StepFactors;
use crate::chains::rig::DynamicsRig;
use crate::chains::state::{ChainForces, State, Surroundings, place_colliders, place_kinematic};
use crate::lanes::StepLanes;
use crate::recording::driven_rows::DrivenFrame;
use portamento_anim::Pose;
use portamento_anim::math::lanes::dispatch_lanes;

/// Advances `state` by `h` seconds to the time `time` (for the wind), at which the animation has `pose`.
///
/// `state` must belong to `rig`. `pose` must have all joints of its skeleton and only finite numbers.
pub fn step(rig: &DynamicsRig, state: &mut State, pose: &Pose, time: f64, h: f64) {
    // Reuses the memory of the previous step: a live simulation allocates nothing.
    let Surroundings { mut kinematic, mut colliders } = std::mem::take(&mut state.next);
    place_kinematic(&rig.kinematic, rig.metres_per_unit, pose, &mut kinematic);
    place_colliders(&rig.colliders, &kinematic, &mut colliders);
    let moment = DrivenFrame { pose, kinematic: &kinematic, colliders: &colliders, time };
    let factors = StepFactors::reusing_memory(rig, h, 1.0, std::mem::take(&mut state.retained_speed));
    step_part(rig, state, moment, &factors);
    (state.retained_speed, state.next) = (factors.retained_speed, Surroundings { kinematic, colliders });
}

/// Advances `state` by a step or by the first part of one. A partial step follows the parabola through the tips of the
/// complete step. No further step may follow a partial one.
///
/// `moment` is the animation at the end of the step or part.
pub(crate) fn step_part(rig: &DynamicsRig, state: &mut State, moment: DrivenFrame, factors: &StepFactors) {
    let DrivenFrame { pose, kinematic, colliders, time } = moment;
    // Teleports and the sweep need the positions before the step.
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
