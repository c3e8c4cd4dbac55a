//! One step of all bones, parents before children.
//!
//! ```text
//!     pos' = pos + (pos − previous)·k + (g_v + d + s)·h²,   k = (1 − r)^(60h)
//!     g_v  = g − (g·b)b      gravity across the bone b;  d wind;  s stiffness along the animated direction
//! ```
//!
//! then the tip goes back to bone length, into the angle limit and out of all bodies ([`super::contact`]). The bone's turn is the
//! swing from the animated direction to the new one, which has no twist by construction. The shown directions follow the
//! simulated ones with time constant τ and are taken out of the bodies again, so smoothing adds neither twist nor penetration.

mod carry;

use glam::{DQuat, DVec3, Quat};

pub use carry::carry_over_seam;

use super::cap::Cap;
use super::contact::{Body, Reach, Touch, resolve_near, stopped};
use super::limit::limited;
use super::near::Near;
use super::place::{Place, slerp_direction, swing, unit};
use super::rig::{Bone, Rig, Tip};
use crate::anim::Pose;

/// Where a bone is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lie {
    /// The joint, turned.
    pub place: Place,
    /// Unit direction of the bone.
    pub along: DVec3,
    /// Length, metres; 0 where it is carried rigidly.
    pub len: f64,
}

impl Lie {
    /// World position of the bone's end, metres.
    pub fn tip(&self) -> DVec3 {
        self.place.position + self.along * self.len
    }
}

/// Everything that one step hands to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Tips before the last step, metres.
    pub previous: Vec<DVec3>,
    /// Simulated bones.
    pub bones: Vec<Lie>,
    /// Bones as shown: smoothed where the settings ask for it.
    pub shown: Vec<Lie>,
    /// What each bone touched in the last step.
    pub touches: Vec<Touch>,
    /// Axis of each bone's last swing, which decides where a bone points straight against its animation.
    axes: Vec<DVec3>,
    carriers: Vec<Place>,
    bodies: Vec<Body>,
    caps: Vec<Cap>,
    pub(super) near: Near,
}

/// What acts on all bones of a chain in a step.
#[derive(Clone, Copy)]
struct Air {
    chain: usize,
    /// m/s².
    wind: DVec3,
    /// Share of the speed lost per 1/60 s, and what of it remains after the step.
    drag: (f64, f64),
    /// Share of the speed that goes into the step.
    inertia: f64,
    /// What an acceleration is multiplied by, s².
    push: f64,
    /// How the joint moved from which inertia is seen.
    centre: Option<(DQuat, DVec3)>,
}

/// What a bone starts from in a step.
struct Start {
    /// The joint as the animation turns it on its simulated parent.
    place: Place,
    /// The animated bone direction.
    rest: DVec3,
    /// Metres; 0 for a bone carried rigidly.
    len: f64,
}

impl State {
    /// The animated pose, at rest.
    pub fn at(rig: &Rig, pose: &Pose) -> Self {
        let mut state = Self {
            previous: Vec::new(),
            bones: Vec::new(),
            shown: Vec::new(),
            touches: vec![Touch::default(); rig.bones.len()],
            axes: vec![DVec3::X; rig.bones.len()],
            carriers: Vec::new(),
            bodies: Vec::new(),
            caps: Vec::new(),
            near: Near::default(),
        };
        place_carriers(rig, pose, &mut state.carriers);
        place_bodies(rig, &state.carriers, &mut state.bodies);
        for (index, bone) in rig.bones.iter().enumerate() {
            let start = start_of(rig, bone, &state.carriers, &state.bones, pose);
            state.bones.push(Lie { place: start.place, along: start.rest, len: start.len });
            rest(rig, &mut state, index, start);
        }
        state.shown.clone_from(&state.bones);
        state.previous = state.bones.iter().map(Lie::tip).collect();
        state
    }

