//! Painting fades on the surface: drag adds, Ctrl takes away, Shift evens out; [ and ] or F and the mouse size the brush.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use egui::{Pos2, Rect, Response, Stroke as Pen, Ui};
use glam::Vec3;

use crate::evaluate::{Frame, Shape};
use crate::geometry::Adjacency;
use crate::geometry::geodesic::GeodesicSearch;
use crate::geometry::triangle_bvh::{Faces, Hit, TriangleBvh};
use crate::geometry::weight_paint::{self, BrushMode};
use crate::math::WeightMap;
use crate::media::VertexClip;
use crate::render::{Camera, pick};
use crate::session::Session;
use crate::session::painting::{Painting, Reach, Tool};
use crate::session::surface::Surface;
use crate::ui::drag::DragState;
use crate::ui::theme;
use crate::ui::viewport::background::in_background;
use crate::ui::viewport::weight_paint::brush::{self, SPACING, Tinted};
use crate::ui::viewport::{Viewport, cursor, see, size};

/// What painting needs to know of the mesh, kept while it stays the same, and the stroke under way.
#[derive(Default)]
pub struct MeshPaint {
    mesh: Option<Arc<VertexClip>>,
    known: Option<Known>,
    coming: Option<Receiver<Known>>,
    posed: Option<Arc<[Vec3]>>,
    spot: Option<Spot>,
    last_dab: Option<Pos2>,
    line_from: Option<Vec3>,
    spreads: bool,
    drag: DragState<WeightMap>,
    sizing: bool,
    colors: Option<(Tinted, Arc<[[f32; 4]]>)>,
}

/// What of a mesh takes long to find out.
struct Known {
    adjacency: Adjacency,
    opposite: Vec<u32>,
    tree: TriangleBvh,
    search: GeodesicSearch,
}

/// Vertices up to which finding out is not felt in a frame.
const FEW: usize = 20_000;

/// Where the brush meets the surface.
#[derive(Clone, Copy, Debug)]
struct Spot {
    at: Vec3,
    normal: Vec3,
    value: f32,
    nearest: usize,
}

/// The surface as it is shown, and where from.
struct View<'a> {
    faces: Faces<'a>,
    camera: Camera,
    rect: Rect,
}

impl MeshPaint {
    /// Whether the brush is on the surface.
    pub fn is_over(&self) -> bool {
        self.spot.is_some()
    }

    /// Whether plain keys belong to the brush.
    pub fn sizing(&self) -> bool {
        self.sizing || self.drag.is_held()
    }

    /// The linear RGBA of every vertex while the tool is on.
    pub fn colors(&mut self, session: &Session) -> Option<Arc<[[f32; 4]]>> {
        let Some(Surface::Mesh(mesh)) = session.surface() else { return None };
        let tinted = Tinted::of(session, mesh.vertices)?;
        if let Some((_, colors)) = self.colors.as_ref().filter(|(known, _)| *known == tinted) {
            return Some(colors.clone());
        }
        let colors: Arc<[[f32; 4]]> = tinted.inks(0..mesh.vertices, crate::ui::viewport::look::linear).into();
        self.colors = Some((tinted, colors.clone()));
        Some(colors)
    }

    fn know(&mut self, mesh: &Arc<VertexClip>, positions: &Arc<[Vec3]>) {
        if !self.mesh.as_ref().is_some_and(|known| Arc::ptr_eq(known, mesh)) {
            (self.mesh, self.known, self.posed) = (Some(mesh.clone()), None, None);
            let (quick, mesh) = (mesh.vertices <= FEW, mesh.clone());
            self.coming = Some(in_background(quick, move || Known::of(&mesh)));
        }
        if let Some(known) = self.coming.as_ref().and_then(|coming| coming.try_recv().ok()) {
            (self.known, self.coming) = (Some(known), None);
        }
        let posed = self.posed.as_ref().is_some_and(|known| Arc::ptr_eq(known, positions));
        if let Some(known) = self.known.as_mut().filter(|_| !posed) {
            known.tree.refit(Faces { positions, indices: &mesh.faces });
            self.posed = Some(positions.clone());
        }
    }

    /// Where the surface is under `pointer`.
    fn hit(&self, view: &View, pointer: Pos2) -> Option<(Hit, Vec3)> {
        let ray = view.camera.ray(cursor(view.rect, pointer), size(view.rect));
        let hit = self.known.as_ref()?.tree.hit(view.faces, ray.origin, ray.direction)?;
        Some((hit, ray.origin + ray.direction * hit.distance))
    }

    /// One dab where `hit` is, at `at`, on `weights`, and on the other side where the tool says so.
    fn dab(
        &mut self,
        weights: &mut [f32],
        faces: Faces,
        (hit, at): (Hit, Vec3),
        painting: &Painting,
        stroke: BrushMode,
    ) {
        let Some(Known { adjacency, opposite, tree, search }) = &mut self.known else { return };
        let reached = match painting.reach {
            Reach::Volume => tree.points_near(faces, at, painting.brush.radius),
            Reach::Surface => search.around(faces, adjacency, (hit.face, at), painting.brush.radius),
        };
        weight_paint::dab(weights, &reached, &painting.brush, stroke, adjacency);
        if painting.mirrors {
            let across = weight_paint::mirrored_dab(&reached, opposite, faces.positions, adjacency);
            weight_paint::dab(weights, &across, &painting.brush, stroke, adjacency);
        }
    }

