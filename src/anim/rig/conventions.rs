//! Roles by the names of capture suites, stores, engines and body models, and without names.

use glam::{Quat, Vec3};

use super::{Confidence, Rig, Role};
use crate::math::Transform;
use crate::{Joint, Leg, Skeleton};

/// A convention by the names of its joints. `*` stands for the side.
struct Convention {
    name: &'static str,
    sides: [&'static str; 2],
    /// The joints above the hips, from the root.
    above: &'static [&'static str],
    hips: &'static str,
    /// A joint between hips and legs, or `""`.
    pelvis: &'static str,
    /// From the lowest joint of the upper body to the head; the arms hang on the joint before `necks`.
    spine: &'static [&'static str],
    /// The neck joints and the head, which comes last.
    necks: &'static [&'static str],
    /// Thigh, shin, foot, toe; a convention may have no toe.
    leg: &'static [&'static str],
    /// From the shoulder to the hand.
    arm: &'static [&'static str],
    /// Joints of a leg without a role, each on the joint of `leg` with that index.
    leg_extras: &'static [(&'static str, usize)],
}

const LEFT_RIGHT: [&str; 2] = ["Left", "Right"];
const L_R: [&str; 2] = ["L", "R"];
const LOWER: [&str; 2] = ["l", "r"];

