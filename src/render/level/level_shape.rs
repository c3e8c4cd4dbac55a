//! A level's triangles with crease lines and ambient occlusion, uploaded once. Parts that hide the figure are drawn
//! transparent.

use std::sync::{Arc, OnceLock, Weak};

use glam::Vec3;
use three_d::core::{Context, Program, Texture3D, VertexBuffer};
use three_d::{CpuTexture3D, TextureData, Vec3 as Gpu3, Vec4 as Gpu4, Wrapping};

use super::ambient_occlusion::AmbientOcclusion;
use super::creases::creases;
use crate::gpu::gpu_texture::GpuTextures;
use portamento_anim::Model;
use portamento_anim::geometry::{AlphaMode, Material};
use portamento_anim::math::Bounds;

/// The visible surfaces of a level. The renderer keeps its buffers as long as an `Arc` to it exists.
#[derive(Clone, Debug, Default)]
pub struct LevelShape {
    /// Parts, one surface each.
    parts: Vec<LevelPart>,
    /// The model whose textures the materials refer to; `None` without textures.
    model: Option<Arc<crate::DrawnModel>>,
    /// Cached result of [`LevelShape::bounds`], which is needed in every frame.
    bounds: OnceLock<Option<Bounds>>,
}

/// Triangles of one surface. All lists but `corners` may be empty.
#[derive(Clone, Debug, Default)]
pub struct LevelPart {
    /// The surface's material.
    pub material: Material,
    /// Three corners per triangle, metres, counter-clockwise seen from outside.
    pub corners: Vec<Vec3>,
    /// Unit normals per corner; if empty, faces are flat.
    pub normals: Vec<Vec3>,
    /// Both UV sets per corner.
    pub uvs: Vec<[f32; 4]>,
    /// Linear RGBA per corner; white if empty.
    pub colors: Vec<[f32; 4]>,
}

/// A level in a scene. Its metres are scaled by [`Scene::units_per_metre`](crate::Scene::units_per_metre).
#[derive(Clone, Debug)]
pub struct PlacedLevel {
    /// The surfaces.
    pub shape: Arc<LevelShape>,
    /// Desaturation, 0 … 1; 1 is dark grey.
    pub faded: f32,
}

/// The GPU buffers of one level.
pub(crate) struct GpuLevel {
    shape: Weak<LevelShape>,
    pub parts: Vec<GpuLevelPart>,
    pub textures: GpuTextures,
    pub occlusion: Option<GpuOcclusion>,
}

/// The ambient occlusion texture of a level.
pub(crate) struct GpuOcclusion {
    /// Density of surfaces around each cell, see [`AmbientOcclusion::values`].
    near: Texture3D,
    /// The grid's lower corner (x, y, z) and its cell size (w), metres.
    low_and_cell: Gpu4,
    /// Side lengths of the grid, metres.
    size: Gpu3,
}

/// The GPU buffers of one part.
pub(crate) struct GpuLevelPart {
    pub material: Material,
    /// True if every face is drawn flat, because the part has no normals.
    pub flat: bool,
    positions: VertexBuffer<Gpu3>,
    normals: VertexBuffer<Gpu3>,
    uvs: VertexBuffer<Gpu4>,
    colors: VertexBuffer<Gpu4>,
    edges: VertexBuffer<Gpu4>,
}

impl LevelShape {
    /// Creates a level from `parts` whose materials refer to the textures of `model`.
    pub fn new(parts: Vec<LevelPart>, model: Option<Arc<crate::DrawnModel>>) -> Self {
        Self { parts, model, bounds: OnceLock::new() }
    }

    /// Returns the box around all corners in metres, or `None` without triangles. Caches the result.
    pub fn bounds(&self) -> Option<Bounds> {
        *self.bounds.get_or_init(|| Bounds::around(self.parts.iter().flat_map(|part| &part.corners).copied()))
    }
}

impl GpuLevel {
    /// Uploads the parts of `shape` that have triangles, its textures, and its ambient occlusion if it has any.
    fn new(context: &Context, shape: &Arc<LevelShape>) -> Self {
        // Creases are computed over all parts together, so two materials on one wall have no edge between them.
        let corners: Vec<Vec3> = shape.parts.iter().flat_map(|part| &part.corners).copied().collect();
        let edges = creases(&corners);
        let mut first = 0;
        let parts = shape.parts.iter().filter(|part| !part.corners.is_empty()).map(|part| {
            let range = first..first + part.corners.len();
            first = range.end;
            GpuLevelPart::new(context, part, &edges[range])
        });
        let empty = Model::default();
        let model = shape.model.as_ref().map_or(&empty, |model| &model.0);
        let textures = GpuTextures::of(context, model);
        let occlusion = AmbientOcclusion::new(&corners).map(|near| GpuOcclusion::new(context, near));
        Self { shape: Arc::downgrade(shape), parts: parts.collect(), textures, occlusion }
    }

