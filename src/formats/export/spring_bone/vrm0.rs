//! Writes `secondaryAnimation` of VRM 0.x.
//!
//! The format has one set of values per bone group, moves all nodes below its roots, and has only spheres as colliders.
//! A chain therefore takes the values of its first joint, and capsules become rows of spheres.
//! Planes and inside colliders are left out.

use glam::DVec3;
use serde_json::{Value, json};

use portamento_anim::{Spring, SpringBones, SpringJoint, SpringShape};

/// Writes `bones` into the JSON of a VRM 0.x file, replacing existing ones of this format. Everything else is unchanged. Does
/// nothing if the file has no `VRM` extension.
pub(super) fn write(json: &mut Value, bones: &SpringBones) {
    let groups = CollidersByNode::new(bones);
    let parents = parents(json);
    let secondary = json!({
        "boneGroups": bone_groups(bones, &groups, &parents),
        "colliderGroups": groups.values,
    });
    if let Some(avatar) = json.get_mut("extensions").and_then(|extensions| extensions.get_mut("VRM")) {
        avatar["secondaryAnimation"] = secondary;
    }
}

/// Collider groups of the format, each on one node.
struct CollidersByNode {
    values: Vec<Value>,
    /// For each group of the spring bones, the indices of its groups in `values`.
    parts: Vec<Vec<usize>>,
}

impl CollidersByNode {
    /// Splits each collider group by node, as the format requires. Capsules become rows of spheres; planes and inside colliders
    /// are left out.
    fn new(bones: &SpringBones) -> Self {
        let mut written = Self { values: Vec::new(), parts: Vec::new() };
        for group in &bones.groups {
            let mut nodes: Vec<usize> = Vec::new();
            let colliders = || group.colliders.iter().filter_map(|&index| bones.colliders.get(index));
            nodes.extend(colliders().map(|collider| collider.node));
            nodes.sort_unstable();
            nodes.dedup();
            let first = written.values.len();
            for node in nodes {
                let spheres: Vec<Value> = colliders()
                    .filter(|collider| collider.node == node)
                    .flat_map(|collider| spheres(&collider.shape))
                    .collect();
                written.values.push(json!({"node": node, "colliders": spheres}));
            }
            written.parts.push((first..written.values.len()).collect());
        }
        written
    }
}

/// Returns a sphere, the spheres of a capsule half a radius apart, or nothing for planes and inside colliders. A long
/// capsule has at most 33. Offsets get the negated z of VRM 0.x.
fn spheres(shape: &SpringShape) -> Vec<Value> {
    let SpringShape::Round { offset, tail, radius, inside: false } = *shape else { return Vec::new() };
    let tail = tail.unwrap_or(offset);
    // Maximum number of steps along a capsule. Tuned; no derivation recorded.
    const MAX_CAPSULE_STEPS: f64 = 32.0;
    let steps = if radius > 0.0 { (offset.distance(tail) / (0.5 * radius)).ceil().min(MAX_CAPSULE_STEPS) } else { 1.0 };
    let count = if offset == tail { 0 } else { steps as usize };
    let sphere = |index: usize| {
        let center = offset.lerp(tail, index as f64 / count.max(1) as f64);
        // VRM 0.x stores z negated against glTF.
        json!({"offset": point(center * DVec3::new(1.0, 1.0, -1.0)), "radius": radius})
    };
    (0..=count).map(sphere).collect()
}

/// Returns the vector as a JSON object with `x`, `y` and `z`; nothing is negated.
fn point(point: DVec3) -> Value {
    // Adding 0 turns -0 into 0.
    let [x, y, z] = point.to_array().map(|value| value + 0.0);
    json!({"x": x, "y": y, "z": z})
}

/// Returns one bone group per combination of values, colliders and centre, in the order of the springs.
fn bone_groups(bones: &SpringBones, groups: &CollidersByNode, parents: &[Option<usize>]) -> Vec<Value> {
    let mut sorted: Vec<Vec<&Spring>> = Vec::new();
    for spring in bones.springs.iter().filter(|spring| !spring.joints.is_empty()) {
        match sorted.iter_mut().find(|group| have_equal_values(group[0], spring)) {
            Some(group) => group.push(spring),
            None => sorted.push(vec![spring]),
        }
    }
    sorted.iter().map(|springs| bone_group(springs, groups, parents)).collect()
}

