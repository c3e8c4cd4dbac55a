//! Reads skins, and the mesh instances of nodes.

use glam::{Affine3A, Mat4};
use gltf::json;

use super::Fault;
use super::document::{Document, at};
use super::json_part::{label, list, part};
use super::nodes::node_label;
use portamento_anim::geometry::{Mesh, MeshInstance, Skin};
use portamento_base::message::{Message, message};

/// The usable skins of a file.
pub(super) struct Skins {
    pub skins: Vec<Skin>,
    /// For each skin of the file, its index in `skins`, or `None` if it is broken.
    pub skin_of_file: Vec<Option<usize>>,
}

/// Reads every skin. Broken ones are left out with a warning.
pub(super) fn load(document: &Document, joint_of_node: &[usize], warnings: &mut Vec<Message>) -> Skins {
    let mut skins = Vec::new();
    let mut skin_of_file = Vec::new();
    for (index, entry) in list(document.json, "skins").iter().enumerate() {
        match skin(document, joint_of_node, &|| label("skin", entry, index), entry) {
            Ok(skin) => {
                skin_of_file.push(Some(skins.len()));
                skins.push(skin);
            }
            Err(fault) => {
                warnings.push(message!("warning.import.no_skin", "A skin is left out: %{fault}.", fault));
                skin_of_file.push(None);
            }
        }
    }
    Skins { skins, skin_of_file }
}

/// Reads a skin. Without bind matrices they are the identity; `Err` if there are too few, one is not finite or the skin has no
/// joints.
fn skin(
    document: &Document,
    joint_of_node: &[usize],
    label: &dyn Fn() -> String,
    entry: &json::Value,
) -> Result<Skin, Fault> {
    let skin: json::Skin = part(entry, label)?;
    let joint = |&node: &json::Index<json::Node>| {
        let missing = || Fault::new(label(), format!("refers to joint {}, which does not exist", node.value()));
        at(joint_of_node, node).copied().ok_or_else(missing)
    };
    let joints = skin.joints.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
    let mut inverse_bind = match skin.inverse_bind_matrices {
        Some(accessor) => {
            document.floats(accessor.value(), |m: [f32; 16]| Affine3A::from_mat4(Mat4::from_cols_array(&m)))?
        }
        None => vec![Affine3A::IDENTITY; joints.len()],
    };
    if inverse_bind.len() < joints.len() {
        let counts = format!("has {} joints but only {} bind matrices", joints.len(), inverse_bind.len());
        return Err(Fault::new(label(), counts));
    }
    inverse_bind.truncate(joints.len());
    if joints.is_empty() || !inverse_bind.iter().all(|matrix| matrix.is_finite()) {
        return Err(Fault::new(label(), "has no joints, or a bind matrix that is not finite"));
    }
    Ok(Skin { joints, inverse_bind })
}

/// Returns the mesh instances of all nodes. A skin that does not fit its mesh is dropped with a warning. Returns `Err` if a
/// mesh does not exist. Meshes over the memory budget are left out with a warning.
pub(super) fn instances(
    document: &Document,
    joint_of_node: &[usize],
    meshes: &[Mesh],
    skins: &Skins,
    warnings: &mut Vec<Message>,
) -> Result<Vec<MeshInstance>, Fault> {
    let highest: Vec<usize> = meshes.iter().map(highest_joint).collect();
    let mut instances = Vec::new();
    for (index, node) in document.nodes.iter().enumerate() {
        let label = || node_label(document, index);
        let Some(mesh) = node.mesh.map(|mesh| mesh.value()) else { continue };
        if mesh >= meshes.len() {
            return Err(Fault::new(label(), format!("refers to mesh {mesh}, which does not exist")));
        }
        let skin = node
            .skin
            .and_then(|skin| at(&skins.skin_of_file, skin).copied().flatten())
            .filter(|&skin| highest[mesh] < skins.skins[skin].joints.len());
        // Each instance stores its own positions and normals, at rest and posed: 48 bytes per vertex.
        let vertices: usize = meshes[mesh].primitives.iter().map(|part| part.positions.len()).sum();
        let what = || format!("The mesh of {}", label());
        if let Err(over) = document.progress.budget().take(48 * vertices as u64, &what) {
            warnings.push(message!(
                "warning.import.meshes_over_budget",
                "%{reason} This mesh and all later ones are left out.",
                reason = over.to_string()
            ));
            break;
        }
        if node.skin.is_some() && skin.is_none() {
            warnings.push(message!(
                "warning.import.unskinned",
                "The mesh of %{node} is not skinned: its skin is missing or has too few joints.",
                node = label()
            ));
        }
        instances.push(MeshInstance { joint: joint_of_node[index], mesh, skin });
    }
    Ok(instances)
}

/// Returns the largest joint index of the mesh's influences; 0 without influences.
fn highest_joint(mesh: &Mesh) -> usize {
    let joints = mesh.primitives.iter().flat_map(|primitive| &primitive.joints);
    joints.copied().max().map_or(0, usize::from)
}
