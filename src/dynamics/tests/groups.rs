//! Ignored colliders of chains, and inertia relative to a center joint.

use glam::{DVec3, Vec3};

use super::super::spring_bone::{SpringState, settings_from_spring_bones, spring_bones_from_settings};
use super::super::*;
use super::{bake, hanging, loose, swaying};
use portamento_anim::{
    Pose, Skeleton, Spring, SpringBoneFormat, SpringBones, SpringCollider, SpringColliderGroup, SpringJoint,
    SpringShape,
};
use portamento_test_support::skeleton_of;

fn ball(center: DVec3) -> Collider {
    Collider { name: "ball".into(), joint: None, shape: ColliderShape::Sphere { center, radius: 0.1 } }
}

/// Returns hips that carry two parallel chains of three bones.
pub(super) fn two_chains() -> Skeleton {
    let names = ["hips", "a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"];
    let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(0), Some(5), Some(6), Some(7)];
    let rows: Vec<_> = names.into_iter().zip(parents).collect();
    let mut skeleton = skeleton_of(&rows);
    for (index, joint) in skeleton.joints.iter_mut().enumerate() {
        let side = if index == 1 { 0.2 } else { -0.2 };
        joint.rest.translation = Vec3::NEG_Y * 0.1 + if index % 4 == 1 { Vec3::X * side } else { Vec3::ZERO };
        joint.node = index;
    }
    skeleton
}

#[test]
fn a_chain_passes_through_its_ignored_colliders_and_another_does_not() {
    let skeleton = two_chains();
    let chain = |joint: usize, ignored_colliders: Vec<usize>| Chain {
        joint,
        ignored_colliders,
        ..loose(0.1).chains[0].clone()
    };
    let bodies = vec![ball(DVec3::new(0.33, 0.7, 0.0)), ball(DVec3::new(-0.33, 0.7, 0.0))];
    let settings =
        Settings { chains: vec![chain(1, vec![0, 1]), chain(5, Vec::new())], colliders: bodies, ..Settings::default() };
    let driver = |time: f64, pose: &mut Pose| swaying(time, pose);
    let both = bake(&skeleton, &driver, 2.0, &settings);
    let mut free = Settings { colliders: Vec::new(), ..settings.clone() };
    free.chains[0].ignored_colliders.clear();
    let free = bake(&skeleton, &driver, 2.0, &free);
    let turns = |built: &Built, joint: usize| -> Vec<glam::Quat> {
        let at = built.joints.iter().position(|&known| known == joint).unwrap();
        built.rows().map(|row| row[at]).collect()
    };
    assert!(both.report.penetration <= 1e-6, "{} {:?}", both.report.penetration, both.report.warnings);
    assert!(both.report.contacts.iter().any(|&count| count > 0));
    assert_eq!(turns(&both, 2), turns(&free, 2), "ignored_colliders");
    assert_ne!(turns(&both, 6), turns(&free, 6), "met");
    let wrong = Settings { chains: vec![chain(1, vec![2])], ..settings };
    assert!(DynamicsRig::new(&skeleton, &wrong, 1.0).unwrap_err().to_string().contains("ignores collider 2"));
}

#[test]
fn motion_of_the_centre_does_not_shake_the_chain() {
    let skeleton = hanging(4, 0.1);
    let mut settings = loose(0.1);
    let walk =
        |time: f64, pose: &mut Pose| pose.locals[0].translation = Vec3::new((3.0 * time * time) as f32, 1.0, 0.0);
    let angle = |built: &Built| {
        let turns =
            built.rows().flatten().map(|q| portamento_anim::math::mean::angle_between(*q, glam::Quat::IDENTITY));
        turns.fold(0.0, f64::max)
    };
    let shaken = angle(&bake(&skeleton, &walk, 2.0, &settings));
    settings.chains[0].center = Some(0);
    let carried = bake(&skeleton, &walk, 2.0, &settings);
    assert!(shaken > 0.3 && angle(&carried) < 1e-6, "{shaken} {}", angle(&carried));
    settings.smoothing = 0.1;
    assert!(angle(&bake(&skeleton, &walk, 2.0, &settings)) < 1e-6);
    // A jump must carry the chain only once.
    settings.smoothing = 0.0;
    let jump = |time: f64, pose: &mut Pose| pose.locals[0].translation.x = if time > 1.0 { 500.0 } else { 0.0 };
    for rule in [TeleportRule::Carry, TeleportRule::Reset] {
        settings.teleport.rule = rule;
        assert!(angle(&bake(&skeleton, &jump, 2.0, &settings)) < 1e-6, "{rule:?}");
    }
}