/// True if both springs can share a bone group.
fn have_equal_values(a: &Spring, b: &Spring) -> bool {
    let values = |spring: &Spring| SpringJoint { node: 0, ..spring.joints[0] };
    values(a) == values(b) && (&a.name, &a.groups, a.center) == (&b.name, &b.groups, b.center)
}

/// Returns one bone group for `springs`, which share their values and are not empty. A spring that starts below another one of
/// them is no root.
fn bone_group(springs: &[&Spring], groups: &CollidersByNode, parents: &[Option<usize>]) -> Value {
    let starts: Vec<usize> = springs.iter().map(|spring| spring.joints[0].node).collect();
    // Nodes below another root of the group move with it already.
    let roots: Vec<usize> =
        starts.iter().copied().filter(|&node| !starts.iter().any(|&root| is_below(parents, node, root))).collect();
    let (first, values) = (springs[0], springs[0].joints[0]);
    let parts = first.groups.iter().filter_map(|&group| groups.parts.get(group));
    json!({
        "comment": first.name,
        "stiffiness": values.stiffness,
        "gravityPower": values.gravity_power,
        "gravityDir": point(values.gravity_dir),
        "dragForce": values.drag_force,
        "center": first.center.map_or(-1, |node| node as i64),
        "hitRadius": values.hit_radius,
        "bones": roots,
        "colliderGroups": parts.flatten().collect::<Vec<_>>(),
    })
}

/// Returns the parent of each node; `None` for roots. `json` is a glTF.
fn parents(json: &Value) -> Vec<Option<usize>> {
    let nodes = json.get("nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut parents = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let children = node.get("children").and_then(Value::as_array);
        for child in children.into_iter().flatten().filter_map(Value::as_u64) {
            if let Some(parent) = parents.get_mut(child as usize) {
                *parent = Some(index);
            }
        }
    }
    parents
}

/// True if `node` is a descendant of `root`, not `root` itself.
fn is_below(parents: &[Option<usize>], node: usize, root: usize) -> bool {
    let parent_of = |node: usize| parents.get(node).copied().flatten();
    // Limited so that a cycle of nodes terminates.
    std::iter::successors(parent_of(node), |&node| parent_of(node)).take(parents.len()).any(|node| node == root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::{SpringCollider, SpringColliderGroup};

    #[test]
    fn a_capsule_becomes_spheres_and_branches_of_a_tree_share_their_root() {
        let shape = SpringShape::Round {
            offset: DVec3::ZERO,
            tail: Some(DVec3::new(0.0, 0.0, 0.2)),
            radius: 0.1,
            inside: false,
        };
        let spring = |first: usize, joints: usize| Spring {
            joints: (first..first + joints).map(SpringJoint::new).collect(),
            groups: vec![0],
            ..Spring::default()
        };
        let bones = SpringBones {
            colliders: vec![SpringCollider { node: 0, shape }],
            groups: vec![SpringColliderGroup { name: String::new(), colliders: vec![0] }],
            springs: vec![spring(1, 2), spring(3, 1)],
        };
        let mut json = json!({"nodes": [{"children": [1]}, {"children": [2, 3]}, {}, {}], "extensions": {"VRM": {}}});
        write(&mut json, &bones);
        let written = &json["extensions"]["VRM"]["secondaryAnimation"];
        assert_eq!(written["boneGroups"].as_array().map(Vec::len), Some(1));
        assert_eq!(written["boneGroups"][0]["bones"], json!([1]));
        let spheres = written["colliderGroups"][0]["colliders"].as_array().unwrap();
        assert_eq!(spheres.len(), 5);
        assert_eq!((&spheres[4]["offset"]["z"], &spheres[0]["offset"]["z"]), (&json!(-0.2), &json!(0.0)));
    }
}