    /// The stroke goes on to `pointer`.
    fn stroke(&mut self, session: &mut Session, view: &View, pointer: Pos2, stroke: BrushMode) {
        let Some(spot) = self.spot else { return };
        let painting = session.selection.painting.clone();
        let unit = view.camera.units_per_pixel(view.rect.height()) * pick::depth_factor(&view.camera, spot.at);
        let dabs = brush::along(self.last_dab, pointer, painting.brush.radius / unit * SPACING);
        let Some(&last) = dabs.last() else { return };
        let Some(mut weights) = session.weights(view.faces.positions.len()) else { return };
        let hits: Vec<(Hit, Vec3)> = dabs.iter().filter_map(|&dab| self.hit(view, dab)).collect();
        hits.into_iter().for_each(|hit| self.dab(&mut weights, view.faces, hit, &painting, stroke));
        self.last_dab = Some(last);
        session.paint(weights);
    }
}

impl Known {
    fn of(mesh: &Arc<VertexClip>) -> Self {
        let surface = Surface::Mesh(mesh.clone());
        let tree = TriangleBvh::build(Faces { positions: mesh.frame(0), indices: &mesh.faces });
        let (adjacency, opposite) = (surface.adjacency(), surface.opposites());
        Self { adjacency, opposite, tree, search: GeodesicSearch::default() }
    }
}

/// Follows the brush; answers whether it holds the mouse.
pub fn follow(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let canvas = &mut viewport.mesh_paint;
    (canvas.spot, canvas.sizing) = (None, false);
    if !session.selection.painting.on {
        return false;
    }
    let Some(Surface::Mesh(mesh)) = session.surface() else { return false };
    let positions = session.frame().and_then(positions).filter(|positions| positions.len() == mesh.vertices);
    let Some(positions) = positions else { return false };
    canvas.know(&mesh, &positions);
    if canvas.coming.is_some() {
        ui.request_repaint();
    }
    let unit = viewport.camera.units_per_pixel(rect.height());
    let own = &mut session.selection.painting.brush;
    canvas.sizing = brush::sized(ui, response, &mut own.radius, Some(&mut own.strength), unit);
    let view = View { faces: Faces { positions: &positions, indices: &mesh.faces }, camera: viewport.camera, rect };
    let pointer = ui
        .input(|input| input.pointer.interact_pos())
        .filter(|_| response.hovered() || response.is_pointer_button_down_on());
    let Some(pointer) = pointer else { return canvas.sizing };
    let tinted = Tinted::of(session, mesh.vertices);
    canvas.spot = canvas.hit(&view, pointer).zip(tinted).and_then(|((hit, at), it)| spot(view.faces, &it, hit, at));
    if canvas.sizing {
        return true;
    }
    // A stroke that leaves the surface stays a stroke; one that begins beside it turns the camera.
    let Some(stroke) = brush::stroke(&mut canvas.drag, ui, response, session, canvas.spot.is_some()) else {
        (canvas.last_dab, canvas.line_from, canvas.spreads) = (None, None, false);
        return canvas.drag.is_held();
    };
    let Some(spot) = canvas.spot else { return true };
    match session.selection.painting.tool {
        Tool::Brush => canvas.stroke(session, &view, pointer, stroke),
        // Outwards from where it was pressed, until it is let go.
        Tool::Gradient if canvas.spreads => {}
        Tool::Gradient if stroke == BrushMode::Smooth && canvas.line_from.is_none() => {
            canvas.spreads = true;
            session.spread(spot.nearest);
        }
        Tool::Gradient => {
            let from = *canvas.line_from.get_or_insert(spot.at);
            if from != spot.at {
                session.grade(&positions, from, spot.at);
            }
        }
    }
    ui.request_repaint();
    true
}

fn positions(frame: &Frame) -> Option<Arc<[Vec3]>> {
    match &frame.shape {
        Shape::Vertices { positions, .. } => Some(positions.clone()),
        _ => None,
    }
}

fn spot(faces: Faces, weights: &Tinted, hit: Hit, at: Vec3) -> Option<Spot> {
    let corners = faces.indices.get(3 * hit.face..3 * hit.face + 3)?;
    let value = corners.iter().zip(hit.shares.to_array()).map(|(&i, share)| weights.at(i as usize) * share).sum();
    let [a, b, c] = faces.corners(hit.face)?;
    let normal = (b - a).cross(c - a).normalize_or(Vec3::Y);
    let nearest = corners[hit.shares.max_position()] as usize;
    Some(Spot { at, normal, value, nearest })
}

/// The brush on the surface, the value under it, and the legend.
pub fn paint(ui: &Ui, rect: Rect, viewport: &Viewport, session: &Session) {
    let painting = &session.selection.painting;
    if !painting.on || !matches!(session.surface(), Some(Surface::Mesh(_))) {
        return;
    }
    let painter = ui.painter_at(rect);
    if let Some(spot) = viewport.mesh_paint.spot {
        ui.set_cursor_icon(egui::CursorIcon::Crosshair);
        let screen = |point: Vec3| see(&viewport.camera, rect, point);
        if painting.tool == Tool::Brush {
            painter.line(ring(spot, painting.brush.radius, screen), Pen::new(1.5, theme::OVER_VIEW));
        } else if let Some((from, to)) = viewport.mesh_paint.line_from.and_then(screen).zip(screen(spot.at)) {
            brush::line(&painter, [from, to]);
        }
        if let Some(at) = screen(spot.at) {
            brush::value(&painter, at, spot.value);
        }
    }
    brush::legend(&painter, rect, painting);
}

/// The edge of the brush as it lies on the surface.
fn ring(spot: Spot, radius: f32, screen: impl Fn(Vec3) -> Option<Pos2>) -> Vec<Pos2> {
    let (side, up) = spot.normal.any_orthonormal_pair();
    let place = |i: u32| {
        let (sin, cos) = (i as f32 / 48.0 * std::f32::consts::TAU).sin_cos();
        screen(spot.at + (side * cos + up * sin) * radius)
    };
    (0..=48).filter_map(place).collect()
}
