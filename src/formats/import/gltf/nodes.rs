//! Converts nodes to joints, parents first.

use glam::{Mat4, Quat, Vec3};
use gltf::json::{self, Node, scene};

use super::Fault;
use super::document::{Document, at};
use super::json_part::{label, list, name, part};
use portamento_anim::math::Transform;
use portamento_anim::{Joint, Scene, Skeleton};

/// Returns a skeleton of all nodes, and the index of the joint of each node. Returns `Err` if the hierarchy or a transform
/// is damaged.
pub(super) fn skeleton(document: &Document) -> Result<(Skeleton, Vec<usize>), Fault> {
    let nodes = &document.nodes;
    let parents = parents(document)?;
    let order = parents_first(document, &parents)?;
    let mut joint_of_node = vec![0; nodes.len()];
    let mut skeleton = Skeleton::default();
    for (joint, &node) in order.iter().enumerate() {
        joint_of_node[node] = joint;
        let weights = morph_weights(document, node)?;
        skeleton.joints.push(Joint {
            name: match &nodes[node].name {
                Some(name) if !name.is_empty() => name.clone(),
                _ => format!("node {node}"),
            },
            // Parents precede their children in the order, so the joint is known.
            parent: parents[node].map(|parent| joint_of_node[parent]),
            rest: rest(&nodes[node], &|| node_label(document, node))?,
            node,
            first_morph: skeleton.rest_morphs.len(),
            morph_count: weights.len(),
        });
        skeleton.rest_morphs.extend(weights);
    }
    Ok((skeleton, joint_of_node))
}

/// Reads the scenes of the file. `joint_of_node` has the joint of each node. Returns `Err` if a root does not exist.
pub(super) fn scenes(document: &Document, joint_of_node: &[usize]) -> Result<Vec<Scene>, Fault> {
    let scene = |(index, entry): (usize, &json::Value)| {
        let label = || label("scene", entry, index);
        // The crate requires a list that the format makes optional.
        let roots: Vec<json::Index<Node>> = match entry.get("nodes") {
            Some(_) => part::<json::Scene>(entry, label)?.nodes,
            None => Vec::new(),
        };
        let root = |node: json::Index<Node>| {
            let missing = || Fault::new(label(), format!("refers to node {}, which does not exist", node.value()));
            at(joint_of_node, node).copied().ok_or_else(missing)
        };
        let roots = roots.into_iter().map(root).collect::<Result<_, _>>()?;
        Ok(Scene { name: name(entry, "scene", index), roots })
    };
    list(document.json, "scenes").iter().enumerate().map(scene).collect()
}

/// Returns `node "hips"`, or `node 12` if it has no name.
pub(super) fn node_label(document: &Document, node: usize) -> String {
    match document.nodes.get(node).and_then(|node| node.name.as_deref()) {
        Some(name) if !name.is_empty() => format!("node \"{name}\""),
        _ => format!("node {node}"),
    }
}

/// Returns the children of the node; empty if it has none.
fn children(node: &Node) -> &[json::Index<Node>] {
    node.children.as_deref().unwrap_or_default()
}

/// Returns the parent of every node. Returns `Err` if a node has two. Returns `Err` too if a child does not exist.
fn parents(document: &Document) -> Result<Vec<Option<usize>>, Fault> {
    let mut parents = vec![None; document.nodes.len()];
    for (parent, node) in document.nodes.iter().enumerate() {
        for child in children(node) {
            let slot = parents.get_mut(child.value()).ok_or_else(|| {
                let sentence = format!("refers to child {}, which does not exist", child.value());
                Fault::new(node_label(document, parent), sentence)
            })?;
            if slot.replace(parent).is_some() {
                return Err(Fault::new(node_label(document, child.value()), "is the child of two nodes"));
            }
        }
    }
    Ok(parents)
}

/// Returns the nodes in an order with parents before children. Returns `Err` if there is a cycle.
fn parents_first(document: &Document, parents: &[Option<usize>]) -> Result<Vec<usize>, Fault> {
    let nodes = &document.nodes;
    let mut waiting: Vec<usize> = (0..nodes.len()).rev().filter(|&node| parents[node].is_none()).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(node) = waiting.pop() {
        order.push(node);
        waiting.extend(children(&nodes[node]).iter().rev().map(json::Index::value));
    }
    if order.len() == nodes.len() {
        return Ok(order);
    }
    let mut reached = vec![false; nodes.len()];
    order.iter().for_each(|&node| reached[node] = true);
    let lost = reached.iter().position(|&reached| !reached).unwrap_or(0);
    Err(Fault::new(node_label(document, lost), "is its own ancestor, or is a descendant of such a node"))
}

