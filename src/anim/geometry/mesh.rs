//! Meshes: triangles and the joints that carry them.

use glam::{Affine3A, Vec2, Vec3};

use super::joint_sets::JointSets;

/// A mesh of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The name in the file, or `mesh 2`.
    pub name: String,
    /// Primitives with one material each.
    pub primitives: Vec<Primitive>,
    /// Names of the blend shapes, in the order of each primitive's; may be shorter if the file does not name them.
    pub morph_names: Vec<String>,
}

/// Triangles with one material. All per-vertex lists are empty or as long as `positions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitive {
    /// Vertex positions in mesh space, in the file's unit.
    pub positions: Vec<Vec3>,
    /// Unit normals; computed from the faces on import if the file has none.
    pub normals: Vec<Vec3>,
    /// True for flat shading, whatever the normals: the file has none.
    pub flat: bool,
    /// Texture coordinates; (0, 0) is the image's upper left corner.
    pub uvs: Vec<Vec2>,
    /// A second set of texture coordinates, for maps of the material that use it, or for shaders.
    pub second_uvs: Vec<Vec2>,
    /// Linear RGBA, 0…1.
    pub colors: Vec<[f32; 4]>,
    /// Vertex indices, three per face, counter-clockwise as seen from outside.
    pub indices: Vec<u32>,
    /// Influences per vertex: 4 for each joint set of the file; 0 if not skinned.
    pub influences: usize,
    /// `influences` indices per vertex into [`Skin::joints`].
    pub joints: Vec<u16>,
    /// `influences` weights per vertex, as in the file.
    pub weights: Vec<f32>,
    /// Morph targets.
    pub morphs: Vec<MorphTarget>,
    /// Index into [`crate::Model::materials`].
    pub material: Option<usize>,
    /// The vertices grouped by their joints.
    pub joint_sets: JointSets,
}

/// Offsets at full weight. Lists are empty or as long as the primitive's positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Offsets of the positions, in the file's unit.
    pub positions: Vec<Vec3>,
    /// Offsets of the normals, added before normalization.
    pub normals: Vec<Vec3>,
}

/// The joints that deform a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Indices into the skeleton.
    pub joints: Vec<usize>,
    /// Transforms from mesh to joint space at bind time, one per entry of `joints`.
    pub inverse_bind: Vec<Affine3A>,
}

/// A mesh placed on a joint; a skinned one follows its skin instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshInstance {
    /// The joint (node) that carries it.
    pub joint: usize,
    /// Index into [`crate::Model::meshes`].
    pub mesh: usize,
    /// Index into [`crate::Model::skins`].
    pub skin: Option<usize>,
}
