//! Brush strokes over meshes, images and ground, from press to release.
//!
//! The window reports pointer rays and button events. This module decides which units a dab reaches, how dabs are
//! spaced and how weights change.

use std::sync::Arc;

use glam::{DVec3, Vec2, Vec3};

use super::surface::Surface;
use super::surface_index::{SurfaceHit, SurfaceIndex};
use super::tool::{PaintTarget, Painting, StrokeKeys, Tool};
use super::{Canvas, PaintContext};
use crate::{JobKey, Session};
use portamento_anim::geometry::triangle_bvh::Faces;
use portamento_anim::geometry::weight_paint::{self, Brush, BrushMode};
use portamento_anim::math::{Bounds, WeightMap};
use portamento_anim::media::VertexClip;
use portamento_base::progress::{Cancelled, Progress};
use portamento_takes::evaluate::FrameContent;

/// The target of a screen position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// A ray into the scene, file units.
    Ray {
        /// Start of the ray.
        origin: Vec3,
        /// Direction of the ray; not zero, not necessarily normalised.
        direction: Vec3,
    },
    /// A position on an image, pixels from the upper left corner.
    Pixel(Vec2),
}

/// The point of the painted surface under the brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrushSpot {
    /// Position: file units on meshes, pixels on images, metres on the ground.
    pub at: DVec3,
    /// Surface normal.
    pub normal: Vec3,
    /// The painted weight there; 0 on the ground.
    pub value: f32,
    /// The nearest vertex or pixel.
    unit: usize,
}

/// A pointer position during a stroke.
pub struct StrokePoint<'a> {
    /// Screen position, points.
    pub at: Vec2,
    /// Screen points per unit of the brush radius at this position.
    pub points_per_unit: f32,
    /// Converts a screen position to its target.
    pub aim: &'a dyn Fn(Vec2) -> Aim,
}

/// The state of the brush; not part of the document.
#[derive(Debug, Default)]
pub struct Painter {
    mesh: Option<Arc<VertexClip>>,
    index: Option<SurfaceIndex>,
    spot: Option<BrushSpot>,
    stroke: Option<ActiveStroke>,
}

/// A stroke in progress.
#[derive(Debug)]
enum ActiveStroke {
    Weights(WeightStroke),
    Ground(GroundStroke),
}

/// A stroke over a mesh or an image.
#[derive(Debug)]
struct WeightStroke {
    /// The stored weights before the stroke, restored if it is cancelled.
    before: WeightMap,
    /// Screen position of the last dab.
    last_dab: Option<Vec2>,
    /// Start of a gradient.
    line_from: Option<Vec3>,
    /// True if the gradient starts off the mesh.
    is_off_mesh: bool,
    /// True if the gradient spreads over the surface, which completes it.
    spreads: bool,
}

/// A stroke on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundStroke {
    /// The stroke's points so far, metres.
    pub points: Vec<DVec3>,
    /// True if the stroke erases.
    pub erases: bool,
}

/// Maximum vertices for which the index is built within a frame. Tuned; no derivation recorded.
const MAX_IMMEDIATE_VERTICES: usize = 20_000;
/// Distance between dabs on meshes and images, fraction of the radius.
const SPACING: f32 = 0.2;
/// Distance between points on the ground, fraction of the radius.
const GROUND_SPACING: f64 = 0.25;

impl Painter {
    /// Returns the brush position as of the last [`PaintContext::aim`]; `None` if the brush is off the surface or nothing
    /// is painted.
    pub fn spot(&self, painting: &Painting) -> Option<&BrushSpot> {
        self.spot.as_ref().filter(|_| painting.target.is_some())
    }

    /// Returns the start of the current gradient, in the units of [`BrushSpot::at`]; `None` if none is drawn.
    pub fn gradient_start(&self) -> Option<Vec3> {
        match &self.stroke {
            Some(ActiveStroke::Weights(stroke)) => stroke.line_from,
            _ => None,
        }
    }

    /// Returns the current stroke on the ground; `None` if there is none.
    pub fn ground_stroke(&self) -> Option<&GroundStroke> {
        match &self.stroke {
            Some(ActiveStroke::Ground(stroke)) => Some(stroke),
            _ => None,
        }
    }
}

