//! Reads `secondaryAnimation` of VRM 0.x.
//!
//! Source: the VRM consortium's schema of `vrm.secondaryanimation` 0.x. A bone group names root nodes, below which *all* nodes move,
//! each towards its first child or, without one, towards an end made up 7 cm further on. Offsets of colliders were written by a
//! left-handed engine: their z is negated against glTF, as @pixiv/three-vrm negates it.

use glam::DVec3;
use serde_json::Value;

use super::{index, indices, list, number};
use crate::anim::{
    Spring, SpringBones, SpringCollider, SpringColliderGroup, SpringJoint, SpringShape, VRM0_END_LENGTH,
};

/// The file's spring bones of VRM 0.x; `None` where it has none.
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
    // Bone groups count all collider groups, so damaged ones stay as empty ones.
    let colliders = (first..bones.colliders.len()).collect();
    bones.groups.push(SpringColliderGroup { name: String::new(), colliders });
}

/// The chains of a bone group: one per root, and one more for every child beside the first.
fn springs(group: &Value, nodes: &[Value], groups: usize) -> Vec<Spring> {
    let gravity_dir = group.get("gravityDir").map_or(DVec3::NEG_Y, |direction| point(Some(direction)));
    let values = SpringJoint {
        hit_radius: number(group, "hitRadius", 0.0).max(0.0),
        // The schema's own spelling.
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

/// A vector with members `x`, `y` and `z`, 0 where absent.
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
    fn all_nodes_below_a_root_move_and_colliders_lie_where_the_avatar_has_them() {
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
