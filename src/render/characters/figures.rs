//! Buffers and programs of figures and ghosts, skinned on the CPU or the GPU.

use std::sync::Arc;

use three_d::Vec4;
use three_d::core::{Context, DepthTest, Program, RenderStates, Texture2D};

use super::ghost;
use super::pose_table::PoseTable;
use super::skinned_vertices::Instances;
use crate::Skinning;
use crate::gpu::gpu_shape::{DrawnModel, GpuPart, GpuShape};
use crate::gpu::pass::{Pass, over};
use crate::gpu::shaders;
use crate::gpu::surface::set_material;
use crate::scene::{Actor, Scene};

/// The GPU resources of all figures.
pub(crate) struct Figures {
    /// Programs for vertices skinned on the CPU.
    cpu: Programs,
    /// Programs for vertices skinned on the GPU, if it is used.
    gpu: Option<Programs>,
    shapes: Vec<GpuShape>,
    poses: PoseTable,
    placed: Vec<Placed>,
}

/// The programs of one skinning method.
struct Programs {
    surface: Program,
    ghost: Program,
    rim: Program,
}

/// An actor of the picture and the data that draws it.
#[derive(Clone, Copy)]
struct Placed {
    /// Index among the scene's actors.
    index: usize,
    /// Index among the shapes of [`Figures`].
    shape: usize,
    /// The first texel of its pose, or `None` if the CPU skins it.
    first: Option<usize>,
}

impl Figures {
    /// Compiles the programs for `skinning`; those for the CPU in any case. Returns the driver's message on failure.
    pub fn new(context: &Context, skinning: Skinning) -> Result<Self, String> {
        let gpu = (skinning == Skinning::Gpu).then(|| Programs::new(context, skinning));
        Ok(Self {
            cpu: Programs::new(context, Skinning::Cpu)?,
            gpu: gpu.transpose()?,
            shapes: Vec::new(),
            poses: PoseTable::default(),
            placed: Vec::new(),
        })
    }

    /// Prepares the actors of `scene` for drawing: creates buffers of new shapes, drops unused ones and uploads the poses.
    pub fn prepare(&mut self, context: &Context, scene: &Scene) {
        self.shapes.retain(|shape| shape.shape.strong_count() > 0);
        self.shapes.iter_mut().for_each(|shape| shape.posed = None);
        self.poses.clear();
        self.placed.clear();
        for (index, actor) in scene.actors.iter().enumerate() {
            let shape = self.shape(context, &actor.shape);
            let layout = self.shapes[shape].layout.as_ref().filter(|_| actor.cloud.is_none());
            let first = layout.and_then(|layout| self.poses.add(layout, actor));
            self.placed.push(Placed { index, shape, first });
        }
        self.poses.send(context);
    }

    /// Returns the index of the buffers of `shape` and creates them on first use.
    fn shape(&mut self, context: &Context, shape: &Arc<DrawnModel>) -> usize {
        let known = self.shapes.iter().position(|known| std::ptr::eq(known.shape.as_ptr(), Arc::as_ptr(shape)));
        known.unwrap_or_else(|| {
            let skinning = if self.gpu.is_some() { Skinning::Gpu } else { Skinning::Cpu };
            self.shapes.push(GpuShape::new(context, shape, skinning));
            self.shapes.len() - 1
        })
    }

    /// Draws all figures except ghosts, opaque parts first. `white` replaces missing images. Call [`Self::prepare`] first.
    pub fn draw(&mut self, pass: &Pass, white: &Texture2D) {
        let actors = &pass.scene.actors;
        let is_figure = |placed: &Placed| actors[placed.index].ghost.is_none();
        let figures: Vec<Placed> = self.placed.iter().copied().filter(is_figure).collect();
        for see_through in [false, true] {
            // Transparent parts are drawn figure by figure, in order.
            let runs: Vec<&[Placed]> = figures.chunk_by(|a, b| !see_through && self.are_alike(actors, a, b)).collect();
            for instances in runs {
                let drawn = self.drawn(actors, instances);
                for part in drawn.parts().filter(|part| part.is_see_through() == see_through) {
                    drawn.programs.surface(pass, part, &drawn, white);
                }
            }
        }
    }

    /// Returns the indices of the ghosts among the scene's actors.
    pub(crate) fn ghosts(scene: &Scene) -> Vec<usize> {
        (0..scene.actors.len()).filter(|&index| scene.actors[index].ghost.is_some()).collect()
    }

