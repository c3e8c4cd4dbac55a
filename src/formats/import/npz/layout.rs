//! Joint names and parents of the layouts, in the order of their arrays.

/// A joint of a layout.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// The name in the layout's own convention: `left_hip`, `LeftLeg`.
    pub name: String,
    /// Index of the parent, always smaller than the joint's own; `None` for the root.
    pub parent: Option<usize>,
}

/// The joints of SMPL up to the wrists, as in the `smplx` package. All models of the family begin with them.
pub(super) const BODY_JOINTS: usize = 22;

/// Number of joints of SMPL, SMPL-H and SMPL-X.
pub(super) const SMPL_JOINTS: usize = 24;
/// Number of joints of SMPL-H.
pub(super) const SMPL_H_JOINTS: usize = 52;
/// Number of joints of SMPL-X.
pub(super) const SMPL_X_JOINTS: usize = 55;

const BODY: [(&str, Option<usize>); BODY_JOINTS] = [
    ("pelvis", None),
    ("left_hip", Some(0)),
    ("right_hip", Some(0)),
    ("spine1", Some(0)),
    ("left_knee", Some(1)),
    ("right_knee", Some(2)),
    ("spine2", Some(3)),
    ("left_ankle", Some(4)),
    ("right_ankle", Some(5)),
    ("spine3", Some(6)),
    ("left_foot", Some(7)),
    ("right_foot", Some(8)),
    ("neck", Some(9)),
    ("left_collar", Some(9)),
    ("right_collar", Some(9)),
    ("head", Some(12)),
    ("left_shoulder", Some(13)),
    ("right_shoulder", Some(14)),
    ("left_elbow", Some(16)),
    ("right_elbow", Some(17)),
    ("left_wrist", Some(18)),
    ("right_wrist", Some(19)),
];

const HEAD: usize = 15;
const WRISTS: [(&str, usize); 2] = [("left", 20), ("right", 21)];
/// The fingers of SMPL-H and SMPL-X in their order, with three joints each.
const FINGERS: [&str; 5] = ["index", "middle", "pinky", "ring", "thumb"];

/// Returns the joints of the SMPL model with `count` joints (22, 24, 52 or 55), or `None` for other counts.
pub(super) fn smpl(count: usize) -> Option<Vec<Node>> {
    let mut nodes: Vec<Node> = BODY.iter().map(|&(name, parent)| node(name, parent)).collect();
    match count {
        BODY_JOINTS => {}
        SMPL_JOINTS => nodes.extend(WRISTS.map(|(side, wrist)| node(&format!("{side}_hand"), Some(wrist)))),
        SMPL_H_JOINTS => add_smpl_fingers(&mut nodes),
        SMPL_X_JOINTS => {
            nodes.extend(["jaw", "left_eye_smplhf", "right_eye_smplhf"].map(|name| node(name, Some(HEAD))));
            add_smpl_fingers(&mut nodes);
        }
        _ => return None,
    }
    Some(nodes)
}

/// Adds the finger joints of both hands to `nodes`, three for each finger, below the wrists.
fn add_smpl_fingers(nodes: &mut Vec<Node>) {
    for (side, wrist) in WRISTS {
        for finger in FINGERS {
            add_chain(nodes, wrist, (1..=3).map(|number| format!("{side}_{finger}{number}")));
        }
    }
}

/// The trunk and the head of SOMA.
const SOMA_TRUNK: [(&str, Option<usize>); 7] = [
    ("Hips", None),
    ("Spine1", Some(0)),
    ("Spine2", Some(1)),
    ("Chest", Some(2)),
    ("Neck1", Some(3)),
    ("Neck2", Some(4)),
    ("Head", Some(5)),
];
const SOMA_CHEST: usize = 3;
const SOMA_HEAD: usize = 6;
/// Number of joints of the full SOMA skeleton.
const SOMA_JOINTS: usize = 77;
/// Number of joints of SOMA without fingers.
const SOMA_SMALL_JOINTS: usize = 30;