    /// The bodies at the last step, metres, in the order of the settings.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The shown rotation of a bone's joint relative to its parent.
    pub fn local_rotation(&self, rig: &Rig, index: usize) -> DQuat {
        let bone = &rig.bones[index];
        let above = match (bone.parent, rig.anchors[bone.tree]) {
            (Some(parent), _) => self.shown[parent].place.rotation,
            (None, Some(slot)) => self.carriers[slot].rotation,
            (None, None) => DQuat::IDENTITY,
        };
        above.conjugate() * self.shown[index].place.rotation
    }

    /// Angle in radians by which a shown bone is twisted about its own axis against the animation, which has `pose`.
    pub fn twist(&self, rig: &Rig, index: usize, pose: &Pose) -> f64 {
        let start = start_of(rig, &rig.bones[index], &self.carriers, &self.shown, pose);
        let turn = self.shown[index].place.rotation * start.place.rotation.conjugate();
        let (along, w) = (turn.xyz().dot(start.rest), turn.w.abs());
        // Turned right around, twist about the bone cannot be told from the choice of the axis.
        if along.abs().max(w) < 1e-6 { 0.0 } else { 2.0 * along.abs().atan2(w) }
    }

    /// Takes the changed settings over: kept as it is where the bones are the same, else the bones both have keep their motion.
    pub fn fitted(self, old: &Rig, new: &Rig, pose: &Pose) -> Self {
        let same = old.bones.len() == new.bones.len() && old.colliders.len() == new.colliders.len();
        if same && old.carriers == new.carriers && old.bones.iter().zip(&new.bones).all(|(a, b)| a.joint == b.joint) {
            return self;
        }
        let mut fresh = Self::at(new, pose);
        for (index, bone) in new.bones.iter().enumerate() {
            if let Some(before) = old.bones.iter().position(|it| it.joint == bone.joint) {
                fresh.previous[index] = self.previous[before];
                fresh.bones[index] = self.bones[before];
                fresh.shown[index] = self.shown[before];
                fresh.axes[index] = self.axes[before];
            }
        }
        fresh
    }
}

/// Advances `state` by `h` seconds to the moment `time` (for the wind), at which the animation has `pose`.
pub fn step(rig: &Rig, state: &mut State, pose: &Pose, time: f64, h: f64) {
    step_part(rig, state, pose, time, (h, 1.0));
}

/// Advances `state` by the first `share` (above 0, up to 1) of a step of `h` seconds, on the parabola that the whole step closes.
///
/// Only to look at what lies between two steps: no further step can follow.
pub(super) fn step_part(rig: &Rig, state: &mut State, pose: &Pose, time: f64, (whole, share): (f64, f64)) {
    let h = whole * share;
    let old = state.carriers.clone();
    place_carriers(rig, pose, &mut state.carriers);
    carry::follow_centres(rig, state, &old);
    carry::jump(rig, state, &old, pose, h);
    let old_bodies = state.bodies.clone();
    place_bodies(rig, &state.carriers, &mut state.bodies);
    let follow = if rig.smoothing > 0.0 { 1.0 - (-h / rig.smoothing).exp() } else { 1.0 };
    state.near.lay_out(&old_bodies, &state.bodies);
    // A parabola through the tips of three steps: at share 1 just the step itself, to the last bit.
    let push = whole * whole * (0.5 * (share * share + share));
    let mut air =
        Air { chain: usize::MAX, wind: DVec3::ZERO, drag: (f64::NAN, 0.0), inertia: share, push, centre: None };
    for (index, bone) in rig.bones.iter().enumerate() {
        if air.chain != bone.chain {
            (air.chain, air.wind) = (bone.chain, rig.wind.at(time, bone.chain));
            air.centre = rig.centres[bone.chain].map(|slot| old[slot].rigid_to(&state.carriers[slot]));
        }
        if air.drag.0 != bone.drag {
            air.drag = (bone.drag, (1.0 - bone.drag).powf(60.0 * h));
        }
        let start = start_of(rig, bone, &state.carriers, &state.bones, pose);
        swing_bone(rig, state, index, (start, &old_bodies), air);
        if follow < 1.0 {
            show_bone(rig, state, index, pose, follow);
        } else {
            state.shown[index] = state.bones[index];
        }
    }
}

