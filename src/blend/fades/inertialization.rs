//! Inertialisation of an interrupted transition.
//!
//! The next clip plays at once, and the offset of the old pose from it is added on top. The offset fades out, while the speed at
//! which it was changing decays by a quintic (D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of
//! War", GDC 2018). Pose and speed are therefore continuous through the interruption, and only one clip has to be sampled.
//!
//! A limit bounds how far the remaining speed can carry a joint. The speed of a faster joint decays sooner and is reported
//! ([`FastInterruption`]).

use std::ops::Sub;

use glam::{DQuat, Quat, Vec3};

use super::transitions::decayed_distance;
use crate::clips::layer::PoseLayer;
use crate::standard::instance_shares::InstanceShares;
use crate::standard::scenario::Event;
use portamento_anim::Skeleton;
use portamento_anim::math::Transform;
use portamento_anim::math::easing::Easing;

/// Easing of the offset: zero speed and acceleration at both ends.
pub(crate) const FADE: Easing = Easing::Smoother;

/// Upper limit in seconds for the decay of an interrupted pose's speed. A longer decay makes limbs overshoot.
///
/// Tuned; no derivation recorded.
const MAX_DECAY_SECONDS: f64 = 0.1;

/// Seconds between the poses from which a speed is computed.
pub(crate) const STEP: f64 = 1.0 / 960.0;

/// Upper limit in radians for the rotation that the remaining speed adds to the offset of a joint. Tuned; no derivation recorded.
const MAX_ADDED_RADIANS: f32 = 0.25;

/// Upper limit for the translation that the remaining speed adds, as a fraction of the longest bone. Tuned; no derivation
/// recorded.
const MAX_ADDED_BONE_FRACTION: f32 = 0.1;

/// Upper limit for the scale or morph weight that the remaining speed adds. Tuned; no derivation recorded.
const MAX_ADDED_SCALE: f32 = 0.25;

/// The old pose, stored as offsets from the next clip.
#[derive(Clone, Debug)]
pub(crate) struct Inertialization {
    /// Index of the next clip instance.
    pub target: usize,
    /// Coverage of the old pose per joint, 0…1.
    pub coverage: Vec<f32>,
    /// Per joint, the shares of the old pose.
    pub shares: Vec<InstanceShares>,
    /// Time of the interruption, seconds.
    start: f64,
    /// Decay time in seconds of a speed within the limits.
    decay_time: f64,
    joints: Vec<JointOffset>,
    morphs: Vec<Offset<f32>>,
}

/// Input of [`Inertialization::new`]: the poses on both sides of an interruption.
pub(crate) struct Interruption<'a> {
    pub event: &'a Event,
    /// The old poses up to the event, [`STEP`] seconds apart; the last is at the event.
    pub outgoing: [PoseLayer; 3],
    /// The poses of the next clip from the event on, [`STEP`] seconds apart; the first is at the event.
    pub incoming: [PoseLayer; 3],
    /// Per joint, the shares of the old pose.
    pub shares: Vec<InstanceShares>,
}

/// A joint that turned so fast when a transition was interrupted that its speed has to decay sooner than usual.
#[derive(Clone, Debug, PartialEq)]
pub struct FastInterruption {
    /// Time of the interruption, seconds.
    pub time: f64,
    /// The joint's name.
    pub joint: String,
    /// Angular speed relative to the next clip, radians per second.
    pub speed: f64,
}

/// An offset and its change per second.
#[derive(Clone, Copy, Debug)]
struct Offset<T> {
    value: T,
    speed: T,
    /// Decay time of the speed, seconds.
    decay_time: f64,
}

/// Offset of one joint from the next clip.
#[derive(Clone, Copy, Debug)]
struct JointOffset {
    /// Rotation vector in the joint's local axes, radians.
    rotation: Offset<Vec3>,
    translation: Offset<Vec3>,
    scale: Offset<Vec3>,
}

/// Limits for the remaining speed.
#[derive(Clone, Copy)]
struct Limits {
    /// Decay time of a speed, seconds.
    decay_time: f64,
    /// Largest translation that a decaying speed may add, in the unit of the clips.
    translation: f32,
}

