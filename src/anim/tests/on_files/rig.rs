//! Roles of real characters, with their names and with meaningless names, and of a small synthetic body.

use portamento_anim::rig::question::{Answer, Question};
use portamento_anim::rig::*;
use portamento_anim::{Clip, Curve, Front, JointTracks, Model, Roles, Skeleton};
use portamento_formats::import;
use portamento_test_support::corpus;
use portamento_test_support::skeleton_of;

/// The expected roles of a character, checked by eye in its file: hips, upper body, head, hands, feet, toes and base
/// of the tail.
struct Known {
    file: &'static str,
    hips: &'static str,
    spine: &'static str,
    head: &'static str,
    hands: &'static [&'static str],
    feet: &'static [&'static str],
    toes: &'static [&'static str],
    tail: Option<&'static str>,
    front: Front,
}

const NONE: &[&str] = &[];

const KNOWN: [Known; 20] = [
    person(
        "characters/crawl_clip_for_human_male.glb",
        ["pelvis", "spine_01", "head"],
        &["hand_l", "hand_r"],
        &["foot_l", "foot_r"],
        &["ball_l", "ball_r"],
    ),
    Known {
        toes: &["front_toes_l", "front_toes_r", "back_toes_l", "back_toes_r"],
        ..animal(
            "characters/dragon.glb",
            "hips",
            "spine_0",
            "head",
            &["front_foot_l", "front_foot_r", "back_foot_l", "back_foot_r"],
        )
    },
    Known {
        toes: &["b_LeftFoot02_018", "b_RightFoot02_022"],
        tail: Some("b_Tail01_012"),
        ..animal(
            "characters/fox.glb",
            "b_Hip_01",
            "b_Spine01_02",
            "b_Head_05",
            &["b_RightHand_08", "b_LeftHand_011", "b_LeftFoot01_017", "b_RightFoot01_021"],
        )
    },
    person(
        "characters/human_male_no_clips.glb",
        ["pelvis", "spine_01", "head"],
        &["hand_l", "hand_r"],
        &["foot_l", "foot_r"],
        &["ball_l", "ball_r"],
    ),
    Known {
        tail: Some("Tail_Base"),
        ..person(
            "characters/kaiju.glb",
            ["Hips", "Spine_1", "Head"],
            &["Hand_L", "Hand_R"],
            &["Back_Leg_Ankle_L", "Back_Leg_Ankle_R"],
            &["Back_Leg_Foot_1_L", "Back_Leg_Foot_1_R"],
        )
    },
    person(
        "characters/knight.glb",
        ["hips", "spine", "head"],
        &["wrist.l", "wrist.r"],
        &["foot.l", "foot.r"],
        &["toes.l", "toes.r"],
    ),
    person(
        "characters/mannequiny.glb",
        ["pelvis", "spine_01", "head"],
        &["hand.l", "hand.r"],
        &["foot.l", "foot.r"],
        &["ball.l", "ball.r"],
    ),
    person(
        "characters/minnyquinn.glb",
        ["DEF-hips", "DEF-spine.001", "DEF-head"],
        &["DEF-hand.L", "DEF-hand.R"],
        &["DEF-foot.L", "DEF-foot.R"],
        &["DEF-toe.L", "DEF-toe.R"],
    ),
    four("characters/quadruped.glb"),
    four("wild/fox_textured.glb"),
    person("wild/gdbot.glb", ["hips", "torso", "head"], &["hand.L", "hand.R"], &["foot.L", "foot.R"], NONE),
    Known {
        front: Front::MinusZ,
        ..person(
            "wild/godette.vrm",
            ["pelvis_Armature", "tummy_Armature", "head_Armature"],
            &["hand.l_Armature", "hand.r_Armature"],
            &["foot.l_Armature", "foot.r_Armature"],
            &["toes.l_Armature", "toes.r_Armature"],
        )
    },
    Known {
        toes: &["front_leg_foot_l", "front_leg_foot_r", "back_leg_toe_l", "back_leg_toe_r"],
        ..animal(
            "wild/horse.glb",
            "hips",
            "spine_1",
            "head",
            &["front_leg_ankle_l", "front_leg_ankle_r", "back_leg_ankle_l", "back_leg_ankle_r"],
        )
    },
    person(
        "wild/mage.glb",
        ["hips", "spine", "head"],
        &["wrist.l", "wrist.r"],
        &["foot.l", "foot.r"],
        &["toes.l", "toes.r"],
    ),
    person(
        "wild/mannequiny_in_place.glb",
        ["pelvis", "spine_01", "head"],
        &["hand.l", "hand.r"],
        &["foot.l", "foot.r"],
        &["ball.l", "ball.r"],
    ),
    // The paws hang beside the legs from the root, and so do the feet of the next.
    Known {
        toes: &["FF.L", "FF.R", "FFB.L", "FFB.R"],
        tail: Some("Tail1"),
        ..animal(
            "wild/quaternius_fox.glb",
            "Back",
            "Torso",
            "Head",
            &["IKFrontLeg.L", "IKFrontLeg.R", "IKBackLeg.L", "IKBackLeg.R"],
        )
    },
    Known {
        tail: Some("Tail1"),
        ..person(
            "wild/quaternius_velociraptor.glb",
            ["Body", "Hips", "Head"],
            &["FrontFoot.L", "FrontFoot.R"],
            &["BackFoot.L", "BackFoot.R"],
            NONE,
        )
    },
    person("wild/robot_expressive.glb", ["Body", "Abdomen", "Head_1"], NONE, &["FootL", "FootR"], NONE),
    person(
        "wild/wrong_bone_names.glb",
        ["DEF-hips", "DEF-spine.001", "DEF-head"],
        &["DEF-hand.L", "DEF-hand.R"],
        &["DEF-foot.L", "DEF-foot.R"],
        &["DEF-toe.L", "DEF-toe.R"],
    ),
    person(
        "mocap/cmu_01_01.bvh",
        ["Hips", "LowerBack", "Head"],
        &["LeftHand", "RightHand"],
        &["LeftFoot", "RightFoot"],
        &["LeftToeBase", "RightToeBase"],
    ),
];

