//! Roles of small synthetic bodies of many kinds: with names and without, with a skin and without.

use glam::{Affine3A, Vec3};
use portamento_anim::geometry::Primitive;
use portamento_anim::geometry::{Mesh, MeshInstance, Skin};
use portamento_anim::rig::{Rig, Role};
use portamento_anim::{Model, Skeleton};
use portamento_test_support::skeleton_of;

/// A joint: its name, its parent's name, and its position at rest, metres. Names with `*` are controls without skin.
type Row = (&'static str, &'static str, [f32; 3]);

/// A body that faces +Z, and its expected roles.
struct Plan {
    kind: &'static str,
    rows: Vec<Row>,
    hips: Option<&'static str>,
    /// Thigh, shin and foot of one side; the other side is mirrored.
    legs: &'static [[&'static str; 3]],
    hands: &'static [&'static str],
    head: Option<&'static str>,
    tail: Option<&'static str>,
}

/// Returns `rows`, those whose name ends with `.l` on both sides.
fn mirrored(rows: &[Row]) -> Vec<Row> {
    let right = |name: &'static str| match name.strip_suffix(".l") {
        Some(stem) => &*Box::leak(format!("{stem}.r").into_boxed_str()),
        None => name,
    };
    let mut both = Vec::new();
    for &(name, parent, [x, y, z]) in rows {
        both.push((name, parent, [x, y, z]));
        if name.ends_with(".l") {
            both.push((right(name), right(parent), [-x, y, z]));
        }
    }
    both
}

const BIRD: [Row; 17] = [
    ("root", "", [0.0, 0.0, 0.0]),
    ("hips", "root", [0.0, 0.3, 0.0]),
    ("thigh.l", "hips", [0.06, 0.27, 0.0]),
    ("shin.l", "thigh.l", [0.06, 0.2, 0.08]),
    ("foot.l", "shin.l", [0.06, 0.1, -0.02]),
    ("toe.l", "foot.l", [0.06, 0.01, 0.03]),
    ("toe_tip.l", "toe.l", [0.06, 0.01, 0.09]),
    ("spine", "hips", [0.0, 0.34, 0.08]),
    ("chest", "spine", [0.0, 0.38, 0.16]),
    ("neck", "chest", [0.0, 0.45, 0.2]),
    ("head", "neck", [0.0, 0.53, 0.23]),
    ("beak", "head", [0.0, 0.53, 0.3]),
    ("wing_upper.l", "chest", [0.08, 0.4, 0.14]),
    ("wing_lower.l", "wing_upper.l", [0.3, 0.4, 0.1]),
    ("wing_tip.l", "wing_lower.l", [0.55, 0.4, 0.05]),
    ("tail_1", "hips", [0.0, 0.3, -0.1]),
    ("tail_2", "tail_1", [0.0, 0.29, -0.25]),
];

const RAPTOR: [Row; 21] = [
    ("root", "", [0.0, 0.0, 0.0]),
    ("hips", "root", [0.0, 1.0, 0.0]),
    ("thigh.l", "hips", [0.15, 0.95, 0.0]),
    ("shin.l", "thigh.l", [0.16, 0.6, 0.25]),
    ("foot.l", "shin.l", [0.16, 0.3, -0.1]),
    ("toe.l", "foot.l", [0.16, 0.04, 0.05]),
    ("toe_tip.l", "toe.l", [0.16, 0.02, 0.2]),
    ("spine", "hips", [0.0, 1.05, 0.2]),
    ("chest", "spine", [0.0, 1.1, 0.5]),
    ("neck_1", "chest", [0.0, 1.3, 0.65]),
    ("neck_2", "neck_1", [0.0, 1.5, 0.75]),
    ("head", "neck_2", [0.0, 1.6, 0.85]),
    ("jaw", "head", [0.0, 1.55, 1.0]),
    ("upperarm.l", "chest", [0.12, 1.02, 0.55]),
    ("forearm.l", "upperarm.l", [0.14, 0.85, 0.55]),
    ("hand.l", "forearm.l", [0.14, 0.8, 0.7]),
    ("tail_1", "hips", [0.0, 1.0, -0.2]),
    ("tail_2", "tail_1", [0.0, 0.98, -0.5]),
    ("tail_3", "tail_2", [0.0, 0.98, -0.8]),
    ("tail_4", "tail_3", [0.0, 1.0, -1.1]),
    ("tail_5", "tail_4", [0.0, 1.05, -1.4]),
];

