//! VRM spring bones compared with another program.

use super::super::spring_bone::*;
use crate::{Input, Settings, build};
use glam::DVec3;
use portamento_anim::{
    Pose, Skeleton, Spring, SpringBoneFormat, SpringBones, SpringCollider, SpringColliderGroup, SpringJoint,
    SpringShape,
};
use portamento_base::message::Message;
use portamento_base::progress::Progress;
use portamento_formats::export::spring_bone::write;
use portamento_formats::import::{import, spring_bone::read};
use serde_json::json;

/// Tips of the four bones at frames 30, 60 and 119 as @pixiv/three-vrm 3.5.5 computes them. The scene moves along +X at 2
/// m/s for the first 60 of 120 frames of 1/60 s.
const MEASURED: [(&str, [[[f64; 3]; 4]; 3]); 3] = [
    (
        "sphere-collider.gltf",
        [
            [
                [0.694742, 1.603998, 0.000000],
                [0.283029, 1.320286, 0.000000],
                [-0.105815, 1.005962, 0.000000],
                [-0.293148, 0.542382, 0.000000],
            ],
            [
                [1.687817, 1.609434, 0.000000],
                [1.249972, 1.367998, 0.000000],
                [0.771119, 1.224123, 0.000000],
                [0.282418, 1.118426, 0.000000],
            ],
            [
                [1.998499, 1.500002, 0.000000],
                [1.977602, 1.000439, 0.000000],
                [1.852326, 0.516388, 0.000000],
                [1.486430, 0.175623, 0.000000],
            ],
        ],
    ),
    (
        "inside-collider.gltf",
        [
            [
                [0.694742, 1.603998, 0.000000],
                [0.283029, 1.320286, 0.000000],
                [-0.002479, 0.909817, 0.000000],
                [0.169824, 0.440443, 0.000000],
            ],
            [
                [1.687817, 1.609434, 0.000000],
                [1.249972, 1.367998, 0.000000],
                [0.994681, 0.938083, 0.000000],
                [1.153912, 0.464115, 0.000000],
            ],
            [
                [1.998499, 1.500002, 0.000000],
                [1.977602, 1.000439, 0.000000],
                [1.853934, 0.515974, 0.000000],
                [1.559602, 0.111785, 0.000000],
            ],
        ],
    ),
    (
        "plane-collider.gltf",
        [
            [
                [1.000000, 1.500000, 0.000000],
                [1.000000, 1.000000, 0.000000],
                [1.000000, 0.500000, 0.000000],
                [1.000000, 0.000000, 0.000000],
            ],
            [
                [2.000000, 1.500000, 0.000000],
                [2.000000, 1.000000, 0.000000],
                [2.000000, 0.500000, 0.000000],
                [2.000000, 0.000000, 0.000000],
            ],
            [
                [2.000290, 1.500000, 0.000000],
                [2.003674, 1.000012, 0.000000],
                [2.020570, 0.500297, 0.000000],
                [2.066343, 0.002397, 0.000000],
            ],
        ],
    ),
];

fn example(file: &str) -> Option<(Skeleton, SpringBones)> {
    let opened = import(&portamento_test_support::corpus(&format!("springs/{file}"))?).unwrap();
    Some((opened.model.skeleton, read(&opened.source.unwrap().json).unwrap()))
}

fn moved(skeleton: &Skeleton, frame: usize, pose: &mut Pose) {
    pose.set_rest(skeleton);
    for root in skeleton.roots() {
        pose.locals[root].translation.x += 2.0 * frame.min(60) as f32 / 60.0;
    }
}

#[test]
fn the_examples_move_as_in_three_vrm() {
    for (file, measured) in MEASURED {
        let Some((skeleton, bones)) = example(file) else { continue };
        let mut pose = Pose::rest(&skeleton);
        let mut state = SpringState::at(&bones, &skeleton, &pose);
        state.stale_lengths = true;
        let mut worst = 0.0_f64;
        for frame in 0..=119 {
            moved(&skeleton, frame, &mut pose);
            state.step(&bones, &skeleton, &mut pose, 1.0 / 60.0);
            if let Some(row) = [30, 60, 119].iter().position(|&known| known == frame) {
                let tips = simulated_joints(&bones, &skeleton);
                let tips = tips.map(|each| each.world_tip(&skeleton, &pose));
                let apart = |(tip, wanted): (DVec3, &[f64; 3])| tip.distance(DVec3::from_array(*wanted));
                worst = tips.zip(&measured[row]).map(apart).fold(worst, f64::max);
            }
        }
        println!("{file}: {worst:e} m");
        assert!(worst < 1e-4, "{file} differs by {worst} m");
    }
}

