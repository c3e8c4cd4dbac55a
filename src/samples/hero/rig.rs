//! The joints of the hero: hierarchy and rest positions.
//!
//! Every joint rests without rotation, so its axes are those of the world. The right side mirrors the left; +X is left.

use glam::{DVec3, dvec3};

use portamento_anim::math::Transform;
use portamento_anim::{Joint, Skeleton};

/// Root joint, which carries the root motion.
pub const ROOT: usize = 0;
/// Pelvis, the parent of legs and spine.
pub const HIPS: usize = 1;
/// Spine, above the pelvis.
pub const SPINE: usize = 2;
/// Chest, the parent of arms, neck and cape.
pub const CHEST: usize = 3;
/// Neck.
pub const NECK: usize = 4;
/// Head, the parent of the hair.
pub const HEAD: usize = 5;
/// First of the five hair joints.
pub const HAIR: usize = 6;
/// First of the five joints of each cape column: left, middle, right.
pub const CAPE: [usize; 3] = [11, 16, 21];
/// Collar bones, left and right.
pub const SHOULDER: [usize; 2] = [26, 30];
/// Upper arms, left and right.
pub const UPPER_ARM: [usize; 2] = [27, 31];
/// Forearms, left and right.
pub const LOWER_ARM: [usize; 2] = [28, 32];
/// Hands, left and right.
pub const HAND: [usize; 2] = [29, 33];
/// Thighs, left and right.
pub const THIGH: [usize; 2] = [34, 38];
/// Shins, left and right.
pub const SHIN: [usize; 2] = [35, 39];
/// Feet (ankles), left and right.
pub const FOOT: [usize; 2] = [36, 40];
/// Toes (balls of the feet), left and right.
pub const TOE: [usize; 2] = [37, 41];
/// Joints in each hair or cape strand.
pub const STRAND_JOINTS: usize = 5;
/// Angle between the resting arms and straight down, radians.
pub const ARM_SPREAD: f64 = 48.0 * std::f64::consts::PI / 180.0;

/// Joints in the middle of the body: name, parent, rest position.
const MIDDLE: [(&str, usize, [f64; 3]); 11] = [
    ("root", ROOT, [0.0, 0.0, 0.0]),
    ("hips", ROOT, [0.0, 0.93, 0.0]),
    ("spine", HIPS, [0.0, 1.02, 0.0]),
    ("chest", SPINE, [0.0, 1.15, 0.0]),
    ("neck", CHEST, [0.0, 1.365, -0.015]),
    ("head", NECK, [0.0, 1.43, 0.0]),
    ("hair.1", HEAD, [0.0, 1.617, -0.118]),
    ("hair.2", HAIR, [0.0, 1.602, -0.19]),
    ("hair.3", HAIR + 1, [0.0, 1.535, -0.242]),
    ("hair.4", HAIR + 2, [0.0, 1.45, -0.268]),
    ("hair.5", HAIR + 3, [0.0, 1.365, -0.275]),
];

/// Joints of the left side that are mirrored: name, parent (of the left one), rest position.
const SIDE: [(&str, usize, [f64; 3]); 8] = [
    ("shoulder", CHEST, [0.035, 1.325, 0.0]),
    ("upper_arm", 26, [0.168, 1.315, -0.01]),
    ("lower_arm", 27, [0.361, 1.141, -0.01]),
    ("hand", 28, [0.547, 0.974, -0.01]),
    ("thigh", HIPS, [0.088, 0.905, 0.0]),
    ("shin", 34, [0.094, 0.485, 0.018]),
    ("foot", 35, [0.1, 0.085, -0.02]),
    ("toe", 36, [0.1, 0.03, 0.115]),
];

/// The end of the hair, beyond the last joint.
pub const HAIR_TIP: DVec3 = dvec3(0.0, 1.28, -0.27);

/// Returns the rest position of joint `row` (0…4; 5 is the hem) of cape `column` (0 left, 1 middle, 2 right).
pub fn cape_point(column: usize, row: usize) -> DVec3 {
    let side = 1.0 - column as f64;
    let down = row as f64 / STRAND_JOINTS as f64;
    let behind = 0.105 + 0.075 * down + if column == 1 { 0.035 } else { 0.0 };
    dvec3(side * (0.13 + 0.12 * down), 1.335 - 0.72 * down, -behind)
}

/// Returns name, parent and rest position of every joint, parents first.
pub fn joints() -> Vec<(String, Option<usize>, DVec3)> {
    let middle = MIDDLE.iter().enumerate().map(|(i, &(name, parent, position))| {
        (name.to_string(), (i != ROOT).then_some(parent), DVec3::from_array(position))
    });
    let cape = (0..3).flat_map(|column| {
        (0..STRAND_JOINTS).map(move |row| {
            let parent = if row == 0 { CHEST } else { CAPE[column] + row - 1 };
            (format!("cape.{}.{}", ["L", "C", "R"][column], row + 1), Some(parent), cape_point(column, row))
        })
    });
    let limbs =
        [0..4, 4..8].into_iter().flat_map(|limb| (0..2).flat_map(move |side| limb.clone().map(move |i| (i, side))));
    let sides = limbs.map(|(i, side)| {
        let (name, parent, [x, y, z]) = SIDE[i];
        let parent = if i % 4 == 0 { parent } else { parent + 4 * side };
        let x = if side == 0 { x } else { -x };
        (format!("{name}.{}", ["L", "R"][side]), Some(parent), dvec3(x, y, z))
    });
    middle.chain(cape).chain(sides).collect()
}

/// Returns the rest position of every joint in model space.
pub fn positions() -> Vec<DVec3> {
    joints().into_iter().map(|(_, _, position)| position).collect()
}

/// Returns the hero's skeleton.
pub fn skeleton() -> Skeleton {
    let positions = positions();
    let joint = |(node, (name, parent, position)): (usize, (String, Option<usize>, DVec3))| Joint {
        name,
        parent,
        rest: Transform::from_translation(
            (position - parent.map_or(DVec3::ZERO, |parent| positions[parent])).as_vec3(),
        ),
        node,
        first_morph: 0,
        morph_count: 0,
    };
    Skeleton { joints: joints().into_iter().enumerate().map(joint).collect(), rest_morphs: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_the_indices_of_their_joints() {
        let skeleton = skeleton();
        let named = |name: &str| skeleton.find(name);
        assert_eq!((named("root"), named("head"), named("hair.1")), (Some(ROOT), Some(HEAD), Some(HAIR)));
        assert_eq!(["cape.L.1", "cape.C.1", "cape.R.1"].map(|name| named(name).unwrap()), CAPE);
        assert_eq!(["hand.L", "hand.R"].map(|name| named(name).unwrap()), HAND);
        assert_eq!(["thigh.L", "thigh.R"].map(|name| named(name).unwrap()), THIGH);
        assert_eq!(["toe.L", "toe.R"].map(|name| named(name).unwrap()), TOE);
        assert_eq!(skeleton.joints[TOE[1]].parent, Some(FOOT[1]));
    }

    #[test]
    fn parents_come_first() {
        let skeleton = skeleton();
        assert!(skeleton.joints.iter().enumerate().all(|(i, joint)| joint.parent.is_none_or(|parent| parent < i)));
    }
}