/// Returns the joints of the SOMA skeleton with `count` joints (30 or 77), or `None` for other counts.
pub(super) fn soma(count: usize) -> Option<Vec<Node>> {
    let is_full = match count {
        SOMA_JOINTS => true,
        SOMA_SMALL_JOINTS => false,
        _ => return None,
    };
    let mut nodes: Vec<Node> = SOMA_TRUNK.iter().map(|&(name, parent)| node(name, parent)).collect();
    let face: &[&str] =
        if is_full { &["HeadEnd", "Jaw", "LeftEye", "RightEye"] } else { &["Jaw", "LeftEye", "RightEye"] };
    nodes.extend(face.iter().map(|name| node(name, Some(SOMA_HEAD))));
    for side in ["Left", "Right"] {
        let sided = |name: &str| format!("{side}{name}");
        let hand = add_chain(&mut nodes, SOMA_CHEST, ["Shoulder", "Arm", "ForeArm", "Hand"].map(sided));
        if !is_full {
            nodes.extend(["HandThumbEnd", "HandMiddleEnd"].map(|name| node(&sided(name), Some(hand))));
            continue;
        }
        for (finger, bones) in [("Thumb", 3), ("Index", 4), ("Middle", 4), ("Ring", 4), ("Pinky", 4)] {
            let names = (1..=bones).map(|bone| format!("{side}Hand{finger}{bone}"));
            add_chain(&mut nodes, hand, names.chain([format!("{side}Hand{finger}End")]));
        }
    }
    for side in ["Left", "Right"] {
        let names: &[&str] = &["Leg", "Shin", "Foot", "ToeBase", "ToeEnd"];
        let names = if is_full { names } else { &names[..4] };
        add_chain(&mut nodes, 0, names.iter().map(|name| format!("{side}{name}")));
    }
    Some(nodes)
}

fn node(name: &str, parent: Option<usize>) -> Node {
    Node { name: name.to_owned(), parent }
}

/// Adds joints that each hang on the previous one, the first on `parent`. Returns the index of the last one. Without names
/// that is `parent`.
fn add_chain(nodes: &mut Vec<Node>, parent: usize, names: impl IntoIterator<Item = String>) -> usize {
    names.into_iter().fold(parent, |parent, name| {
        nodes.push(Node { name, parent: Some(parent) });
        nodes.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_has_its_number_of_joints_with_parents_first() {
        let layouts = [22, 24, 52, 55].map(smpl).into_iter().chain([30, 77].map(soma));
        let counts: Vec<usize> = layouts
            .map(|nodes| {
                let nodes = nodes.unwrap();
                assert!(nodes.iter().enumerate().all(|(joint, node)| node.parent.is_none_or(|parent| parent < joint)));
                let names: std::collections::BTreeSet<_> = nodes.iter().map(|node| &node.name).collect();
                assert_eq!(names.len(), nodes.len());
                nodes.len()
            })
            .collect();
        assert_eq!(counts, [22, 24, 52, 55, 30, 77]);
        assert!(smpl(23).is_none() && soma(34).is_none());
    }

    #[test]
    fn joints_stand_where_the_layouts_put_them() {
        let at = |nodes: Option<Vec<Node>>, joint: usize| {
            let nodes = nodes.unwrap();
            (nodes[joint].name.clone(), nodes[joint].parent.map(|parent| nodes[parent].name.clone()).unwrap())
        };
        let pair = |name: &str, parent: &str| (name.to_owned(), parent.to_owned());
        assert_eq!(at(smpl(55), 25), pair("left_index1", "left_wrist"));
        assert_eq!(at(smpl(52), 51), pair("right_thumb3", "right_thumb2"));
        assert_eq!(at(soma(77), 38), pair("LeftHandPinkyEnd", "LeftHandPinky4"));
        assert_eq!(at(soma(77), 67), pair("LeftLeg", "Hips"));
        assert_eq!(at(soma(30), 29), pair("RightToeBase", "RightFoot"));
    }
}
