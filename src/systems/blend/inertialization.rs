//! What goes on of an interrupted transition: inertialisation.
//!
//! Instead of mixing on with what played before, the clip that follows plays at once with the offset of the old pose from it laid
//! over; the offset fades out, and the speed at which it was changing decays by a quintic (D. Bollo, "Inertialization:
//! High-Performance Animation Transitions in Gears of War", GDC 2018). So the pose and its speed go on through the interruption,
//! whatever happened before, at the price of one clip.
//!
//! How far a speed may carry a joint is bounded: a faster joint is slowed down sooner, and reported ([`FastInterruption`]).

use std::ops::Sub;

use glam::{DQuat, Quat, Vec3};

use super::layer::PoseLayer;
use super::scenario::Event;
use super::transitions::decayed_distance;
use crate::anim::Skeleton;
use crate::math::Transform;
use crate::math::easing::Easing;

/// How the offset fades out: without speed and acceleration at either end.
pub(super) const FADE: Easing = Easing::Smoother;

/// Seconds in which the speed of an interrupted pose decays, at most; longer, limbs would swing far past.
const LONGEST_DECAY: f64 = 0.1;

/// Seconds between the poses that a speed is taken from.
pub(super) const STEP: f64 = 1.0 / 960.0;

/// Radians by which the speed of an interrupted joint may carry it on past its offset; a faster one decays sooner.
const LARGEST_TURN: f32 = 0.25;

/// The same for translations, as a part of the longest bone.
const LARGEST_SHIFT: f32 = 0.1;

/// The same for scales and morph weights.
const LARGEST_CHANGE: f32 = 0.25;

/// The old pose as offsets from the clip that follows it.
#[derive(Clone, Debug)]
pub(super) struct Inertialization {
    /// The clip instance that follows.
    pub target: usize,
    /// Per joint, how much of it the old pose had.
    pub coverage: Vec<f32>,
    /// Per joint, each clip instance's share of the old pose, then the rest pose's.
    pub shares: Vec<Vec<f32>>,
    /// When the interruption happened, seconds.
    start: f64,
    /// Seconds until a speed that is within the limits has decayed.
    decay_time: f64,
    joints: Vec<JointOffset>,
    morphs: Vec<Offset<f32>>,
}

/// What an inertialisation goes on from, and to what.
pub(super) struct Interruption<'a> {
    pub event: &'a Event,
    /// The old poses up to the event, [`STEP`] seconds apart.
    pub outgoing: [PoseLayer; 3],
    /// The target's poses from the event on, [`STEP`] seconds apart.
    pub incoming: [PoseLayer; 3],
    /// Per joint, each clip instance's share of the old pose, then the rest pose's.
    pub shares: Vec<Vec<f32>>,
}

/// A joint that turned so fast when a transition was interrupted that its speed is not carried on for the usual time.
#[derive(Clone, Debug, PartialEq)]
pub struct FastInterruption {
    /// When the transition was interrupted, seconds.
    pub time: f64,
    /// The joint's name.
    pub joint: String,
    /// Radians per second against the clip that follows.
    pub speed: f64,
}

/// A difference and how much it changes per second.
#[derive(Clone, Copy, Debug)]
struct Offset<T> {
    value: T,
    speed: T,
    /// Seconds until the speed has decayed.
    decay_time: f64,
}

/// How far one joint is off.
#[derive(Clone, Copy, Debug)]
struct JointOffset {
    /// Rotation vectors in the joint's own axes, radians.
    rotation: Offset<Vec3>,
    translation: Offset<Vec3>,
    scale: Offset<Vec3>,
}

/// How long and how far speeds are carried on.
#[derive(Clone, Copy)]
struct Limits {
    /// Seconds over which a speed decays.
    decay_time: f64,
    /// Largest offset of a translation, in the unit of the clips.
    translation: f32,
}

impl Limits {
    /// Seconds in which `speed` decays so that it adds at most `largest`.
    fn decay_time(&self, speed: f32, largest: f32) -> f64 {
        // The decaying speed adds at most 16/81 of speed × time, a third of the time on.
        let longest = 81.0 / 16.0 * f64::from(largest) / f64::from(speed);
        if longest < self.decay_time { longest } else { self.decay_time }
    }
}

impl Inertialization {
    /// Lets the outgoing pose decay in front of clip instance `target`.
    pub fn new(target: usize, skeleton: &Skeleton, interruption: Interruption) -> Self {
        let Interruption { event, outgoing, incoming, shares } = interruption;
        let longest_bone = skeleton.joints.iter().map(|joint| joint.rest.translation.length()).fold(0.0, f32::max);
        let decay_time = event.trans_time.min(LONGEST_DECAY);
        let limits = Limits { decay_time, translation: LARGEST_SHIFT * longest_bone };
        let locals = |layers: &[PoseLayer; 3], joint: usize| [0, 1, 2].map(|i| layers[i].get(joint));
        let joint = |joint: usize| JointOffset::between(locals(&outgoing, joint), locals(&incoming, joint), limits);
        let values = |layers: &[PoseLayer; 3], i: usize| [0, 1, 2].map(|step| layers[step].morphs[i]);
        let morph = |i: usize| {
            let (old, new) = (values(&outgoing, i), values(&incoming, i));
            let speed = (slower(old, f32::abs) - slower(new, f32::abs)) / STEP as f32;
            Offset { value: old[2] - new[0], speed, decay_time: limits.decay_time(speed.abs(), LARGEST_CHANGE) }
        };
        let joints = (0..skeleton.len()).map(joint).collect();
        let morphs = (0..skeleton.rest_morphs.len()).map(morph).collect();
        let [_, _, PoseLayer { coverage, .. }] = outgoing;
        Self { target, start: event.time, decay_time, shares, joints, morphs, coverage }
    }