/// Its tail rests on the ground, and its feet are long.
const KANGAROO: [Row; 20] = [
    ("root", "", [0.0, 0.0, 0.0]),
    ("hips", "root", [0.0, 0.7, 0.0]),
    ("thigh.l", "hips", [0.15, 0.65, 0.0]),
    ("shin.l", "thigh.l", [0.17, 0.5, 0.3]),
    ("foot.l", "shin.l", [0.17, 0.1, -0.1]),
    ("toe.l", "foot.l", [0.17, 0.03, 0.25]),
    ("toe_tip.l", "toe.l", [0.17, 0.02, 0.35]),
    ("spine", "hips", [0.0, 0.9, 0.05]),
    ("chest", "spine", [0.0, 1.15, 0.12]),
    ("neck", "chest", [0.0, 1.35, 0.16]),
    ("head", "neck", [0.0, 1.5, 0.2]),
    ("ear.l", "head", [0.05, 1.65, 0.18]),
    ("upperarm.l", "chest", [0.12, 1.12, 0.18]),
    ("forearm.l", "upperarm.l", [0.13, 0.98, 0.22]),
    ("hand.l", "forearm.l", [0.12, 0.95, 0.36]),
    ("tail_1", "hips", [0.0, 0.55, -0.15]),
    ("tail_2", "tail_1", [0.0, 0.35, -0.35]),
    ("tail_3", "tail_2", [0.0, 0.15, -0.55]),
    ("tail_4", "tail_3", [0.0, 0.06, -0.8]),
    ("tail_5", "tail_4", [0.0, 0.05, -1.1]),
];

/// Its arms hang down to a quarter of its height.
const HADROSAUR: [Row; 20] = [
    ("root", "", [0.0, 0.0, 0.0]),
    ("hips", "root", [0.0, 1.6, 0.0]),
    ("thigh.l", "hips", [0.3, 1.5, 0.0]),
    ("shin.l", "thigh.l", [0.32, 0.95, 0.35]),
    ("foot.l", "shin.l", [0.32, 0.35, -0.1]),
    ("toe.l", "foot.l", [0.32, 0.06, 0.1]),
    ("toe_tip.l", "toe.l", [0.32, 0.02, 0.35]),
    ("spine", "hips", [0.0, 1.65, 0.3]),
    ("chest", "spine", [0.0, 1.6, 0.9]),
    ("neck_1", "chest", [0.0, 1.8, 1.2]),
    ("neck_2", "neck_1", [0.0, 2.1, 1.4]),
    ("head", "neck_2", [0.0, 2.3, 1.5]),
    ("jaw", "head", [0.0, 2.2, 1.8]),
    ("upperarm.l", "chest", [0.25, 1.4, 1.0]),
    ("forearm.l", "upperarm.l", [0.27, 0.95, 0.9]),
    ("hand.l", "forearm.l", [0.27, 0.6, 1.0]),
    ("tail_1", "hips", [0.0, 1.6, -0.35]),
    ("tail_2", "tail_1", [0.0, 1.55, -0.9]),
    ("tail_3", "tail_2", [0.0, 1.5, -1.5]),
    ("tail_4", "tail_3", [0.0, 1.5, -2.2]),
];

const OSTRICH: [Row; 15] = [
    ("root", "", [0.0, 0.0, 0.0]),
    ("hips", "root", [0.0, 1.2, 0.0]),
    ("thigh.l", "hips", [0.15, 1.15, 0.0]),
    ("shin.l", "thigh.l", [0.16, 0.95, 0.25]),
    ("foot.l", "shin.l", [0.12, 0.5, -0.05]),
    ("toe.l", "foot.l", [0.1, 0.05, 0.05]),
    ("toe_tip.l", "toe.l", [0.1, 0.02, 0.2]),
    ("spine", "hips", [0.0, 1.25, 0.25]),
    ("chest", "spine", [0.0, 1.3, 0.45]),
    ("neck_1", "chest", [0.0, 1.5, 0.6]),
    ("neck_2", "neck_1", [0.0, 1.8, 0.65]),
    ("neck_3", "neck_2", [0.0, 2.1, 0.68]),
    ("head", "neck_3", [0.0, 2.3, 0.72]),
    ("beak", "head", [0.0, 2.3, 0.9]),
    ("wing.l", "chest", [0.22, 1.3, 0.3]),
];