/// Returns the rest transform of a node. Returns `Err` if a number is not finite, or if a scale in a matrix or the length
/// of the rotation is 0.
fn rest(node: &Node, label: &dyn Fn() -> String) -> Result<Transform, Fault> {
    let finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
    let named: [(&str, Option<&[f32]>); 4] = [
        ("matrix", node.matrix.as_ref().map(<[f32; 16]>::as_slice)),
        ("rotation", node.rotation.as_ref().map(|rotation| rotation.0.as_slice())),
        ("translation", node.translation.as_ref().map(<[f32; 3]>::as_slice)),
        ("scale", node.scale.as_ref().map(<[f32; 3]>::as_slice)),
    ];
    if let Some((key, _)) = named.iter().find(|(_, numbers)| !numbers.is_none_or(finite)) {
        return Err(Fault::new(label(), format!("has a {key} that is not finite")));
    }
    if let Some(matrix) = node.matrix {
        let (scale, rotation, translation) = Mat4::from_cols_array(&matrix).to_scale_rotation_translation();
        let transform = Transform { translation, rotation: unit(rotation).unwrap_or_default(), scale };
        return if transform.is_finite() {
            Ok(transform)
        } else {
            Err(Fault::new(label(), "has a matrix with a scale of 0"))
        };
    }
    let scene::UnitQuaternion(rotation) = node.rotation.unwrap_or_default();
    Ok(Transform {
        translation: node.translation.map_or(Vec3::ZERO, Vec3::from_array),
        rotation: unit(Quat::from_array(rotation)).ok_or_else(|| Fault::new(label(), "has a rotation of length 0"))?,
        scale: node.scale.map_or(Vec3::ONE, Vec3::from_array),
    })
}

/// Normalises `q`. Returns it unchanged if its length is already 1 within rounding, and `None` if its length is 0.
pub(super) fn unit(q: Quat) -> Option<Quat> {
    let length = q.length_squared();
    if (length - 1.0).abs() <= 1e-6 {
        return Some(q);
    }
    // Computed in f64, so that very small and very large quaternions keep their direction.
    let unit = q.as_dquat().normalize().as_quat();
    (unit.is_finite() && unit.length_squared() > 0.5).then_some(unit)
}

/// Returns the rest weight of each morph target: that of the node, otherwise that of its mesh, otherwise 0. Empty for a node
/// without a mesh; `Err` if the mesh does not exist.
fn morph_weights(document: &Document, node: usize) -> Result<Vec<f32>, Fault> {
    let Some(mesh) = document.nodes[node].mesh else { return Ok(Vec::new()) };
    let label = || node_label(document, node);
    let missing = || Fault::new(label(), format!("refers to mesh {}, which does not exist", mesh.value()));
    let mesh = at(&document.meshes, mesh).ok_or_else(missing)?;
    document.charge(mesh.targets.saturating_mul(4), &label)?;
    let own = document.nodes[node].weights.as_deref().unwrap_or_default();
    let given = if own.is_empty() { &mesh.weights } else { own };
    let weight = |target: usize| given.get(target).copied().filter(|weight| weight.is_finite());
    Ok((0..mesh.targets).map(|target| weight(target).unwrap_or(0.0)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exporters round rotations. Keys that are not edited must be exported with the same bits.
    #[test]
    fn a_rotation_of_length_one_within_rounding_keeps_its_bits_and_others_get_that_length() {
        let sound = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0);
        for off in [-4e-7, -1.5e-7, 0.0, 1.5e-7, 4e-7] {
            let scaled = (sound * (1.0 + off)).as_quat();
            assert_eq!(unit(scaled), Some(scaled), "{off}");
        }
        let long = unit((sound * 1.001).as_quat()).unwrap();
        assert!((long.as_dquat().length() - 1.0).abs() < 1e-7, "{long}");
        assert_eq!(unit(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), None);
    }
}
