//! A [`Frame`] as the renderer takes it: colours, ghosts, handles.

mod dynamics;
mod references;
mod source_rig;
mod targets;

use std::sync::Arc;

use egui::Color32;
use glam::{Affine3A, Vec3};

use crate::theme;
use crate::viewport::handles::handle::{DynamicsHandle, HandlePart};
use crate::viewport::look::{Look, linear};
use crate::viewport::references::Reference;
use crate::viewport::walk;
use crate::viewport::walk::level::{Lands, LevelView};
use crate::viewport::walk::scene::Marks;
use portamento_anim::Model;
use portamento_anim::math::Bounds;
use portamento_render::pick;
use portamento_render::{
    Actor, Cloud, Dot, DrawnModel, Joint, Land, LevelShape, Line, Palette, PlacedLevel, Scene, Solid,
};
use portamento_takes::document::{Asset, Loaded};
use portamento_takes::evaluate::{self, Frame, Ghost, GhostKind, Scenery, Trail, TrailKind};

/// The drawable parts of the character and the level that were shown last.
#[derive(Default)]
pub(super) struct SceneCache {
    figure: Option<(Asset<Loaded>, Arc<DrawnModel>)>,
    lands: Lands,
    rested: references::Rested,
}

/// What is in the picture.
pub struct Subject<'a> {
    /// What is shown at the playhead.
    pub frame: &'a Frame,
    /// The handles of dynamic bones.
    pub handles: &'a [DynamicsHandle],
    /// The one under the pointer.
    pub hovered_handle: Option<HandlePart>,
    /// The collider with handles.
    pub collider: Option<usize>,
    /// Placed meshes that are not drawn.
    pub hidden: Vec<usize>,
    /// Where scene objects stand, in the file's unit.
    pub objects: Vec<Vec3>,
    /// Where the selected object is taken hold of, in the file's unit.
    pub object: Option<Vec3>,
    /// Meshes that stand beside it.
    pub references: Vec<Reference>,
    /// Ends of what cloth hangs from, in the file's unit.
    pub pole: Option<[Vec3; 2]>,
    /// Linear RGBA of the vertices, while weights are painted.
    pub weights: Option<Arc<[[f32; 4]]>>,
    /// What is seen of a level.
    pub level_view: LevelView,
    /// The motion without the open stage, where that is seen.
    pub before_stage: Option<Ghost>,
    /// The same motion a while before and after the playhead, where that is seen.
    pub onion_skins: Vec<Ghost>,
    /// Stops and routes, for walks.
    pub walk: Option<Marks>,
    /// What is laid over it to be compared.
    pub laid_over: Option<Actor>,
}

impl<'a> Subject<'a> {
    /// `frame` with nothing laid over it.
    pub(super) fn from_frame(frame: &'a Frame) -> Self {
        Self {
            frame,
            handles: &[],
            hovered_handle: None,
            collider: None,
            hidden: Vec::new(),
            objects: Vec::new(),
            object: None,
            references: Vec::new(),
            pole: None,
            weights: None,
            level_view: LevelView::default(),
            before_stage: None,
            onion_skins: Vec::new(),
            walk: None,
            laid_over: None,
        }
    }
}

/// Linear RGBA of a mesh without colours of its own: white would hide its folds.
const PLAIN: [f32; 4] = [0.42, 0.44, 0.48, 1.0];

/// How much a ghost covers.
const GHOST: f32 = 0.25;