impl PaintContext<'_> {
    /// Aims the brush at `aim`, or nowhere; updates [`Painter::spot`].
    pub fn aim(&mut self, aim: Option<Aim>) {
        let spot = match (self.selection.painting.target, aim) {
            (Some(PaintTarget::Ground), Some(Aim::Ray { origin, direction })) => {
                self.canvas().spot_on_ground(origin, direction)
            }
            (Some(PaintTarget::Weights), Some(Aim::Ray { origin, direction })) => self.spot_on_mesh(origin, direction),
            (Some(PaintTarget::Weights), Some(Aim::Pixel(at))) => self.canvas().spot_on_image(at),
            _ => None,
        };
        self.painter.spot = spot;
    }

    /// Begins a stroke at the brush; returns true if there is a surface to paint. Paints nothing yet.
    pub fn begin(&mut self, keys: StrokeKeys) -> bool {
        let (spot, begins) = (self.painter.spot, self.painter.spot.is_some() || self.canvas().draws_lines_on_mesh());
        self.painter.stroke = match (self.selection.painting.target, spot) {
            (Some(PaintTarget::Ground), Some(spot)) => {
                Some(ActiveStroke::Ground(GroundStroke { points: vec![spot.at], erases: keys.inverts }))
            }
            (Some(PaintTarget::Weights), _) if begins => {
                let stroke = |before| WeightStroke { is_off_mesh: spot.is_none(), ..WeightStroke::new(before) };
                self.canvas().stored_paint().map(|before| ActiveStroke::Weights(stroke(before)))
            }
            _ => None,
        };
        self.painter.stroke.is_some()
    }

    /// Continues the stroke to `point`, which must be where the brush was aimed last. Weights change at once; a stroke on
    /// the ground only collects points.
    pub fn go_to(&mut self, point: &StrokePoint, keys: StrokeKeys) {
        match self.painter.stroke.take() {
            Some(ActiveStroke::Weights(mut stroke)) => {
                self.paint_weights(&mut stroke, point, keys);
                self.painter.stroke = Some(ActiveStroke::Weights(stroke));
            }
            Some(ActiveStroke::Ground(mut stroke)) => {
                let spacing = GROUND_SPACING * self.selection.painting.ground_radius;
                let is_spaced = |at: &DVec3| stroke.points.last().is_none_or(|last| last.distance(*at) >= spacing);
                let next = self.painter.spot.map(|spot| spot.at).filter(is_spaced);
                stroke.points.extend(next);
                self.painter.stroke = Some(ActiveStroke::Ground(stroke));
            }
            None => {}
        }
    }

    /// Ends the stroke; does nothing without one. A stroke on the ground becomes an area with the name `area_name`,
    /// or erases areas. Weights were already changed by [`Self::go_to`].
    pub fn end(&mut self, area_name: &str) {
        if let Some(ActiveStroke::Ground(GroundStroke { points, erases })) = self.painter.stroke.take() {
            let points = points.iter().map(|point| point.to_array()).collect();
            if erases { self.erase_area(points) } else { self.paint_area(points, area_name) }
        }
    }

    /// Cancels the stroke and restores the previous weights. The ground was not changed yet.
    pub fn give_up(&mut self) {
        if let Some(ActiveStroke::Weights(stroke)) = self.painter.stroke.take() {
            self.put_back(stroke.before);
        }
    }

    /// Returns the nearest point in which a ray in scene units meets the painted mesh. Returns `None` if it misses the mesh or
    /// no mesh is painted. Also `None` while a job prepares the mesh for painting.
    fn spot_on_mesh(&mut self, origin: Vec3, direction: Vec3) -> Option<BrushSpot> {
        let Some(Surface::Mesh(mesh)) = self.canvas().surface() else { return None };
        let positions = self.canvas().shown_positions(&mesh)?;
        self.prepare_index(&mesh, &positions);
        let faces = Faces { positions: &positions, indices: &mesh.faces };
        let SurfaceHit { hit, at } = self.painter.index.as_ref()?.hit(faces, origin, direction)?;
        let corners = faces.indices.get(3 * hit.face..3 * hit.face + 3)?;
        let weights = self.canvas().painted_weights(mesh.vertices)?;
        let value = corners.iter().zip(hit.shares.to_array()).map(|(&i, share)| weights.at(i as usize) * share).sum();
        let [a, b, c] = faces.corners(hit.face)?;
        let normal = (b - a).cross(c - a).normalize_or(Vec3::Y);
        Some(BrushSpot { at: at.as_dvec3(), normal, value, unit: corners[hit.shares.max_position()] as usize })
    }

    /// Builds the index of `mesh` if needed, and fits it to `positions`. Large meshes use a job; until it ends there is no
    /// index.
    fn prepare_index(&mut self, mesh: &Arc<VertexClip>, positions: &Arc<[Vec3]>) {
        let painter = &mut self.painter;
        let is_known = painter.mesh.as_ref().is_some_and(|known| Arc::ptr_eq(known, mesh));
        let is_building = self.jobs.is_running(&JobKey::IndexSurface);
        if !is_known || painter.index.is_none() && !is_building {
            (painter.mesh, painter.index) = (Some(mesh.clone()), None);
            if mesh.vertices <= MAX_IMMEDIATE_VERTICES {
                painter.index = SurfaceIndex::build(mesh, &Progress::new()).ok();
            } else {
                let (of, mesh) = (mesh.clone(), mesh.clone());
                let done = move |session: &mut Session, index: Result<SurfaceIndex, Cancelled>| {
                    let is_wanted = session.painter.mesh.as_ref().is_some_and(|mesh| Arc::ptr_eq(mesh, &of));
                    session.painter.index = index.ok().filter(|_| is_wanted);
                };
                self.jobs.start(JobKey::IndexSurface, move |progress| SurfaceIndex::build(&mesh, progress), done);
            }
        }
        if let Some(index) = &mut self.painter.index {
            index.pose(mesh, positions);
        }
    }

    /// Continues a stroke of the selected tool to `point`. The brush does nothing off the mesh.
    fn paint_weights(&mut self, stroke: &mut WeightStroke, point: &StrokePoint, keys: StrokeKeys) {
        let Some(surface) = self.canvas().surface() else { return };
        // Off a mesh nothing can be painted; off an image its border may still be in reach.
        let is_off_mesh = matches!(surface, Surface::Mesh(_)) && self.painter.spot.is_none();
        if is_off_mesh && self.selection.painting.tool == Tool::Brush {
            return;
        }
        match self.selection.painting.tool {
            Tool::Brush => self.dab_towards(stroke, &surface, point, keys),
            Tool::Gradient => self.draw_gradient(stroke, &surface, (point.aim)(point.at), keys),
        }
    }

    /// Dabs along the path from the last dab to `point`.
    fn dab_towards(&mut self, stroke: &mut WeightStroke, surface: &Surface, point: &StrokePoint, keys: StrokeKeys) {
        let painting = self.selection.painting.clone();
        let radius = if matches!(surface, Surface::Mesh(_)) { painting.brush.radius } else { painting.pixels };
        let dab_positions = dab_positions_towards(stroke.last_dab, point.at, radius * point.points_per_unit * SPACING);
        let Some(&last) = dab_positions.last() else { return };
        let Some(mut weights) = self.canvas().weights(surface.units()) else { return };
        let acts = painting.layer.stroke_with(keys);
        for aim in dab_positions.into_iter().map(point.aim) {
            match (surface, aim) {
                (Surface::Mesh(mesh), Aim::Ray { origin, direction }) => {
                    let Some(positions) = self.canvas().shown_positions(mesh) else { return };
                    let Some(index) = &mut self.painter.index else { return };
                    let faces = Faces { positions: &positions, indices: &mesh.faces };
                    if let Some(hit) = index.hit(faces, origin, direction) {
                        index.dab(&mut weights, faces, hit, &painting, acts);
                    }
                }
                (Surface::Image(_), Aim::Pixel(at)) => dab_pixels(&mut weights, surface, at, &painting, acts),
                _ => {}
            }
        }
        stroke.last_dab = Some(last);
        self.paint(weights);
    }

    /// Draws a gradient from the start of the stroke to `aim`. While the key for smoothing is down, a stroke that starts on a
    /// mesh spreads the gradient along the surface from there instead.
    fn draw_gradient(&mut self, stroke: &mut WeightStroke, surface: &Surface, aim: Aim, keys: StrokeKeys) {
        let Some(at) = self.line_end(stroke, surface, aim) else { return };
        let is_mesh = matches!(surface, Surface::Mesh(_));
        if stroke.spreads {
            return;
        }
        if is_mesh && keys.smooths && !keys.inverts && stroke.line_from.is_none() && !stroke.is_off_mesh {
            stroke.spreads = true;
            let unit = self.painter.spot.map(|spot| spot.unit);
            return unit.into_iter().for_each(|unit| self.spread(unit));
        }
        let from = *stroke.line_from.get_or_insert(at);
        if from == at {
            return;
        }
        match surface {
            Surface::Mesh(mesh) => {
                let positions = self.canvas().shown_positions(mesh);
                positions.into_iter().for_each(|positions| self.grade(&positions, from, at));
            }
            Surface::Image(_) => self.grade(&surface.points(), from, at),
        }
    }
}

