//! Nodes as joints, parents first.

use glam::{Mat4, Quat, Vec3};
use serde_json::Value;

use super::Fault;
use super::reader::{Document, list, name, number, vector};
use crate::anim::{Joint, Scene, Skeleton};
use crate::math::Transform;

/// The skeleton of all nodes, and for each node of the file its joint.
pub(super) fn skeleton(document: &Document) -> Result<(Skeleton, Vec<usize>), Fault> {
    let nodes = list(document.json, "nodes");
    let parents = parents(nodes)?;
    let order = parents_first(nodes, &parents)?;
    let mut joint_of_node = vec![0; nodes.len()];
    let mut skeleton = Skeleton::default();
    for (joint, &node) in order.iter().enumerate() {
        joint_of_node[node] = joint;
        let weights = morph_weights(document, &nodes[node], node)?;
        skeleton.joints.push(Joint {
            name: name(&nodes[node], "node", node),
            // A parent was placed before its children, so its joint is known.
            parent: parents[node].map(|parent| joint_of_node[parent]),
            rest: rest(&nodes[node], node)?,
            node,
            first_morph: skeleton.rest_morphs.len(),
            morph_count: weights.len(),
        });
        skeleton.rest_morphs.extend(weights);
    }
    Ok((skeleton, joint_of_node))
}

/// The file's scenes.
pub(super) fn scenes(document: &Document, joint_of_node: &[usize]) -> Result<Vec<Scene>, Fault> {
    let scene = |(index, scene): (usize, &Value)| {
        let part = || label("scene", scene, index);
        let root = |node: &Value| {
            let joint = node.as_u64().and_then(|node| joint_of_node.get(usize::try_from(node).ok()?));
            joint.copied().ok_or_else(|| Fault::new(part(), format!("names node {node}, which does not exist")))
        };
        let roots = list(scene, "nodes").iter().map(root).collect::<Result<_, _>>()?;
        Ok(Scene { name: name(scene, "scene", index), roots })
    };
    list(document.json, "scenes").iter().enumerate().map(scene).collect()
}

/// `node "hips"`, or `node 12` where it has no name.
pub(super) fn label(kind: &str, value: &Value, index: usize) -> String {
    match value.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => format!("{kind} \"{name}\""),
        _ => format!("{kind} {index}"),
    }
}

fn parents(nodes: &[Value]) -> Result<Vec<Option<usize>>, Fault> {
    let mut parents = vec![None; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        for child in list(node, "children") {
            let index = child.as_u64().and_then(|it| usize::try_from(it).ok()).filter(|&it| it < nodes.len());
            let index = index.ok_or_else(|| {
                Fault::new(label("node", node, parent), format!("names the child {child}, which does not exist"))
            })?;
            if parents[index].replace(parent).is_some() {
                return Err(Fault::new(label("node", &nodes[index], index), "is the child of two nodes"));
            }
        }
    }
    Ok(parents)
}

fn parents_first(nodes: &[Value], parents: &[Option<usize>]) -> Result<Vec<usize>, Fault> {
    let mut waiting: Vec<usize> = (0..nodes.len()).rev().filter(|&node| parents[node].is_none()).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(node) = waiting.pop() {
        order.push(node);
        let children = list(&nodes[node], "children").iter().rev();
        waiting.extend(children.filter_map(|child| usize::try_from(child.as_u64()?).ok()));
    }
    if order.len() == nodes.len() {
        return Ok(order);
    }
    let mut reached = vec![false; nodes.len()];
    order.iter().for_each(|&node| reached[node] = true);
    let lost = reached.iter().position(|&it| !it).unwrap_or(0);
    Err(Fault::new(label("node", &nodes[lost], lost), "is its own ancestor, or hangs below a node that is"))
}

fn rest(node: &Value, index: usize) -> Result<Transform, Fault> {
    let part = || label("node", node, index);
    if let Some(matrix) = vector::<16>(node, "matrix", &part)? {
        let (scale, rotation, translation) = Mat4::from_cols_array(&matrix).to_scale_rotation_translation();
        let transform = Transform { translation, rotation: unit(rotation).unwrap_or_default(), scale };
        return if transform.is_finite() {
            Ok(transform)
        } else {
            Err(Fault::new(part(), "has a matrix that flattens it"))
        };
    }
    let rotation = vector(node, "rotation", &part)?.map_or(Quat::IDENTITY, Quat::from_array);
    Ok(Transform {
        translation: vector(node, "translation", &part)?.map_or(Vec3::ZERO, Vec3::from_array),
        rotation: unit(rotation).ok_or_else(|| Fault::new(part(), "has a rotation of length 0"))?,
        scale: vector(node, "scale", &part)?.map_or(Vec3::ONE, Vec3::from_array),
    })
}

/// `q` at length 1; one that already is, within rounding, keeps its bits. `None` when it has no direction.
pub(super) fn unit(q: Quat) -> Option<Quat> {
    let length = q.length_squared();
    if (length - 1.0).abs() <= 1e-6 {
        return Some(q);
    }
    // f64, so that neither tiny nor huge quaternions lose their direction.
    let unit = q.as_dquat().normalize().as_quat();
    (unit.is_finite() && unit.length_squared() > 0.5).then_some(unit)
}

fn morph_weights(document: &Document, node: &Value, index: usize) -> Result<Vec<f32>, Fault> {
    let part = || label("node", node, index);
    let Some(mesh) = number(node, "mesh", &part)? else { return Ok(Vec::new()) };
    let mesh = document.element("meshes", "mesh", mesh)?;
    let targets = list(mesh, "primitives").iter().map(|it| list(it, "targets").len()).max().unwrap_or(0);
    document.charge(targets.saturating_mul(4), &part)?;
    let own = list(node, "weights");
    let given = if own.is_empty() { list(mesh, "weights") } else { own };
    let weight = |i: usize| given.get(i).and_then(Value::as_f64).map(|it| it as f32).filter(|it| it.is_finite());
    Ok((0..targets).map(|i| weight(i).unwrap_or(0.0)).collect())
}