const fn person(
    file: &'static str,
    [hips, spine, head]: [&'static str; 3],
    hands: &'static [&'static str],
    feet: &'static [&'static str],
    toes: &'static [&'static str],
) -> Known {
    Known { file, hips, spine, head, hands, feet, toes, tail: None, front: Front::PlusZ }
}

const fn animal(
    file: &'static str,
    hips: &'static str,
    spine: &'static str,
    head: &'static str,
    feet: &'static [&'static str],
) -> Known {
    Known { file, hips, spine, head, hands: NONE, feet, toes: NONE, tail: Some("tail_1"), front: Front::PlusZ }
}

const fn four(file: &'static str) -> Known {
    let feet = &["Front_Leg_Ankle_L", "Front_Leg_Ankle_R", "Back_Leg_Ankle_L", "Back_Leg_Ankle_R"];
    let toes = &["Front_Leg_Foot_L", "Front_Leg_Foot_R", "Back_Leg_Foot_1_L", "Back_Leg_Foot_1_R"];
    Known { tail: Some("Tail_Base"), toes, ..animal(file, "Hips", "Spine_1", "Head", feet) }
}

/// Returns the rigs of a file: unchanged, and with every joint's name replaced by its number and without the humanoid
/// map.
fn rigs(known: &Known) -> Option<(Vec<String>, Rig, Rig)> {
    let imported = import::import(&corpus(known.file)?).unwrap();
    let names = imported.model.skeleton.joints.iter().map(|joint| joint.name.clone()).collect();
    let named = Rig::of_model(&imported.model);
    let mut model = Model { humanoid: Vec::new(), ..imported.model };
    model.skeleton.joints.iter_mut().enumerate().for_each(|(number, joint)| joint.name = number.to_string());
    Some((names, named, Rig::of_model(&model)))
}

