//! What was going on when a transition was interrupted, let go in front of the clip that follows: inertialisation.
//!
//! Instead of mixing on with what played before, the clip that follows plays at once with the distance of the old pose from
//! it laid over; the distance dies away by a quintic, and so does the speed at which it was changing (D. Bollo,
//! "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018). So the pose and its speed go on
//! through the interruption, whatever happened before, at the price of one clip.

use glam::{DQuat, Quat, Vec3};

use super::rig::{Layer, Rig};
use super::scenario::Event;
use super::score::{Score, Strand};
use super::transitions::coast;
use crate::math::Transform;
use crate::math::easing::Easing;

/// How the distance dies away: no speed and no acceleration at either end.
pub(super) const FADE: Easing = Easing::Smoother;

/// Seconds in which the speed that an interrupted pose had dies away, at most; longer, limbs would swing far past.
const COAST: f64 = 0.1;

/// Seconds between the two poses that a speed is taken from.
const STEP: f64 = 1.0 / 960.0;

/// The old pose, seen from the clip that follows it.
#[derive(Clone, Debug)]
pub(super) struct Echo {
    /// The play that follows.
    pub of: usize,
    /// Per joint, how much of it was spoken for.
    pub cover: Vec<f32>,
    /// Per joint, each play's share of the old pose, then the rest pose's.
    pub shares: Vec<Vec<f32>>,
    /// Seconds.
    start: f64,
    /// Seconds until the speed has died away.
    coast: f64,
    joints: Vec<Lag>,
    /// Difference and its change per second.
    morphs: Vec<[f32; 2]>,
}

/// How far one joint is off, and how fast that changes per second.
#[derive(Clone, Copy, Debug)]
struct Lag {
    /// Rotation vectors in the joint's own axes.
    turn: [Vec3; 2],
    translation: [Vec3; 2],
    scale: [Vec3; 2],
}

impl Score {
    /// The echo of what `strands` play up to the event, in front of `play`.
    pub fn echo(&self, rig: &Rig, strands: &[Strand], play: usize, event: &Event) -> Echo {
        let start = event.time;
        let (mut out, mut single) = (Layer::of(rig), Layer::of(rig));
        let mut old_at = |time: f64| {
            self.chain(rig, strands, time, (&mut out, &mut single));
            out.clone()
        };
        let (before, old) = (old_at(start - STEP), old_at(start));
        let mut new_at = |time: f64| {
            self.play(rig, Some(play), time, &mut single);
            single.clone()
        };
        let (new, next) = (new_at(start), new_at(start + STEP));
        let lag = |joint: usize| {
            Lag::between([&before, &old].map(|layer| layer.get(joint)), [&new, &next].map(|layer| layer.get(joint)))
        };
        let morph = |i: usize| {
            let speed = (old.morphs[i] - before.morphs[i]) - (next.morphs[i] - new.morphs[i]);
            [old.morphs[i] - new.morphs[i], speed / STEP as f32]
        };
        let joints = 0..rig.skeleton.len();
        let shares = |joint| self.spread(self.chain_shares(rig, strands, start, joint).0, joint);
        Echo {
            of: play,
            start,
            shares: joints.clone().map(shares).collect(),
            coast: event.trans_time.min(COAST),
            joints: joints.map(lag).collect(),
            morphs: (0..old.morphs.len()).map(morph).collect(),
            cover: old.cover,
        }
    }
}

impl Lag {
    /// From two poses of a joint up to now and two from now on, each pair [`STEP`] seconds apart.
    fn between([before, old]: [Transform; 2], [new, next]: [Transform; 2]) -> Self {
        let turns = [before, old, new, next].map(|each| each.rotation.as_dquat().normalize());
        let [before_turn, old_turn, new_turn, next_turn] = turns;
        let now = signed(new_turn.conjugate() * old_turn, DQuat::IDENTITY);
        let carried = old_turn * (before_turn.conjugate() * old_turn);
        let then = signed(next_turn.conjugate() * carried, now);
        let (turn, later) = (now.to_scaled_axis(), then.to_scaled_axis());
        let speed = |old: Vec3, before: Vec3, next: Vec3, new: Vec3| ((old - before) - (next - new)) / STEP as f32;
        Self {
            turn: [turn.as_vec3(), ((later - turn) / STEP).as_vec3()],
            translation: [
                old.translation - new.translation,
                speed(old.translation, before.translation, next.translation, new.translation),
            ],
            scale: [old.scale - new.scale, speed(old.scale, before.scale, next.scale, new.scale)],
        }
    }
}

fn signed(turn: DQuat, near: DQuat) -> DQuat {
    if turn.dot(near) < 0.0 { -turn } else { turn }
}

impl Echo {
    /// Lays the old pose, going on and slowing down, over the clip that follows, as `layer` has it at `time`.
    pub fn apply(&self, time: f64, layer: &mut Layer) {
        let pushed = coast(time - self.start, self.coast) as f32;
        let at = |[value, speed]: [Vec3; 2]| value + speed * pushed;
        for (joint, lag) in self.joints.iter().enumerate() {
            let mut local = layer.get(joint);
            local.rotation = (local.rotation * Quat::from_scaled_axis(at(lag.turn))).normalize();
            local.translation += at(lag.translation);
            local.scale += at(lag.scale);
            layer.set(joint, local);
        }
        let lags = layer.morphs.iter_mut().zip(&self.morphs);
        lags.for_each(|(morph, [value, speed])| *morph += value + speed * pushed);
        layer.cover.copy_from_slice(&self.cover);
    }
}
