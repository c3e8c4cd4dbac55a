//! Reads `VRMC_springBone` 1.0 and its extended colliders from a glTF's JSON.
//!
//! Source: the VRM consortium's specification of `VRMC_springBone` and `VRMC_springBone_extended_collider`. Absent values take the
//! schema's defaults; entries that refer to nothing are left out.

use glam::DVec3;
use serde_json::Value;

use super::{index, indices, list, name, number, vector};
use portamento_anim::{Spring, SpringBones, SpringCollider, SpringColliderGroup, SpringJoint, SpringShape};

/// Returns the VRM 1.0 spring bones of the file, or `None` if it has none. A file with the extension but without springs
/// gives an empty list.
pub(super) fn read(json: &Value) -> Option<SpringBones> {
    let root = json.get("extensions")?.get("VRMC_springBone")?;
    let nodes = list(json, "nodes").len();
    // Groups refer to colliders by index, so damaged colliders are kept with zero size.
    let colliders: Vec<_> = list(root, "colliders").iter().map(|value| collider(value, nodes)).collect();
    let groups: Vec<_> = list(root, "colliderGroups").iter().map(|value| group(value, colliders.len())).collect();
    let springs = list(root, "springs").iter().map(|value| spring(value, nodes, groups.len()));
    let springs = springs.filter(|spring| spring.joints.len() > 1).collect();
    Some(SpringBones { colliders, groups, springs })
}

/// Reads a collider, preferably the shape of the extension. A missing node becomes node 0.
fn collider(value: &Value, nodes: usize) -> SpringCollider {
    let extended = value.get("extensions").and_then(|extensions| extensions.get("VRMC_springBone_extended_collider"));
    let shape =
        extended.and_then(|extended| extended.get("shape")).or_else(|| value.get("shape")).unwrap_or(&Value::Null);
    SpringCollider { node: index(value, "node", nodes).unwrap_or(0), shape: read_shape(shape) }
}

/// Reads a plane, a capsule or a sphere. Missing values are zero, so an unknown shape becomes a sphere of radius 0.
fn read_shape(shape: &Value) -> SpringShape {
    if let Some(plane) = shape.get("plane") {
        let normal = vector(plane, "normal", DVec3::Z);
        return SpringShape::Plane { offset: vector(plane, "offset", DVec3::ZERO), normal };
    }
    let capsule = shape.get("capsule");
    let shape = capsule.or_else(|| shape.get("sphere")).unwrap_or(&Value::Null);
    SpringShape::Round {
        offset: vector(shape, "offset", DVec3::ZERO),
        tail: capsule.map(|capsule| vector(capsule, "tail", DVec3::ZERO)),
        radius: number(shape, "radius", 0.0).max(0.0),
        inside: shape.get("inside").and_then(Value::as_bool).unwrap_or(false),
    }
}

/// Reads a collider group. Indices from `colliders` on are dropped.
fn group(value: &Value, colliders: usize) -> SpringColliderGroup {
    SpringColliderGroup { name: name(value), colliders: indices(value, "colliders", colliders) }
}

/// Reads a spring. Joints on missing nodes and groups that do not exist are left out. `nodes` and `groups` are their numbers in
/// the file.
fn spring(value: &Value, nodes: usize, groups: usize) -> Spring {
    Spring {
        name: name(value),
        joints: list(value, "joints").iter().filter_map(|value| joint(value, nodes)).collect(),
        groups: indices(value, "colliderGroups", groups),
        center: index(value, "center", nodes),
        end_length: 0.0,
    }
}

/// Reads a joint of a spring, with the values of the format for those that are missing; `None` if its node does not exist.
fn joint(value: &Value, nodes: usize) -> Option<SpringJoint> {
    let default = SpringJoint::new(index(value, "node", nodes)?);
    Some(SpringJoint {
        hit_radius: number(value, "hitRadius", default.hit_radius).max(0.0),
        stiffness: number(value, "stiffness", default.stiffness).max(0.0),
        gravity_power: number(value, "gravityPower", default.gravity_power),
        gravity_dir: vector(value, "gravityDir", default.gravity_dir),
        drag_force: number(value, "dragForce", default.drag_force).clamp(0.0, 1.0),
        ..default
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn absent_values_take_the_schemas_defaults_and_dangling_ones_are_left_out() {
        let json = json!({"nodes": [{}, {}], "extensions": {"VRMC_springBone": {"springs": [
            {"joints": [{"node": 0}, {"node": 1}, {"node": 7}], "colliderGroups": [3]},
            {"joints": [{"node": 1}]}
        ]}}});
        let bones = read(&json).unwrap();
        assert_eq!(bones.springs.len(), 1);
        assert_eq!(bones.springs[0].joints, [SpringJoint::new(0), SpringJoint::new(1)]);
        assert_eq!(bones.springs[0].joints[0].drag_force, 0.5);
        assert!(bones.springs[0].groups.is_empty());
        assert_eq!(read(&json!({"nodes": []})), None);
    }
}
