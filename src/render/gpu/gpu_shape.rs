//! A shape's GPU buffers: static ones, and those that the CPU refills for each pose.

use std::sync::{Arc, Weak};

use three_d::core::{Context, Cull, ElementBuffer, Program, RenderStates, VertexBuffer};
use three_d::{Vec3, Vec4, Viewport};

use super::gpu_texture::GpuTextures;
use crate::Skinning;
use crate::characters::pose_table::PoseLayout;
use crate::characters::skinned_vertices::{Instances, SkinnedVertices};
use crate::scene::{Actor, Cloud};
use portamento_anim::Model;
use portamento_anim::geometry::{AlphaMode, Material, Primitive};
use portamento_anim::skinning::{self, MeshTransform};

/// The drawable part of a model, shared by all its actors. The renderer keeps its buffers as long as an `Arc` to it exists.
#[derive(Debug)]
pub struct DrawnModel(pub Model);

/// The buffers of one shape.
pub(crate) struct GpuShape {
    /// The model, not kept alive by the buffers.
    pub shape: Weak<DrawnModel>,
    pub parts: Vec<GpuPart>,
    /// Diagonal of the rest bounds, in scene units.
    pub size: f32,
    pub textures: GpuTextures,
    /// Layout of its poses in the pose table; `None` if the CPU skins it.
    pub layout: Option<PoseLayout>,
    /// Index, among the scene's actors, of the figure that the CPU buffers currently contain.
    pub posed: Option<usize>,
    scratch: Scratch,
}

/// One primitive of one instance.
pub(crate) struct GpuPart {
    /// Index of the mesh instance in the model.
    pub instance: usize,
    /// Index of the primitive in the mesh of the instance.
    primitive: usize,
    pub material: Material,
    positions: VertexBuffer<Vec3>,
    normals: VertexBuffer<Vec3>,
    /// Data for GPU skinning; `None` if the CPU skins the part.
    skinned: Option<SkinnedVertices>,
    /// True if every face is drawn flat.
    pub flat: bool,
    /// Both UV sets.
    uvs: VertexBuffer<Vec4>,
    colors: VertexBuffer<Vec4>,
    indices: ElementBuffer<u32>,
    /// Number of vertices.
    count: usize,
    /// Vertex colours of the model, linear RGBA.
    own_colors: Vec<Vec4>,
    /// True if `colors` currently contains those of a cloud.
    is_painted: bool,
}

/// Reused memory for skinning on the CPU.
#[derive(Default)]
struct Scratch {
    palette: Vec<skinning::SkinMatrix>,
    positions: Vec<glam::Vec3>,
    normals: Vec<glam::Vec3>,
    floats: Vec<Vec3>,
}

impl GpuShape {
    /// Creates the buffers of `shape` without a pose. With [`Skinning::Gpu`], the CPU still skins the whole shape if the
    /// influences of a part do not fit into the tables.
    pub fn new(context: &Context, shape: &Arc<DrawnModel>, skinning: Skinning) -> Self {
        let model = &shape.0;
        let parts = model.instances.iter().enumerate().flat_map(|(instance, placed)| {
            let primitives = model.meshes[placed.mesh].primitives.iter().enumerate();
            primitives.map(move |(primitive, part)| {
                let material = part.material.and_then(|material| model.materials.get(material)).cloned();
                GpuPart::new(context, [instance, primitive], part, material.unwrap_or_default())
            })
        });
        let mut shape = Self {
            shape: Arc::downgrade(shape),
            parts: parts.collect(),
            size: model.rest_bounds().size().length(),
            textures: GpuTextures::of(context, model),
            layout: None,
            posed: None,
            scratch: Scratch::default(),
        };
        if skinning == Skinning::Gpu {
            shape.bind(context, model);
        }
        shape
    }

    /// Uploads the influences. Switches to GPU skinning if those of all parts fit into the tables.
    fn bind(&mut self, context: &Context, model: &Model) {
        let layout = PoseLayout::new(model);
        for part in &mut self.parts {
            part.skinned = SkinnedVertices::new(context, model, [part.instance, part.primitive], &layout);
        }
        self.layout = self.parts.iter().all(|part| part.skinned.is_some()).then_some(layout);
    }

