//! Reads polygons as triangles and blend shapes as morph targets, and attaches both to joints.

use std::collections::HashMap;

use glam::{Vec2, Vec3};
use ufbx::{BlendKeyframe, BlendShape, Face, Mesh, MeshPart, Node, Scene};

use super::geometry_offset::GeometryOffset;
use super::name::name;
use super::nodes::Nodes;
use super::skins::{self, MAX_INFLUENCES, Skinned};
use crate::import::ImportError;
use portamento_anim::Model;
use portamento_anim::geometry::{Mesh as Surface, MeshInstance, MorphTarget, Primitive};
use portamento_base::budget::{Budget, OverBudget};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;

/// Reads every mesh with its skin once, and creates an instance for each node that uses it. Adds meshes, skins, instances
/// and the rest weights of blend shapes to `model`. Vertices with too many influences give a warning. Returns `Err` if the
/// budget is exceeded or the user cancels.
pub(super) fn load(
    scene: &Scene,
    nodes: &Nodes,
    model: &mut Model,
    progress: &Progress,
    warnings: &mut Vec<Message>,
) -> Result<(), ImportError> {
    let budget = progress.budget();
    let mut read: HashMap<u32, Vec<ConvertedMesh>> = HashMap::new();
    let mut carriers: Vec<&Node> = scene.nodes.iter().map(|node| -> &Node { node }).collect();
    carriers.sort_by_key(|node| nodes.of_node(node).map(|joint| joint.placed));
    let mut cut = 0;
    for node in carriers {
        let (Some(joint), Some(mesh)) = (nodes.of_node(node), &node.mesh) else { continue };
        let joint = joint.scaled;
        progress.step(0, 1)?;
        let known = read.entry(mesh.element.typed_id).or_default();
        let offset = GeometryOffset::of(node);
        let same = known.iter().find(|placed| placed.skin.is_some() || placed.offset == offset).copied();
        let ConvertedMesh { surface, skin, .. } = match same {
            Some(same) => same,
            None => {
                let skinned = skins::load(mesh, node, nodes);
                cut += skinned.as_ref().map_or(0, |skinned| skinned.cut);
                // The bind matrices of a skin include the offset.
                let offset = if skinned.is_some() { GeometryOffset::NONE } else { offset };
                let surface = surface(mesh, skinned.as_ref(), &offset, budget)?;
                if surface.primitives.is_empty() {
                    continue;
                }
                model.meshes.push(surface);
                let skin = skinned.map(|skinned| {
                    model.skins.push(skinned.skin);
                    model.skins.len() - 1
                });
                known.push(ConvertedMesh { surface: model.meshes.len() - 1, skin, offset });
                known[known.len() - 1]
            }
        };
        let vertices: usize = model.meshes[surface].primitives.iter().map(|part| part.positions.len()).sum();
        // Each instance stores its own positions and normals, at rest and posed: 48 bytes per vertex.
        budget.take(48 * vertices as u64, &|| format!("The mesh of {}", model.skeleton.joints[joint].name))?;
        model.instances.push(MeshInstance { joint, mesh: surface, skin });
        add_weights(model, joint, mesh);
    }
    if cut > 0 {
        warnings.push(message!(
            "warning.import.fbx_influences",
            "%{vertices} %{vertices|vertex is|vertices are} influenced by more than %{most} joints; the strongest %{most} influences are kept.",
            vertices = cut,
            most = MAX_INFLUENCES,
        ));
    }
    Ok(())
}

/// A mesh as converted for nodes with the same geometry offset.
#[derive(Clone, Copy)]
struct ConvertedMesh {
    surface: usize,
    skin: Option<usize>,
    offset: GeometryOffset,
}

/// Returns every shape of the mesh's blend deformers, in the order of its morph targets.
pub(super) fn keyframes(mesh: &Mesh) -> impl Iterator<Item = &BlendKeyframe> {
    let channels = mesh.blend_deformers.iter().flat_map(|deformer| deformer.channels.iter());
    channels.flat_map(|channel| channel.keyframes.iter())
}

