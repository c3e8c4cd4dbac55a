//! Fast tips against a small ball: none may pass through it between two steps.

use glam::DVec3;

use super::super::*;
use super::{hanging, loose};
use crate::anim::Pose;
use crate::math::random::SplitMix64;

const RADIUS: f64 = 0.02;

/// How deep the path of a tip at 10 m/s leads into a ball, metres: the worst over all straight pieces from step to step. The tip
/// starts 1 m below its joint and flies along +X.
fn depth_of_path(ball: DVec3, collides: bool) -> f64 {
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
    let mut deepest = f64::NEG_INFINITY;
    for i in 1..12 {
        let from = state.bones[0].tip();
        step(&rig, &mut state, &pose, f64::from(i) * STEP, STEP);
        let to = state.bones[0].tip();
        let share = ((ball - from).dot(to - from) / (to - from).length_squared().max(1e-30)).clamp(0.0, 1.0);
        deepest = deepest.max(RADIUS - ball.distance(from.lerp(to, share)));
    }
    deepest
}

#[test]
fn none_of_a_thousand_fast_shots_passes_through_a_small_ball() {
    let mut random = SplitMix64::new(1);
    let mut worst = f64::NEG_INFINITY;
    for shot in 0..1000 {
        let ahead = 0.06 + 0.1 * random.unit();
        let aside = 0.0195 * (2.0 * random.unit() - 1.0);
        let ball = DVec3::new(ahead.sin(), -ahead.cos(), aside);
        assert!(depth_of_path(ball, false) > 1e-4, "shot {shot} does not aim at the ball");
        let depth = depth_of_path(ball, true);
        assert!(depth <= 1e-6 * RADIUS, "shot {shot} at {ball} goes {depth} m deep");
        worst = worst.max(depth);
    }
    assert!(worst > -1e-3 * RADIUS, "no shot reached the ball: {worst}");
}