    /// Fills the CPU buffers with the pose or cloud of `actor`, at `index` among the scene's actors. Hidden parts of a pose are
    /// skipped.
    ///
    /// Does nothing if they already contain that index, so reset [`Self::posed`] for each picture.
    pub fn pose(&mut self, index: usize, actor: &Actor) {
        if self.posed.replace(index) == Some(index) {
            return;
        }
        if let Some(cloud) = &actor.cloud {
            return self.scatter(cloud);
        }
        let model = &actor.shape.0;
        let scratch = &mut self.scratch;
        for part in self.parts.iter_mut().filter(|part| !actor.hidden.contains(&part.instance)) {
            let instance = &model.instances[part.instance];
            let primitive = &model.meshes[instance.mesh].primitives[part.primitive];
            let carrier = match instance.skin {
                Some(skin) => {
                    skinning::palette(&model.skins[skin], &actor.world, &mut scratch.palette);
                    MeshTransform::Skinned(&scratch.palette)
                }
                None => MeshTransform::Rigid(actor.world[instance.joint]),
            };
            let morphs = skinning::morphs_of(model, instance, &actor.morphs);
            skinning::deform(primitive, carrier, morphs, &mut scratch.positions, &mut scratch.normals);
            fill(&mut part.positions, &scratch.positions, &mut scratch.floats);
            fill(&mut part.normals, &scratch.normals, &mut scratch.floats);
        }
    }

    /// Writes the vertices and colours of `cloud` into the parts, one part after the other. Does nothing if the number of
    /// vertices differs.
    fn scatter(&mut self, cloud: &Cloud) {
        let floats = &mut self.scratch.floats;
        let count: usize = self.parts.iter().map(|part| part.count).sum();
        if cloud.positions.len() != count {
            return;
        }
        let mut first = 0;
        for part in &mut self.parts {
            let range = first..first + part.count;
            first = range.end;
            fill(&mut part.positions, &cloud.positions[range.clone()], floats);
            fill(&mut part.normals, &cloud.normals[range.clone()], floats);
            match cloud.colors.as_ref().and_then(|colors| colors.get(range)) {
                Some(colors) => part.colors.fill(&colors.iter().copied().map(Vec4::from).collect::<Vec<_>>()),
                None if part.is_painted => part.colors.fill(&part.own_colors),
                None => {}
            }
            part.is_painted = cloud.colors.is_some();
        }
    }
}

impl GpuPart {
    /// Uploads UVs, colours and indices of `part`. Missing UVs are 0, missing colours white. Positions come with each pose.
    fn new(context: &Context, [instance, primitive]: [usize; 2], part: &Primitive, material: Material) -> Self {
        let count = part.positions.len();
        let set = |uvs: &[glam::Vec2], vertex: usize| uvs.get(vertex).copied().unwrap_or_default();
        let both = |vertex: usize| (set(&part.uvs, vertex), set(&part.second_uvs, vertex));
        let uvs: Vec<Vec4> =
            (0..count).map(both).map(|(first, second)| Vec4::new(first.x, first.y, second.x, second.y)).collect();
        let white = [1.0; 4];
        let color = |i: usize| Vec4::from(part.colors.get(i).copied().unwrap_or(white));
        let colors: Vec<Vec4> = (0..count).map(color).collect();
        Self {
            instance,
            primitive,
            material,
            flat: part.flat,
            positions: VertexBuffer::new(context),
            normals: VertexBuffer::new(context),
            skinned: None,
            uvs: VertexBuffer::new_with_data(context, &uvs),
            colors: VertexBuffer::new_with_data(context, &colors),
            indices: ElementBuffer::new_with_data(context, &part.indices),
            count,
            own_colors: colors,
            is_painted: false,
        }
    }

    /// True if the material is alpha-blended.
    pub(crate) fn is_see_through(&self) -> bool {
        self.material.alpha == AlphaMode::Blend
    }

    /// Returns the culled faces: none if the material is double-sided, else back faces.
    pub(crate) fn cull(&self) -> Cull {
        if self.material.double_sided { Cull::None } else { Cull::Back }
    }

    /// Draws with `program`, whose other uniforms are set.
    ///
    /// Draws all `instances` if the GPU skins the part, else the one figure in the CPU buffers.
    pub fn draw(&self, program: &Program, instances: Option<Instances>, states: RenderStates, viewport: Viewport) {
        // Setting an unused attribute is an error. Ghosts have neither UVs nor colours, and silhouettes have no normals.
        if program.requires_attribute("uv") {
            program.use_vertex_attribute("uv", &self.uvs);
        }
        if program.requires_attribute("color") {
            program.use_vertex_attribute("color", &self.colors);
        }
        if let Some((skinned, instances)) = self.skinned.as_ref().zip(instances) {
            skinned.bind(program, instances);
            return program.draw_elements_instanced(states, viewport, &self.indices, instances.count as u32);
        }
        program.use_vertex_attribute("position", &self.positions);
        if program.requires_attribute("normal") {
            program.use_vertex_attribute("normal", &self.normals);
        }
        program.draw_elements(states, viewport, &self.indices);
    }
}

/// Replaces the content of `buffer` by `values`; `floats` is scratch space.
fn fill(buffer: &mut VertexBuffer<Vec3>, values: &[glam::Vec3], floats: &mut Vec<Vec3>) {
    floats.clear();
    floats.extend(values.iter().map(|v| Vec3::new(v.x, v.y, v.z)));
    buffer.fill(floats);
}