#[test]
fn written_spring_bones_are_read_back_equal() {
    for (file, _) in MEASURED {
        let Some((_, bones)) = example(file) else { continue };
        let nodes = vec![json!({}); 6];
        let mut json = json!({ "nodes": nodes });
        write(&mut json, &bones);
        assert_eq!(read(&json), Some(bones.clone()));
        let mut again = json.clone();
        write(&mut again, &bones);
        assert_eq!(again, json);
    }
}

#[test]
fn settings_survive_a_round_trip() {
    let Some((skeleton, bones)) = example("sphere-collider.gltf") else { return };
    let (settings, notes) = settings_from_spring_bones(&bones, &skeleton, 1.0);
    assert!(notes.is_empty(), "{notes:?}");
    let (back, _) = spring_bones_from_settings(&settings, &skeleton, 1.0, SpringBoneFormat::Vrm1).unwrap();
    assert_eq!(back.colliders, bones.colliders);
    assert_eq!(back.springs.len(), 1);
    for (a, b) in back.springs[0].joints.iter().zip(&bones.springs[0].joints).take(4) {
        assert_eq!((a.node, a.hit_radius, a.drag_force), (b.node, b.hit_radius, b.drag_force));
        assert!((a.stiffness - b.stiffness).abs() < 1e-12 && (a.gravity_power - b.gravity_power).abs() < 1e-12);
    }
    assert_eq!(back.springs[0].joints.len(), 5);
}

#[test]
fn lengths_in_centimetres_become_metres_in_the_settings_and_convert_back() {
    let Some((skeleton, bones)) = example("sphere-collider.gltf") else { return };
    let (settings, _) = settings_from_spring_bones(&bones, &skeleton, 0.01);
    let first = &bones.springs[0].joints[0];
    assert_eq!(settings.chains[0].overrides[0].radius, Some(first.hit_radius * 0.01));
    let (back, notes) = spring_bones_from_settings(&settings, &skeleton, 0.01, SpringBoneFormat::Vrm1).unwrap();
    let has_note = |notes: &[Message], what: &str| notes.iter().any(|note| note.to_string().contains(what));
    assert!(!["buffer", "Wind", "Angle"].iter().any(|what| has_note(&notes, what)), "{notes:?}");
    let buffered = Settings { slerp_buffer: 0.5, ..settings };
    assert!(has_note(
        &spring_bones_from_settings(&buffered, &skeleton, 0.01, SpringBoneFormat::Vrm1).unwrap().1,
        "buffer"
    ));
    for (a, b) in back.springs[0].joints.iter().zip(&bones.springs[0].joints).take(4) {
        assert!((a.hit_radius - b.hit_radius).abs() < 1e-12 && (a.stiffness - b.stiffness).abs() < 1e-12);
        assert!((a.gravity_power - b.gravity_power).abs() < 1e-12);
    }
}

#[test]
fn converted_settings_move_alike_without_contact_and_hold_length_with_it() {
    let Some((skeleton, mut bones)) = example("sphere-collider.gltf") else { return };
    let driver = |time: f64, pose: &mut Pose| {
        for root in skeleton.roots() {
            pose.locals[root].translation.x += 2.0 * time.min(1.0) as f32;
        }
    };
    let input = Input { skeleton: &skeleton, driver: &driver, duration: 2.0, looping: false, metres_per_unit: 1.0 };
    let with_ball = build(&input, &settings_from_spring_bones(&bones, &skeleton, 1.0).0, &Progress::new()).unwrap();
    assert!(with_ball.report.penetration <= 1e-6 && with_ball.report.length_error <= 1e-12);
    bones.colliders.clear();
    bones.groups.clear();
    bones.springs[0].groups.clear();
    let ours = build(&input, &settings_from_spring_bones(&bones, &skeleton, 1.0).0, &Progress::new()).unwrap();
    let (mut pose, mut own) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
    let mut state = SpringState::at(&bones, &skeleton, &pose);
    let mut worst = 0.0_f64;
    for frame in 0..=119 {
        moved(&skeleton, frame, &mut pose);
        own.clone_from(&pose);
        state.step(&bones, &skeleton, &mut pose, 1.0 / 60.0);
        ours.sample(frame as f64 / 60.0, &mut own);
        let tip = own.world_from_joint(&skeleton, 1).translation;
        worst = worst.max(tip.distance(state.tips[0]));
    }
    println!("apart by {worst} m on a bone of 0.5 m");
    assert!(worst < 0.1, "{worst}");
}