impl Limits {
    /// Returns the decay time in seconds with which `speed` adds at most `largest`.
    fn decay_time(&self, speed: f32, largest: f32) -> f64 {
        // A decaying speed adds at most 16/81 × speed × decay time, reached after a third of the decay time.
        let decay_time = 81.0 / 16.0 * f64::from(largest) / f64::from(speed);
        if decay_time < self.decay_time { decay_time } else { self.decay_time }
    }
}

impl Inertialization {
    /// Returns the inertialisation of the outgoing pose over clip instance `target`.
    pub fn new(target: usize, skeleton: &Skeleton, interruption: Interruption) -> Self {
        let Interruption { event, outgoing, incoming, shares } = interruption;
        let longest_bone = skeleton.joints.iter().map(|joint| joint.rest.translation.length()).fold(0.0, f32::max);
        let decay_time = event.trans_time.min(MAX_DECAY_SECONDS);
        let limits = Limits { decay_time, translation: MAX_ADDED_BONE_FRACTION * longest_bone };
        let locals = |layers: &[PoseLayer; 3], joint: usize| [0, 1, 2].map(|i| layers[i].get(joint));
        let joint = |joint: usize| JointOffset::between(locals(&outgoing, joint), locals(&incoming, joint), limits);
        let values = |layers: &[PoseLayer; 3], i: usize| [0, 1, 2].map(|step| layers[step].morphs[i]);
        let morph = |i: usize| {
            let (old, new) = (values(&outgoing, i), values(&incoming, i));
            let speed = (smaller_change(old, f32::abs) - smaller_change(new, f32::abs)) / STEP as f32;
            Offset { value: old[2] - new[0], speed, decay_time: limits.decay_time(speed.abs(), MAX_ADDED_SCALE) }
        };
        let joints = (0..skeleton.len()).map(joint).collect();
        let morphs = (0..skeleton.rest_morphs.len()).map(morph).collect();
        let [_, _, PoseLayer { coverage, .. }] = outgoing;
        Self { target, start: event.time, decay_time, shares, joints, morphs, coverage }
    }

    /// Adds to `layer`, the target's pose at `time` (seconds), the offset at the interruption and what its decaying
    /// speed has added since. Also sets the coverage of `layer` to that of the old pose.
    ///
    /// The offset does not shrink here: the transition fades the result out.
    pub fn apply(&self, time: f64, layer: &mut PoseLayer) {
        let since = time - self.start;
        let at = |offset: &Offset<Vec3>| offset.value + offset.speed * offset.decayed_offset(since);
        for (joint, offset) in self.joints.iter().enumerate() {
            let mut local = layer.get(joint);
            local.rotation = (local.rotation * Quat::from_scaled_axis(at(&offset.rotation))).normalize();
            local.translation += at(&offset.translation);
            local.scale += at(&offset.scale);
            layer.set(joint, local);
        }
        let offsets = layer.morphs.iter_mut().zip(&self.morphs);
        offsets.for_each(|(morph, offset)| *morph += offset.value + offset.speed * offset.decayed_offset(since));
        layer.coverage.copy_from_slice(&self.coverage);
    }

    /// Returns the fastest of the joints whose decay time was reduced, if there is one.
    pub fn fastest(&self, skeleton: &Skeleton) -> Option<FastInterruption> {
        let speed = |joint: usize| self.joints[joint].rotation.speed.length();
        let is_cut = |&joint: &usize| self.joints[joint].rotation.decay_time < self.decay_time;
        let fastest = (0..self.joints.len()).filter(is_cut).max_by(|&a, &b| speed(a).total_cmp(&speed(b)))?;
        let joint = skeleton.joints[fastest].name.clone();
        Some(FastInterruption { time: self.start, joint, speed: speed(fastest).into() })
    }
}

impl<T> Offset<T> {
    /// Returns the offset that a speed of 1 has added after `since` seconds.
    fn decayed_offset(&self, since: f64) -> f32 {
        decayed_distance(since, self.decay_time) as f32
    }
}

