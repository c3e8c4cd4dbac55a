//! Painting fades on the surface: drag adds, Ctrl takes away, Shift evens out; [ and ] or F and the mouse size the brush.

use std::sync::Arc;

use egui::{Align2, Key, PointerButton, Pos2, Rect, Response, Stroke as Pen, Ui, Vec2};
use glam::Vec3;

use super::{Viewport, cursor, see, size};
use crate::anim::VertexClip;
use crate::anim::bvh::{Bvh, Faces, Hit};
use crate::evaluate::{Frame, Shape};
use crate::session::Session;
use crate::session::painting::{Painting, opposites};
use crate::systems::looping::paint::{self, Brush, Neighbours, Stroke};
use crate::ui::theme;

/// What painting needs to know of the mesh, kept while it stays the same, and the stroke under way.
#[derive(Default)]
pub struct Canvas {
    mesh: Option<Arc<VertexClip>>,
    neighbours: Neighbours,
    opposite: Vec<u32>,
    tree: Bvh,
    posed: Option<Arc<[Vec3]>>,
    spot: Option<Spot>,
    last_dab: Option<Vec3>,
    sizing: bool,
}

/// Where the brush meets the surface.
#[derive(Clone, Copy, Debug)]
struct Spot {
    at: Vec3,
    normal: Vec3,
    value: f32,
}

/// Part of the radius between two dabs of a stroke.
const SPACING: f32 = 0.2;
/// What [ and ] do to the radius.
const STEP: f32 = 1.15;

impl Canvas {
    /// Whether the brush is on the surface.
    pub fn is_over(&self) -> bool {
        self.spot.is_some()
    }

    /// Whether plain keys belong to the brush.
    pub fn sizing(&self) -> bool {
        self.sizing || self.last_dab.is_some()
    }

    fn know(&mut self, mesh: &Arc<VertexClip>, positions: &Arc<[Vec3]>) {
        let faces = Faces { positions, indices: &mesh.faces };
        let same = self.mesh.as_ref().is_some_and(|known| Arc::ptr_eq(known, mesh));
        if !same {
            self.neighbours = Neighbours::of_mesh(mesh.vertices, &mesh.faces);
            self.opposite = opposites(mesh.frame(0));
            self.tree = Bvh::build(faces);
            self.mesh = Some(mesh.clone());
        } else if !self.posed.as_ref().is_some_and(|known| Arc::ptr_eq(known, positions)) {
            self.tree.refit(faces);
        }
        self.posed = Some(positions.clone());
    }

    /// One dab at `at` on `weights`, and on the other side where the tool says so.
    fn dab(&self, weights: &mut [f32], positions: &[Vec3], at: Vec3, painting: &Painting, stroke: Stroke) {
        let distances: Vec<f32> = positions.iter().map(|point| point.distance(at)).collect();
        let mut both = |distances: &[f32]| paint::dab(weights, distances, &painting.brush, stroke, &self.neighbours);
        both(&distances);
        if painting.mirrors && self.opposite.len() == positions.len() {
            let across: Vec<f32> = self.opposite.iter().map(|&other| distances[other as usize]).collect();
            both(&across);
        }
    }
}

/// The linear RGBA of every vertex while the tool is on.
pub fn colors(session: &Session) -> Option<Arc<[[f32; 4]]>> {
    let painting = &session.selection.painting;
    let mesh = session.painted_mesh().filter(|_| painting.on)?;
    let weights = session.painted(mesh.vertices)?;
    Some(weights.iter().map(|&weight| super::scene::linear(color(painting, weight))).collect())
}

fn color(painting: &Painting, weight: f32) -> egui::Color32 {
    if painting.even_ramp { theme::ramp(weight) } else { theme::weight(weight) }
}

/// Follows the brush; answers whether it holds the mouse.
pub fn follow(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    viewport.canvas.spot = None;
    if !session.selection.painting.on {
        return false;
    }
    let Some((mesh, positions)) = session.painted_mesh().zip(session.frame().and_then(positions)) else { return false };
    if positions.len() != mesh.vertices {
        return false;
    }
    viewport.canvas.know(&mesh, &positions);
    if sized(ui, response, viewport, &mut session.selection.painting.brush, rect) {
        return true;
    }
    let faces = Faces { positions: &positions, indices: &mesh.faces };
    let pointer = ui
        .input(|input| input.pointer.interact_pos())
        .filter(|_| response.hovered() || response.is_pointer_button_down_on());
    let hit = pointer.and_then(|at| {
        let ray = viewport.camera.ray(cursor(rect, at), size(rect));
        viewport
            .canvas
            .tree
            .hit(faces, ray.origin, ray.direction)
            .map(|hit| (hit, ray.origin + ray.direction * hit.distance))
    });
    let Some(mut weights) = session.painted(mesh.vertices) else { return false };
    viewport.canvas.spot = hit.and_then(|(hit, at)| spot(faces, &weights, hit, at));
    let (down, modifiers) = ui.input(|input| (input.pointer.primary_down(), input.modifiers));
    let presses = down && !modifiers.alt && response.is_pointer_button_down_on();
    if !presses {
        viewport.canvas.last_dab = None;
        return false;
    }
    // A stroke that leaves the surface stays a stroke; one that begins beside it turns the camera.
    let Some(spot) = viewport.canvas.spot else { return viewport.canvas.last_dab.is_some() };
    let painting = session.selection.painting.clone();
    let far = |last: Vec3| last.distance(spot.at) >= painting.brush.radius * SPACING;
    if viewport.canvas.last_dab.is_none_or(far) {
        let stroke = match () {
            () if modifiers.command => Stroke::Subtract,
            () if modifiers.shift => Stroke::Smooth,
            () => Stroke::Add,
        };
        viewport.canvas.dab(&mut weights, &positions, spot.at, &painting, stroke);
        viewport.canvas.last_dab = Some(spot.at);
        session.paint(weights);
        ui.request_repaint();
    }
    true
}