const SNAKE: [Row; 9] = [
    ("root", "", [0.0, 0.0, 0.0]),
    ("body_1", "root", [0.0, 0.05, 0.0]),
    ("body_2", "body_1", [0.1, 0.05, 0.2]),
    ("body_3", "body_2", [0.1, 0.05, 0.4]),
    ("body_4", "body_3", [0.0, 0.05, 0.6]),
    ("body_5", "body_4", [-0.1, 0.05, 0.8]),
    ("body_6", "body_5", [-0.05, 0.06, 1.0]),
    ("head", "body_6", [0.0, 0.1, 1.15]),
    ("tongue", "head", [0.0, 0.1, 1.25]),
];

/// A dog whose IK targets and poles are children of the root.
const HOUND: [Row; 27] = [
    ("root", "", [0.0, 0.0, 0.0]),
    ("ik_target_front*.l", "root", [0.12, 0.02, 0.45]),
    ("ik_target_back*.l", "root", [0.12, 0.02, -0.4]),
    ("ik_pole_front*.l", "root", [0.12, 0.35, 0.8]),
    ("ik_pole_back*.l", "root", [0.12, 0.4, 0.2]),
    ("hips", "root", [0.0, 0.75, -0.35]),
    ("thigh.l", "hips", [0.12, 0.7, -0.4]),
    ("shin.l", "thigh.l", [0.13, 0.42, -0.25]),
    ("foot.l", "shin.l", [0.13, 0.2, -0.45]),
    ("toe.l", "foot.l", [0.12, 0.03, -0.4]),
    ("toe_tip.l", "toe.l", [0.12, 0.01, -0.32]),
    ("spine_1", "hips", [0.0, 0.78, -0.1]),
    ("spine_2", "spine_1", [0.0, 0.8, 0.15]),
    ("chest", "spine_2", [0.0, 0.78, 0.4]),
    ("upperarm.l", "chest", [0.12, 0.6, 0.5]),
    ("forearm.l", "upperarm.l", [0.12, 0.38, 0.35]),
    ("hand.l", "forearm.l", [0.12, 0.14, 0.42]),
    ("fingers.l", "hand.l", [0.12, 0.04, 0.52]),
    ("fingers_tip.l", "fingers.l", [0.12, 0.01, 0.58]),
    ("neck", "chest", [0.0, 0.95, 0.55]),
    ("head", "neck", [0.0, 1.1, 0.7]),
    ("ear.l", "head", [0.06, 1.2, 0.68]),
    ("jaw", "head", [0.0, 1.05, 0.85]),
    ("tail_1", "hips", [0.0, 0.75, -0.5]),
    ("tail_2", "tail_1", [0.0, 0.7, -0.65]),
    ("tail_3", "tail_2", [0.0, 0.62, -0.8]),
    ("tail_4", "tail_3", [0.0, 0.55, -0.95]),
];

fn plans() -> Vec<Plan> {
    let two: &[[&str; 3]] = &[["thigh.l", "shin.l", "foot.l"]];
    let plan = |kind: &'static str, rows: &[Row], head, tail| Plan {
        kind,
        rows: mirrored(rows),
        hips: Some("hips"),
        legs: two,
        hands: &[],
        head: Some(head),
        tail,
    };
    let hands: &[&str] = &["hand.l", "hand.r"];
    vec![
        plan("bird", &BIRD, "head", None),
        Plan { hands, ..plan("raptor", &RAPTOR, "head", Some("tail_1")) },
        Plan { hands, ..plan("kangaroo", &KANGAROO, "head", Some("tail_1")) },
        Plan { hands, ..plan("hadrosaur", &HADROSAUR, "head", Some("tail_1")) },
        plan("ostrich", &OSTRICH, "head", None),
        Plan { hips: None, legs: &[], ..plan("snake", &SNAKE, "head", None) },
        Plan {
            legs: &[["thigh.l", "shin.l", "foot.l"], ["upperarm.l", "forearm.l", "hand.l"]],
            ..plan("hound", &HOUND, "head", Some("tail_1"))
        },
    ]
}

