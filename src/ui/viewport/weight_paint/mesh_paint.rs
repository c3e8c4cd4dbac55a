//! Painting of weights on a mesh: drag adds, Ctrl subtracts, Shift smooths; `[` and `]`, or F and the mouse, change the brush
//! size.

use std::sync::Arc;

use egui::{Pos2, Rect, Response, Stroke as Pen, Ui};
use glam::Vec3;

use super::brush::{self, Tinted};
use super::sizing::{BrushSizing, SizedBrush};
use crate::drag::DragState;
use crate::theme;
use crate::viewport::projection::{cursor, see, size};
use crate::viewport::{Viewport, look};
use portamento_render::pick;
use portamento_session::Session;
use portamento_session::painting::{Aim, BrushSpot, PaintTarget, StrokePoint, Surface, Tool};

/// State of the mesh brush, and the cached vertex colours.
#[derive(Default)]
pub struct MeshPaint {
    is_over: bool,
    sizing: BrushSizing,
    drag_state: DragState<()>,
    colors: Option<(Tinted, Arc<[[f32; 4]]>)>,
}

impl MeshPaint {
    /// True if the brush is over the surface.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// True if a stroke or a change of the brush size uses the plain keys.
    pub fn sizing(&self) -> bool {
        self.sizing.is_busy() || self.drag_state.is_dragging()
    }

    /// Returns the linear RGBA of every vertex while the tool is active, otherwise `None`. Cached until the weights change.
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

/// Handles the mouse. Returns true if the brush uses it.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let camera = viewport.camera;
    let tool = &mut viewport.mesh_paint;
    tool.is_over = false;
    let is_mesh = matches!(session.canvas().surface(), Some(Surface::Mesh(_)));
    if !is_mesh || !session.selection.painting.is_on(PaintTarget::Weights) {
        tool.sizing = BrushSizing::default();
        return false;
    }
    let unit = camera.units_per_pixel(rect.height());
    let own = &mut session.selection.painting.brush;
    let sized = SizedBrush { radius: &mut own.radius, strength: Some(&mut own.strength), unit };
    tool.sizing.update(ui, response, sized);
    let is_sizing = tool.sizing.is_busy();
    let aim = |at: glam::Vec2| {
        let ray = camera.ray(cursor(rect, Pos2::new(at.x, at.y)), size(rect));
        Aim::Ray { origin: ray.origin, direction: ray.direction }
    };
    let pointer = brush::pointer(ui, response);
    session.easel().aim(pointer.map(aim));
    tool.is_over = session.painter.spot(&session.selection.painting).is_some();
    let Some(at) = pointer else { return is_sizing };
    if is_sizing {
        return true;
    }
    let depth = session
        .painter
        .spot(&session.selection.painting)
        .map_or(1.0, |spot| pick::depth_factor(&camera, spot.at.as_vec3()));
    // A stroke continues outside the surface. A brush drag that starts outside orbits the camera.
    let point = StrokePoint { at, points_per_unit: 1.0 / (unit * depth), aim: &aim };
    brush::drag(&mut tool.drag_state, ui, response, session, &point)
}

/// Draws the brush, the weight under it, and the legend, while the tool is active on a mesh.
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

/// Returns the outline of the brush on the surface, in screen points. `radius` is in scene units; points that `screen` does not
/// see are left out.
fn ring(spot: &BrushSpot, radius: f32, screen: impl Fn(Vec3) -> Option<Pos2>) -> Vec<Pos2> {
    let (middle, (side, up)) = (spot.at.as_vec3(), spot.normal.any_orthonormal_pair());
    let point = |i: u32| {
        let (sin, cos) = (i as f32 / 48.0 * std::f32::consts::TAU).sin_cos();
        screen(middle + (side * cos + up * sin) * radius)
    };
    (0..=48).filter_map(point).collect()
}