const CONVENTIONS: &[Convention] = &[
    Convention {
        name: "Rokoko",
        sides: LEFT_RIGHT,
        above: &["Root"],
        hips: "Hips",
        pelvis: "",
        spine: &["Spine1", "Spine2", "Spine3", "Spine4"],
        necks: &["Neck", "Head"],
        leg: &["*Thigh", "*Shin", "*Foot", "*Toe"],
        arm: &["*Shoulder", "*Arm", "*ForeArm", "*Hand"],
        leg_extras: &[("*ToeTip", 3)],
    },
    Convention {
        name: "Xsens FBX",
        sides: LEFT_RIGHT,
        above: &[],
        hips: "Pelvis",
        pelvis: "",
        spine: &["L5", "L3", "T12", "T8"],
        necks: &["Neck", "Head"],
        leg: &["*UpperLeg", "*LowerLeg", "*Foot", "*Toe"],
        arm: &["*Shoulder", "*UpperArm", "*ForeArm", "*Hand"],
        leg_extras: &[],
    },
    Convention {
        name: "Xsens BVH",
        sides: LEFT_RIGHT,
        above: &[],
        hips: "Hips",
        pelvis: "",
        spine: &["Chest", "Chest2", "Chest3", "Chest4"],
        necks: &["Neck", "Head"],
        leg: &["*Hip", "*Knee", "*Ankle", "*Toe"],
        arm: &["*Collar", "*Shoulder", "*Elbow", "*Wrist"],
        leg_extras: &[],
    },
    Convention {
        name: "OptiTrack Motive",
        sides: L_R,
        above: &["Skeleton1"],
        hips: "Skeleton1_Hip",
        pelvis: "",
        spine: &["Skeleton1_Ab", "Skeleton1_Chest"],
        necks: &["Skeleton1_Neck", "Skeleton1_Head"],
        leg: &["Skeleton1_*Thigh", "Skeleton1_*Shin", "Skeleton1_*Foot", "Skeleton1_*Toe"],
        arm: &["Skeleton1_*Shoulder", "Skeleton1_*UArm", "Skeleton1_*FArm", "Skeleton1_*Hand"],
        leg_extras: &[],
    },
    Convention {
        name: "HumanIK, as Vicon and MotionBuilder write it",
        sides: LEFT_RIGHT,
        above: &["Character1_Reference"],
        hips: "Character1_Hips",
        pelvis: "",
        spine: &["Character1_Spine", "Character1_Spine1", "Character1_Spine2"],
        necks: &["Character1_Neck", "Character1_Head"],
        leg: &["Character1_*UpLeg", "Character1_*Leg", "Character1_*Foot", "Character1_*ToeBase"],
        arm: &["Character1_*Shoulder", "Character1_*Arm", "Character1_*ForeArm", "Character1_*Hand"],
        leg_extras: &[("Character1_*UpLegRoll", 0)],
    },
    Convention {
        name: "Character Creator and AccuRIG",
        sides: L_R,
        above: &["RL_BoneRoot"],
        hips: "CC_Base_Hip",
        pelvis: "CC_Base_Pelvis",
        spine: &["CC_Base_Waist", "CC_Base_Spine01", "CC_Base_Spine02"],
        necks: &["CC_Base_NeckTwist01", "CC_Base_NeckTwist02", "CC_Base_Head"],
        leg: &["CC_Base_*_Thigh", "CC_Base_*_Calf", "CC_Base_*_Foot", "CC_Base_*_ToeBase"],
        arm: &["CC_Base_*_Clavicle", "CC_Base_*_Upperarm", "CC_Base_*_Forearm", "CC_Base_*_Hand"],
        leg_extras: &[
            ("CC_Base_*_ThighTwist01", 0),
            ("CC_Base_*_KneeShareBone", 1),
            ("CC_Base_*_CalfTwist01", 1),
            ("CC_Base_*_ToeBaseShareBone", 2),
            ("CC_Base_*_BigToe1", 3),
        ],
    },
    Convention {
        name: "ActorCore",
        sides: L_R,
        above: &["RL_BoneRoot"],
        hips: "Hip",
        pelvis: "Pelvis",
        spine: &["Waist", "Spine01", "Spine02"],
        necks: &["NeckTwist01", "NeckTwist02", "Head"],
        leg: &["*_Thigh", "*_Calf", "*_Foot", "*_ToeBase"],
        arm: &["*_Clavicle", "*_Upperarm", "*_Forearm", "*_Hand"],
        leg_extras: &[("*_ThighTwist01", 0), ("*_CalfTwist01", 1)],
    },
    Convention {
        name: "Daz Genesis 8",
        sides: LOWER,
        above: &["Genesis8Female"],
        hips: "hip",
        pelvis: "pelvis",
        spine: &["abdomenLower", "abdomenUpper", "chestLower", "chestUpper"],
        necks: &["neckLower", "neckUpper", "head"],
        leg: &["*ThighBend", "*Shin", "*Foot", "*Toe"],
        arm: &["*Collar", "*ShldrBend", "*ForearmBend", "*Hand"],
        leg_extras: &[("*ThighTwist", 0), ("*Heel", 2), ("*BigToe", 3)],
    },
    Convention {
        name: "Daz Genesis 9",
        sides: LOWER,
        above: &["Genesis9"],
        hips: "hip",
        pelvis: "pelvis",
        spine: &["spine1", "spine2", "spine3", "spine4"],
        necks: &["neck1", "neck2", "head"],
        leg: &["*_thigh", "*_shin", "*_foot", "*_toes"],
        arm: &["*_shoulder", "*_upperarm", "*_forearm", "*_hand"],
        leg_extras: &[("*_thightwist1", 0), ("*_metatarsals", 2), ("*_bigtoe1", 3)],
    },
    Convention {
        name: "SMPL",
        sides: ["left", "right"],
        above: &[],
        hips: "pelvis",
        pelvis: "",
        spine: &["spine1", "spine2", "spine3"],
        necks: &["neck", "head"],
        leg: &["*_hip", "*_knee", "*_ankle", "*_foot"],
        arm: &["*_collar", "*_shoulder", "*_elbow", "*_wrist"],
        leg_extras: &[],
    },
    Convention {
        name: "SMPL in Maya and Blender",
        sides: L_R,
        above: &["root"],
        hips: "f_avg_Pelvis",
        pelvis: "",
        spine: &["f_avg_Spine1", "f_avg_Spine2", "f_avg_Spine3"],
        necks: &["f_avg_Neck", "f_avg_Head"],
        leg: &["f_avg_*_Hip", "f_avg_*_Knee", "f_avg_*_Ankle", "f_avg_*_Foot"],
        arm: &["f_avg_*_Collar", "f_avg_*_Shoulder", "f_avg_*_Elbow", "f_avg_*_Wrist"],
        leg_extras: &[],
    },
    Convention {
        name: "SOMA",
        sides: LEFT_RIGHT,
        above: &["Root"],
        hips: "Hips",
        pelvis: "",
        spine: &["Spine1", "Spine2", "Chest"],
        necks: &["Neck1", "Neck2", "Head"],
        leg: &["*Leg", "*Shin", "*Foot", "*ToeBase"],
        arm: &["*Shoulder", "*Arm", "*ForeArm", "*Hand"],
        leg_extras: &[("*ToeEnd", 3)],
    },
    Convention {
        name: "Unreal's mannequins, UEFN and MetaHuman",
        sides: LOWER,
        above: &["root"],
        hips: "pelvis",
        pelvis: "",
        spine: &["spine_01", "spine_02", "spine_03", "spine_04", "spine_05"],
        necks: &["neck_01", "neck_02", "head"],
        leg: &["thigh_*", "calf_*", "foot_*", "ball_*"],
        arm: &["clavicle_*", "upperarm_*", "lowerarm_*", "hand_*"],
        leg_extras: &[
            ("thigh_twist_01_*", 0),
            ("thigh_correctiveRoot_*", 0),
            ("calf_twist_01_*", 1),
            ("calf_correctiveRoot_*", 1),
            ("ankle_bck_*", 2),
            ("bigtoe_01_*", 3),
        ],
    },
    Convention {
        name: "Roblox R15",
        sides: LEFT_RIGHT,
        above: &["HumanoidRootPart"],
        hips: "LowerTorso",
        pelvis: "",
        spine: &["UpperTorso"],
        necks: &["Head"],
        leg: &["*UpperLeg", "*LowerLeg", "*Foot"],
        arm: &["*UpperArm", "*LowerArm", "*Hand"],
        leg_extras: &[],
    },
    Convention {
        name: "VRChat",
        sides: LEFT_RIGHT,
        above: &["Armature"],
        hips: "Hips",
        pelvis: "",
        spine: &["Spine", "Chest"],
        necks: &["Neck", "Head"],
        leg: &["* leg", "* knee", "* ankle", "* toe"],
        arm: &["* shoulder", "* arm", "* elbow", "* wrist"],
        leg_extras: &[],
    },
    Convention {
        name: "Move",
        sides: LEFT_RIGHT,
        above: &["Root"],
        hips: "Hips",
        pelvis: "",
        spine: &["Spine", "Spine1", "Spine2"],
        necks: &["Neck", "Neck1", "Head"],
        leg: &["*UpLeg", "*Leg", "*Foot", "*ToeBase"],
        arm: &["*Shoulder", "*Arm", "*ForeArm", "*Hand"],
        leg_extras: &[],
    },
    Convention {
        name: "DeepMotion",
        sides: LOWER,
        above: &["root"],
        hips: "hips_JNT",
        pelvis: "",
        spine: &["spine_JNT", "spine1_JNT", "spine2_JNT"],
        necks: &["neck_JNT", "head_JNT"],
        leg: &["*_upleg_JNT", "*_leg_JNT", "*_foot_JNT", "*_toebase_JNT"],
        arm: &["*_shoulder_JNT", "*_arm_JNT", "*_forearm_JNT", "*_hand_JNT"],
        leg_extras: &[],
    },
    Convention {
        name: "Plask",
        sides: ["left", "right"],
        above: &[],
        hips: "hips",
        pelvis: "",
        spine: &["spine", "spine1", "spine2"],
        necks: &["neck", "head"],
        leg: &["*UpLeg", "*Leg", "*Foot", "*ToeBase"],
        arm: &["*Shoulder", "*Arm", "*ForeArm", "*Hand"],
        leg_extras: &[],
    },
    Convention {
        name: "Advanced Skeleton",
        sides: L_R,
        above: &["Group"],
        hips: "Root_M",
        pelvis: "",
        spine: &["Spine1_M", "Spine2_M", "Chest_M"],
        necks: &["Neck_M", "Head_M"],
        leg: &["Hip_*", "Knee_*", "Ankle_*", "Toes_*"],
        arm: &["Scapula_*", "Shoulder_*", "Elbow_*", "Wrist_*"],
        leg_extras: &[("HipPart1_*", 0), ("KneePart1_*", 1)],
    },
];