impl<'a> Canvas<'a> {
    /// Returns the nearest point, in metres, in which a ray in scene units meets the level. `None` if it misses or no walk is
    /// shown.
    fn spot_on_ground(self, origin: Vec3, direction: Vec3) -> Option<BrushSpot> {
        let built = self.frame?.built.as_ref()?;
        let ground = &built.walked.as_ref()?.ground;
        let at = ground.hit(origin.as_dvec3() * built.metres_per_unit, direction.as_dvec3())?;
        Some(BrushSpot { at, normal: Vec3::Y, value: 0.0, unit: 0 })
    }

    /// Returns the pixel at `at`, in pixels from the upper left corner. Returns `None` outside the image or if no image is
    /// painted.
    fn spot_on_image(self, at: Vec2) -> Option<BrushSpot> {
        let Some(Surface::Image(info)) = self.surface() else { return None };
        let (width, height) = (info.width as f32, info.height as f32);
        let is_inside = at.x >= 0.0 && at.y >= 0.0 && at.x < width && at.y < height;
        let unit = at.y as usize * info.width as usize + at.x as usize;
        let weights = self.painted_weights(info.pixels()).filter(|_| is_inside)?;
        Some(BrushSpot { at: at.as_dvec2().extend(0.0), normal: Vec3::Z, value: weights.at(unit), unit })
    }