    /// True if no `Arc` to the level exists any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.shape.strong_count() == 0
    }
}

impl GpuOcclusion {
    /// Uploads the occlusion grid as a 3D texture.
    fn new(context: &Context, near: AmbientOcclusion) -> Self {
        let AmbientOcclusion { low, cell, size, values } = near;
        let texture = CpuTexture3D {
            data: TextureData::RgU8(values),
            width: size.x,
            height: size.y,
            depth: size.z,
            mipmap: None,
            wrap_s: Wrapping::ClampToEdge,
            wrap_t: Wrapping::ClampToEdge,
            wrap_r: Wrapping::ClampToEdge,
            ..CpuTexture3D::default()
        };
        let sides = size.as_vec3() * cell;
        Self {
            near: Texture3D::new(context, &texture),
            low_and_cell: Gpu4::new(low.x, low.y, low.z, cell),
            size: Gpu3::new(sides.x, sides.y, sides.z),
        }
    }

    /// Sets the occlusion texture and uniforms of `program`.
    pub fn set_uniforms(&self, program: &Program) {
        program.use_texture_3d("occlusion_grid", &self.near);
        program.use_uniform("grid_low_and_cell", self.low_and_cell);
        program.use_uniform("grid_size", self.size);
    }
}

impl GpuLevelPart {
    /// Uploads `part`. Lists of another length than its corners are replaced: faces become flat, colours white. `edges` are the
    /// distances to creases for each corner.
    fn new(context: &Context, part: &LevelPart, edges: &[[f32; 4]]) -> Self {
        let gpu3 = |points: &[Vec3]| points.iter().map(|at| Gpu3::new(at.x, at.y, at.z)).collect::<Vec<_>>();
        let gpu4 = |list: &[[f32; 4]], missing: f32| match list.len() == part.corners.len() {
            true => list.iter().copied().map(Gpu4::from).collect::<Vec<_>>(),
            false => vec![Gpu4::from([missing; 4]); part.corners.len()],
        };
        let flat = part.normals.len() != part.corners.len();
        Self {
            material: part.material.clone(),
            flat,
            positions: VertexBuffer::new_with_data(context, &gpu3(&part.corners)),
            // Flat parts do not read their normals; any data of the right length will do.
            normals: VertexBuffer::new_with_data(context, &gpu3(if flat { &part.corners } else { &part.normals })),
            uvs: VertexBuffer::new_with_data(context, &gpu4(&part.uvs, 0.0)),
            colors: VertexBuffer::new_with_data(context, &gpu4(&part.colors, 1.0)),
            edges: VertexBuffer::new_with_data(context, &gpu4(edges, 0.0)),
        }
    }

    /// True if the material is alpha-blended.
    pub(crate) fn is_see_through(&self) -> bool {
        self.material.alpha == AlphaMode::Blend
    }

    /// True if both sides are drawn, as for leaves and fences. Opaque walls show only their front so that the camera sees into
    /// rooms.
    pub(crate) fn has_back(&self) -> bool {
        self.material.double_sided && self.material.alpha != AlphaMode::Opaque
    }

    /// Draws front and back as `states` cull them, with `program`, whose other uniforms are set.
    pub fn draw(&self, program: &Program, states: three_d::core::RenderStates, viewport: three_d::Viewport) {
        program.use_vertex_attribute("position", &self.positions);
        program.use_vertex_attribute("normal", &self.normals);
        program.use_vertex_attribute("uv", &self.uvs);
        program.use_vertex_attribute("color", &self.colors);
        program.use_vertex_attribute("edge", &self.edges);
        program.draw_arrays(states, viewport, self.positions.vertex_count());
    }
}

/// Returns the buffers of `shape` among `known`. Uploads and adds them on first use.
pub(crate) fn buffers<'a>(known: &'a mut Vec<GpuLevel>, context: &Context, shape: &Arc<LevelShape>) -> &'a GpuLevel {
    let at = known.iter().position(|each| std::ptr::eq(each.shape.as_ptr(), Arc::as_ptr(shape)));
    let at = at.unwrap_or_else(|| {
        known.push(GpuLevel::new(context, shape));
        known.len() - 1
    });
    &known[at]
}