/// Returns a row of the table of detected roles with their certainty.
fn row(file: &str, names: &[String], rig: &Rig) -> String {
    let name = |joint: usize| names[joint].as_str();
    let of = |joint: Option<usize>| joint.map_or("–", name);
    let all = |joints: Vec<usize>| joints.into_iter().map(name).collect::<Vec<_>>().join(" ");
    let roles = &rig.roles;
    let legs = roles.legs.iter();
    let unsure = rig.questions.iter().map(|question| format!("{:?}", question.role)).collect::<Vec<_>>().join(" ");
    format!(
        "{file} | hips {} | spine {} | head {} | hands {} | feet {} | toes {} | tail {} | front {:?} | unsure: {unsure}",
        of(roles.hips),
        of(roles.spine_split),
        of(roles.head),
        all(roles.hands.clone()),
        all(legs.clone().map(|leg| leg.foot).collect()),
        all(legs.filter_map(|leg| leg.toe).collect()),
        of(roles.tail.first().copied()),
        roles.front,
    )
}

fn sorted<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

#[test]
fn every_role_of_every_character_is_right_by_name() {
    for known in &KNOWN {
        let Some((names, rig, _)) = rigs(known) else { return };
        println!("{}", row(known.file, &names, &rig));
        let name = |joint: usize| names[joint].as_str();
        let roles = &rig.roles;
        assert_eq!(roles.hips.map(name), Some(known.hips), "{}: hips", known.file);
        assert_eq!(roles.spine_split.map(name), Some(known.spine), "{}: spine", known.file);
        assert_eq!(roles.head.map(name), Some(known.head), "{}: head", known.file);
        assert_eq!(
            sorted(roles.legs.iter().map(|leg| name(leg.foot))),
            sorted(known.feet.iter().copied()),
            "{}",
            known.file
        );
        let toes = sorted(roles.legs.iter().filter_map(|leg| leg.toe).map(name));
        assert_eq!(toes, sorted(known.toes.iter().copied()), "{}: toes", known.file);
        if !known.hands.is_empty() || roles.legs.len() > 2 {
            assert_eq!(
                sorted(roles.hands.iter().map(|&hand| name(hand))),
                sorted(known.hands.iter().copied()),
                "{}",
                known.file
            );
        }
        assert_eq!(roles.tail.first().map(|&joint| name(joint)), known.tail, "{}: tail", known.file);
        assert_eq!(roles.front, Some(known.front), "{}: front", known.file);
        assert_eq!(rig.questions, [], "{}: {:?}", known.file, rig.findings);
    }
}

#[test]
fn legs_beside_their_feet_turn_at_the_hip_and_the_knee() {
    let known = |file: &str| KNOWN.iter().find(|known| known.file == file).and_then(rigs);
    let Some((names, fox, _)) = known("wild/quaternius_fox.glb") else { return };
    let expected = [
        ["FrontUpperLeg.L", "FrontLowerLeg.L", "IKFrontLeg.L", "FF.L"],
        ["FrontUpperLeg.R", "FrontLowerLeg.R", "IKFrontLeg.R", "FF.R"],
        ["BackLeg.L", "BackUpperLeg.L", "IKBackLeg.L", "FFB.L"],
        ["BackLeg.R", "BackUpperLeg.R", "IKBackLeg.R", "FFB.R"],
    ];
    assert_eq!(legs(&names, &fox.roles), expected);
    let Some((names, raptor, _)) = known("wild/quaternius_velociraptor.glb") else { return };
    let expected =
        [["BackUpLeg.R", "BackLowLeg.R", "BackFoot.R", "–"], ["BackUpLeg.L", "BackLowLeg.L", "BackFoot.L", "–"]];
    assert_eq!(legs(&names, &raptor.roles), expected);
}

#[test]
fn without_meaningful_names_the_shape_decides() {
    for known in &KNOWN {
        let Some((names, named, nameless)) = rigs(known) else { return };
        println!("{}", row(known.file, &names, &nameless));
        let name = |joint: usize| names[joint].as_str();
        let is_asked = |role: Role| nameless.questions.iter().any(|question| question.role == role);
        let file = known.file;
        let one = |role: Role, found: Option<usize>, expected: Option<&str>| {
            assert!(
                found.map(name) == expected || is_asked(role),
                "{file}: {role:?} {:?}, not {expected:?}",
                found.map(name)
            );
        };
        let roles = &nameless.roles;
        one(Role::Hips, roles.hips, Some(known.hips));
        one(Role::Spine, roles.spine_split, Some(known.spine));
        one(Role::Head, roles.head, Some(known.head));
        one(Role::Tail, roles.tail.first().copied(), known.tail);
        assert_eq!(roles.legs, named.roles.legs, "{file}: {:?}", legs(&names, roles));
        if !known.hands.is_empty() || roles.legs.len() > 2 {
            assert_eq!(
                sorted(roles.hands.iter().map(|&hand| name(hand))),
                sorted(known.hands.iter().copied()),
                "{file}"
            );
        }
        assert!(roles.front == Some(known.front) || is_asked(Role::Front), "{file}: {:?}", roles.front);
        assert!(!nameless.findings.iter().any(|finding| finding.source == Source::Names), "{file}");
    }
}