/// Returns the body of `rows`. With a skin, every joint but controls carries four vertices, and a head as many as ten joints.
fn model(rows: &[Row], has_names: bool, has_skin: bool) -> Model {
    let index = |name: &str| rows.iter().position(|row| row.0 == name);
    let parents: Vec<(&str, Option<usize>)> =
        rows.iter().map(|row| (if has_names { row.0 } else { "x" }, index(row.1))).collect();
    let mut skeleton: Skeleton = skeleton_of(&parents);
    for (joint, row) in skeleton.joints.iter_mut().zip(rows) {
        joint.name = joint.name.replace('*', "");
        let parent_position = index(row.1).map_or([0.0; 3], |parent| rows[parent].2);
        joint.rest.translation = Vec3::from(row.2) - Vec3::from(parent_position);
    }
    if !has_skin {
        return Model { skeleton, ..Model::default() };
    }
    let skinned: Vec<usize> = (1..rows.len()).filter(|&joint| !rows[joint].0.contains('*')).collect();
    let count = |joint: usize| if rows[joint].0 == "head" { 40 } else { 4 };
    let vertices = || skinned.iter().enumerate().flat_map(move |slot| std::iter::repeat_n(slot, count(*slot.1)));
    let primitive = Primitive {
        positions: vertices().map(|(_, &joint)| Vec3::from(rows[joint].2)).collect(),
        influences: 1,
        joints: vertices().map(|(slot, _)| slot as u16).collect(),
        weights: vertices().map(|_| 1.0).collect(),
        ..Primitive::default()
    };
    let inverse_bind = skinned.iter().map(|&joint| Affine3A::from_translation(-Vec3::from(rows[joint].2))).collect();
    Model {
        skeleton,
        meshes: vec![Mesh { name: "body".into(), primitives: vec![primitive], ..Mesh::default() }],
        skins: vec![Skin { joints: skinned, inverse_bind }],
        instances: vec![MeshInstance { joint: 0, mesh: 0, skin: Some(0) }],
        ..Model::default()
    }
}

#[test]
fn every_body_plan_has_its_roles_with_and_without_names_and_skin() {
    let mut faults = Vec::new();
    for plan in plans() {
        for (has_names, has_skin) in [(true, true), (true, false), (false, true), (false, false)] {
            let is_hard = !has_names && !has_skin;
            let rig = Rig::of_model(&model(&plan.rows, has_names, has_skin));
            let name = |joint: usize| plan.rows[joint].0;
            let names = |joints: &[usize]| {
                let mut names: Vec<&str> = joints.iter().map(|&joint| name(joint)).collect();
                names.sort_unstable();
                names
            };
            let mut check = |role: Role, found: String, expected: String| {
                let is_asked = !has_names && rig.questions.iter().any(|question| question.role == role);
                if found != expected && !is_asked {
                    let case = (plan.kind, has_names, has_skin);
                    faults.push(format!("{case:?} {role:?}: {found} instead of {expected}"));
                }
            };
            let roles = &rig.roles;
            let mut legs: Vec<[&str; 3]> =
                roles.legs.iter().map(|leg| [leg.thigh, leg.shin, leg.foot].map(name)).collect();
            legs.sort_unstable();
            let mut expected: Vec<[String; 3]> = plan.legs.iter().map(|leg| leg.map(str::to_owned)).collect();
            expected.extend(plan.legs.iter().map(|leg| leg.map(|joint| joint.replace(".l", ".r"))));
            expected.sort_unstable();
            check(Role::Legs, format!("{legs:?}"), format!("{expected:?}"));
            check(Role::Hips, format!("{:?}", roles.hips.map(name)), format!("{:?}", plan.hips));
            let in_leg = roles.hands.iter().any(|&hand| roles.legs.iter().any(|leg| hand == leg.foot));
            check(Role::Hands, format!("{in_leg}"), "false".into());
            if !plan.hands.is_empty() || plan.legs.len() == 2 {
                check(Role::Hands, format!("{:?}", names(&roles.hands)), format!("{:?}", plan.hands));
            }
            // Without names and skin, a head is the joint before the tip.
            if !is_hard && plan.hips.is_some() {
                check(Role::Head, format!("{:?}", roles.head.map(name)), format!("{:?}", plan.head));
                let tail = roles.tail.first().copied().map(name);
                if plan.tail.is_some() {
                    check(Role::Tail, format!("{tail:?}"), format!("{:?}", plan.tail));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
