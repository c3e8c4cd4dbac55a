//! Fast tips against a small ball: none may pass through it between two steps.

use glam::DVec3;

use super::super::*;
use super::{hanging, loose};
use crate::anim::Pose;
use crate::math::random::SplitMix64;

const RADIUS: f64 = 0.02;

/// Whether a tip at 10 m/s, which starts 1 m below its joint and flies along +X, passes through a ball: whether it is clearly outside
/// before and after a step and the straight way between leads through. And how near it came to the ball's edge, metres.
fn shot(ball: DVec3, collides: bool) -> (bool, f64) {
    let skeleton = hanging(1, 1.0);
    let pose = Pose::rest(&skeleton);
    let mut settings = loose(0.0);
    settings.gravity = DVec3::ZERO;
    let shape = ColliderShape::Sphere { center: ball, radius: RADIUS };
    settings.colliders.push(Collider { name: "ball".into(), joint: None, shape });
    settings.chains[0].ignored_colliders = if collides { Vec::new() } else { vec![0] };
    let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
    let mut state = State::at(&rig, &pose);
    state.previous_tips[0].x -= 10.0 * STEP;
    let (mut passed, mut nearest) = (false, f64::INFINITY);
    let outside = |point: DVec3| point.distance(ball) > RADIUS * (1.0 + 1e-6);
    for i in 1..12 {
        let from = state.bones[0].tip();
        step(&rig, &mut state, &pose, f64::from(i) * STEP, STEP);
        let to = state.bones[0].tip();
        let share = ((ball - from).dot(to - from) / (to - from).length_squared().max(1e-30)).clamp(0.0, 1.0);
        let depth = RADIUS - ball.distance(from.lerp(to, share));
        passed |= outside(from) && outside(to) && depth > 1e-6 * RADIUS;
        assert!(!collides || to.distance(ball) >= RADIUS * (1.0 - 1e-6), "the tip ends inside {ball}");
        nearest = nearest.min(to.distance(ball) - RADIUS);
    }
    (passed, nearest)
}

#[test]
fn none_of_a_thousand_fast_shots_passes_through_a_small_ball() {
    let mut random = SplitMix64::new(1);
    let mut touched = 0;
    for number in 0..1000 {
        let ahead = 0.06 + 0.1 * random.unit();
        let aside = 0.0195 * (2.0 * random.unit() - 1.0);
        let ball = DVec3::new(ahead.sin(), -ahead.cos(), aside);
        let (passes, inside) = shot(ball, false);
        assert!(passes || inside < 0.0, "shot {number} does not aim at the ball");
        let (passes, gap) = shot(ball, true);
        assert!(!passes, "shot {number} passes through {ball}");
        touched += usize::from(gap < 1e-3 * RADIUS);
    }
    assert!(touched > 500, "only {touched} shots came to the ball's edge");
}
