//! Fast tips against a small ball: none may pass through it between two steps.

use glam::DVec3;

use super::super::*;
use super::{hanging, loose};
use portamento_anim::math::random::SplitMix64;
use portamento_anim::{Pose, Skeleton};

const RADIUS: f64 = 0.02;

/// A bone of a metre whose tip is shot.
pub(super) struct Range<'a> {
    pub skeleton: &'a Skeleton,
    /// Joint of the bone; its end has no children.
    pub joint: usize,
    /// Length of the added end, metres; 0 if the skeleton has the end.
    pub end_length: f64,
    pub metres_per_unit: f64,
}

/// Position of a ball relative to a tip as seen from the joint: radians ahead on the tip's path, metres to the side.
#[derive(Clone, Copy, Debug)]
struct Aim {
    ahead: f64,
    aside: f64,
}

impl Range<'_> {
    fn rig(&self, settings: Settings) -> DynamicsRig {
        let chain = Chain { joint: self.joint, end_length: self.end_length, ..settings.chains[0].clone() };
        DynamicsRig::new(self.skeleton, &Settings { chains: vec![chain], ..settings }, self.metres_per_unit).unwrap()
    }

    /// Returns true if the tip, at 10 m/s, passes through a ball, and its smallest distance to the ball's surface in
    /// metres. A pass means that the tip is clearly outside before and after a step while the straight path crosses the
    /// ball.
    fn shot(&self, aim: Aim, collides: bool) -> (bool, f64) {
        let pose = Pose::rest(self.skeleton);
        let mut settings = loose(0.0);
        settings.gravity = DVec3::ZERO;
        let bone = State::at(&self.rig(settings.clone()), &pose).bones[0];
        let along = bone.direction.any_orthonormal_vector();
        let sideways = along.cross(bone.direction);
        let offset = along * aim.ahead.sin() + bone.direction * aim.ahead.cos();
        let ball = bone.joint.position + offset + sideways * aim.aside;
        let shape = ColliderShape::Sphere { center: ball, radius: RADIUS };
        settings.colliders.push(Collider { name: "ball".into(), joint: None, shape });
        settings.chains[0].ignored_colliders = if collides { Vec::new() } else { vec![0] };
        let rig = self.rig(settings);
        let mut state = State::at(&rig, &pose);
        state.previous_tips[0] -= along * 10.0 * STEP;
        fly(&rig, &pose, state, Ball { center: ball, solid: collides })
    }
}

/// Target of a shot.
struct Ball {
    center: DVec3,
    /// True if the chain collides with it.
    solid: bool,
}

/// Steps a shot tip. Returns true if it passes through the ball, and its smallest distance to the surface.
fn fly(rig: &DynamicsRig, pose: &Pose, mut state: State, ball: Ball) -> (bool, f64) {
    let Ball { center: ball, solid: collides } = ball;
    let (mut passed, mut nearest) = (false, f64::INFINITY);
    let outside = |point: DVec3| point.distance(ball) > RADIUS * (1.0 + 1e-6);
    for i in 1..12 {
        let from = state.bones[0].tip();
        step(rig, &mut state, pose, f64::from(i) * STEP, STEP);
        let to = state.bones[0].tip();
        let share = ((ball - from).dot(to - from) / (to - from).length_squared().max(1e-30)).clamp(0.0, 1.0);
        let depth = RADIUS - ball.distance(from.lerp(to, share));
        passed |= outside(from) && outside(to) && depth > 1e-6 * RADIUS;
        assert!(!collides || to.distance(ball) >= RADIUS * (1.0 - 1e-6), "the tip ends inside {ball}");
        nearest = nearest.min(to.distance(ball) - RADIUS);
    }
    (passed, nearest)
}

/// Shoots a number of times with random aims.
pub(super) fn shoot(range: &Range, shots: usize, seed: u64) {
    let mut random = SplitMix64::new(seed);
    let mut touched = 0;
    for number in 0..shots {
        let aim = Aim { ahead: 0.06 + 0.1 * random.unit(), aside: 0.0195 * (2.0 * random.unit() - 1.0) };
        let (passes, inside) = range.shot(aim, false);
        assert!(passes || inside < 0.0, "shot {number} does not aim at the ball");
        let (passes, gap) = range.shot(aim, true);
        assert!(!passes, "shot {number} passes through {aim:?}");
        touched += usize::from(gap < 1e-3 * RADIUS);
    }
    assert!(3 * touched > shots, "only {touched} shots came to the ball's edge");
}

#[test]
fn none_of_a_thousand_fast_shots_passes_through_a_small_ball() {
    shoot(&Range { skeleton: &hanging(1, 1.0), joint: 1, end_length: 0.0, metres_per_unit: 1.0 }, 1000, 1);
}