/// Puts the bones where joints are turned by `local` (one rotation per bone, relative to its parent), out of all bodies; at rest.
pub(super) fn lay(rig: &Rig, state: &mut State, pose: &Pose, local: &[Quat]) {
    place_carriers(rig, pose, &mut state.carriers);
    place_bodies(rig, &state.carriers, &mut state.bodies);
    for (index, (bone, local)) in rig.bones.iter().zip(local).enumerate() {
        let start = start_of(rig, bone, &state.carriers, &state.bones, pose);
        let animated = unit(pose.locals[bone.joint].rotation.as_dquat());
        // Both turns are relative to the same parent: what lies between them is the swing, seen from the animated joint.
        let swing = animated.conjugate() * unit(local.as_dquat());
        let seen = start.place.rotation.conjugate() * start.rest;
        let along = start.place.rotation * (swing * seen);
        let reach = reach_of(rig, index, &start);
        let before = state.bones[index].along;
        let free = |state: &mut State| free_of_all(rig, state, index, &reach, (along, before));
        let (along, touch) = if start.len > 0.0 { free(state) } else { (start.rest, Touch::default()) };
        state.touches[index] = touch;
        state.previous[index] = state.bones[index].tip();
        state.bones[index] = turned(start, along, &mut state.axes[index]);
        state.shown[index] = state.bones[index];
    }
}

/// Lays a bone along its animated direction, or beside the bodies that are in its way.
fn rest(rig: &Rig, state: &mut State, index: usize, start: Start) {
    let reach = reach_of(rig, index, &start);
    let free = |state: &mut State| free_of_all(rig, state, index, &reach, (start.rest, DVec3::X));
    let (along, touch) = if start.len > 0.0 { free(state) } else { (start.rest, Touch::default()) };
    state.touches[index] = touch;
    state.bones[index] = turned(start, along, &mut state.axes[index]);
}

/// The direction nearest to the first in which a bone touches nothing that it meets; the second decides where all are equally far.
fn free_of_all(
    rig: &Rig,
    state: &mut State,
    index: usize,
    reach: &Reach,
    (along, hint): (DVec3, DVec3),
) -> (DVec3, Touch) {
    let meets = &rig.meets[rig.bones[index].chain];
    let met: Vec<usize> = (0..state.bodies.len()).filter(|&body| meets[body]).collect();
    let long = state.bodies.iter().any(Body::is_long);
    resolve_near((&state.bodies, &met, long), reach, along, hint, &mut state.caps)
}

fn reach_of(rig: &Rig, index: usize, start: &Start) -> Reach {
    let radius = rig.bones[index].radius;
    Reach { start: start.place.position, len: start.len, radius, whole: rig.segment_contact }
}

fn place_carriers(rig: &Rig, pose: &Pose, places: &mut Vec<Place>) {
    places.clear();
    for &(joint, parent) in &rig.carriers {
        let above = parent.map_or_else(|| Place::world(rig.metres_per_unit), |slot| places[slot]);
        places.push(above.child(&pose.locals[joint]));
    }
}

fn place_bodies(rig: &Rig, carriers: &[Place], bodies: &mut Vec<Body>) {
    let world = Place::world(1.0);
    bodies.clear();
    bodies.extend(
        rig.colliders.iter().map(|(slot, shape)| Body::new(shape, slot.map_or(&world, |slot| &carriers[slot]))),
    );
}