#[test]
fn a_chain_with_a_centre_stays_out_of_a_ball_that_moves_with_it() {
    let skeleton = hanging(6, 0.1);
    let mut settings = loose(0.05);
    settings.chains[0].center = Some(0);
    settings.wind = Wind { strength: 6.0, ..Wind::default() };
    let shape = ColliderShape::Sphere { center: DVec3::new(0.1, -0.4, 0.0), radius: 0.08 };
    settings.colliders.push(Collider { name: "ball".into(), joint: Some(0), shape });
    let rush = |time: f64, pose: &mut Pose| {
        swaying(time, pose);
        pose.locals[0].translation.z += 8.0 * time as f32;
    };
    let built = bake(&skeleton, &rush, 3.0, &settings);
    assert!(built.report.contacts.iter().any(|&count| count > 0));
    assert!(built.report.penetration <= 1e-6 && built.report.length_error <= 1e-12, "{:?}", built.report);
}

/// Returns two springs on one body; the first collides with the first group and has a center, the second with both
/// groups.
fn avatar() -> SpringBones {
    let shape =
        |x: f64| SpringShape::Round { offset: DVec3::new(x, -0.3, 0.0), tail: None, radius: 0.1, inside: false };
    let joints = |first: usize| (first..first + 4).map(SpringJoint::new).collect();
    let spring = |name: &str, first, groups, center| Spring {
        name: name.into(),
        joints: joints(first),
        groups,
        center,
        end_length: 0.0,
    };
    let group = |colliders: &[usize]| SpringColliderGroup { name: String::new(), colliders: colliders.to_vec() };
    SpringBones {
        colliders: [0.2, 0.25, -0.2].map(|x| SpringCollider { node: 0, shape: shape(x) }).to_vec(),
        groups: vec![group(&[0, 1]), group(&[2])],
        springs: vec![spring("a", 1, vec![0], Some(0)), spring("b", 5, vec![0, 1], None)],
    }
}

#[test]
fn groups_and_centres_of_an_avatar_are_imported_and_exported() {
    let (skeleton, bones) = (two_chains(), avatar());
    let (settings, notes) = settings_from_spring_bones(&bones, &skeleton, 1.0);
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(
        (&settings.chains[0].ignored_colliders[..], &settings.chains[1].ignored_colliders[..]),
        (&[2][..], &[][..])
    );
    assert_eq!((settings.chains[0].center, settings.chains[1].center), (Some(0), None));
    let (back, _) = spring_bones_from_settings(&settings, &skeleton, 1.0, SpringBoneFormat::Vrm1).unwrap();
    assert_eq!(back.groups, bones.groups);
    for (a, b) in back.springs.iter().zip(&bones.springs) {
        assert_eq!((&a.groups, a.center), (&b.groups, b.center));
    }
    let mut aside = settings;
    aside.chains[0].center = Some(6);
    let (back, notes) = spring_bones_from_settings(&aside, &skeleton, 1.0, SpringBoneFormat::Vrm1).unwrap();
    assert!(
        back.springs[0].center.is_none() && notes.iter().any(|note| note.to_string().contains("above the chain")),
        "{notes:?}"
    );
}

#[test]
fn the_algorithm_of_the_format_uses_inertia_relative_to_the_centre() {
    let (skeleton, mut bones) = (two_chains(), avatar());
    bones.groups.clear();
    bones.springs.iter_mut().for_each(|spring| spring.groups.clear());
    let mut pose = Pose::rest(&skeleton);
    let mut state = SpringState::at(&bones, &skeleton, &pose);
    let start = state.tips.clone();
    for frame in 1..=60 {
        pose.set_rest(&skeleton);
        let x = 2.0 * f64::from(frame) / 60.0;
        pose.locals[0].translation.x += x as f32;
        state.step(&bones, &skeleton, &mut pose, 1.0 / 60.0);
        let apart = |tip: usize| state.tips[tip].distance(start[tip] + DVec3::X * x);
        assert!((0..3).all(|tip| apart(tip) < 1e-6), "frame {frame}: {}", apart(2));
        assert!(frame < 10 || apart(5) > 0.01, "without a center it lags");
    }
}