/// A skeleton in a T pose with the roles that its names mean.
#[derive(Default)]
struct Figure {
    skeleton: Skeleton,
    world: Vec<Vec3>,
    hips: usize,
    spine: usize,
    head: usize,
    legs: Vec<Leg>,
    hands: Vec<usize>,
}

impl Figure {
    /// Adds a joint at `position` of the world, metres.
    fn add(&mut self, name: &str, parent: Option<usize>, position: Vec3) -> usize {
        let above = parent.map_or(Vec3::ZERO, |parent| self.world[parent]);
        let rest = Transform { translation: position - above, rotation: Quat::IDENTITY, ..Transform::IDENTITY };
        let node = self.world.len();
        self.skeleton.joints.push(Joint { name: name.to_owned(), parent, rest, node, first_morph: 0, morph_count: 0 });
        self.world.push(position);
        node
    }

    /// Builds the skeleton of a person 1.7 m tall whose left is +X, with the names of `convention`.
    fn of(convention: &Convention) -> Self {
        let mut figure = Self::default();
        let root = convention.above.iter().fold(None, |parent, name| Some(figure.add(name, parent, Vec3::ZERO)));
        figure.hips = figure.add(convention.hips, root, Vec3::new(0.0, 0.95, 0.0));
        let pelvis = match convention.pelvis {
            "" => figure.hips,
            name => figure.add(name, Some(figure.hips), Vec3::new(0.0, 0.93, 0.0)),
        };
        for (side, sign) in convention.sides.into_iter().zip([1.0, -1.0]) {
            figure.add_leg(convention, pelvis, side, sign);
        }
        let count = convention.spine.len();
        let chest = convention.spine.iter().enumerate().fold(figure.hips, |parent, (index, name)| {
            figure.add(name, Some(parent), Vec3::new(0.0, 1.05 + 0.3 * index as f32 / count as f32, 0.0))
        });
        figure.spine = (0..figure.world.len()).find(|&joint| figure.name(joint) == convention.spine[0]).unwrap();
        figure.head = convention.necks.iter().enumerate().fold(chest, |parent, (index, name)| {
            figure.add(name, Some(parent), Vec3::new(0.0, 1.45 + 0.05 * index as f32, 0.02 * index as f32))
        });
        for (side, sign) in convention.sides.into_iter().zip([1.0, -1.0]) {
            let first = 4 - convention.arm.len();
            let hand = convention.arm.iter().enumerate().fold(chest, |parent, (index, name)| {
                let out = [0.05, 0.18, 0.46, 0.71][first + index];
                figure.add(&name.replace('*', side), Some(parent), Vec3::new(sign * out, 1.4, 0.0))
            });
            figure.hands.push(hand);
        }
        figure
    }

