//! Builds the renderer's [`Scene`] from a [`Frame`]: figure, ghosts, paths, handles.

mod boxes;
mod dynamics;
mod references;
mod source_rig;
mod targets;

use std::sync::Arc;

use egui::Color32;
use glam::{Affine3A, DVec3, Vec3};

use crate::theme;
use crate::viewport::handles::handle::{DynamicsHandle, HandlePart};
use crate::viewport::look::{Look, linear};
use crate::viewport::references::Reference;
use crate::viewport::walk;
use crate::viewport::walk::level::{LevelCache, LevelView};
use crate::viewport::walk::scene::Marks;
use portamento_anim::Model;
use portamento_anim::math::Bounds;
use portamento_render::pick;
use portamento_render::{
    Actor, Cloud, Dot, DrawnModel, Joint, LevelOverlay, LevelShape, Line, Palette, PlacedLevel, Scene, Solid,
};
use portamento_takes::document::{Asset, Loaded, ObstacleBox};
use portamento_takes::evaluate::{self, Frame, Ghost, GhostKind, Scenery, Trail, TrailKind};

/// Drawable data of the character and level that were shown last.
#[derive(Default)]
pub(super) struct SceneCache {
    figure: Option<(Asset<Loaded>, Arc<DrawnModel>)>,
    lands: LevelCache,
    references: references::ReferenceCache,
}

/// The contents of a picture.
pub struct Subject<'a> {
    /// The frame at the playhead.
    pub frame: &'a Frame,
    /// The handles of dynamic bones.
    pub handles: &'a [DynamicsHandle],
    /// The handle under the pointer.
    pub hovered_handle: Option<HandlePart>,
    /// The selected collider, which has handles.
    pub collider: Option<usize>,
    /// Hidden mesh instances.
    pub hidden: Vec<usize>,
    /// Positions of scene objects, in the file's unit.
    pub objects: Vec<Vec3>,
    /// Positions of the selected object's handles, in the file's unit.
    pub object: Vec<Vec3>,
    /// Boxes on the ground with the centres of their bases, metres.
    pub boxes: Vec<(DVec3, ObstacleBox)>,
    /// Reference meshes.
    pub references: Vec<Reference>,
    /// Ends of the pole that a cloth hangs from, in the file's unit.
    pub pole: Option<[Vec3; 2]>,
    /// Linear RGBA of the vertices while weights are painted.
    pub weights: Option<Arc<[[f32; 4]]>>,
    /// Display mode of the level.
    pub level_view: LevelView,
    /// Ghost of the motion before the open stage, if enabled.
    pub before_stage: Option<Ghost>,
    /// Onion skins before and after the playhead, if enabled.
    pub onion_skins: Vec<Ghost>,
    /// Stops and routes of a walk.
    pub walk: Option<Marks>,
    /// The second item of a pair, if it is drawn over this one.
    pub laid_over: Option<Actor>,
}

