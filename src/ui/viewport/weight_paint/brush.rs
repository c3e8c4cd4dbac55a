//! Brush functions shared by meshes, images and ground: left button, readout, colours and legend.

use egui::{Align2, Color32, Painter, Pos2, Rect, Response, Ui, Vec2};

use crate::drag::{DragEnd, DragState};
use crate::i18n::tr;
use crate::theme;
use crate::viewport::readout;
use portamento_session::Session;
use portamento_session::painting::{
    PaintLayer, PaintTarget, PaintedWeights, Painting, StrokeKeys, StrokePoint, Surface, Tool,
};

/// Number of distinct ramp colours.
const SHADES: usize = 256;

/// The painted weights with their display colours.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tinted {
    weights: PaintedWeights,
    even: bool,
}

impl Tinted {
    /// Returns the weights of the painted surface for `units` vertices or pixels, while the tool is active, otherwise `None`.
    pub fn from_session(session: &Session, units: usize) -> Option<Self> {
        let painting = &session.selection.painting;
        let weights = session.canvas().painted_weights(units).filter(|_| painting.is_on(PaintTarget::Weights))?;
        Some(Self { weights, even: painting.even_ramp })
    }

    /// Returns the colours of the vertices or pixels with the indices `units`, converted by `ink`.
    pub(super) fn inks<T: Copy>(&self, units: impl Iterator<Item = usize>, ink: impl Fn(Color32) -> T) -> Vec<T> {
        let shade = |i: usize| ink(color(self.even, i as f32 / (SHADES - 1) as f32));
        let shades: Vec<T> = (0..SHADES).map(shade).collect();
        let shade_index = |unit: usize| (self.weights.at(unit).clamp(0.0, 1.0) * (SHADES - 1) as f32).round() as usize;
        units.map(|unit| shades[shade_index(unit)]).collect()
    }
}

/// Returns the colour of a weight, 0…1: from the perceptual ramp if `even`, else from blue to red.
fn color(even: bool, weight: f32) -> Color32 {
    if even { theme::ramp(weight) } else { theme::weight(weight) }
}

/// Ends painting when Esc is pressed, unless a drag (`is_dragging`), a text field or a menu uses the key.
pub fn leave(ctx: &egui::Context, painting: &mut Painting, is_dragging: bool) {
    let is_busy = is_dragging || ctx.text_edit_focused() || egui::Popup::is_any_open(ctx);
    let is_pressed =
        |ctx: &egui::Context| ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape));
    if painting.target.is_some() && !is_busy && is_pressed(ctx) {
        painting.target = None;
    }
}

/// Returns the mouse position while it hovers the view or drags from it, in screen points; otherwise `None`.
pub fn pointer(ui: &Ui, response: &Response) -> Option<glam::Vec2> {
    let is_ours = response.hovered() || response.is_pointer_button_down_on();
    let at = ui.input(|input| input.pointer.interact_pos()).filter(|_| is_ours)?;
    Some(glam::Vec2::new(at.x, at.y))
}

/// Passes the left button to the session's brush at `point`: begins, continues, ends or cancels a stroke. Ctrl inverts, Shift
/// smooths. Returns true if the brush uses the mouse.
pub fn drag(
    drag_state: &mut DragState<()>,
    ui: &Ui,
    response: &Response,
    session: &mut Session,
    point: &StrokePoint,
) -> bool {
    let modifiers = ui.input(|input| input.modifiers);
    let keys = StrokeKeys { inverts: modifiers.command, smooths: modifiers.shift };
    match drag_state.update(ui, response, |_| session.easel().begin(keys).then_some(())) {
        Some(DragEnd::Released(())) => session.easel().end(&tr("rule.painted")),
        Some(DragEnd::Cancelled(())) => session.easel().give_up(),
        None => {}
    }
    if drag_state.active().is_some() {
        session.easel().go_to(point, keys);
        ui.request_repaint();
    }
    drag_state.is_dragging()
}

/// Returns the locale key of the hint for the tool of `painting` on `surface`.
pub fn hint(painting: &Painting, surface: &Surface) -> &'static str {
    match (painting.tool, surface) {
        (Tool::Brush, _) if painting.layer == PaintLayer::Width => "hint.paint_width",
        (Tool::Brush, Surface::Mesh(_)) => "hint.fade_paint",
        (Tool::Brush, Surface::Image(_)) => "hint.image_paint",
        (Tool::Gradient, Surface::Mesh(_)) => "hint.paint_line",
        (Tool::Gradient, Surface::Image(_)) => "hint.image_line",
    }
}

/// Draws the weight `value` next to the screen position `at`.
pub fn value(painter: &Painter, at: Pos2, value: f32) {
    painter.circle_filled(at, 2.0, theme::view().ink);
    readout::at_pointer(painter, at, format!("{value:.2}"));
}

/// Draws the line of a gradient between two screen positions, with a dot at its start.
pub fn line(painter: &Painter, [from, to]: [Pos2; 2]) {
    painter.line_segment([from, to], (3.5, theme::view().plate));
    painter.line_segment([from, to], (1.5, theme::view().ink));
    painter.circle(from, 4.0, theme::view().plate, (1.5, theme::view().ink));
}

/// Draws the colour legend in the lower right corner of `rect`.
pub fn legend(painter: &Painter, rect: Rect, painting: &Painting) {
    let bar = Rect::from_min_size(Pos2::new(rect.max.x - 156.0, rect.max.y - 20.0), Vec2::new(140.0, 6.0));
    let plate = Rect::from_min_max(bar.min - Vec2::new(8.0, 20.0), bar.max + Vec2::new(8.0, 8.0));
    painter.rect_filled(plate, theme::RADIUS, theme::view().plate);
    for i in 0..28 {
        let x = |part: f32| bar.min.x + bar.width() * part / 28.0;
        let part = Rect::from_x_y_ranges(x(i as f32)..=x(i as f32 + 1.0), bar.y_range());
        painter.rect_filled(part, 0.0, color(painting.even_ramp, (i as f32 + 0.5) / 28.0));
    }
    let (low, high) = match painting.layer {
        PaintLayer::Timing => ("paint.early", "paint.late"),
        PaintLayer::Width => ("paint.hard", "paint.soft"),
        PaintLayer::Shape => ("paint.quick", "paint.slow"),
        PaintLayer::Pins => ("paint.free", "paint.held"),
    };
    let lift = Vec2::new(0.0, 3.0);
    let words =
        [(low, bar.left_top() - lift, Align2::LEFT_BOTTOM), (high, bar.right_top() - lift, Align2::RIGHT_BOTTOM)];
    for (key, at, align) in words {
        painter.text(at, align, tr(key), theme::caption(), theme::view().ink);
    }
}
