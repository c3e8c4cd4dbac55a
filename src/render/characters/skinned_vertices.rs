//! Vertex data of a part that the GPU skins, uploaded once.

use three_d::core::{Context, Program, Texture2D, VertexBuffer};
use three_d::{Vec3, Vector4};

use super::influences::Influences;
use super::pose_table::PoseLayout;
use crate::gpu::table;
use portamento_anim::Model;

/// Unposed vertices and their influences.
pub(crate) struct SkinnedVertices {
    positions: VertexBuffer<Vec3>,
    normals: VertexBuffer<Vec3>,
    spans: VertexBuffer<Vector4<u32>>,
    influences: Texture2D,
    /// See [`PoseLayout::matrices`] and [`PoseLayout::weights`].
    matrices: usize,
    weights: usize,
}

/// Figures of one shape whose poses are consecutive in the pose table.
#[derive(Clone, Copy)]
pub(crate) struct Instances<'a> {
    pub poses: &'a Texture2D,
    /// The first texel of the first figure. `stride` is the number of texels per figure.
    pub first: usize,
    pub stride: usize,
    pub count: usize,
}

impl SkinnedVertices {
    /// Uploads the part `[instance, primitive]`. Returns `None` if its influences do not fit into a table. Missing normals are
    /// +Y.
    pub fn new(context: &Context, model: &Model, [instance, part]: [usize; 2], layout: &PoseLayout) -> Option<Self> {
        let placed = &model.instances[instance];
        let primitive = &model.meshes[placed.mesh].primitives[part];
        let Influences { spans, mut entries } = Influences::new(model, placed, primitive);
        if !table::has_room(entries.len()) {
            return None;
        }
        let gpu = |v: &glam::Vec3| Vec3::new(v.x, v.y, v.z);
        let positions: Vec<Vec3> = primitive.positions.iter().map(gpu).collect();
        let normal = |vertex: usize| primitive.normals.get(vertex).map_or(Vec3::new(0.0, 1.0, 0.0), gpu);
        let normals: Vec<Vec3> = (0..positions.len()).map(normal).collect();
        let spans: Vec<Vector4<u32>> = spans.into_iter().map(Vector4::from).collect();
        Some(Self {
            positions: VertexBuffer::new_with_data(context, &positions),
            normals: VertexBuffer::new_with_data(context, &normals),
            spans: VertexBuffer::new_with_data(context, &spans),
            influences: table::filled(context, None, &mut entries),
            matrices: layout.matrices[instance],
            weights: layout.weights,
        })
    }

    /// Sets the attributes, textures and uniforms of `program` for `instances`.
    pub fn bind(&self, program: &Program, instances: Instances) {
        program.use_vertex_attribute("position", &self.positions);
        if program.requires_attribute("normal") {
            program.use_vertex_attribute("normal", &self.normals);
        }
        program.use_vertex_attribute("influences", &self.spans);
        program.use_texture("influence_table", &self.influences);
        program.use_texture("poses", instances.poses);
        program.use_uniform("matrices", (instances.first + self.matrices) as i32);
        program.use_uniform("weights", (instances.first + self.weights) as i32);
        program.use_uniform("stride", instances.stride as i32);
    }
}
