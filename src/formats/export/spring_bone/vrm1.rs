//! Writes `VRMC_springBone` 1.0 and, if needed, extended colliders into the JSON of a glTF.

use glam::DVec3;
use serde_json::{Map, Value, json};

use portamento_anim::{Spring, SpringBones, SpringCollider, SpringJoint, SpringShape};

pub(super) const SPRING_BONE: &str = "VRMC_springBone";
pub(super) const EXTENDED: &str = "VRMC_springBone_extended_collider";

/// Writes `bones` into the JSON of a glTF, replacing existing ones of this format, and adds the extensions to `extensionsUsed`.
/// Everything else is unchanged. Springs of fewer than two joints are left out.
pub(super) fn write(json: &mut Value, bones: &SpringBones) {
    let mut root = Map::new();
    root.insert("specVersion".into(), "1.0".into());
    let groups = bones.groups.iter().filter(|group| !group.colliders.is_empty());
    let groups: Vec<Value> = groups.map(|group| named(&group.name, json!({"colliders": group.colliders}))).collect();
    insert_list(&mut root, "colliders", bones.colliders.iter().map(collider).collect());
    insert_list(&mut root, "colliderGroups", groups);
    let springs = bones.springs.iter().filter(|spring| spring.joints.len() > 1);
    insert_list(&mut root, "springs", springs.map(spring).collect());
    let Some(file) = json.as_object_mut() else { return };
    if let Some(extensions) = file.entry("extensions").or_insert_with(|| json!({})).as_object_mut() {
        extensions.insert(SPRING_BONE.into(), Value::Object(root));
    }
    let extended = bones.colliders.iter().any(|collider| is_extended(&collider.shape));
    let used = file.entry("extensionsUsed").or_insert_with(|| json!([]));
    for name in [Some(SPRING_BONE), extended.then_some(EXTENDED)].into_iter().flatten() {
        if let Some(used) = used.as_array_mut().filter(|used| !used.iter().any(|known| known == name)) {
            used.push(name.into());
        }
    }
}

/// Inserts the list unless it is empty, since the format requires at least one entry.
fn insert_list(root: &mut Map<String, Value>, key: &str, values: Vec<Value>) {
    if !values.is_empty() {
        root.insert(key.into(), Value::Array(values));
    }
}

/// Returns `value` with the name, unless that is empty.
fn named(name: &str, mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut().filter(|_| !name.is_empty()) {
        object.insert("name".into(), name.into());
    }
    value
}

/// True if the shape needs the extension for extended colliders.
fn is_extended(shape: &SpringShape) -> bool {
    matches!(shape, SpringShape::Plane { .. } | SpringShape::Round { inside: true, .. })
}

/// Returns the collider. A shape of the extension is written there, with a fallback for readers without it.
fn collider(collider: &SpringCollider) -> Value {
    let SpringCollider { node, shape } = collider;
    if !is_extended(shape) {
        return json!({"node": node, "shape": shape_json(shape)});
    }
    let extension = json!({EXTENDED: {"specVersion": "1.0", "shape": shape_json(shape)}});
    json!({"node": node, "shape": fallback(shape), "extensions": extension})
}

/// Returns the collider shape for readers without the extension. A plane becomes a huge sphere behind it. Every round
/// shape becomes a sphere of radius 0 that no bone reaches, so `shape` must be one for which [`is_extended`] is true.
fn fallback(shape: &SpringShape) -> Value {
    match *shape {
        SpringShape::Plane { offset, normal } => {
            let radius = 1000.0;
            json!({"sphere": {"offset": (offset - normal.normalize_or_zero() * radius).to_array(), "radius": radius}})
        }
        SpringShape::Round { .. } => json!({"sphere": {"offset": [0.0, -10000.0, 0.0], "radius": 0.0}}),
    }
}

/// Returns the shape as it is stored, with lengths in the file's unit. `inside` is there only if true. A round shape with a
/// tail is a capsule.
fn shape_json(shape: &SpringShape) -> Value {
    let array = |v: DVec3| v.to_array();
    let (kind, mut value, inside) = match *shape {
        SpringShape::Plane { offset, normal } => {
            return json!({"plane": {"offset": array(offset), "normal": array(normal)}});
        }
        SpringShape::Round { offset, tail: None, radius, inside } => {
            ("sphere", json!({"offset": array(offset), "radius": radius}), inside)
        }
        SpringShape::Round { offset, tail: Some(tail), radius, inside } => {
            ("capsule", json!({"offset": array(offset), "radius": radius, "tail": array(tail)}), inside)
        }
    };
    if let Some(object) = value.as_object_mut().filter(|_| inside) {
        object.insert("inside".into(), true.into());
    }
    json!({kind: value})
}

/// Returns the spring with its joints. Collider groups and the center are there only if it has them.
fn spring(spring: &Spring) -> Value {
    let mut value = named(&spring.name, json!({"joints": spring.joints.iter().map(joint).collect::<Vec<_>>()}));
    if let Some(object) = value.as_object_mut() {
        insert_list(object, "colliderGroups", spring.groups.iter().map(|&group| group.into()).collect());
        if let Some(center) = spring.center {
            object.insert("center".into(), center.into());
        }
    }
    value
}

/// Returns the JSON of the joint. It refers to the node by its index.
fn joint(joint: &SpringJoint) -> Value {
    json!({
        "node": joint.node, "hitRadius": joint.hit_radius, "stiffness": joint.stiffness,
        "gravityPower": joint.gravity_power, "gravityDir": joint.gravity_dir.to_array(), "dragForce": joint.drag_force,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::SpringColliderGroup;

    #[test]
    fn empty_lists_are_left_out_and_the_rest_of_the_file_is_unchanged() {
        let joints = vec![SpringJoint::new(0), SpringJoint::new(1)];
        let bones = SpringBones { springs: vec![Spring { joints, ..Default::default() }], ..Default::default() };
        let mut json = json!({"nodes": [{}, {}], "extensions": {"OTHER": 1}});
        write(&mut json, &bones);
        assert_eq!(json["extensions"]["OTHER"], 1);
        assert!(json["extensions"][SPRING_BONE].get("colliders").is_none());
        assert_eq!(json["extensionsUsed"], json!([SPRING_BONE]));
    }

    #[test]
    fn a_plane_is_written_with_its_extension_and_a_fallback() {
        let shape = SpringShape::Plane { offset: DVec3::ZERO, normal: DVec3::Y };
        let colliders = vec![SpringCollider { node: 0, shape }];
        let groups = vec![SpringColliderGroup { name: "floor".into(), colliders: vec![0] }];
        let mut json = json!({"nodes": [{}]});
        write(&mut json, &SpringBones { colliders, groups, springs: Vec::new() });
        let written = &json["extensions"][SPRING_BONE]["colliders"][0];
        assert_eq!(written["shape"]["sphere"]["radius"], 1000.0);
        assert_eq!(written["extensions"][EXTENDED]["shape"]["plane"]["normal"], json!([0.0, 1.0, 0.0]));
        assert_eq!(json["extensionsUsed"], json!([SPRING_BONE, EXTENDED]));
    }
}