/// Returns the joint names of all legs.
fn legs<'n>(names: &'n [String], roles: &Roles) -> Vec<[&'n str; 4]> {
    let name = |joint: Option<usize>| joint.map_or("–", |joint| names[joint].as_str());
    roles.legs.iter().map(|leg| [Some(leg.thigh), Some(leg.shin), Some(leg.foot), leg.toe].map(name)).collect()
}

/// A small body, 1.7 m tall, facing +Z: name, parent and offset from it.
const BODY: [(&str, Option<usize>, [f32; 3]); 17] = [
    ("root", None, [0.0, 0.0, 0.0]),
    ("hips", Some(0), [0.0, 0.9, 0.0]),
    ("thigh.l", Some(1), [0.1, 0.0, 0.0]),
    ("shin.l", Some(2), [0.0, -0.42, 0.0]),
    ("foot.l", Some(3), [0.0, -0.4, 0.0]),
    ("thigh.r", Some(1), [-0.1, 0.0, 0.0]),
    ("shin.r", Some(5), [0.0, -0.42, 0.0]),
    ("foot.r", Some(6), [0.0, -0.4, 0.0]),
    ("spine", Some(1), [0.0, 0.1, 0.0]),
    ("chest", Some(8), [0.0, 0.4, 0.0]),
    ("head", Some(9), [0.0, 0.3, 0.0]),
    ("upperarm.l", Some(9), [0.2, 0.0, 0.0]),
    ("forearm.l", Some(11), [0.3, 0.0, 0.0]),
    ("hand.l", Some(12), [0.25, 0.0, 0.0]),
    ("upperarm.r", Some(9), [-0.2, 0.0, 0.0]),
    ("forearm.r", Some(14), [-0.3, 0.0, 0.0]),
    ("hand.r", Some(15), [-0.25, 0.0, 0.0]),
];

/// Returns the body with the names of two joints swapped.
fn body_with_swapped(a: usize, b: usize) -> Skeleton {
    let mut rows = BODY.map(|(name, parent, _)| (name, parent));
    (rows[a].0, rows[b].0) = (BODY[b].0, BODY[a].0);
    let mut skeleton = skeleton_of(&rows);
    for (joint, (.., offset)) in skeleton.joints.iter_mut().zip(BODY) {
        joint.rest.translation = offset.into();
    }
    skeleton
}

#[test]
fn agreeing_names_and_shape_are_sure_and_disagreeing_ones_are_asked() {
    let rig = Rig::of_skeleton(&body_with_swapped(0, 0), &[]);
    assert_eq!((rig.finding(Role::Legs).confidence, rig.roles.legs.len()), (Confidence::Sure, 2));
    assert_eq!((rig.roles.hips, rig.roles.spine_split, rig.roles.head), (Some(1), Some(8), Some(10)));
    assert_eq!(rig.finding(Role::Tail).confidence, Confidence::Missing);
    // A head named where an arm ends is ambiguous, so the user is asked.
    let asked = Rig::of_skeleton(&body_with_swapped(10, 13), &[]);
    let head = Question { role: Role::Head, answers: vec![Answer::Joint(13), Answer::Joint(10)] };
    assert!(asked.questions.contains(&head) && asked.roles.head == Some(13), "{:?}", asked.questions);
}

