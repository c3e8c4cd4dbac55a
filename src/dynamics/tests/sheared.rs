//! Bones under a scale that differs by axis.

use glam::{DVec3, Quat, Vec3};

use super::super::*;
use super::{bake, hanging, loose};
use portamento_anim::{Pose, Skeleton};

/// Returns a chain of three bones under a rotated parent that is squashed to a fifth along one axis.
fn squashed() -> Skeleton {
    let mut skeleton = hanging(3, 0.1);
    skeleton.joints[0].rest.scale = Vec3::new(1.0, 0.2, 1.5);
    skeleton.joints[1].rest.rotation = Quat::from_rotation_x(0.9) * Quat::from_rotation_z(0.5);
    skeleton.joints[2].rest.rotation = Quat::from_rotation_x(-0.4);
    skeleton
}

/// Returns start and end of the bone of `joint` by the joint matrices.
fn bone_at(skeleton: &Skeleton, built: &Built, time: f64, joint: usize) -> [DVec3; 2] {
    let mut pose = Pose::rest(skeleton);
    built.sample(time, &mut pose);
    [joint, joint + 1].map(|joint| pose.world_from_joint(skeleton, joint).translation)
}

#[test]
fn bones_on_a_squashed_parent_hang_straight_down() {
    let skeleton = squashed();
    let built = bake(&skeleton, &|_: f64, _: &mut Pose| {}, 6.0, &loose(0.2));
    for joint in 1..=3 {
        let [start, end] = bone_at(&skeleton, &built, 6.0, joint);
        let aside = (end - start).angle_between(DVec3::NEG_Y).to_degrees();
        assert!(aside < 0.1, "joint {joint} hangs {aside}° aside");
    }
    assert!(built.report.position_error < 1e-9 && built.report.twist <= 1e-5, "{:?}", built.report);
}

#[test]
fn bones_on_a_squashed_parent_stay_out_of_colliders() {
    let skeleton = squashed();
    let mut settings = loose(0.2);
    // Straight below the chain's first joint, so that the hanging chain has to lean against it.
    let start = Pose::rest(&skeleton).world_from_joint(&skeleton, 1).translation;
    let (center, radius) = (start + DVec3::new(0.005, -0.08, 0.0), 0.06);
    let shape = ColliderShape::Sphere { center, radius };
    settings.colliders.push(Collider { name: "ball".into(), joint: None, shape });
    let built = bake(&skeleton, &|_: f64, _: &mut Pose| {}, 4.0, &settings);
    assert!(built.report.contacts.iter().any(|&count| count > 0));
    for step in 0..built.len() {
        for joint in 1..=3 {
            let [_, end] = bone_at(&skeleton, &built, step as f64 / 240.0, joint);
            let depth = radius - end.distance(center);
            // Contact on the ellipsoid is solved in rounds, each on a sphere.
            assert!(depth <= 1e-4, "joint {joint} is {depth} m deep at step {step}");
        }
    }
}
