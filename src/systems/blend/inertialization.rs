//! What goes on of an interrupted transition: inertialisation.
//!
//! Instead of mixing on with what played before, the clip that follows plays at once with the offset of the old pose from it laid
//! over; the offset fades out, and the speed at which it was changing decays by a quintic (D. Bollo, "Inertialization:
//! High-Performance Animation Transitions in Gears of War", GDC 2018). So the pose and its speed go on through the interruption,
//! whatever happened before, at the price of one clip.

use glam::{DQuat, Quat, Vec3};

use super::clip_bank::Layer;
use super::scenario::Event;
use super::transitions::decayed_distance;
use crate::math::Transform;
use crate::math::easing::Easing;

/// How the offset fades out: without speed and acceleration at either end.
pub(super) const FADE: Easing = Easing::Smoother;

/// Seconds in which the speed of an interrupted pose decays, at most; longer, limbs would swing far past.
const LONGEST_DECAY: f64 = 0.1;

/// Seconds between the two poses that a speed is taken from.
pub(super) const STEP: f64 = 1.0 / 960.0;

/// The old pose as offsets from the clip that follows it.
#[derive(Clone, Debug)]
pub(super) struct Inertialization {
    /// The clip instance that follows.
    pub target: usize,
    /// Per joint, how much of it the old pose had.
    pub coverage: Vec<f32>,
    /// Per joint, each clip instance's share of the old pose, then the rest pose's.
    pub shares: Vec<Vec<f32>>,
    /// Seconds.
    start: f64,
    /// Seconds until the speed has decayed.
    decay_time: f64,
    joints: Vec<JointOffset>,
    morphs: Vec<Offset<f32>>,
}

/// Two poses [`STEP`] seconds apart.
pub(super) struct PosePair {
    pub first: Layer,
    pub second: Layer,
}

/// What an inertialisation goes on from, and to what.
pub(super) struct Interruption<'a> {
    pub event: &'a Event,
    /// The old poses up to the event.
    pub outgoing: &'a PosePair,
    /// The target's poses from the event on.
    pub incoming: &'a PosePair,
    /// Per joint, each clip instance's share of the old pose, then the rest pose's.
    pub shares: Vec<Vec<f32>>,
}

/// A difference and how much it changes per second.
#[derive(Clone, Copy, Debug)]
struct Offset<T> {
    value: T,
    speed: T,
}

/// How far one joint is off.
#[derive(Clone, Copy, Debug)]
struct JointOffset {
    /// Rotation vectors in the joint's own axes, radians.
    rotation: Offset<Vec3>,
    translation: Offset<Vec3>,
    scale: Offset<Vec3>,
}

impl Inertialization {
    /// Lets the outgoing pose decay in front of clip instance `target`.
    pub fn new(target: usize, interruption: Interruption) -> Self {
        let Interruption { event, outgoing, incoming, shares } = interruption;
        let joint = |joint: usize| {
            let at = |layer: &Layer| layer.get(joint);
            JointOffset::between(
                [at(&outgoing.first), at(&outgoing.second)],
                [at(&incoming.first), at(&incoming.second)],
            )
        };
        let morph = |i: usize| {
            let [before, old] = [outgoing.first.morphs[i], outgoing.second.morphs[i]];
            let [new, next] = [incoming.first.morphs[i], incoming.second.morphs[i]];
            Offset { value: old - new, speed: ((old - before) - (next - new)) / STEP as f32 }
        };
        Self {
            target,
            start: event.time,
            shares,
            decay_time: event.trans_time.min(LONGEST_DECAY),
            joints: (0..outgoing.second.coverage.len()).map(joint).collect(),
            morphs: (0..outgoing.second.morphs.len()).map(morph).collect(),
            coverage: outgoing.second.coverage.clone(),
        }
    }

    /// Lays the old pose, going on and slowing down, over the target as `layer` has it at `time`.
    pub fn apply(&self, time: f64, layer: &mut Layer) {
        let decayed = decayed_distance(time - self.start, self.decay_time) as f32;
        let at = |offset: Offset<Vec3>| offset.value + offset.speed * decayed;
        for (joint, offset) in self.joints.iter().enumerate() {
            let mut local = layer.get(joint);
            local.rotation = (local.rotation * Quat::from_scaled_axis(at(offset.rotation))).normalize();
            local.translation += at(offset.translation);
            local.scale += at(offset.scale);
            layer.set(joint, local);
        }
        let offsets = layer.morphs.iter_mut().zip(&self.morphs);
        offsets.for_each(|(morph, Offset { value, speed })| *morph += value + speed * decayed);
        layer.coverage.copy_from_slice(&self.coverage);
    }
}

impl JointOffset {
    /// From two old poses of a joint up to now and two of the target from now on, each pair [`STEP`] seconds apart.
    fn between([before, old]: [Transform; 2], [new, next]: [Transform; 2]) -> Self {
        let speed = |old: Vec3, before: Vec3, next: Vec3, new: Vec3| ((old - before) - (next - new)) / STEP as f32;
        Self {
            rotation: rotation_offset([before.rotation, old.rotation], [new.rotation, next.rotation]),
            translation: Offset {
                value: old.translation - new.translation,
                speed: speed(old.translation, before.translation, next.translation, new.translation),
            },
            scale: Offset {
                value: old.scale - new.scale,
                speed: speed(old.scale, before.scale, next.scale, new.scale),
            },
        }
    }
}

/// The rotation from the target to the old pose now, and its change if the old pose went on turning as it did.
fn rotation_offset(outgoing: [Quat; 2], incoming: [Quat; 2]) -> Offset<Vec3> {
    let unit = |rotation: Quat| rotation.as_dquat().normalize();
    let ([before, old], [new, next]) = (outgoing.map(unit), incoming.map(unit));
    let now = in_hemisphere(new.conjugate() * old, DQuat::IDENTITY);
    let carried_on = old * (before.conjugate() * old);
    let then = in_hemisphere(next.conjugate() * carried_on, now);
    let (value, later) = (now.to_scaled_axis(), then.to_scaled_axis());
    Offset { value: value.as_vec3(), speed: ((later - value) / STEP).as_vec3() }
}

fn in_hemisphere(rotation: DQuat, reference: DQuat) -> DQuat {
    if rotation.dot(reference) < 0.0 { -rotation } else { rotation }
}