    /// Adds a leg with its extra joints below `pelvis`. `side` replaces the `*` of the names; `sign` is 1 for +X and −1 for −X.
    fn add_leg(&mut self, convention: &Convention, pelvis: usize, side: &str, sign: f32) {
        const PLACES: [[f32; 3]; 4] = [[0.09, 0.9, 0.0], [0.09, 0.48, 0.01], [0.09, 0.08, -0.01], [0.1, 0.02, 0.12]];
        let mut joints = Vec::new();
        for (index, name) in convention.leg.iter().enumerate() {
            let [x, y, z] = PLACES[index];
            let parent = joints.last().copied().unwrap_or(pelvis);
            joints.push(self.add(&name.replace('*', side), Some(parent), Vec3::new(sign * x, y, z)));
            for (extra, _) in convention.leg_extras.iter().filter(|(_, on)| *on == index) {
                self.add(&extra.replace('*', side), Some(joints[index]), Vec3::new(sign * x, y - 0.01, z + 0.01));
            }
        }
        self.legs.push(Leg { thigh: joints[0], shin: joints[1], foot: joints[2], toe: joints.get(3).copied() });
    }

    fn name(&self, joint: usize) -> &str {
        &self.skeleton.joints[joint].name
    }

    /// Returns what is wrong with the detected `rig`, empty if nothing is.
    fn faults(&self, rig: &Rig) -> String {
        let roles = &rig.roles;
        let name = |joint: Option<usize>| joint.map_or("none", |joint| self.name(joint)).to_owned();
        let mut faults = Vec::new();
        for (role, found, expected) in
            [("hips", roles.hips, self.hips), ("spine", roles.spine_split, self.spine), ("head", roles.head, self.head)]
        {
            if found != Some(expected) {
                faults.push(format!("{role}: {} instead of {}", name(found), self.name(expected)));
            }
        }
        if roles.legs != self.legs {
            let leg = |leg: &Leg| [Some(leg.thigh), Some(leg.shin), Some(leg.foot), leg.toe].map(name).join(" ");
            faults.push(format!("legs: {}", roles.legs.iter().map(leg).collect::<Vec<_>>().join(", ")));
        }
        if roles.hands != self.hands {
            faults.push(format!("hands: {:?}", roles.hands.iter().map(|&hand| self.name(hand)).collect::<Vec<_>>()));
        }
        faults.join("; ")
    }
}