/// The picture of `subject`.
pub fn build(cache: &mut SceneCache, subject: &Subject, look: &Look) -> Scene {
    let frame = subject.frame;
    let (level, lands) = cache.placed(frame, subject.level_view);
    let mut scene = Scene {
        level,
        lands,
        units_per_metre: (1.0 / look.metres) as f32,
        floor: floor(subject, look),
        grid: look.overlays.grid && frame.scenery.is_none(),
        ..Scene::empty(palette())
    };
    cache.rested.draw(&mut scene, &subject.references);
    actors(&mut scene, cache.shape(&frame.character), subject, look);
    if look.overlays.trails {
        // On a long way dots would run into each other.
        let style = TrailStyle { now: frame.time, has_dots: frame.scenery.is_none() };
        frame.overlay.trails.iter().for_each(|each| trail(&mut scene, each, look, style));
    }
    joints(&mut scene, frame, look);
    source_rig::draw(&mut scene, frame, look);
    points(&mut scene, frame, look);
    subject.pole.iter().for_each(|&ends| pole(&mut scene, ends, look));
    if let Some(marks) = &subject.walk {
        walk::scene::draw(&mut scene, frame, marks, look);
    }
    subject.objects.iter().for_each(|&at| marker(&mut scene, at, look));
    if let Some(bones) = &frame.dynamics {
        dynamics::draw(&mut scene, bones, look, subject.collider);
        if look.has_handles {
            dynamics::handles(&mut scene, subject.handles, look, subject.hovered_handle);
        }
    }
    if look.has_handles {
        targets::draw(&mut scene, frame, subject.object, look);
    }
    scene
}

/// The figure of the frame and the ghosts around it.
fn actors(scene: &mut Scene, shape: Arc<DrawnModel>, subject: &Subject, look: &Look) {
    let frame = subject.frame;
    let actor = |world: &[Affine3A], morphs: &[f32], ghost| Actor {
        shape: shape.clone(),
        world: world.to_vec(),
        morphs: morphs.to_vec(),
        cloud: cloud(subject),
        hidden: subject.hidden.clone(),
        has_shadow: true,
        gives_way: false,
        ghost,
    };
    if look.overlays.mesh
        && let Some(world) = placed_joints(subject, look)
    {
        let meshed = frame.character.model.mesh_joints();
        let joints =
            world.iter().zip(meshed).filter(|(_, meshed)| *meshed).map(|(joint, _)| Vec3::from(joint.translation));
        scene.in_sight = Bounds::around(joints);
        scene.actors.push(actor(&world, &frame.pose.morphs, None));
    }
    let overlay = frame.overlay.ghosts.iter().filter(|_| look.overlays.ghosts);
    let ghosts = overlay.chain(&subject.before_stage).chain(&subject.onion_skins);
    let elsewhere = ghosts.filter(|ghost| is_elsewhere(ghost, frame));
    scene.actors.extend(elsewhere.map(|ghost| actor(&ghost.world, &ghost.pose.morphs, Some(ghost_color(ghost.kind)))));
    scene.actors.extend(subject.laid_over.clone());
}

/// Where the joints of the figure are: before it walks it waits at the start, if there is one.
fn placed_joints(subject: &Subject, look: &Look) -> Option<Vec<Affine3A>> {
    let frame = subject.frame;
    if frame.scenery.is_none() || walk::walked(frame).is_some_and(|walked| walked.walk.is_some()) {
        return Some(frame.world.clone());
    }
    let start = subject.walk.as_ref().and_then(|marks| marks.walk.stops.first())?;
    let way = Affine3A::from_translation((*start / look.metres).as_vec3());
    Some(frame.world.iter().map(|place| way * *place).collect())
}

/// Height of the ground under the figure.
fn floor(subject: &Subject, look: &Look) -> f32 {
    let frame = subject.frame;
    let walk = walk::walked(frame).and_then(|walked| walked.walk.as_ref());
    let start = || subject.walk.as_ref().and_then(|marks| marks.walk.stops.first().copied());
    let place = walk.map(|walk| walk.place_at(frame.time).at).or_else(start);
    place.map_or(0.0, |place| (place.y / look.metres) as f32)
}

impl SceneCache {
    /// The faces of a level.
    pub fn level(&mut self, scenery: &Scenery) -> Arc<LevelShape> {
        self.lands.level(scenery)
    }

    /// Whether something is being made ready to be drawn.
    pub fn is_waiting(&self) -> bool {
        self.lands.is_waiting()
    }