    /// Lays the old pose, going on and slowing down, over the target as `layer` has it at `time`.
    pub fn apply(&self, time: f64, layer: &mut PoseLayer) {
        let since = time - self.start;
        let at = |offset: &Offset<Vec3>| offset.value + offset.speed * offset.decayed(since);
        for (joint, offset) in self.joints.iter().enumerate() {
            let mut local = layer.get(joint);
            local.rotation = (local.rotation * Quat::from_scaled_axis(at(&offset.rotation))).normalize();
            local.translation += at(&offset.translation);
            local.scale += at(&offset.scale);
            layer.set(joint, local);
        }
        let offsets = layer.morphs.iter_mut().zip(&self.morphs);
        offsets.for_each(|(morph, offset)| *morph += offset.value + offset.speed * offset.decayed(since));
        layer.coverage.copy_from_slice(&self.coverage);
    }

    /// The joint whose speed is cut most, where any is.
    pub fn fastest(&self, skeleton: &Skeleton) -> Option<FastInterruption> {
        let speed = |joint: usize| self.joints[joint].rotation.speed.length();
        let is_cut = |&joint: &usize| self.joints[joint].rotation.decay_time < self.decay_time;
        let fastest = (0..self.joints.len()).filter(is_cut).max_by(|&a, &b| speed(a).total_cmp(&speed(b)))?;
        let joint = skeleton.joints[fastest].name.clone();
        Some(FastInterruption { time: self.start, joint, speed: speed(fastest).into() })
    }
}

impl<T> Offset<T> {
    /// What a speed of 1 has added after `since` seconds.
    fn decayed(&self, since: f64) -> f32 {
        decayed_distance(since, self.decay_time) as f32
    }
}

impl JointOffset {
    /// From three old poses of a joint up to now and three of the target from now on, [`STEP`] seconds apart.
    fn between(old: [Transform; 3], new: [Transform; 3], limits: Limits) -> Self {
        let vector = |channel: fn(Transform) -> Vec3, largest: f32| {
            let (old, new) = (old.map(channel), new.map(channel));
            let speed = (slower(old, Vec3::length) - slower(new, Vec3::length)) / STEP as f32;
            Offset { value: old[2] - new[0], speed, decay_time: limits.decay_time(speed.length(), largest) }
        };
        // f64: the speed is a difference over a thousandth of a second, where f32 leaves three digits.
        let rotations = |locals: [Transform; 3]| locals.map(|local| local.rotation.as_dquat().normalize());
        Self {
            rotation: rotation_offset(rotations(old), rotations(new), limits),
            translation: vector(|local| local.translation, limits.translation),
            scale: vector(|local| local.scale, LARGEST_CHANGE),
        }
    }
}

/// The smaller change of the two steps: a jump in one of them, as where a clip that does not close starts again, is no speed.
fn slower<T: Copy + Sub<Output = T>>(values: [T; 3], size: fn(T) -> f32) -> T {
    let [first, second] = [values[1] - values[0], values[2] - values[1]];
    if size(first) < size(second) { first } else { second }
}

/// The rotation from the target to the old pose now, and its change if both went on turning as they did.
fn rotation_offset(old: [DQuat; 3], new: [DQuat; 3], limits: Limits) -> Offset<Vec3> {
    let slower_step = |rotations: [DQuat; 3]| {
        let [first, second] = [0, 1].map(|i| rotations[i].conjugate() * rotations[i + 1]);
        if first.w.abs() > second.w.abs() { first } else { second }
    };
    let now = in_hemisphere(new[0].conjugate() * old[2], DQuat::IDENTITY);
    let (old_next, new_next) = (old[2] * slower_step(old), new[0] * slower_step(new));
    // In the hemisphere of `now` and not the shortest, else a half turn would look like a jump by a whole one.
    let then = in_hemisphere(new_next.conjugate() * old_next, now);
    let value = now.to_scaled_axis();
    let speed = ((then.to_scaled_axis() - value) / STEP).as_vec3();
    Offset { value: value.as_vec3(), speed, decay_time: limits.decay_time(speed.length(), LARGEST_TURN) }
}

fn in_hemisphere(rotation: DQuat, reference: DQuat) -> DQuat {
    if rotation.dot(reference) < 0.0 { -rotation } else { rotation }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_in_one_of_two_steps_is_no_speed() {
        let limits = Limits { decay_time: 0.5, translation: 1.0 };
        let turns = |angles: [f64; 3]| angles.map(DQuat::from_rotation_z);
        // A turn of 2 rad a second, with a jump before or after it.
        let step = 2.0 * STEP;
        for angles in [[-1.0, 0.2, 0.2 + step], [0.2 - step, 0.2, 1.2]] {
            let offset = rotation_offset(turns(angles), turns([0.0; 3]), limits);
            assert!(offset.value.abs_diff_eq(Vec3::Z * angles[2] as f32, 1e-6), "{}", offset.value);
            assert!(offset.speed.abs_diff_eq(Vec3::Z * 2.0, 1e-3), "{}", offset.speed);
            let [first, second] = [angles[1] - angles[0], angles[2] - angles[1]];
            assert!(
                (slower(angles.map(|angle| angle as f32), f32::abs) - step as f32).abs() < 1e-6,
                "{first} {second}"
            );
        }
        // What the target itself turns is no speed of the offset.
        let both = rotation_offset(turns([0.5 - 2.0 * step, 0.5 - step, 0.5]), turns([0.0, step, 2.0 * step]), limits);
        assert!(both.value.abs_diff_eq(Vec3::Z * 0.5, 1e-6) && both.speed.length() < 1e-3, "{}", both.speed);
    }
}
