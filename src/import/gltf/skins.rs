//! Skins, and meshes placed on nodes.

use glam::{Affine3A, Mat4};
use serde_json::Value;

use super::Fault;
use super::nodes::label;
use super::reader::{Document, list, number};
use crate::geometry::{Mesh, MeshInstance, Skin};

/// The usable skins, and for each skin of the file its place among them.
pub(super) fn load(
    document: &Document,
    joint_of_node: &[usize],
    warnings: &mut Vec<String>,
) -> (Vec<Skin>, Vec<Option<usize>>) {
    let mut skins = Vec::new();
    let mut skin_of = Vec::new();
    for (index, entry) in list(document.json, "skins").iter().enumerate() {
        match skin(document, joint_of_node, &|| label("skin", entry, index), entry) {
            Ok(skin) => {
                skin_of.push(Some(skins.len()));
                skins.push(skin);
            }
            Err(fault) => {
                warnings.push(format!("A skin is left out: {fault}."));
                skin_of.push(None);
            }
        }
    }
    (skins, skin_of)
}

fn skin(document: &Document, joint_of_node: &[usize], part: &dyn Fn() -> String, entry: &Value) -> Result<Skin, Fault> {
    let joint = |node: &Value| {
        let joint = node.as_u64().and_then(|node| joint_of_node.get(usize::try_from(node).ok()?));
        joint.copied().ok_or_else(|| Fault::new(part(), format!("names the joint {node}, which does not exist")))
    };
    let joints = list(entry, "joints").iter().map(joint).collect::<Result<Vec<_>, _>>()?;
    let mut inverse_bind = match number(entry, "inverseBindMatrices", part)? {
        Some(accessor) => document.floats(accessor, |m: [f32; 16]| Affine3A::from_mat4(Mat4::from_cols_array(&m)))?,
        None => vec![Affine3A::IDENTITY; joints.len()],
    };
    if inverse_bind.len() < joints.len() {
        let counts = format!("has {} joints but only {} bind matrices", joints.len(), inverse_bind.len());
        return Err(Fault::new(part(), counts));
    }
    inverse_bind.truncate(joints.len());
    if joints.is_empty() || !inverse_bind.iter().all(|matrix| matrix.is_finite()) {
        return Err(Fault::new(part(), "has no joints, or a bind matrix that is not finite"));
    }
    Ok(Skin { joints, inverse_bind })
}

/// Meshes placed on nodes; a skin that does not fit its mesh is dropped with a warning.
pub(super) fn instances(
    document: &Document,
    joint_of_node: &[usize],
    (meshes, skins, skin_of): (&[Mesh], &[Skin], &[Option<usize>]),
    warnings: &mut Vec<String>,
) -> Result<Vec<MeshInstance>, Fault> {
    let highest: Vec<usize> = meshes.iter().map(highest_joint).collect();
    let mut instances = Vec::new();
    for (index, node) in list(document.json, "nodes").iter().enumerate() {
        let part = || label("node", node, index);
        let Some(mesh) = number(node, "mesh", &part)? else { continue };
        if mesh >= meshes.len() {
            return Err(Fault::new(part(), format!("carries mesh {mesh}, which does not exist")));
        }
        let asked = number(node, "skin", &part)?;
        let skin = asked
            .and_then(|it| skin_of.get(it).copied().flatten())
            .filter(|&it| highest[mesh] < skins[it].joints.len());
        if asked.is_some() && skin.is_none() {
            warnings.push(format!("The mesh of {} is not skinned: its skin is missing or has too few joints.", part()));
        }
        instances.push(MeshInstance { joint: joint_of_node[index], mesh, skin });
    }
    Ok(instances)
}

fn highest_joint(mesh: &Mesh) -> usize {
    let joints = mesh.primitives.iter().flat_map(|primitive| &primitive.joints);
    joints.copied().max().map_or(0, usize::from)
}