    /// The level of `frame`, and what lies over it.
    fn placed(&mut self, frame: &Frame, view: LevelView) -> (Option<PlacedLevel>, Vec<Arc<Land>>) {
        let Some(scenery) = &frame.scenery else { return (None, Vec::new()) };
        let seen = walk::walked(frame).and_then(|walked| self.lands.view(&walked.ground, view));
        let faded = if seen.is_some() { 0.85 } else { 0.0 };
        (Some(PlacedLevel { shape: self.lands.level(scenery), faded }), seen.into_iter().collect())
    }

    /// The drawable part of `character`.
    pub fn shape(&mut self, character: &Asset<Loaded>) -> Arc<DrawnModel> {
        match &self.figure {
            Some((known, shape)) if known == character => shape.clone(),
            _ => {
                let shape = Arc::new(DrawnModel(character.model.clone()));
                self.figure = Some((character.clone(), shape.clone()));
                shape
            }
        }
    }
}

/// Most dots that stand for the points of a cache; of more every n-th is seen.
const POINTS: usize = 20_000;

/// The points of a cache that has no faces.
fn points(scene: &mut Scene, frame: &Frame, look: &Look) {
    let evaluate::FrameContent::Vertices { positions, .. } = &frame.content else { return };
    let mut parts = frame.character.model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    if !look.overlays.mesh || parts.any(|part| !part.indices.is_empty()) {
        return;
    }
    let (color, size) = (linear(theme::view().ink), 2.0 * look.pixels_per_point);
    let seen = positions.iter().step_by(positions.len().div_ceil(POINTS).max(1));
    scene.dots.extend(seen.map(|&at| Dot { at, color, size, on_top: false }));
}

/// The mesh of a frame that moves vertex by vertex, in the colours of its weights where they are seen.
fn cloud(subject: &Subject) -> Option<Cloud> {
    let frame = subject.frame;
    let evaluate::FrameContent::Vertices { positions, normals } = &frame.content else { return None };
    let plain = || (!has_surface(&frame.character.model)).then(|| vec![PLAIN; positions.len()].into());
    let colors = subject.weights.clone().or_else(plain);
    Some(Cloud { positions: positions.clone(), normals: normals.clone(), colors })
}

/// Whether `model` has textures or colours of its own.
fn has_surface(model: &Model) -> bool {
    let mut parts = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let coloured = model.materials.iter().any(|material| material.base_color != [1.0; 4]);
    coloured || !model.textures.is_empty() || parts.any(|part| !part.colors.is_empty())
}

fn palette() -> Palette {
    let part = |color: Color32| [color.r(), color.g(), color.b()].map(|byte| f32::from(byte) / 255.0);
    Palette {
        sky: part(theme::view().sky),
        ground: part(theme::view().floor),
        grid: part(theme::view().grid),
        axis_x: part(theme::AXES[0]),
        axis_z: part(theme::AXES[2]),
        shadow: 1.0,
    }
}

fn ghost_color(kind: GhostKind) -> [f32; 4] {
    let tokens = theme::over_view();
    let color = match kind {
        GhostKind::SourceEnd => theme::mix(tokens.source, theme::view().ink, 0.4),
        GhostKind::ResultEnd => tokens.accent,
        GhostKind::BeforeStage => theme::mix(tokens.target, theme::view().ink, 0.3),
        GhostKind::Earlier => theme::mix(tokens.ok, theme::view().ink, 0.2),
        GhostKind::Later => theme::mix(tokens.selection, theme::view().ink, 0.2),
    };
    let [r, g, b, _] = linear(color);
    [r, g, b, GHOST]
}

/// A ghost in the very place of the figure would only tint it.
fn is_elsewhere(ghost: &Ghost, frame: &Frame) -> bool {
    let far = |(a, b): (&Affine3A, &Affine3A)| !a.translation.abs_diff_eq(b.translation, 1e-3);
    ghost.world.iter().zip(&frame.world).any(far)
}

