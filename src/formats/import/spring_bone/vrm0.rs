//! Reads `secondaryAnimation` of VRM 0.x.
//!
//! Source: the VRM consortium's schema of `vrm.secondaryanimation` 0.x.
//! A bone group names root nodes. *All* nodes below a root move, each towards its first child.
//! A node without children moves towards a virtual end 7 cm further on.
//! The z of collider offsets is negated, because VRM 0.x stores them left-handed (@pixiv/three-vrm does the same).

use glam::DVec3;
use serde_json::Value;

use super::{index, indices, list, number};
use portamento_anim::{
    Spring, SpringBones, SpringCollider, SpringColliderGroup, SpringJoint, SpringShape, VRM0_END_LENGTH,
};

/// Returns the VRM 0.x spring bones of the file, or `None` if it has none.
pub(super) fn read(json: &Value) -> Option<SpringBones> {
    let root = json.get("extensions")?.get("VRM")?.get("secondaryAnimation")?;
    let nodes = list(json, "nodes");
    let mut bones = SpringBones::default();
    for group in list(root, "colliderGroups") {
        add_collider_group(group, nodes.len(), &mut bones);
    }
    let groups = bones.groups.len();
    bones.springs = list(root, "boneGroups").iter().flat_map(|group| springs(group, nodes, groups)).collect();
    (!bones.springs.is_empty()).then_some(bones)
}

/// Adds the spheres of a collider group, with z negated as in glTF, and the group itself. A group on a missing node stays as an
/// empty one.
fn add_collider_group(group: &Value, nodes: usize, bones: &mut SpringBones) {
    let first = bones.colliders.len();
    if let Some(node) = index(group, "node", nodes) {
        let shape = |collider: &Value| SpringShape::Round {
            offset: point(collider.get("offset")) * DVec3::new(1.0, 1.0, -1.0),
            tail: None,
            radius: number(collider, "radius", 0.0).max(0.0),
            inside: false,
        };
        let colliders = list(group, "colliders").iter().map(shape);
        bones.colliders.extend(colliders.map(|shape| SpringCollider { node, shape }));
    }
    // Bone groups refer to collider groups by index, so damaged groups are kept as empty ones.
    let colliders = (first..bones.colliders.len()).collect();
    bones.groups.push(SpringColliderGroup { name: String::new(), colliders });
}

/// Returns the chains of a bone group: one per root, and one for every child after the first. `nodes` are those of the
/// glTF, and `groups` is the number of collider groups. A node belongs to one chain only.
fn springs(group: &Value, nodes: &[Value], groups: usize) -> Vec<Spring> {
    let gravity_dir = group.get("gravityDir").map_or(DVec3::NEG_Y, |direction| point(Some(direction)));
    let values = SpringJoint {
        hit_radius: number(group, "hitRadius", 0.0).max(0.0),
        // The schema spells the key `stiffiness`.
        stiffness: number(group, "stiffiness", 1.0).max(0.0),
        gravity_power: number(group, "gravityPower", 0.0),
        gravity_dir,
        drag_force: number(group, "dragForce", 0.4).clamp(0.0, 1.0),
        ..SpringJoint::new(0)
    };
    let spring = |joints: Vec<SpringJoint>| Spring {
        name: group.get("comment").and_then(Value::as_str).unwrap_or_default().into(),
        joints,
        groups: indices(group, "colliderGroups", groups),
        center: index(group, "center", nodes.len()),
        end_length: VRM0_END_LENGTH,
    };
    let mut visited = vec![false; nodes.len()];
    let mut starts = indices(group, "bones", nodes.len());
    starts.reverse();
    let mut springs = Vec::new();
    while let Some(start) = starts.pop() {
        let mut joints = Vec::new();
        let mut at = Some(start).filter(|&node| !visited[node]);
        while let Some(node) = at {
            visited[node] = true;
            joints.push(SpringJoint { node, ..values });
            let children = indices(&nodes[node], "children", nodes.len());
            let mut children = children.into_iter().filter(|&child| !visited[child]);
            at = children.next();
            starts.extend(children);
        }
        if !joints.is_empty() {
            springs.push(spring(joints));
        }
    }
    springs
}

/// Reads a vector with members `x`, `y` and `z`, which default to 0.
fn point(value: Option<&Value>) -> DVec3 {
    value.map_or(DVec3::ZERO, |value| {
        DVec3::new(number(value, "x", 0.0), number(value, "y", 0.0), number(value, "z", 0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_nodes_below_a_root_move_and_collider_offsets_are_converted() {
        let json = json!({
            "nodes": [{"children": [1, 4]}, {"children": [2, 3]}, {}, {}, {}],
            "extensions": {"VRM": {"secondaryAnimation": {
                "boneGroups": [{
                    "comment": "hair", "stiffiness": 0.8, "gravityPower": 0.1, "gravityDir": {"x": 0, "y": -1, "z": 0},
                    "dragForce": 0.3, "center": -1, "hitRadius": 0.02, "bones": [1], "colliderGroups": [0, 9]
                }],
                "colliderGroups": [{"node": 0, "colliders": [{"offset": {"x": 0.1, "y": 0.2, "z": 0.3}, "radius": 0.05}]}]
            }}}
        });
        let bones = read(&json).unwrap();
        let nodes = |spring: &Spring| spring.joints.iter().map(|joint| joint.node).collect::<Vec<_>>();
        assert_eq!(bones.springs.iter().map(nodes).collect::<Vec<_>>(), [vec![1, 2], vec![3]]);
        let spring = &bones.springs[0];
        assert_eq!((spring.name.as_str(), &spring.groups[..], spring.center), ("hair", &[0][..], None));
        assert_eq!(
            (spring.joints[1].stiffness, spring.joints[1].drag_force, spring.end_length),
            (0.8, 0.3, VRM0_END_LENGTH)
        );
        let SpringShape::Round { offset, radius, .. } = bones.colliders[0].shape else { panic!() };
        assert_eq!((offset, radius), (DVec3::new(0.1, 0.2, -0.3), 0.05));
    }

    #[test]
    fn nodes_in_a_circle_are_visited_once() {
        let json = json!({
            "nodes": [{"children": [1]}, {"children": [0]}],
            "extensions": {"VRM": {"secondaryAnimation": {"boneGroups": [{"bones": [0, 1, 7]}]}}}
        });
        assert_eq!(read(&json).unwrap().springs.len(), 1);
        assert!(read(&json!({"nodes": [], "extensions": {"VRM": {"secondaryAnimation": {}}}})).is_none());
    }
}