/// An animal, 1.6 m tall, all of whose legs hang from one joint and all of whose feet from the root.
const ANIMAL: [(&str, Option<usize>, [f32; 3]); 20] = [
    ("root", None, [0.0, 0.0, 0.0]),
    ("Body", Some(0), [0.0, 1.0, 0.0]),
    ("BackUpLeg.L", Some(1), [0.2, -0.1, -0.6]),
    ("BackLowLeg.L", Some(2), [0.0, -0.4, 0.1]),
    ("BackUpLeg.R", Some(1), [-0.2, -0.1, -0.6]),
    ("BackLowLeg.R", Some(4), [0.0, -0.4, 0.1]),
    ("FrontUpLeg.L", Some(1), [0.2, -0.1, 0.6]),
    ("FrontLowLeg.L", Some(6), [0.0, -0.4, -0.1]),
    ("FrontUpLeg.R", Some(1), [-0.2, -0.1, 0.6]),
    ("FrontLowLeg.R", Some(8), [0.0, -0.4, -0.1]),
    ("Torso", Some(1), [0.0, 0.1, 0.3]),
    ("Neck", Some(10), [0.0, 0.3, 0.5]),
    ("Head", Some(11), [0.0, 0.2, 0.2]),
    ("Tail1", Some(1), [0.0, 0.0, -0.7]),
    ("Tail2", Some(13), [0.0, 0.0, -0.4]),
    ("Tail3", Some(14), [0.0, 0.0, -0.4]),
    ("BackFoot.L", Some(0), [0.2, 0.02, -0.6]),
    ("BackFoot.R", Some(0), [-0.2, 0.02, -0.6]),
    ("FrontFoot.L", Some(0), [0.2, 0.02, 0.6]),
    ("FrontFoot.R", Some(0), [-0.2, 0.02, 0.6]),
];

/// Returns the animal with its front feet `lift` metres higher, named or with meaningless names.
fn animal_with(lift: f32, has_names: bool) -> Skeleton {
    let mut skeleton = skeleton_of(&ANIMAL.map(|(name, parent, _)| (if has_names { name } else { "x" }, parent)));
    for (joint, (.., offset)) in skeleton.joints.iter_mut().zip(ANIMAL) {
        joint.rest.translation = offset.into();
    }
    skeleton.joints[18..].iter_mut().for_each(|foot| foot.rest.translation.y += lift);
    skeleton
}

#[test]
fn four_feet_beside_their_legs_are_found_by_names_and_by_shape() {
    for has_names in [true, false] {
        let rig = Rig::of_skeleton(&animal_with(0.0, has_names), &[]);
        let joints: Vec<[usize; 3]> = rig.roles.legs.iter().map(|leg| [leg.thigh, leg.shin, leg.foot]).collect();
        assert_eq!(joints, [[2, 3, 16], [4, 5, 17], [6, 7, 18], [8, 9, 19]]);
        assert_eq!((rig.roles.hips, rig.roles.hands.len(), rig.roles.tail.first()), (Some(1), 0, Some(&13)));
    }
}

#[test]
fn lifted_front_feet_are_no_legs_unless_they_stand_in_motion_and_then_the_user_is_asked() {
    let skeleton = animal_with(0.7, true);
    let still = Rig::of_skeleton(&skeleton, &[]);
    assert_eq!((still.finding(Role::Legs).confidence, still.roles.legs.len()), (Confidence::Sure, 2));
    let mut tracks = vec![JointTracks::default(); ANIMAL.len()];
    for foot in [18, 19] {
        let on_ground = ANIMAL[foot].2.into();
        tracks[foot].translation = Some(Curve::linear(vec![0.0, 1.0], vec![on_ground; 2]));
    }
    let walk = Clip { name: "walk".into(), duration: 1.0, tracks };
    let moving = Rig::of_skeleton(&skeleton, &[walk]);
    assert_eq!((moving.finding(Role::Legs).confidence, moving.roles.legs.len()), (Confidence::Unsure, 4));
}

#[test]
fn an_empty_skeleton_and_a_lone_joint_have_no_roles() {
    for skeleton in [Skeleton::default(), skeleton_of(&[("node", None)])] {
        let rig = Rig::of_skeleton(&skeleton, &[]);
        assert!(rig.findings.iter().all(|finding| finding.confidence == Confidence::Missing), "{:?}", rig.findings);
        assert!(rig.roles.legs.is_empty() && rig.roles.hips.is_none() && rig.roles.front.is_none());
    }
}