#[test]
fn every_convention_gives_every_role() {
    let mut wrong = Vec::new();
    for convention in CONVENTIONS {
        let figure = Figure::of(convention);
        let rig = Rig::of_skeleton(&figure.skeleton, &[]);
        let faults = figure.faults(&rig);
        let unsure = [Role::Hips, Role::Legs, Role::Head, Role::Spine, Role::Hands]
            .into_iter()
            .filter(|&role| rig.finding(role).confidence < Confidence::Likely);
        let unsure: Vec<Role> = unsure.collect();
        if !faults.is_empty() || !unsure.is_empty() {
            wrong.push(format!("{}: {faults} {unsure:?}", convention.name));
        }
        let pairs = convention.leg.len() + convention.arm.len() + convention.leg_extras.len();
        assert_eq!(rig.roles.pairs.len(), pairs, "{}", convention.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_same_skeletons_without_names_give_legs_hands_hips_and_head() {
    let mut wrong = Vec::new();
    for convention in CONVENTIONS {
        let mut figure = Figure::of(convention);
        for (index, joint) in figure.skeleton.joints.iter_mut().enumerate() {
            joint.name = format!("node {index}");
        }
        let roles = Rig::of_skeleton(&figure.skeleton, &[]).roles;
        let limbs = |legs: &[Leg]| legs.iter().map(|leg| [leg.thigh, leg.shin, leg.foot]).collect::<Vec<_>>();
        if limbs(&roles.legs) != limbs(&figure.legs)
            || roles.hips.is_none()
            || roles.hands.len() != 2
            || roles.head.is_none()
        {
            wrong.push(format!("{}: {roles:?}", convention.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_figures_of_different_conventions_keep_their_own_legs() {
    for [first, second] in [[0, 12], [5, 13], [9, 4]] {
        let (one, two) = (Figure::of(&CONVENTIONS[first]), Figure::of(&CONVENTIONS[second]));
        let mut joints = one.skeleton.joints.clone();
        let count = joints.len();
        joints.extend(two.skeleton.joints.iter().cloned().map(|mut joint| {
            joint.parent = joint.parent.map(|parent| parent + count);
            if joint.parent.is_none() {
                joint.rest.translation.x += 3.0;
            }
            joint
        }));
        let skeleton = Skeleton { joints, rest_morphs: Vec::new() };
        let named = super::names::read(&skeleton, &vec![true; skeleton.len()]);
        let moved = two.legs.iter().map(|leg| Leg {
            thigh: leg.thigh + count,
            shin: leg.shin + count,
            foot: leg.foot + count,
            toe: leg.toe.map(|toe| toe + count),
        });
        let expected: Vec<Leg> = one.legs.iter().cloned().chain(moved).collect();
        assert_eq!(named.legs, expected, "{} and {}", CONVENTIONS[first].name, CONVENTIONS[second].name);
    }
}

/// The joints of a Rigify rig, as Blender 4.5 generates and exports it, that bear on roles: the deforming joints of legs and
/// arms hang on `ORG-` joints, those of the spine on the root, and controls have the names of body parts.
const RIGIFY: [(&str, Option<usize>); 31] = [
    ("rig", None),
    ("root", Some(0)),
    ("DEF-spine", Some(1)),
    ("DEF-spine.001", Some(2)),
    ("DEF-spine.002", Some(3)),
    ("WGT", Some(1)),
    ("MCH-torso.parent", Some(1)),
    ("torso", Some(6)),
    ("hips", Some(7)),
    ("tweak_spine", Some(8)),
    ("ORG-spine", Some(9)),
    ("ORG-thigh.L", Some(10)),
    ("ORG-shin.L", Some(11)),
    ("ORG-foot.L", Some(12)),
    ("DEF-thigh.L", Some(10)),
    ("DEF-thigh.L.001", Some(14)),
    ("DEF-shin.L", Some(15)),
    ("DEF-foot.L", Some(16)),
    ("DEF-toe.L", Some(17)),
    ("DEF-thigh.R", Some(10)),
    ("DEF-shin.R", Some(19)),
    ("DEF-foot.R", Some(20)),
    ("thigh_ik.L", Some(10)),
    ("hand_ik.L", Some(1)),
    ("head", Some(7)),
    ("ORG-hand.L", Some(7)),
    ("DEF-hand.L", Some(25)),
    ("DEF-hand.R", Some(25)),
    ("DEF-spine.003", Some(4)),
    ("DEF-spine.004", Some(28)),
    ("DEF-spine.005", Some(29)),
];

#[test]
fn in_a_control_rig_the_deforming_joints_have_the_roles() {
    let skeleton = crate::small_inputs::skeleton_of(&RIGIFY);
    let named = super::names::read(&skeleton, &[true; RIGIFY.len()]);
    let leg = |thigh, shin, foot, toe| Leg { thigh, shin, foot, toe };
    assert_eq!(named.legs, [leg(14, 16, 17, Some(18)), leg(19, 20, 21, None)]);
    assert_eq!((named.hips, named.spine_split, named.head), (Some(10), Some(2), Some(30)));
    assert_eq!(named.hands, [26, 27]);
    let deforming = RIGIFY.iter().filter(|(name, _)| name.starts_with("DEF-")).count();
    assert_eq!(Rig::of_skeleton(&skeleton, &[]).controls, RIGIFY.len() - deforming);
    // Without mechanism joints the same names are those of plain joints.
    let plain = RIGIFY.map(|(name, parent)| (name.trim_start_matches("ORG-").trim_start_matches("MCH-"), parent));
    assert_eq!(Rig::of_skeleton(&crate::small_inputs::skeleton_of(&plain), &[]).controls, 0);
}

#[test]
fn in_auto_rig_pro_a_control_beside_its_joint_has_no_role() {
    let rows = [
        ("root.x", None),
        ("c_spine_01.x", Some(0)),
        ("spine_01.x", Some(1)),
        ("c_head.x", Some(2)),
        ("head.x", Some(3)),
        ("thigh_stretch.l", Some(0)),
        ("leg_stretch.l", Some(5)),
        ("c_foot_fk.l", Some(6)),
        ("foot.l", Some(7)),
        ("toes_01.l", Some(8)),
        ("c_hand.l", Some(2)),
        ("hand.l", Some(10)),
        ("thigh_stretch.r", Some(0)),
        ("leg_stretch.r", Some(12)),
        ("foot.r", Some(13)),
    ];
    let skeleton = crate::small_inputs::skeleton_of(&rows);
    let named = super::names::read(&skeleton, &[true; 15]);
    assert_eq!((named.spine_split, named.head, named.hands), (Some(2), Some(4), vec![11]));
    let right = Leg { thigh: 12, shin: 13, foot: 14, toe: None };
    assert_eq!(named.legs, [Leg { thigh: 5, shin: 6, foot: 8, toe: Some(9) }, right]);
    assert_eq!(Rig::of_skeleton(&skeleton, &[]).controls, 3);
}