fn positions(frame: &Frame) -> Option<Arc<[Vec3]>> {
    match &frame.shape {
        Shape::Vertices { positions, .. } => Some(positions.clone()),
        _ => None,
    }
}

fn spot(faces: Faces, weights: &[f32], hit: Hit, at: Vec3) -> Option<Spot> {
    let corners = faces.indices.get(3 * hit.face..3 * hit.face + 3)?;
    let value = corners.iter().zip(hit.shares.to_array()).map(|(&i, share)| weights[i as usize] * share).sum();
    let [a, b, c] = faces.corners(hit.face)?;
    let normal = (b - a).cross(c - a).normalize_or(Vec3::Y);
    Some(Spot { at, normal, value })
}

/// Keys that size the brush; answers whether the mouse does too.
fn sized(ui: &Ui, response: &Response, viewport: &mut Viewport, brush: &mut Brush, rect: Rect) -> bool {
    if !response.hovered() || ui.ctx().text_edit_focused() {
        viewport.canvas.sizing = false;
        return false;
    }
    let (smaller, larger, drags, moved) = ui.input(|input| {
        let pressed = |key| input.key_pressed(key);
        (pressed(Key::OpenBracket), pressed(Key::CloseBracket), input.key_down(Key::F), input.pointer.delta().x)
    });
    if smaller {
        brush.radius /= STEP;
    }
    if larger {
        brush.radius *= STEP;
    }
    viewport.canvas.sizing = drags;
    if drags {
        let unit = viewport.camera.units_per_pixel(rect.height());
        brush.radius = (brush.radius + moved * unit).max(unit);
    }
    drags && !response.dragged_by(PointerButton::Middle)
}

/// The brush on the surface, the value under it, and the legend.
pub fn paint(ui: &Ui, rect: Rect, viewport: &Viewport, session: &Session) {
    let painting = &session.selection.painting;
    if !painting.on || session.painted_mesh().is_none() {
        return;
    }
    let painter = ui.painter_at(rect);
    if let Some(spot) = viewport.canvas.spot {
        ui.set_cursor_icon(egui::CursorIcon::Crosshair);
        let (side, up) = spot.normal.any_orthonormal_pair();
        let around = (0..=48).filter_map(|i| {
            let (sin, cos) = (i as f32 / 48.0 * std::f32::consts::TAU).sin_cos();
            see(&viewport.camera, rect, spot.at + (side * cos + up * sin) * painting.brush.radius)
        });
        let ring: Vec<Pos2> = around.collect();
        painter.line(ring, Pen::new(1.5, theme::OVER_VIEW));
        if let Some(at) = see(&viewport.camera, rect, spot.at) {
            painter.circle_filled(at, 2.0, theme::OVER_VIEW);
            let galley = painter.layout_no_wrap(format!("{:.2}", spot.value), theme::body(), theme::OVER_VIEW);
            let plate =
                Align2::LEFT_TOP.anchor_size(at + Vec2::splat(16.0), galley.size()).expand2(Vec2::new(6.0, 2.0));
            painter.rect_filled(plate, theme::RADIUS, theme::PLATE);
            painter.galley(plate.min + Vec2::new(6.0, 2.0), galley, theme::OVER_VIEW);
        }
    }
    legend(&painter, rect, painting);
}

fn legend(painter: &egui::Painter, rect: Rect, painting: &Painting) {
    let bar = Rect::from_min_size(Pos2::new(rect.max.x - 152.0, rect.max.y - 18.0), Vec2::new(140.0, 6.0));
    for i in 0..28 {
        let x = |part: f32| bar.min.x + bar.width() * part / 28.0;
        let part = Rect::from_x_y_ranges(x(i as f32)..=x(i as f32 + 1.0), bar.y_range());
        painter.rect_filled(part, 0.0, color(painting, (i as f32 + 0.5) / 28.0));
    }
    let (low, high) = match painting.layer {
        crate::session::painting::Layer::Timing => ("paint.early", "paint.late"),
        crate::session::painting::Layer::Width => ("paint.hard", "paint.soft"),
    };
    let lift = Vec2::new(0.0, 3.0);
    for (key, at, align) in
        [(low, bar.left_top() - lift, Align2::LEFT_BOTTOM), (high, bar.right_top() - lift, Align2::RIGHT_BOTTOM)]
    {
        painter.text(at, align, crate::ui::i18n::tr(key), theme::caption(), theme::OVER_VIEW);
    }
}
