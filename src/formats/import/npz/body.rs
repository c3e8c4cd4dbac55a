//! A body of plain human proportions, at rest in a T pose, for files without bone lengths.
//!
//! Heights, arm lengths and shoulder and hip widths are the fractions of the stature that Drillis and Contini measured, as in
//! Winter, *Biomechanics and Motor Control of Human Movement*, figure 4.1: knee 0.285, hip 0.530, shoulder 0.818, ankle 0.039,
//! upper arm 0.186, forearm 0.146, hand 0.108, foot length 0.152. The hip joints are half as far apart as the hips are wide.
//! Joints between these divide the length evenly.

use glam::Vec3;

use super::layout::Node;

/// Stature of the body, metres.
const STATURE_M: f32 = 1.7;

/// Positions of the joints in the middle and on the left, as fractions of the stature: left, up, forward.
const POSITIONS: [(&str, [f32; 3]); 16] = [
    ("pelvis", [0.0, 0.560, 0.0]),
    ("hip", [0.050, 0.530, 0.0]),
    ("knee", [0.050, 0.285, 0.0]),
    ("ankle", [0.050, 0.039, -0.010]),
    ("foot", [0.055, 0.012, 0.070]),
    ("spine1", [0.0, 0.620, 0.0]),
    ("spine2", [0.0, 0.680, 0.0]),
    ("spine3", [0.0, 0.730, 0.0]),
    ("neck", [0.0, 0.840, 0.0]),
    ("head", [0.0, 0.890, 0.010]),
    ("jaw", [0.0, 0.885, 0.020]),
    ("eye_smplhf", [0.019, 0.936, 0.050]),
    ("collar", [0.030, 0.810, 0.0]),
    ("shoulder", [0.110, 0.818, 0.0]),
    ("elbow", [0.296, 0.818, 0.0]),
    ("wrist", [0.442, 0.818, 0.0]),
];

/// Distance from the wrist to the middle of the hand and to the knuckles, fractions of the stature.
const HAND: f32 = 0.050;
/// Lengths of the first two bones of a finger, fractions of the stature.
const FINGER_BONES: [f32; 2] = [0.025, 0.016];

/// First joints of the fingers relative to the wrist, fractions of the stature: outward, up, forward.
const KNUCKLES: [(&str, [f32; 3]); 5] = [
    ("index", [HAND, 0.0, 0.014]),
    ("middle", [HAND, 0.0, 0.002]),
    ("ring", [HAND, 0.0, -0.009]),
    ("pinky", [HAND, -0.004, -0.019]),
    ("thumb", [0.018, -0.008, 0.018]),
];

/// Returns the offsets of SMPL's joints `nodes` from their parents at rest, metres; that of the root is its position over the
/// ground. +Y is up, the figure faces +Z, and its left is +X.
pub(super) fn offsets(nodes: &[Node]) -> Vec<Vec3> {
    let positions: Vec<Vec3> = nodes.iter().map(|node| STATURE_M * position(&node.name)).collect();
    let parents = nodes.iter().map(|node| node.parent.map_or(Vec3::ZERO, |parent| positions[parent]));
    positions.iter().zip(parents).map(|(position, parent)| position - parent).collect()
}

/// Returns the position of a joint as fractions of the stature. Left, up and forward from the ground below the body.
fn position(name: &str) -> Vec3 {
    let (side, part) = match name.split_once('_') {
        Some(("left", part)) => (1.0, part),
        Some(("right", part)) => (-1.0, part),
        _ => (0.0, name),
    };
    let known = |part: &str| POSITIONS.iter().find(|(known, _)| *known == part).map(|&(_, at)| Vec3::from(at));
    let left = known(part).unwrap_or_else(|| known("wrist").unwrap_or_default() + in_hand(part));
    Vec3::new(side * left.x, left.y, left.z)
}

/// Returns the position of a joint of the left hand relative to the wrist, as fractions of the stature. Outward, up and
/// forward. `part` is such as `index2`; unknown names give the middle of the hand.
fn in_hand(part: &str) -> Vec3 {
    let knuckle = KNUCKLES.iter().find_map(|&(finger, at)| Some((Vec3::from(at), part.strip_prefix(finger)?)));
    let Some((knuckle, number)) = knuckle else { return HAND * Vec3::X };
    let bones = number.parse().unwrap_or(1_usize).saturating_sub(1).min(FINGER_BONES.len());
    knuckle + FINGER_BONES[..bones].iter().sum::<f32>() * Vec3::X
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::npz::layout;

    #[test]
    fn the_body_stands_on_the_ground_is_symmetric_and_as_tall_as_a_person() {
        let nodes = layout::smpl(55).unwrap();
        let offsets = offsets(&nodes);
        let mut world = offsets.clone();
        for joint in 0..nodes.len() {
            let parent = nodes[joint].parent.map_or(Vec3::ZERO, |parent| world[parent]);
            world[joint] += parent;
        }
        let at = |name: &str| world[nodes.iter().position(|node| node.name == name).unwrap()];
        assert!((at("left_knee").y - 0.285 * 1.7).abs() < 1e-6 && (at("left_hip").y - 0.530 * 1.7).abs() < 1e-6);
        assert!((at("left_elbow").distance(at("left_wrist")) - 0.146 * 1.7).abs() < 1e-6);
        assert!(world.iter().all(|joint| joint.y > 0.0 && joint.y < 1.7));
        for node in nodes.iter().filter(|node| node.name.starts_with("left")) {
            let (left, right) = (at(&node.name), at(&node.name.replace("left", "right")));
            assert_eq!([left.x, left.y, left.z], [-right.x, right.y, right.z], "{}", node.name);
        }
        let mut sorted = world.clone();
        sorted.sort_by(|a, b| a.to_array().partial_cmp(&b.to_array()).unwrap());
        assert!(sorted.windows(2).all(|two| two[0].distance(two[1]) > 0.005), "two joints at one position");
    }
}
