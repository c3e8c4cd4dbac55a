//! Draws a [`Scene`] into a multisampled target and copies it into the window.

use std::sync::Arc;

use three_d::context;
use three_d::core::*;
use three_d::{CpuTexture, TextureData, Vec2, Vec3, Viewport};

use super::characters::figures::Figures;
use super::characters::still_ghosts::{Samples, StillGhosts};
use super::gpu::pass::{Pass, over};
use super::gpu::shaders;
use super::gpu::surface::set_material;
use super::level::land::{self, GpuLand};
use super::level::level_shape::{self, GpuLevel, GpuLevelPart};
use super::lines::solids::Triangles;
use super::lines::strokes::Strokes;
use super::scene::{Palette, Scene};
use super::{Camera, Skinning, shadow};

/// Samples per pixel: enough for smooth silhouettes, and every OpenGL 3.3 card has them.
const SAMPLES: u32 = 4;

/// Owns all buffers and programs of the viewport. Lives as long as the window's OpenGL context.
pub struct Renderer {
    context: Context,
    programs: Programs,
    /// One triangle that covers the picture, clip space.
    screen: VertexBuffer<Vec2>,
    /// A square from −1 to 1, as two triangles, for the ground grid.
    ground: VertexBuffer<Vec2>,
    /// One white pixel for missing images.
    white: Texture2D,
    /// Up to two targets for reuse, latest first.
    targets: Vec<Target>,
    figures: Figures,
    ghosts: StillGhosts,
    lands: Vec<GpuLand>,
    levels: Vec<GpuLevel>,
}

/// An off-screen target, reused while the picture size stays the same.
struct Target {
    samples: Samples,
    /// The resolved picture, one sample per pixel, in the window's resolution.
    image: Texture2D,
}

/// The programs of everything except figures.
struct Programs {
    level: Program,
    land: Program,
    solid: Program,
    stroke: Program,
    background: Program,
    copy: Program,
    grid: Program,
    shadow: Program,
}

/// Rectangles of the window to draw in. Pixels from the lower left corner: x, y, width, height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// The viewport's rectangle.
    pub view: [i32; 4],
    /// The visible part of the viewport (scissor rectangle).
    pub clip: [i32; 4],
    /// Width and height of the window.
    pub window: [u32; 2],
}

impl Renderer {
    /// Creates a renderer with the skinning of the environment, else the faster one for the card; the CPU if that fails.
    ///
    /// Returns the driver's message on failure.
    pub fn new(gl: Arc<context::Context>) -> Result<Self, String> {
        if let Some(asked) = Skinning::from_environment() {
            return Self::with_skinning(gl, asked);
        }
        let better = Self::with_skinning(gl.clone(), Skinning::for_context(&gl));
        better.or_else(|_| Self::with_skinning(gl, Skinning::Cpu))
    }

