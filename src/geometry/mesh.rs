//! What is drawn: triangles and the joints that carry them.

use glam::{Affine3A, Vec2, Vec3};

use super::joint_sets::JointSets;

/// A mesh as the file has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The file's name, or `mesh 2`.
    pub name: String,
    /// Parts with one material each.
    pub primitives: Vec<Primitive>,
    /// Names of the blend shapes, in the order of each part's; fewer, or none, where the file does not name them.
    pub morph_names: Vec<String>,
}

/// Triangles with one material. All per-vertex lists are empty or as long as `positions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitive {
    /// Points in the space of the mesh, in the file's unit.
    pub positions: Vec<Vec3>,
    /// Unit normals; computed from the faces on import where the file has none.
    pub normals: Vec<Vec3>,
    /// Every face is drawn flat, whatever the normals: the file has none.
    pub flat: bool,
    /// Texture coordinates, (0, 0) the image's upper left corner.
    pub uvs: Vec<Vec2>,
    /// A second set of texture coordinates: for maps of the material that have one of their own, or where shaders look up what is theirs.
    pub second_uvs: Vec<Vec2>,
    /// Linear RGBA, 0…1.
    pub colors: Vec<[f32; 4]>,
    /// Triangles, three per face, counter-clockwise seen from outside.
    pub indices: Vec<u32>,
    /// Influences per vertex: 4 for each joint set of the file; 0 when not skinned.
    pub influences: usize,
    /// `influences` entries per vertex: index into [`Skin::joints`].
    pub joints: Vec<u16>,
    /// `influences` entries per vertex, as the file has them.
    pub weights: Vec<f32>,
    /// Shapes that the mesh can take on, by weight.
    pub morphs: Vec<MorphTarget>,
    /// Index into [`crate::anim::Model::materials`].
    pub material: Option<usize>,
    /// The vertices sorted by their joints.
    pub joint_sets: JointSets,
}

/// Offsets added at full weight. Lists are empty or as long as the primitive's positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Offsets of the positions, in the file's unit.
    pub positions: Vec<Vec3>,
    /// Offsets of the normals, added before they are normalised.
    pub normals: Vec<Vec3>,
}

/// The joints that deform a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Indices into the skeleton.
    pub joints: Vec<usize>,
    /// Joint ← mesh at bind time, one per entry of `joints`.
    pub inverse_bind: Vec<Affine3A>,
}

/// A mesh placed on a joint; a skinned one follows its skin instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshInstance {
    /// The joint (node) that carries it.
    pub joint: usize,
    /// Index into [`crate::anim::Model::meshes`].
    pub mesh: usize,
    /// Index into [`crate::anim::Model::skins`].
    pub skin: Option<usize>,
}