/// Returns the name of each shape: its channel's if the channel has a single shape, as in the editor, else its own.
fn names_of_shapes(mesh: &Mesh) -> Vec<String> {
    let channels = mesh.blend_deformers.iter().flat_map(|deformer| deformer.channels.iter());
    let names = |channel: &ufbx::BlendChannel| -> Vec<String> {
        let channel_name = channel.element.name.to_string();
        match channel.keyframes.len() {
            1 => vec![channel_name],
            _ => channel.keyframes.iter().map(|key| key.shape.element.name.to_string()).collect(),
        }
    };
    channels.flat_map(|channel| names(channel)).collect()
}

/// Adds the morph weights of `mesh` at rest to its joint. Weights that are not finite become 0.
fn add_weights(model: &mut Model, joint: usize, mesh: &Mesh) {
    let finite = |weight: f64| if (weight as f32).is_finite() { weight as f32 } else { 0.0 };
    let weights: Vec<f32> = keyframes(mesh).map(|key| finite(key.effective_weight)).collect();
    let joint = &mut model.skeleton.joints[joint];
    (joint.first_morph, joint.morph_count) = (model.skeleton.rest_morphs.len(), weights.len());
    model.skeleton.rest_morphs.extend(weights);
}

/// Converts a mesh to primitives, one per material. Parts without triangles are left out. `offset` is the transform from
/// the mesh to its node.
fn surface(
    mesh: &Mesh,
    skinned: Option<&Skinned>,
    offset: &GeometryOffset,
    budget: &Budget,
) -> Result<Surface, OverBudget> {
    let mut surface = Surface {
        name: name(&mesh.element.name, "mesh", mesh.element.typed_id as usize),
        primitives: Vec::new(),
        morph_names: names_of_shapes(mesh),
    };
    let shapes: Vec<Offsets> = keyframes(mesh).map(|key| Offsets::new(&key.shape, offset)).collect();
    for part in &mesh.material_parts {
        let mut corners = corners(mesh, part);
        if offset.mirrors() {
            corners.as_chunks_mut::<3>().0.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        if corners.is_empty() {
            continue;
        }
        // Bytes of the indices and all vertex attributes.
        let bytes = corners.len() as u64 * (4 + 12 + 12 + 8 + 16 + 6 * MAX_INFLUENCES as u64);
        budget.take(bytes, &|| format!("Mesh “{}”", surface.name))?;
        let (mut primitive, vertices) = weld(mesh, &corners, offset);
        if let Some(skinned) = skinned {
            skin(&mut primitive, &vertices, skinned);
        }
        let moved = shapes.iter().filter(|shape| shape.moves(&vertices)).count() as u64;
        budget.take(24 * moved * vertices.len() as u64, &|| format!("Blend shapes of “{}”", surface.name))?;
        primitive.morphs = shapes.iter().map(|shape| shape.target(&vertices)).collect();
        let material = mesh.materials.get(part.index as usize);
        primitive.material = material.map(|material| material.element.typed_id as usize);
        surface.primitives.push(primitive);
    }
    Ok(surface)
}

/// Triangulates the part. Returns indices into the mesh's lists of corners. Faces of fewer than three corners are left out.
fn corners(mesh: &Mesh, part: &MeshPart) -> Vec<u32> {
    let mut corners = Vec::new();
    let mut triangles = vec![0; 3 * mesh.max_face_triangles];
    for &face in &part.face_indices {
        let Some(&Face { index_begin, num_indices }) = mesh.faces.get(face as usize) else { continue };
        if num_indices >= 3 {
            let count = mesh.triangulate_face(&mut triangles, Face { index_begin, num_indices }) as usize;
            corners.extend_from_slice(&triangles[..3 * count]);
        }
    }
    corners
}

/// Builds a primitive from `corners`, which are indices into the mesh's lists of corners. Corners with equal attributes
/// become one vertex. The second value is the file's vertex of each.
///
/// Positions and normals are moved by `offset`; values that are not finite become defaults.
fn weld(mesh: &Mesh, corners: &[u32], offset: &GeometryOffset) -> (Primitive, Vec<usize>) {
    let mut primitive = Primitive::default();
    let mut vertices = Vec::new();
    let mut known: HashMap<[u32; 4], u32> = HashMap::new();
    for &corner in corners {
        let corner = corner as usize;
        let at = |indices: &[u32]| indices.get(corner).copied().unwrap_or(0);
        let vertex = at(&mesh.vertex_indices);
        let (normal, uv, color) =
            (at(&mesh.vertex_normal.indices), at(&mesh.vertex_uv.indices), at(&mesh.vertex_color.indices));
        let next_index = primitive.positions.len() as u32;
        let index = *known.entry([vertex, normal, uv, color]).or_insert(next_index);
        primitive.indices.push(index);
        if index < next_index {
            continue;
        }
        vertices.push(vertex as usize);
        let finite = |found: Vec3, otherwise: Vec3| if found.is_finite() { found } else { otherwise };
        let position = mesh.vertices.get(vertex as usize).map_or(Vec3::ZERO, |point| offset.point(point));
        primitive.positions.push(finite(position, Vec3::ZERO));
        let normal = mesh.vertex_normal.values.get(normal as usize).map_or(Vec3::Y, |normal| offset.normal(normal));
        primitive.normals.push(normal.try_normalize().unwrap_or(Vec3::Y));
        if mesh.vertex_uv.exists {
            let uv = mesh
                .vertex_uv
                .values
                .get(uv as usize)
                .map_or(Vec2::ZERO, |uv| Vec2::new(uv.x as f32, 1.0 - uv.y as f32));
            primitive.uvs.push(if uv.is_finite() { uv } else { Vec2::ZERO });
        }
        if mesh.vertex_color.exists {
            let color = mesh.vertex_color.values.get(color as usize);
            let color = color.map_or([1.0; 4], |color| [color.x, color.y, color.z, color.w].map(|part| part as f32));
            primitive.colors.push(if color.iter().all(|part| part.is_finite()) { color } else { [1.0; 4] });
        }
    }
    (primitive, vertices)
}

/// Copies the influences of `skinned` to the vertices of the primitive. `vertices` has the file's vertex of each.
fn skin(primitive: &mut Primitive, vertices: &[usize], skinned: &Skinned) {
    let lanes = |vertex: usize| vertex * skinned.influences..(vertex + 1) * skinned.influences;
    primitive.influences = skinned.influences;
    primitive.joints = vertices.iter().flat_map(|&vertex| &skinned.joints[lanes(vertex)]).copied().collect();
    primitive.weights = vertices.iter().flat_map(|&vertex| &skinned.weights[lanes(vertex)]).copied().collect();
}

/// The offsets of one shape by vertex of the file.
struct Offsets {
    of_vertex: HashMap<usize, (Vec3, Vec3)>,
    has_normals: bool,
}

impl Offsets {
    /// Reads the offsets of `shape`, moved into the space of the mesh by `placed`. Offsets that are not finite become zero.
    fn new(shape: &BlendShape, placed: &GeometryOffset) -> Self {
        let finite = |offset: Vec3| if offset.is_finite() { offset } else { Vec3::ZERO };
        let point = |offset: &ufbx::Vec3| finite(placed.offset(offset));
        let normal = |offset: &ufbx::Vec3| finite(placed.normal(offset));
        let offset = |(index, &vertex): (usize, &u32)| {
            let point = shape.position_offsets.get(index).map_or(Vec3::ZERO, point);
            let normal = shape.normal_offsets.get(index).map_or(Vec3::ZERO, normal);
            (vertex as usize, (point, normal))
        };
        Self {
            of_vertex: shape.offset_vertices.iter().enumerate().map(offset).collect(),
            has_normals: !shape.normal_offsets.is_empty(),
        }
    }

    /// True if the shape moves any of `vertices`.
    fn moves(&self, vertices: &[usize]) -> bool {
        vertices.iter().any(|vertex| self.of_vertex.contains_key(vertex))
    }

    /// Returns the morph target for `vertices`, which are indices of the file; empty if none of them moves.
    fn target(&self, vertices: &[usize]) -> MorphTarget {
        if !self.moves(vertices) {
            return MorphTarget::default();
        }
        let offset = |vertex: &usize| self.of_vertex.get(vertex).copied().unwrap_or_default();
        MorphTarget {
            positions: vertices.iter().map(|vertex| offset(vertex).0).collect(),
            normals: match self.has_normals {
                true => vertices.iter().map(|vertex| offset(vertex).1).collect(),
                false => Vec::new(),
            },
        }
    }
}