/// How paths are drawn.
#[derive(Clone, Copy)]
struct TrailStyle {
    /// The playhead, seconds.
    now: f64,
    /// Whether each frame has a dot.
    has_dots: bool,
}

fn trail(scene: &mut Scene, trail: &Trail, look: &Look, style: TrailStyle) {
    let tokens = theme::over_view();
    let fastest = trail.speeds.iter().copied().fold(1e-9, f64::max);
    let is_source = trail.kind == TrailKind::Source;
    let color = |i: usize| match trail.kind {
        TrailKind::Source => linear(tokens.source),
        TrailKind::Result => linear(theme::ramp((trail.speeds.get(i).copied().unwrap_or(0.0) / fastest) as f32)),
    };
    let points: Vec<Vec3> = trail.points.iter().map(|point| point.as_vec3()).collect();
    let colors: Vec<[f32; 4]> = (0..points.len()).map(color).collect();
    let (width, dot) = if is_source { (1.0, 2.5) } else { (2.5, 5.0) };
    let dotted = if style.has_dots { points.len() } else { 0 };
    for (i, &at) in points.iter().take(dotted).enumerate() {
        let back = trail.reversed.get(i) == Some(&true);
        let color = if back { linear(tokens.error) } else { colors[i] };
        let size = if back { dot * 1.8 } else { dot };
        scene.dots.push(Dot { at, color, size: size * look.pixels_per_point, on_top: !is_source });
    }
    let marks = [
        (Some(style.now), theme::view().ink),
        (look.hover_time, theme::mix(theme::view().sky, theme::view().ink, 0.7)),
    ];
    for (time, color) in marks.into_iter().filter(|_| !is_source) {
        if let Some(i) = time.and_then(|time| trail.nearest(time)) {
            let size = 10.0 * look.pixels_per_point;
            scene.dots.push(Dot { at: points[i], color: linear(color), size, on_top: true });
        }
    }
    scene.lines.push(Line { points, colors, width: width * look.pixels_per_point, on_top: !is_source });
}

fn joints(scene: &mut Scene, frame: &Frame, look: &Look) {
    let skeleton = &frame.character.model.skeleton;
    let deforming = frame.character.model.deforming_joints();
    let tokens = theme::over_view();
    let place = |joint: usize| Vec3::from(frame.world[joint].translation);
    // A rig without a mesh is its joints.
    let all = look.overlays.joints || frame.character.model.instances.is_empty() || !look.overlays.mesh;
    for joint in 0..frame.world.len().min(skeleton.len()) {
        let on = look.selected == Some(joint);
        if !(on || all && deforming.get(joint) == Some(&true)) {
            continue;
        }
        let color = linear(if on { tokens.selection } else { theme::mix(theme::view().sky, theme::view().ink, 0.75) });
        let mut has_child = false;
        for child in skeleton.children(joint) {
            has_child = true;
            scene.joints.push(Joint { head: place(joint), tail: place(child), color });
        }
        if !has_child {
            let size = 5.0 * look.pixels_per_point;
            scene.dots.push(Dot { at: place(joint), color, size, on_top: true });
        }
    }
}

fn pole(scene: &mut Scene, ends: [Vec3; 2], look: &Look) {
    let color = linear(theme::mix(theme::view().sky, theme::view().ink, 0.5));
    let width = 4.0 * look.pixels_per_point;
    scene.lines.push(Line { points: ends.to_vec(), colors: vec![color; 2], width, on_top: false });
}

/// A pin: a cone that stands on its tip.
fn marker(scene: &mut Scene, at: Vec3, look: &Look) {
    let unit = look.camera.units_per_pixel(look.size.y) * pick::depth_factor(&look.camera, at);
    let color = linear(theme::mix(theme::view().sky, theme::view().ink, 0.75));
    scene.solids.push(Solid { base: at + Vec3::Y * unit * 18.0, tip: at, radius: unit * 6.0, color });
}
