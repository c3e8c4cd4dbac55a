//! Reads skins: the joints and weights of each vertex.

use glam::{Affine3A, DAffine3, DMat3, DVec3};
use ufbx::{Matrix, Mesh, Node, SkinDeformer};

use super::nodes::Nodes;
use portamento_anim::geometry::Skin;

/// Maximum number of influences per vertex, as in game engines.
pub(super) const MAX_INFLUENCES: usize = 8;

/// A skin, and the influences of each vertex of the file's mesh.
pub(super) struct Skinned {
    pub skin: Skin,
    /// Influences per vertex, a multiple of 4.
    pub influences: usize,
    /// Indices into the skin's joints, `influences` per vertex.
    pub joints: Vec<u16>,
    /// `influences` weights per vertex, summing to 1.
    pub weights: Vec<f32>,
    /// Number of vertices that lost influences.
    pub cut: usize,
}

/// Reads the first skin of `mesh` on `node`, or returns `None` if it refers to no joint.
pub(super) fn load(mesh: &Mesh, node: &Node, nodes: &Nodes) -> Option<Skinned> {
    let deformer: &SkinDeformer = mesh.skin_deformers.first()?;
    let mut skin = Skin::default();
    let mut slot_of_cluster = Vec::with_capacity(deformer.clusters.len());
    for cluster in &deformer.clusters {
        let joint = cluster.bone_node.as_ref().and_then(|bone| nodes.of_node(bone)).map(|joint| joint.scaled);
        let bind = affine(&cluster.geometry_to_bone);
        // One slot is reserved for vertices without a joint.
        let slot = joint.filter(|_| bind.is_finite() && skin.joints.len() < usize::from(u16::MAX)).map(|joint| {
            skin.joints.push(joint);
            skin.inverse_bind.push(bind);
            (skin.joints.len() - 1) as u16
        });
        slot_of_cluster.push(slot);
    }
    if skin.joints.is_empty() {
        return None;
    }
    let most = deformer.vertices.iter().map(|vertex| vertex.num_weights as usize).max().unwrap_or(0);
    let influences = most.clamp(1, MAX_INFLUENCES).next_multiple_of(4);
    let vertices = mesh.num_vertices;
    let mut skinned = Skinned {
        skin,
        influences,
        joints: vec![0; vertices * influences],
        weights: vec![0.0; vertices * influences],
        cut: 0,
    };
    let mut own_slot = None;
    for vertex in 0..vertices {
        let mut found = influences_of(deformer, vertex, &slot_of_cluster);
        if found.len() > influences {
            found.truncate(influences);
            skinned.cut += 1;
        }
        if found.is_empty() {
            // Vertices without influences follow the node of the mesh.
            let slot = *own_slot.get_or_insert_with(|| skinned.own_slot(node, nodes));
            found.push((slot, 1.0));
        }
        let sum: f64 = found.iter().map(|(_, weight)| weight).sum();
        for (lane, (slot, weight)) in found.into_iter().enumerate() {
            skinned.joints[vertex * influences + lane] = slot;
            skinned.weights[vertex * influences + lane] = (weight / sum) as f32;
        }
    }
    Some(skinned)
}

/// Returns the slots and weights of one vertex, the strongest first. `slot_of_cluster` has the index of each cluster's
/// joint in the skin. Weights are not normalised; those not above 0 are left out.
fn influences_of(deformer: &SkinDeformer, vertex: usize, slot_of_cluster: &[Option<u16>]) -> Vec<(u16, f64)> {
    let Some(entry) = deformer.vertices.get(vertex) else { return Vec::new() };
    let from = entry.weight_begin as usize;
    let weights = deformer.weights.get(from..from + entry.num_weights as usize).unwrap_or_default();
    let known =
        weights.iter().filter_map(|weight| Some((slot_of_cluster[weight.cluster_index as usize]?, weight.weight)));
    let mut found: Vec<(u16, f64)> = known.filter(|(_, weight)| weight.is_finite() && *weight > 0.0).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

impl Skinned {
    /// Adds the node itself to the joints of the skin and returns its index there.
    fn own_slot(&mut self, node: &Node, nodes: &Nodes) -> u16 {
        self.skin.joints.push(nodes.of_node(node).map_or(0, |joint| joint.scaled));
        let geometry_to_node = affine(&node.geometry_to_node);
        self.skin.inverse_bind.push(if geometry_to_node.is_finite() { geometry_to_node } else { Affine3A::IDENTITY });
        (self.skin.joints.len() - 1) as u16
    }
}

/// Converts a matrix to `f32`.
fn affine(matrix: &Matrix) -> Affine3A {
    let exact = exact(matrix);
    Affine3A::from_mat3_translation(exact.matrix3.as_mat3(), exact.translation.as_vec3())
}

/// Converts a matrix to `f64`.
pub(super) fn exact(m: &Matrix) -> DAffine3 {
    let column = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let axes = DMat3::from_cols(column(m.m00, m.m10, m.m20), column(m.m01, m.m11, m.m21), column(m.m02, m.m12, m.m22));
    DAffine3::from_mat3_translation(axes, column(m.m03, m.m13, m.m23))
}
