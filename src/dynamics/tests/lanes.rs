//! Bones in parallel lanes have the same bits as bones stepped separately.

use glam::{DVec3, Quat, Vec3};

use super::super::*;
use super::loose;
use portamento_anim::{Pose, Skeleton};
use portamento_test_support::skeleton_of;

const CHAINS: usize = 11;

/// Returns a body with chains of one to six bones, one of which branches, and the first joint of each chain.
pub(super) fn body() -> (Skeleton, Vec<usize>) {
    let (mut rows, mut starts) = (vec![("body".to_string(), None)], Vec::new());
    for chain in 0..CHAINS {
        starts.push(rows.len());
        for link in 0..=1 + chain % 6 {
            let parent = if link == 0 { 0 } else { rows.len() - 1 };
            rows.push((format!("{chain}.{link}"), Some(parent)));
        }
    }
    rows.push(("branch".to_string(), Some(starts[4] + 1)));
    rows.push(("its end".to_string(), Some(rows.len() - 1)));
    let named: Vec<(&str, Option<usize>)> = rows.iter().map(|(name, parent)| (&name[..], *parent)).collect();
    let mut skeleton = skeleton_of(&named);
    for (index, joint) in skeleton.joints.iter_mut().enumerate().skip(1) {
        joint.rest.translation = Vec3::new(0.01 * (index % 3) as f32, -0.06, 0.0);
        joint.rest.rotation = Quat::from_rotation_x(0.05 * (index % 5) as f32);
    }
    for (chain, &start) in starts.iter().enumerate() {
        let angle = chain as f32 * 0.6;
        skeleton.joints[start].rest.translation = Vec3::new(0.15 * angle.cos(), 0.0, 0.15 * angle.sin());
    }
    // A shearing scale, a bone too short to have a direction, and a scale that preserves angles.
    skeleton.joints[starts[3]].rest.scale = Vec3::new(1.0, 0.4, 1.2);
    skeleton.joints[starts[5] + 2].rest.translation = Vec3::ZERO;
    skeleton.joints[starts[8]].rest.scale = Vec3::splat(1.3);
    (skeleton, starts)
}

/// Returns settings with various chains and colliders of every shape.
pub(super) fn settings(starts: &[usize]) -> Settings {
    let chain = |(index, &joint): (usize, &usize)| Chain {
        joint,
        radius: Profile::constant(0.01 * (index % 3) as f64),
        stiffness: Profile::constant(3.0 * (index % 4) as f64),
        end_length: if index % 4 == 2 { 0.05 } else { 0.0 },
        length_correction: if index % 2 == 0 { LengthCorrection::AsPublished } else { LengthCorrection::EnergyKeeping },
        limit: match index {
            6 => AngleLimit::Cone { angle: 0.4 },
            7 => AngleLimit::Hinge { axis: DVec3::X, low: -0.3, high: 0.5 },
            _ => AngleLimit::Free,
        },
        center: (index == 9).then_some(0),
        ignored_colliders: if index == 1 { vec![0] } else { Vec::new() },
        ..loose(0.02 * index as f64).chains[0].clone()
    };
    let at = |index: usize| DVec3::new(0.2 * (index as f64 * 2.0).cos(), -0.15, 0.2 * (index as f64 * 2.0).sin());
    let ball = |index: usize| ColliderShape::Sphere { center: at(index), radius: 0.05 };
    let shapes = [
        ball(0),
        ball(1),
        ball(2),
        ColliderShape::Capsule { a: at(3), b: at(3) + DVec3::new(0.05, 0.02, 0.1), radius: 0.03 },
        ColliderShape::Plane { point: DVec3::Y * -0.3, normal: DVec3::new(0.1, 1.0, 0.0) },
    ];
    let collider = |(index, shape)| Collider { name: format!("{index}"), joint: (index < 2).then_some(0), shape };
    Settings {
        chains: starts.iter().enumerate().map(chain).collect(),
        colliders: shapes.into_iter().enumerate().map(collider).collect(),
        wind: Wind { strength: 2.0, ..Wind::default() },
        ..Settings::default()
    }
}