    /// Returns the vertex positions of `mesh` in the shown frame, in scene units; `None` if the frame shows another mesh.
    fn shown_positions(self, mesh: &VertexClip) -> Option<Arc<[Vec3]>> {
        let FrameContent::Vertices { positions, .. } = &self.frame?.content else { return None };
        (positions.len() == mesh.vertices).then(|| positions.clone())
    }
}

impl PaintContext<'_> {
    /// Returns the position of the gradient's end point in the units of the surface. Off the surface, it is at the depth of
    /// the start point, or else of the mesh centre. `None` if `aim` does not fit the surface.
    fn line_end(&self, stroke: &WeightStroke, surface: &Surface, aim: Aim) -> Option<Vec3> {
        match (surface, aim, self.painter.spot) {
            (_, Aim::Pixel(at), _) => Some(at.extend(0.0)),
            (_, _, Some(spot)) if !stroke.is_off_mesh => Some(spot.at.as_vec3()),
            (Surface::Mesh(mesh), Aim::Ray { origin, direction }, _) => {
                let middle = || Some(Bounds::around(self.canvas().shown_positions(mesh)?.iter().copied())?.center());
                let depth_point = stroke.line_from.or_else(middle)?;
                let direction = direction.normalize_or_zero();
                Some(origin + direction * direction.dot(depth_point - origin))
            }
            _ => None,
        }
    }
}

impl<'a> Canvas<'a> {
    /// True if a gradient over a mesh may start off the mesh.
    fn draws_lines_on_mesh(self) -> bool {
        let painting = &self.selection.painting;
        painting.is_on(PaintTarget::Weights)
            && painting.tool == Tool::Gradient
            && matches!(self.surface(), Some(Surface::Mesh(_)))
    }
}

impl WeightStroke {
    /// Returns a stroke that has not painted yet; `before` are the stored weights.
    fn new(before: WeightMap) -> Self {
        Self { before, last_dab: None, line_from: None, is_off_mesh: false, spreads: false }
    }
}

/// Returns the screen positions of dabs after `last` up to `to`, `spacing` points apart, at least 1. Without `last`, only
/// `to`; empty if `to` is nearer than that.
fn dab_positions_towards(last: Option<Vec2>, to: Vec2, spacing: f32) -> Vec<Vec2> {
    let Some(from) = last else { return vec![to] };
    // A mouse cannot resolve less than one point.
    let spacing = spacing.max(1.0);
    let dabs = ((to - from).length() / spacing) as usize;
    let step = (to - from).normalize_or_zero() * spacing;
    (1..=dabs).map(|i| from + step * i as f32).collect()
}

/// Paints a dab of a brush at `at`, in pixels from the upper left corner, and its mirror image if mirroring is on. Does nothing
/// on a mesh.
fn dab_pixels(weights: &mut [f32], surface: &Surface, at: Vec2, painting: &Painting, stroke: BrushMode) {
    let Surface::Image(info) = surface else { return };
    let brush = Brush { radius: painting.pixels, ..painting.brush };
    let mut dab = |at| {
        let reached = weight_paint::pixels_within(info.width as usize, info.height as usize, at, brush.radius);
        weight_paint::dab(weights, &reached, &brush, stroke, &surface.adjacency());
    };
    dab(at);
    if painting.mirrors {
        dab(surface.across(at));
    }
}

#[cfg(test)]
mod tests;