    /// Creates a renderer that skins figures with `skinning`. Figures that do not fit into GPU memory tables are still skinned on
    /// the CPU. Returns the driver's message on failure.
    pub fn with_skinning(gl: Arc<context::Context>, skinning: Skinning) -> Result<Self, String> {
        let context = Context::from_gl_context(gl).map_err(|error| error.to_string())?;
        let programs = Programs::new(&context)?;
        let figures = Figures::new(&context, skinning)?;
        let corners = |points: &[[f32; 2]]| points.iter().map(|&[x, y]| Vec2::new(x, y)).collect::<Vec<_>>();
        let screen = VertexBuffer::new_with_data(&context, &corners(&[[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]));
        let square = corners(&[[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]);
        let ground = VertexBuffer::new_with_data(&context, &square);
        let white =
            CpuTexture { data: TextureData::RgbaU8(vec![[255; 4]]), width: 1, height: 1, ..CpuTexture::default() };
        let white = Texture2D::new(&context, &white);
        let ghosts = StillGhosts::new(&context)?;
        Ok(Self {
            context,
            programs,
            screen,
            ground,
            white,
            targets: Vec::new(),
            figures,
            ghosts,
            lands: Vec::new(),
            levels: Vec::new(),
        })
    }

    /// Draws `scene` into `area` of the window. Does nothing if no part of the viewport is visible.
    pub fn paint(&mut self, scene: &Scene, camera: &Camera, area: &Area) {
        let view = viewport(area.view);
        let clip = viewport(area.clip);
        let clip = ScissorBox { x: clip.x, y: clip.y, width: clip.width, height: clip.height };
        let visible = clip.intersection(view);
        // An empty scissor rectangle would disable the scissor test and paint over the whole window.
        if visible.width == 0 || visible.height == 0 {
            return;
        }
        let target = self.draw(scene, camera, view.width, view.height);
        let window = RenderTarget::screen(&self.context, area.window[0], area.window[1]);
        let copy = &self.programs.copy;
        ignore_result(window.write_partially(visible, || {
            copy.use_texture("image", &target.image);
            copy.use_vertex_attribute("corner", &self.screen);
            copy.draw_arrays(RenderStates::default(), view, 3);
            Ok(())
        }));
        self.store(target);
    }

    /// Draws `scene` into an off-screen picture of `width` × `height` pixels and returns its RGBA pixels, top row first.
    pub fn image(&mut self, scene: &Scene, camera: &Camera, width: u32, height: u32) -> Vec<[u8; 4]> {
        let target = self.draw(scene, camera, width, height);
        let pixels = target.image.as_color_target(None).read();
        self.store(target);
        pixels
    }

    /// Draws `scene` into an off-screen target of `width` × `height` pixels and returns it for [`Self::store`].
    ///
    /// Drops the buffers of figures, levels and overlays that no longer exist.
    fn draw(&mut self, scene: &Scene, camera: &Camera, width: u32, height: u32) -> Target {
        self.figures.prepare(&self.context, scene);
        self.lands.retain(|land| !land.is_gone());
        self.levels.retain(|level| !level.is_gone());
        let fits = |target: &Target| target.samples.width() == width && target.samples.height() == height;
        let reusable = self.targets.iter().position(fits).map(|at| self.targets.remove(at));
        let target = reusable.unwrap_or_else(|| Target::new(&self.context, width, height));
        let pass = Pass::new(scene, camera, width, height);
        self.ghosts.update(&self.context, &pass, &mut self.figures, &target.samples);
        target.samples.clear(ClearState::color_and_depth(0.0, 0.0, 0.0, 1.0, 1.0));
        ignore_result(target.samples.write(|| {
            self.background(&pass);
            self.lands(&pass);
            self.figures.draw(&pass, &self.white);
            self.floor(&pass);
            self.ghosts.draw(&pass, &mut self.figures);
            self.marks(&pass);
            Ok(())
        }));
        target.samples.resolve_color_to(&target.image.as_color_target(None));
        target
    }

    /// Stores `target` for reuse, and the one stored before it. One large view and many small ones alternate.
    fn store(&mut self, target: Target) {
        self.targets.truncate(1);
        self.targets.insert(0, target);
    }

    /// Fills the picture with the gradient from sky to ground, without depth.
    fn background(&self, pass: &Pass) {
        let Palette { sky, ground, .. } = pass.scene.palette;
        let program = &self.programs.background;
        program.use_uniform("sky", Vec3::from(sky));
        program.use_uniform("ground", Vec3::from(ground));
        program.use_vertex_attribute("corner", &self.screen);
        let states = RenderStates { depth_test: DepthTest::Always, write_mask: WriteMask::COLOR, ..Default::default() };
        program.draw_arrays(states, pass.viewport, 3);
    }

    /// Draws the overlays, then the level: opaque parts first. Uploads new ones.
    fn lands(&mut self, pass: &Pass) {
        for land in &pass.scene.lands {
            let program = &self.programs.land;
            pass.camera_uniforms(program);
            pass.light_uniforms(program);
            program.use_uniform("metre", pass.scene.units_per_metre);
            land::buffers(&mut self.lands, &self.context, land).draw(program, pass.viewport);
        }
        let Some(placed) = &pass.scene.level else { return };
        let level = level_shape::buffers(&mut self.levels, &self.context, &placed.shape);
        for see_through in [false, true] {
            for part in level.parts.iter().filter(|part| part.is_see_through() == see_through) {
                self.programs.level(pass, part, placed.faded, level, &self.white);
            }
        }
    }

    /// Draws contact shadows, then the grid if the scene has one.
    fn floor(&self, pass: &Pass) {
        let states = over(DepthTest::LessOrEqual);
        self.shadow(pass, states);
        if !pass.scene.grid {
            return;
        }
        let program = &self.programs.grid;
        let palette = &pass.scene.palette;
        pass.camera_uniforms(program);
        program.use_uniform("grid", Vec3::from(palette.grid));
        program.use_uniform("axis_x", Vec3::from(palette.axis_x));
        program.use_uniform("axis_z", Vec3::from(palette.axis_z));
        program.use_uniform("middle", pass.floor_middle);
        program.use_uniform("reach", pass.floor_reach);
        program.use_uniform("metre", pass.scene.units_per_metre);
        program.use_vertex_attribute("corner", &self.ground);
        program.draw_arrays(states, pass.viewport, 6);
    }

    /// Draws the contact shadows of all figures with `states`; nothing if there are none.
    fn shadow(&self, pass: &Pass, states: RenderStates) {
        let discs = shadow::discs(pass.scene);
        if discs.positions.is_empty() {
            return;
        }
        let program = &self.programs.shadow;
        pass.camera_uniforms(program);
        let positions = VertexBuffer::new_with_data(&self.context, &discs.positions);
        let forms = VertexBuffer::new_with_data(&self.context, &discs.forms);
        program.use_vertex_attribute("position", &positions);
        program.use_vertex_attribute("disc", &forms);
        program.draw_arrays(states, pass.viewport, discs.positions.len() as u32);
    }

    /// Draws, in this order: paths behind figures, joints, paths on top, handles.
    fn marks(&self, pass: &Pass) {
        self.strokes(pass, false);
        self.solids(pass, &Triangles::build(&pass.scene.joints, &[]));
        self.strokes(pass, true);
        self.solids(pass, &Triangles::build(&[], &pass.scene.solids));
    }

    /// Draws the lines and dots whose `on_top` equals the parameter. Those on top ignore depth.
    fn strokes(&self, pass: &Pass, on_top: bool) {
        let strokes = Strokes::build(&pass.scene.lines, &pass.scene.dots, on_top, pass.clip_from_world, pass.size);
        if strokes.positions.is_empty() {
            return;
        }
        let program = &self.programs.stroke;
        let positions = VertexBuffer::new_with_data(&self.context, &strokes.positions);
        let colors = VertexBuffer::new_with_data(&self.context, &strokes.colors);
        let shapes = VertexBuffer::new_with_data(&self.context, &strokes.shapes);
        program.use_vertex_attribute("position", &positions);
        program.use_vertex_attribute("color", &colors);
        program.use_vertex_attribute("shape", &shapes);
        let states = over(if on_top { DepthTest::Always } else { DepthTest::LessOrEqual });
        program.draw_arrays(states, pass.viewport, strokes.positions.len() as u32);
    }

    /// Draws `triangles` over everything, whatever their depth.
    fn solids(&self, pass: &Pass, triangles: &Triangles) {
        if triangles.positions.is_empty() {
            return;
        }
        let program = &self.programs.solid;
        pass.camera_uniforms(program);
        program.use_uniform("key", pass.key);
        let positions = VertexBuffer::new_with_data(&self.context, &triangles.positions);
        let normals = VertexBuffer::new_with_data(&self.context, &triangles.normals);
        let colors = VertexBuffer::new_with_data(&self.context, &triangles.colors);
        program.use_vertex_attribute("position", &positions);
        program.use_vertex_attribute("normal", &normals);
        program.use_vertex_attribute("color", &colors);
        let states = RenderStates { cull: Cull::Back, ..over(DepthTest::Always) };
        program.draw_arrays(states, pass.viewport, triangles.positions.len() as u32);
    }
}

impl Target {
    fn new(context: &Context, width: u32, height: u32) -> Self {
        let (nearest, edge) = (Interpolation::Nearest, Wrapping::ClampToEdge);
        Self {
            samples: RenderTargetMultisample::new(context, width, height, SAMPLES),
            image: Texture2D::new_empty::<[u8; 4]>(context, width, height, nearest, nearest, None, edge, edge),
        }
    }
}

impl Programs {
    /// Compiles the programs. Returns the driver's message on failure.
    fn new(context: &Context) -> Result<Self, String> {
        let program = |vertex: &str, fragment: &str| {
            Program::from_source(context, vertex, fragment).map_err(|error| error.to_string())
        };
        Ok(Self {
            land: program(shaders::LAND_VERTEX, &shaders::land_fragment())?,
            level: program(shaders::LEVEL_VERTEX, &shaders::level_fragment())?,
            solid: program(shaders::SOLID_VERTEX, &shaders::solid_fragment())?,
            stroke: program(shaders::STROKE_VERTEX, &shaders::stroke_fragment())?,
            background: program(shaders::SCREEN_VERTEX, shaders::BACKGROUND_FRAGMENT)?,
            copy: program(shaders::SCREEN_VERTEX, shaders::COPY_FRAGMENT)?,
            grid: program(shaders::GROUND_VERTEX, shaders::GRID_FRAGMENT)?,
            shadow: program(shaders::SHADOW_VERTEX, shaders::SHADOW_FRAGMENT)?,
        })
    }

    /// Draws one part of `level` with its material, desaturated by `faded`, 0 … 1. `white` replaces missing images.
    fn level(&self, pass: &Pass, part: &GpuLevelPart, faded: f32, level: &GpuLevel, white: &Texture2D) {
        let program = &self.level;
        pass.camera_uniforms(program);
        pass.light_uniforms(program);
        program.use_uniform("metre", pass.scene.units_per_metre);
        program.use_uniform("faded", faded);
        program.use_uniform("in_sight", pass.visible_region());
        program.use_uniform("flat_faces", if part.flat { 1.0_f32 } else { 0.0 });
        set_material(program, &part.material, &level.textures, white);
        level.occlusion.iter().for_each(|occlusion| occlusion.set_uniforms(program));
        let cull = if part.has_back() { Cull::None } else { Cull::Back };
        let states = match part.is_see_through() {
            true => RenderStates { cull, ..over(DepthTest::LessOrEqual) },
            false => RenderStates { cull, depth_test: DepthTest::LessOrEqual, ..Default::default() },
        };
        part.draw(program, states, pass.viewport);
    }
}

fn viewport([x, y, width, height]: [i32; 4]) -> Viewport {
    Viewport { x, y, width: width.max(0) as u32, height: height.max(0) as u32 }
}

/// Drops the result of a write. `write` returns only errors of its closure, and these closures never fail.
fn ignore_result<T>(result: Result<T, CoreError>) {
    drop(result);
}