impl JointOffset {
    /// Returns the offset of the old motion from the target.
    ///
    /// `old` are its poses up to the event and `new` those of the target from the event on, each [`STEP`] seconds apart.
    fn between(old: [Transform; 3], new: [Transform; 3], limits: Limits) -> Self {
        let vector = |channel: fn(Transform) -> Vec3, largest: f32| {
            let (old, new) = (old.map(channel), new.map(channel));
            let speed = (smaller_change(old, Vec3::length) - smaller_change(new, Vec3::length)) / STEP as f32;
            Offset { value: old[2] - new[0], speed, decay_time: limits.decay_time(speed.length(), largest) }
        };
        // Uses f64, since the speed is a difference over 1/960 s, for which f32 leaves about three digits.
        let rotations = |locals: [Transform; 3]| locals.map(|local| local.rotation.as_dquat().normalize());
        Self {
            rotation: rotation_offset(rotations(old), rotations(new), limits),
            translation: vector(|local| local.translation, limits.translation),
            scale: vector(|local| local.scale, MAX_ADDED_SCALE),
        }
    }
}

/// Returns the smaller of the two changes between three values, by `size`. A jump in one of the steps (a loop that does not
/// close) must not count as speed.
fn smaller_change<T: Copy + Sub<Output = T>>(values: [T; 3], size: fn(T) -> f32) -> T {
    let [first, second] = [values[1] - values[0], values[2] - values[1]];
    if size(first) < size(second) { first } else { second }
}

/// Returns the rotation vector (radians) from the target to the old pose, and its change per second if both keep turning as
/// before. `old` and `new` are as in [`JointOffset::between`].
fn rotation_offset(old: [DQuat; 3], new: [DQuat; 3], limits: Limits) -> Offset<Vec3> {
    let smaller_step = |rotations: [DQuat; 3]| {
        let [first, second] = [0, 1].map(|i| rotations[i].conjugate() * rotations[i + 1]);
        if first.w.abs() > second.w.abs() { first } else { second }
    };
    let current = in_hemisphere(new[0].conjugate() * old[2], DQuat::IDENTITY);
    let (old_next, new_next) = (old[2] * smaller_step(old), new[0] * smaller_step(new));
    // The hemisphere of `current` instead of the shortest arc: near half a turn the shortest arc would flip, which looks like a full
    // turn.
    let next = in_hemisphere(new_next.conjugate() * old_next, current);
    let value = current.to_scaled_axis();
    let speed = ((next.to_scaled_axis() - value) / STEP).as_vec3();
    Offset { value: value.as_vec3(), speed, decay_time: limits.decay_time(speed.length(), MAX_ADDED_RADIANS) }
}

/// Returns the sign of `rotation` in the same hemisphere as `reference`.
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
        // 2 rad/s, with a jump before or after it.
        let step = 2.0 * STEP;
        for angles in [[-1.0, 0.2, 0.2 + step], [0.2 - step, 0.2, 1.2]] {
            let offset = rotation_offset(turns(angles), turns([0.0; 3]), limits);
            assert!(offset.value.abs_diff_eq(Vec3::Z * angles[2] as f32, 1e-6), "{}", offset.value);
            assert!(offset.speed.abs_diff_eq(Vec3::Z * 2.0, 1e-3), "{}", offset.speed);
            let [first, second] = [angles[1] - angles[0], angles[2] - angles[1]];
            assert!(
                (smaller_change(angles.map(|angle| angle as f32), f32::abs) - step as f32).abs() < 1e-6,
                "{first} {second}"
            );
        }
        // A rotation common to both sides is not a speed of the offset.
        let both = rotation_offset(turns([0.5 - 2.0 * step, 0.5 - step, 0.5]), turns([0.0, step, 2.0 * step]), limits);
        assert!(both.value.abs_diff_eq(Vec3::Z * 0.5, 1e-6) && both.speed.length() < 1e-3, "{}", both.speed);
    }
}