#[test]
fn the_written_out_formulas_of_the_format_give_the_same_tips_for_one_bone() {
    let mut skeleton = super::hanging(0, 0.5);
    skeleton.joints.iter_mut().enumerate().for_each(|(node, joint)| joint.node = node);
    let values = SpringJoint {
        hit_radius: 0.05,
        stiffness: 0.7,
        gravity_power: 0.3,
        drag_force: 0.25,
        gravity_dir: DVec3::new(0.6, -0.8, 0.0),
        ..SpringJoint::new(0)
    };
    let shape = SpringShape::Round { offset: DVec3::new(0.3, 0.62, 0.0), tail: None, radius: 0.2, inside: false };
    // On a separate node, so that it stays in the world.
    skeleton.joints.push(portamento_anim::Joint { parent: None, node: 2, ..skeleton.joints[0].clone() });
    skeleton.joints[2].rest.translation = glam::Vec3::ZERO;
    let bones = SpringBones {
        colliders: vec![SpringCollider { node: 2, shape }],
        groups: vec![SpringColliderGroup { name: String::new(), colliders: vec![0] }],
        springs: vec![Spring { joints: vec![values, SpringJoint::new(1)], groups: vec![0], ..Spring::default() }],
    };
    let head = |frame: i32| DVec3::new(0.4 * (f64::from(frame) * 0.1).sin(), 1.0, 0.02 * f64::from(frame) / 60.0);
    let drive = |frame: i32, pose: &mut Pose| {
        pose.set_rest(&skeleton);
        pose.locals[0].translation = head(frame).as_vec3();
    };
    let (mut pose, dt) = (Pose::rest(&skeleton), 1.0 / 60.0);
    drive(0, &mut pose);
    let mut state = SpringState::at(&bones, &skeleton, &pose);
    let (mut current, mut previous) = (head(0) - DVec3::Y * 0.5, head(0) - DVec3::Y * 0.5);
    let mut touched = 0;
    for frame in 1..=240 {
        drive(frame, &mut pose);
        state.step(&bones, &skeleton, &mut pose, dt);
        let at = head(frame).as_vec3().as_dvec3();
        let inertia = (current - previous) * (1.0 - 0.25);
        let stiffness = DVec3::NEG_Y * (0.7 * dt);
        let external = DVec3::new(0.6, -0.8, 0.0) * (0.3 * dt);
        let mut next = at + (current + inertia + stiffness + external - at).normalize() * 0.5;
        let away = next - DVec3::new(0.3, 0.62, 0.0);
        if away.length() < 0.25 {
            touched += 1;
            next = at + (next + away.normalize() * (0.25 - away.length()) - at).normalize() * 0.5;
        }
        (previous, current) = (current, next);
        assert!(state.tips[0].distance(current) <= 1e-6, "frame {frame}: {}", state.tips[0].distance(current));
    }
    assert!(touched > 5, "{touched}");
}

#[test]
fn springs_and_colliders_by_the_thousand_are_read_within_bounds() {
    let (skeleton, shape) =
        (Skeleton::default(), SpringShape::Round { offset: DVec3::ZERO, tail: None, radius: 0.1, inside: false });
    let bones = SpringBones {
        colliders: vec![SpringCollider { node: 0, shape }; 20_000],
        groups: vec![SpringColliderGroup { colliders: (0..20_000).collect(), ..SpringColliderGroup::default() }; 2],
        springs: vec![Spring { groups: vec![0, 1], ..Spring::default() }; 20_000],
    };
    let begin = std::time::Instant::now();
    let (settings, notes) = settings_from_spring_bones(&bones, &skeleton, 1.0);
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
    let pairs: usize = settings.chains.iter().map(|chain| chain.ignored_colliders.len()).sum();
    assert!(pairs <= 1 << 24 && notes.iter().any(|note| note.to_string().contains("left out")), "{notes:?}");
}