/// Sways, whirls, and jumps once.
pub(super) fn moving(time: f64, pose: &mut Pose) {
    let (sin, cos) = (time * 9.0).sin_cos();
    let jump = if time > 1.5 { 30.0 } else { 0.0 };
    pose.locals[0].translation = Vec3::new(0.3 * sin as f32 + jump, 0.1 * cos as f32, 0.0);
    pose.locals[0].rotation = Quat::from_rotation_z(3.0 * (sin * cos) as f32);
    // One joint flips from one step to the next.
    let turned = if (time * 3.0).fract() < 0.5 { 3.1 } else { 0.0 };
    pose.locals[1].rotation = Quat::from_rotation_z(turned);
}

/// Steps the same bones with and without lanes, and returns the number of contacts and the largest displacement in a
/// step.
fn compare(settings: &Settings, skeleton: &Skeleton) -> (usize, f64) {
    let rig = DynamicsRig::new(skeleton, settings, 1.0).unwrap();
    let mut pose = Pose::rest(skeleton);
    let (mut lanes, mut alone) = (State::at(&rig, &pose), State::at(&rig, &pose));
    alone.one_by_one = true;
    let (mut contacts, mut fastest) = (0, 0.0_f64);
    for i in 1..=600 {
        let time = f64::from(i) * STEP;
        pose.set_rest(skeleton);
        moving(time, &mut pose);
        step(&rig, &mut lanes, &pose, time, STEP);
        step(&rig, &mut alone, &pose, time, STEP);
        assert_eq!(lanes.bones, alone.bones, "step {i}");
        assert_eq!((&lanes.shown, &lanes.buffered), (&alone.shown, &alone.buffered), "step {i}");
        assert_eq!((&lanes.previous_tips, &lanes.axes), (&alone.previous_tips, &alone.axes), "step {i}");
        assert_eq!(lanes.contacts, alone.contacts, "step {i}");
        contacts += lanes.contacts.iter().filter(|contact| contact.touching).count();
        let displacement = |index: usize| lanes.bones[index].tip().distance(lanes.previous_tips[index]);
        fastest = (0..rig.bones.len()).map(displacement).fold(fastest, f64::max);
    }
    (contacts, fastest)
}

#[test]
fn bones_in_lanes_have_the_bits_of_bones_stepped_separately() {
    let (skeleton, starts) = body();
    let mut settings = settings(&starts);
    let (contacts, fastest) = compare(&settings, &skeleton);
    assert!(contacts > 200 && fastest > 0.03, "{contacts} {fastest}");
    settings.smoothing = 0.05;
    assert!(compare(&settings, &skeleton).0 > 200);
    settings.segment_contact = true;
    assert!(compare(&settings, &skeleton).0 > 200);
    (settings.smoothing, settings.slerp_buffer) = (0.0, 1.0);
    assert!(compare(&settings, &skeleton).0 > 200);
    let room = ColliderShape::InsideSphere { center: DVec3::ZERO, radius: 0.35 };
    settings.colliders.push(Collider { name: "room".into(), joint: Some(0), shape: room });
    assert!(compare(&settings, &skeleton).0 > 200);
    settings.colliders.clear();
    settings.chains.iter_mut().for_each(|chain| chain.ignored_colliders.clear());
    assert_eq!(compare(&settings, &skeleton).0, 0);
}

#[test]
fn groups_contain_each_bone_once_after_its_parent() {
    let (skeleton, starts) = body();
    let rig = DynamicsRig::new(&skeleton, &settings(&starts), 1.0).unwrap();
    let mut done = vec![false; rig.bones.len()];
    for group in &rig.groups {
        let own = &group.bones[..group.count];
        assert!(own.iter().all(|&bone| rig.bones[bone].parent.is_none_or(|parent| done[parent])));
        own.iter().for_each(|&bone| assert!(!std::mem::replace(&mut done[bone], true)));
    }
    assert!(done.iter().all(|&done| done) && rig.groups.len() < rig.bones.len() / 2);
}