fn start_of(rig: &Rig, bone: &Bone, carriers: &[Place], lies: &[Lie], pose: &Pose) -> Start {
    let above = match (bone.parent, rig.anchors[bone.tree]) {
        (Some(parent), _) => lies[parent].place,
        (None, Some(slot)) => carriers[slot],
        (None, None) => Place::world(rig.metres_per_unit),
    };
    let mut place = above.child(&pose.locals[bone.joint]);
    if let Some(parent) = bone.parent
        && rig.bones[parent].tip == Tip::Joint(bone.joint)
    {
        // The same point as the parent's tip, without the rounding of the way around.
        place.position = lies[parent].tip();
    }
    let arm = match bone.tip {
        Tip::Joint(tip) => place.arm(pose.locals[tip].translation.as_dvec3()),
        Tip::Added(ahead, len) => place.rotation * ahead * len,
    };
    let len = arm.length();
    if rig.is_rigid(len) || !len.is_finite() {
        return Start { place, rest: DVec3::Y, len: 0.0 };
    }
    Start { place, rest: arm / len, len }
}

fn swing_bone(rig: &Rig, state: &mut State, index: usize, (start, old): (Start, &[Body]), air: Air) {
    let bone = &rig.bones[index];
    let before = state.bones[index];
    let tip = before.tip();
    if start.len == 0.0 {
        state.previous[index] = tip;
        state.bones[index] = turned(start, DVec3::Y, &mut state.axes[index]);
        state.touches[index] = Touch::default();
        return;
    }
    let gravity = rig.gravity * bone.gravity;
    let across = gravity - before.along * gravity.dot(before.along);
    let pull = across + air.wind + start.rest * bone.stiffness;
    let wanted = tip + (tip - state.previous[index]) * (air.drag.1 * air.inertia) + pull * air.push;
    let p = start.place.position;
    let reach = reach_of(rig, index, &start);
    let on_reach = |x: DVec3| (x - p).try_normalize().unwrap_or(before.along);
    let mut along = limited(bone.limit, start.place.rotation, start.rest, on_reach(wanted));
    let mut crossed = false;
    // Sliding along one body may lead to the next, but every way goes from `from` to the reach: a ball around both holds it.
    let long = state.near.long;
    let from = air.centre.map_or(tip, |(turn, shift)| turn.conjugate() * (tip - shift));
    let far = from.distance(p).max(start.len) + bone.radius;
    let near = state.near.around(p, far, &rig.meets[bone.chain]);
    for &body in near {
        let (old, new) = (&old[body], &state.bodies[body]);
        if let Some(end) = stopped(old, new, bone.radius, from, p + along * start.len) {
            (along, crossed) = (on_reach(end), true);
        }
    }
    let bodies = (&state.bodies[..], near, long);
    let (free, touch) = resolve_near(bodies, &reach, along, before.along, &mut state.caps);
    state.touches[index] = Touch { passed: crossed && !touch.contact, ..touch };
    state.previous[index] = tip;
    state.bones[index] = turned(start, free, &mut state.axes[index]);
}

/// The bone as shown: part-way from where it was shown to where it is, out of all bodies.
fn show_bone(rig: &Rig, state: &mut State, index: usize, pose: &Pose, follow: f64) {
    let bone = &rig.bones[index];
    let start = start_of(rig, bone, &state.carriers, &state.shown, pose);
    if start.len == 0.0 {
        state.shown[index] = turned(start, DVec3::Y, &mut state.axes[index]);
        return;
    }
    let before = state.shown[index].along;
    let along = slerp_direction(before, state.bones[index].along, follow);
    let reach = reach_of(rig, index, &start);
    let long = state.near.long;
    let near = state.near.around(start.place.position, start.len + bone.radius, &rig.meets[bone.chain]);
    let bodies = (&state.bodies[..], near, long);
    let (free, touch) = resolve_near(bodies, &reach, along, before, &mut state.caps);
    state.touches[index] = touch;
    state.shown[index] = turned(start, free, &mut state.axes[index]);
}

fn turned(start: Start, along: DVec3, axis: &mut DVec3) -> Lie {
    if start.len == 0.0 {
        return Lie { place: start.place, along: start.rest, len: 0.0 };
    }
    let turn = swing(start.rest, along, *axis);
    *axis = turn.xyz().try_normalize().unwrap_or(*axis);
    let rotation = unit(turn * start.place.rotation);
    Lie { place: Place { rotation, ..start.place }, along, len: start.len }
}