impl<'a> Subject<'a> {
    /// Returns `frame` without any overlay.
    pub(super) fn from_frame(frame: &'a Frame) -> Self {
        Self {
            frame,
            handles: &[],
            hovered_handle: None,
            collider: None,
            hidden: Vec::new(),
            objects: Vec::new(),
            object: Vec::new(),
            boxes: Vec::new(),
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

/// Linear RGBA of vertex-animated meshes without colours. White would hide their folds.
const PLAIN_COLOR: [f32; 4] = [0.42, 0.44, 0.48, 1.0];

/// Opacity of ghosts. Tuned; no derivation recorded.
const GHOST_OPACITY: f32 = 0.25;

/// Builds the scene of `subject`, with the options of `look`. `cache` keeps the drawable data between frames.
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
    cache.references.draw(&mut scene, &subject.references);
    boxes::draw(&mut scene, &subject.boxes, look);
    actors(&mut scene, cache.shape(&frame.character), subject, look);
    if look.overlays.trails {
        // On a long path dots would merge.
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
        targets::draw(&mut scene, frame, &subject.object, look);
    }
    scene
}

/// Adds the figure, its ghosts, and the second item of a pair, if they are visible.
fn actors(scene: &mut Scene, shape: Arc<DrawnModel>, subject: &Subject, look: &Look) {
    let frame = subject.frame;
    let actor = |world: &[Affine3A], morphs: &[f32], ghost| Actor {
        shape: shape.clone(),
        world: world.to_vec(),
        morphs: morphs.to_vec(),
        cloud: cloud(subject),
        hidden: subject.hidden.clone(),
        has_shadow: true,
        fades_in_front: false,
        ghost,
    };
    if look.overlays.mesh
        && let Some(world) = placed_joints(subject, look)
    {
        let meshed = frame.character.model.mesh_joints();
        let joints =
            world.iter().zip(meshed).filter(|(_, meshed)| *meshed).map(|(joint, _)| Vec3::from(joint.translation));
        scene.keep_visible = Bounds::around(joints);
        scene.actors.push(actor(&world, &frame.pose.morphs, None));
    }
    let overlay = frame.overlay.ghosts.iter().filter(|_| look.overlays.ghosts);
    let ghosts = overlay.chain(&subject.before_stage).chain(&subject.onion_skins);
    let elsewhere = ghosts.filter(|ghost| is_elsewhere(ghost, frame));
    scene.actors.extend(elsewhere.map(|ghost| actor(&ghost.world, &ghost.pose.morphs, Some(ghost_color(ghost.kind)))));
    scene.actors.extend(subject.laid_over.clone());
}

/// Returns the joints' world transforms, in scene units. Before a walk is solved, the character waits at the start; `None` if the
/// walk has no start.
fn placed_joints(subject: &Subject, look: &Look) -> Option<Vec<Affine3A>> {
    let frame = subject.frame;
    if frame.scenery.is_none() || walk::walked(frame).is_some_and(|walked| walked.walk.is_some()) {
        return Some(frame.world.clone());
    }
    let start = subject.walk.as_ref().and_then(|marks| marks.walk.stops.first())?;
    let to_start = Affine3A::from_translation((*start / look.metres).as_vec3());
    Some(frame.world.iter().map(|transform| to_start * *transform).collect())
}

/// Returns the ground height under the figure, in scene units: that of the walk at the playhead, else 0.
fn floor(subject: &Subject, look: &Look) -> f32 {
    let frame = subject.frame;
    let walk = walk::walked(frame).and_then(|walked| walked.walk.as_ref());
    let start = || subject.walk.as_ref().and_then(|marks| marks.walk.stops.first().copied());
    let position = walk.map(|walk| walk.placement_at(frame.time).at).or_else(start);
    position.map_or(0.0, |position| (position.y / look.metres) as f32)
}

impl SceneCache {
    /// Returns the faces of a level, which are cached.
    pub fn level(&mut self, scenery: &Scenery) -> Arc<LevelShape> {
        self.lands.level(scenery)
    }

    /// True if something is still being prepared for drawing.
    pub fn is_waiting(&self) -> bool {
        self.lands.is_waiting()
    }

    /// Returns the level of `frame` and its overlay in the mode `view`. The level is `None` if the frame has none; the overlay is
    /// empty until it is computed.
    fn placed(&mut self, frame: &Frame, view: LevelView) -> (Option<PlacedLevel>, Vec<Arc<LevelOverlay>>) {
        let Some(scenery) = &frame.scenery else { return (None, Vec::new()) };
        let seen = walk::walked(frame).and_then(|walked| self.lands.view(&walked.ground, view));
        let faded = if seen.is_some() { 0.85 } else { 0.0 };
        (Some(PlacedLevel { shape: self.lands.level(scenery), faded }), seen.into_iter().collect())
    }

    /// Returns the drawable data of `character`, cached for the last character.
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

/// Largest number of dots for a point cache without faces; beyond it every n-th point is drawn. Tuned; no derivation recorded.
const MAX_POINTS: usize = 20_000;

/// Adds the points of a cache without faces as dots, at most [`MAX_POINTS`]. Adds nothing for other frames.
fn points(scene: &mut Scene, frame: &Frame, look: &Look) {
    let evaluate::FrameContent::Vertices { positions, .. } = &frame.content else { return };
    let mut parts = frame.character.model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    if !look.overlays.mesh || parts.any(|part| !part.indices.is_empty()) {
        return;
    }
    let (color, size) = (linear(theme::view().ink), 2.0 * look.pixels_per_point);
    let seen = positions.iter().step_by(positions.len().div_ceil(MAX_POINTS).max(1));
    scene.dots.extend(seen.map(|&at| Dot { at, color, size, on_top: false }));
}

/// Returns the vertex positions of a vertex-animated frame, with painted weights as colours if they are shown. `None` for
/// frames without moving vertices.
fn cloud(subject: &Subject) -> Option<Cloud> {
    let frame = subject.frame;
    let evaluate::FrameContent::Vertices { positions, normals } = &frame.content else { return None };
    let plain = || (!has_surface(&frame.character.model)).then(|| vec![PLAIN_COLOR; positions.len()].into());
    let colors = subject.weights.clone().or_else(plain);
    Some(Cloud { positions: positions.clone(), normals: normals.clone(), colors })
}

/// True if `model` has textures, material colours or vertex colours.
fn has_surface(model: &Model) -> bool {
    let mut parts = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let coloured = model.materials.iter().any(|material| material.base_color != [1.0; 4]);
    coloured || !model.textures.is_empty() || parts.any(|part| !part.colors.is_empty())
}

/// Returns the colours of the ground and sky, each channel as 0…1 without conversion to linear.
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
    [r, g, b, GHOST_OPACITY]
}

/// True if a joint of the ghost is elsewhere than the figure's, by more than 0.001 scene units. An identical ghost would only
/// tint the figure.
fn is_elsewhere(ghost: &Ghost, frame: &Frame) -> bool {
    let far = |(a, b): (&Affine3A, &Affine3A)| !a.translation.abs_diff_eq(b.translation, 1e-3);
    ghost.world.iter().zip(&frame.world).any(far)
}

/// Drawing style of paths.
#[derive(Clone, Copy)]
struct TrailStyle {
    /// The playhead, seconds.
    now: f64,
    /// True if each frame has a dot.
    has_dots: bool,
}

/// Adds the path of a trail, coloured by speed, with dots at reversed frames, at the playhead and under the pointer. The path
/// of the source has one colour.
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

/// Longest bone of a root as a share of the body's size. A root on the ground is half a body below the hips.
const ROOT_BONE_MAX_SHARE: f32 = 0.75;

/// Adds the bones of the joints that deform the mesh, and of the selected one. If a mesh is shown and the overlay of joints is
/// off, only the selected one is drawn.
fn joints(scene: &mut Scene, frame: &Frame, look: &Look) {
    let skeleton = &frame.character.model.skeleton;
    let deforming = frame.character.model.deforming_joints();
    let tokens = theme::over_view();
    let head_of = |joint: usize| Vec3::from(frame.world[joint].translation);
    let child_joints =
        (0..frame.world.len().min(skeleton.len())).filter(|&joint| skeleton.joints[joint].parent.is_some());
    let body = child_joints.fold(None, |bounds: Option<[Vec3; 2]>, joint| {
        let at = head_of(joint);
        Some(bounds.map_or([at; 2], |[low, high]| [low.min(at), high.max(at)]))
    });
    let body_size = body.map_or(f32::INFINITY, |[low, high]| ROOT_BONE_MAX_SHARE * low.distance(high));
    // A rig without a mesh shows its joints.
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
            let ends = [head_of(joint), head_of(child)];
            // A root far from the body is tied to it by a line, since a bone of that size would hide the body.
            if skeleton.joints[joint].parent.is_none() && ends[0].distance(ends[1]) > body_size {
                let width = look.pixels_per_point;
                scene.lines.push(Line { points: ends.to_vec(), colors: vec![color; 2], width, on_top: true });
                continue;
            }
            scene.joints.push(Joint { head: ends[0], tail: ends[1], color });
        }
        if !has_child {
            let size = 5.0 * look.pixels_per_point;
            scene.dots.push(Dot { at: head_of(joint), color, size, on_top: true });
        }
    }
}

fn pole(scene: &mut Scene, ends: [Vec3; 2], look: &Look) {
    let color = linear(theme::mix(theme::view().sky, theme::view().ink, 0.5));
    let width = 4.0 * look.pixels_per_point;
    scene.lines.push(Line { points: ends.to_vec(), colors: vec![color; 2], width, on_top: false });
}

/// Adds a pin at `at`: a cone standing on its tip, with constant screen size.
fn marker(scene: &mut Scene, at: Vec3, look: &Look) {
    let unit = look.camera.units_per_pixel(look.size.y) * pick::depth_factor(&look.camera, at);
    let color = linear(theme::mix(theme::view().sky, theme::view().ink, 0.75));
    scene.solids.push(Solid { base: at + Vec3::Y * unit * 18.0, tip: at, radius: unit * 6.0, color });
}
