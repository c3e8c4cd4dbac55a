//! A shape's buffers on the graphics card, refilled with each pose.

use std::sync::{Arc, Weak};

use three_d::core::{Context, ElementBuffer, VertexBuffer};
use three_d::{Vec3, Vec4};

use super::gpu_texture::GpuTextures;
use super::scene::{Actor, Cloud, DrawnModel};
use crate::anim::skinning::{self, MeshTransform};
use crate::geometry::{AlphaMode, Material, Primitive};

/// Everything of one shape.
pub(super) struct GpuShape {
    pub shape: Weak<DrawnModel>,
    pub parts: Vec<GpuPart>,
    /// Across the box around it at rest, in the scene's unit.
    pub size: f32,
    pub textures: GpuTextures,
    scratch: Scratch,
}

/// One primitive of one instance.
pub(super) struct GpuPart {
    pub instance: usize,
    primitive: usize,
    pub material: Material,
    pub positions: VertexBuffer<Vec3>,
    pub normals: VertexBuffer<Vec3>,
    /// Every face is drawn flat.
    pub flat: bool,
    /// Both sets.
    pub uvs: VertexBuffer<Vec4>,
    pub colors: VertexBuffer<Vec4>,
    pub indices: ElementBuffer<u32>,
    count: usize,
    own_colors: Vec<Vec4>,
    is_painted: bool,
}

#[derive(Default)]
struct Scratch {
    palette: Vec<skinning::SkinMatrix>,
    positions: Vec<glam::Vec3>,
    normals: Vec<glam::Vec3>,
    floats: Vec<Vec3>,
}

impl GpuShape {
    pub fn new(context: &Context, shape: &Arc<DrawnModel>) -> Self {
        let model = &shape.0;
        let parts = model.instances.iter().enumerate().flat_map(|(instance, placed)| {
            let primitives = model.meshes[placed.mesh].primitives.iter().enumerate();
            primitives.map(move |(primitive, part)| {
                let material = part.material.and_then(|material| model.materials.get(material)).cloned();
                GpuPart::new(context, [instance, primitive], part, material.unwrap_or_default())
            })
        });
        let textures = GpuTextures::of(context, model);
        let size = model.rest_bounds().size().length();
        Self { shape: Arc::downgrade(shape), parts: parts.collect(), size, textures, scratch: Scratch::default() }
    }

    /// Puts the vertices where `actor`'s pose has them.
    pub fn pose(&mut self, actor: &Actor) {
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
}

impl GpuShape {
    /// Puts the vertices of all parts, one after the other, where `cloud` has them.
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
            uvs: VertexBuffer::new_with_data(context, &uvs),
            colors: VertexBuffer::new_with_data(context, &colors),
            indices: ElementBuffer::new_with_data(context, &part.indices),
            count,
            own_colors: colors,
            is_painted: false,
        }
    }

    pub fn is_see_through(&self) -> bool {
        self.material.alpha == AlphaMode::Blend
    }
}

fn fill(buffer: &mut VertexBuffer<Vec3>, values: &[glam::Vec3], floats: &mut Vec<Vec3>) {
    floats.clear();
    floats.extend(values.iter().map(|v| Vec3::new(v.x, v.y, v.z)));
    buffer.fill(floats);
}