    /// Draws the flat silhouette and the rim of the actor at `index`. Does nothing if it is no ghost.
    pub(super) fn draw_ghost(&mut self, pass: &Pass, index: usize) {
        let actors = &pass.scene.actors;
        let Some(tint) = actors[index].ghost else { return };
        let placed = self.placed[index];
        let drawn = self.drawn(actors, &[placed]);
        let Programs { ghost: silhouette, rim, .. } = drawn.programs;
        for states in ghost::silhouette() {
            ghost::set_silhouette_uniforms(silhouette, tint);
            drawn.draw_outline(silhouette, pass, states);
        }
        ghost::set_rim_uniforms(rim, pass, drawn.actor, drawn.shape.size, tint);
        drawn.draw_outline(rim, pass, ghost::rim());
    }

    /// True if `b` can be drawn in one instanced call right after `a`: same shape and options, and consecutive GPU poses.
    fn are_alike(&self, actors: &[Actor], a: &Placed, b: &Placed) -> bool {
        let next = |first: usize| Some(first + self.shapes[a.shape].layout.as_ref()?.count);
        let follows = a.first.is_some() && a.first.and_then(next) == b.first;
        a.shape == b.shape
            && follows
            && actors[a.index].hidden == actors[b.index].hidden
            && actors[a.index].fades_in_front == actors[b.index].fades_in_front
    }

    /// Returns the resources that draw `instances`, which must be alike and not empty. On the CPU path there is only one, which
    /// is skinned here.
    fn drawn<'a>(&'a mut self, actors: &'a [Actor], instances: &[Placed]) -> Drawn<'a> {
        let Placed { index, shape, first } = instances[0];
        let (actor, shape) = (&actors[index], &mut self.shapes[shape]);
        if let (Some(programs), Some(first), Some(poses)) = (&self.gpu, first, self.poses.table()) {
            let stride = shape.layout.as_ref().map_or(0, |layout| layout.count);
            let instances = Some(Instances { poses, first, stride, count: instances.len() });
            return Drawn { programs, shape, instances, actor };
        }
        shape.pose(index, actor);
        Drawn { programs: &self.cpu, shape, instances: None, actor }
    }
}

/// The resources of one draw call.
struct Drawn<'a> {
    programs: &'a Programs,
    shape: &'a GpuShape,
    instances: Option<Instances<'a>>,
    actor: &'a Actor,
}

impl Drawn<'_> {
    /// Returns the parts that are not hidden.
    fn parts(&self) -> impl Iterator<Item = &GpuPart> {
        self.shape.parts.iter().filter(|part| !self.actor.hidden.contains(&part.instance))
    }

    /// Draws all visible parts with `program`, which needs only positions and normals. The culling of `states` is replaced by
    /// that of each part.
    fn draw_outline(&self, program: &Program, pass: &Pass, states: RenderStates) {
        pass.camera_uniforms(program);
        for part in self.parts() {
            part.draw(program, self.instances, RenderStates { cull: part.cull(), ..states }, pass.viewport);
        }
    }
}

impl Programs {
    /// Compiles the three programs for `skinning`. Returns the driver's message on failure.
    fn new(context: &Context, skinning: Skinning) -> Result<Self, String> {
        let program = |vertex: String, fragment: String| {
            Program::from_source(context, &vertex, &fragment).map_err(|error| error.to_string())
        };
        Ok(Self {
            surface: program(shaders::surface_vertex(skinning), shaders::surface_fragment())?,
            ghost: program(shaders::ghost_vertex(skinning), shaders::GHOST_FRAGMENT.into())?,
            rim: program(shaders::rim_vertex(skinning), shaders::RIM_FRAGMENT.into())?,
        })
    }

    /// Draws one part with its material. `white` replaces missing images.
    fn surface(&self, pass: &Pass, part: &GpuPart, drawn: &Drawn, white: &Texture2D) {
        let program = &self.surface;
        pass.camera_uniforms(program);
        pass.light_uniforms(program);
        program.use_uniform(
            "in_sight",
            if drawn.actor.fades_in_front { pass.visible_region() } else { Vec4::new(0.0, 0.0, 0.0, 0.0) },
        );
        program.use_uniform("flat_faces", if part.flat { 1.0_f32 } else { 0.0 });
        set_material(program, &part.material, &drawn.shape.textures, white);
        let cull = part.cull();
        let states = if part.is_see_through() {
            RenderStates { cull, ..over(DepthTest::LessOrEqual) }
        } else {
            RenderStates { cull, depth_test: DepthTest::LessOrEqual, ..Default::default() }
        };
        part.draw(program, drawn.instances, states, pass.viewport);
    }
}
