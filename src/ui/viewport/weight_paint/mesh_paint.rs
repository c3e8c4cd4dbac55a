//! Painting weights on a mesh: drag adds, Ctrl takes away, Shift evens out; `[` and `]` or F and the mouse size the brush.

use std::sync::Arc;

use egui::{Pos2, Rect, Response, Stroke as Pen, Ui};
use glam::Vec3;

use super::brush::{self, Tinted};
use super::sizing::{BrushSizing, Sized};
use crate::drag::DragState;
use crate::theme;
use crate::viewport::projection::{cursor, see, size};
use crate::viewport::{Viewport, look};
use portamento_render::pick;
use portamento_session::Session;
use portamento_session::painting::{Aim, BrushSpot, PaintTarget, StrokePoint, Surface, Tool};

/// The brush on a mesh as it is drawn.
#[derive(Default)]
pub struct MeshPaint {
    is_over: bool,
    sizing: BrushSizing,
    drag_state: DragState<()>,
    colors: Option<(Tinted, Arc<[[f32; 4]]>)>,
}

impl MeshPaint {
    /// Whether the brush is on the surface.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether plain keys belong to the brush.
    pub fn sizing(&self) -> bool {
        self.sizing.is_busy() || self.drag_state.is_held()
    }

    /// The linear RGBA of every vertex while the tool is on.
    pub fn colors(&mut self, session: &Session) -> Option<Arc<[[f32; 4]]>> {
        let Some(Surface::Mesh(mesh)) = session.canvas().surface() else { return None };
        let tinted = Tinted::from_session(session, mesh.vertices)?;
        if let Some((_, colors)) = self.colors.as_ref().filter(|(known, _)| *known == tinted) {
            return Some(colors.clone());
        }
        let colors: Arc<[[f32; 4]]> = tinted.inks(0..mesh.vertices, look::linear).into();
        self.colors = Some((tinted, colors.clone()));
        Some(colors)
    }
}

/// Follows the brush; answers whether it holds the mouse.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let camera = viewport.camera;
    let canvas = &mut viewport.mesh_paint;
    canvas.is_over = false;
    let is_mesh = matches!(session.canvas().surface(), Some(Surface::Mesh(_)));
    if !is_mesh || !session.selection.painting.is_on(PaintTarget::Weights) {
        canvas.sizing = BrushSizing::default();
        return false;
    }
    let unit = camera.units_per_pixel(rect.height());
    let own = &mut session.selection.painting.brush;
    let sized = Sized { radius: &mut own.radius, strength: Some(&mut own.strength), unit };
    canvas.sizing.update(ui, response, sized);
    let is_sizing = canvas.sizing.is_busy();
    let aim = |at: glam::Vec2| {
        let ray = camera.ray(cursor(rect, Pos2::new(at.x, at.y)), size(rect));
        Aim::Ray { origin: ray.origin, direction: ray.direction }
    };
    let pointer = brush::pointer(ui, response);
    session.easel().aim(pointer.map(aim));
    canvas.is_over = session.painter.spot(&session.selection.painting).is_some();
    let Some(at) = pointer else { return is_sizing };
    if is_sizing {
        return true;
    }
    let depth = session
        .painter
        .spot(&session.selection.painting)
        .map_or(1.0, |spot| pick::depth_factor(&camera, spot.at.as_vec3()));
    // A stroke that leaves the surface stays a stroke; one of the brush that begins beside it turns the camera.
    let point = StrokePoint { at, points_per_unit: 1.0 / (unit * depth), aim: &aim };
    brush::drag(&mut canvas.drag_state, ui, response, session, &point)
}

/// The brush on the surface, the value under it, and the legend.
pub fn paint(ui: &Ui, rect: Rect, viewport: &Viewport, session: &Session) {
    let painting = &session.selection.painting;
    if !painting.is_on(PaintTarget::Weights) || !matches!(session.canvas().surface(), Some(Surface::Mesh(_))) {
        return;
    }
    let painter = ui.painter_at(rect);
    let screen = |point: Vec3| see(&viewport.camera, rect, point);
    let pointer = ui.input(|input| input.pointer.latest_pos());
    if let Some((from, to)) = session.painter.gradient_start().and_then(screen).zip(pointer) {
        ui.set_cursor_icon(egui::CursorIcon::Crosshair);
        brush::line(&painter, [from, to]);
    }
    if let Some(spot) = session.painter.spot(&session.selection.painting) {
        ui.set_cursor_icon(egui::CursorIcon::Crosshair);
        let at = screen(spot.at.as_vec3());
        if painting.tool == Tool::Brush {
            painter.line(ring(spot, painting.brush.radius, screen), Pen::new(1.5, theme::view().ink));
        }
        if let Some(at) = at {
            brush::value(&painter, at, spot.value);
        }
    }
    brush::legend(&painter, rect, painting);
}

/// The edge of the brush as it lies on the surface.
fn ring(spot: &BrushSpot, radius: f32, screen: impl Fn(Vec3) -> Option<Pos2>) -> Vec<Pos2> {
    let (middle, (side, up)) = (spot.at.as_vec3(), spot.normal.any_orthonormal_pair());
    let place = |i: u32| {
        let (sin, cos) = (i as f32 / 48.0 * std::f32::consts::TAU).sin_cos();
        screen(middle + (side * cos + up * sin) * radius)
    };
    (0..=48).filter_map(place).collect()
}
