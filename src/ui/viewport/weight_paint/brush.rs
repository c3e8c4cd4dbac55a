//! What brushes on meshes and on images have in common: keys, modifiers, the value at the cursor, colours and their legend.

use egui::{Align2, Color32, Key, LayerId, Order, Painter, PointerButton, Pos2, Rect, Response, Ui, Vec2};

use crate::geometry::weight_paint::BrushMode;
use crate::math::WeightMap;
use crate::session::Session;
use crate::session::painting::{Layer, Painting, Tool};
use crate::session::surface::Surface;
use crate::ui::drag::{DragEnd, DragState};
use crate::ui::i18n::tr;
use crate::ui::theme;
use crate::ui::viewport::readout;

/// Part of the radius between two dabs of a stroke.
pub const SPACING: f32 = 0.2;
/// What [ and ] do to the radius.
const STEP: f32 = 1.15;
/// Strength per point that the mouse moves.
const STRENGTH: f32 = 0.004;
/// Colours of a ramp that are told apart.
const SHADES: usize = 256;

/// The weights that are painted, as they are looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Tinted {
    paint: WeightMap,
    plain: f32,
    even: bool,
    units: usize,
}

impl Tinted {
    /// Those of the shown loop, for `units` units, while the tool is on.
    pub fn of(session: &Session, units: usize) -> Option<Self> {
        let painting = &session.selection.painting;
        let paint = session.painted().filter(|_| painting.on)?;
        Some(Self { paint, plain: painting.layer.plain(), even: painting.even_ramp, units })
    }

    /// The weight of `unit`.
    pub fn at(&self, unit: usize) -> f32 {
        let values = self.paint.values();
        if values.len() == self.units { values.get(unit).copied().unwrap_or(self.plain) } else { self.plain }
    }

    /// The colours of `units`, made from those of the ramp by `ink`.
    pub fn inks<T: Copy>(&self, units: impl Iterator<Item = usize>, ink: impl Fn(Color32) -> T) -> Vec<T> {
        let shade = |i: usize| ink(color(self.even, i as f32 / (SHADES - 1) as f32));
        let shades: Vec<T> = (0..SHADES).map(shade).collect();
        let place = |unit: usize| (self.at(unit).clamp(0.0, 1.0) * (SHADES - 1) as f32).round() as usize;
        units.map(|unit| shades[place(unit)]).collect()
    }
}

fn color(even: bool, weight: f32) -> Color32 {
    if even { theme::ramp(weight) } else { theme::weight(weight) }
}

/// What the left button paints now, pressed where there is something to paint on (`over`); `drag` keeps what was stored before
/// the stroke, which comes back where it is given up.
pub fn stroke(
    drag: &mut DragState<WeightMap>,
    ui: &Ui,
    response: &Response,
    session: &mut Session,
    over: bool,
) -> Option<BrushMode> {
    let ended = drag.follow(ui, response, |_| session.stored_paint().filter(|_| over));
    if let Some(DragEnd::Cancelled(before)) = ended {
        session.put_back(before);
    }
    let modifiers = ui.input(|input| input.modifiers);
    let plain = session.selection.painting.layer.stroke();
    let other = if plain == BrushMode::Add { BrushMode::Subtract } else { BrushMode::Add };
    drag.active().map(|_| match () {
        () if modifiers.command => other,
        () if modifiers.shift => BrushMode::Smooth,
        () => plain,
    })
}

/// Where on screen a stroke dabs between its last dab and the pointer, `spacing` points apart.
pub fn along(last: Option<Pos2>, to: Pos2, spacing: f32) -> Vec<Pos2> {
    let Some(from) = last else { return vec![to] };
    // Closer than a point apart no mouse can tell.
    let spacing = spacing.max(1.0);
    let dabs = ((to - from).length() / spacing) as usize;
    let step = (to - from).normalized() * spacing;
    (1..=dabs).map(|i| from + step * i as f32).collect()
}

/// Sizes a brush by [ and ] or F and the mouse, `unit` of its radius per point, and sets its strength, if it has one, by
/// Shift, F and the mouse; answers whether the mouse does.
pub fn sized(ui: &Ui, response: &Response, radius: &mut f32, strength: Option<&mut f32>, unit: f32) -> bool {
    if !response.hovered() || ui.ctx().text_edit_focused() {
        return false;
    }
    let (smaller, larger, drags, moved) = ui.input(|input| {
        let pressed = |key| input.key_pressed(key);
        (pressed(Key::OpenBracket), pressed(Key::CloseBracket), input.key_down(Key::F), input.pointer.delta().x)
    });
    if smaller {
        *radius /= STEP;
    }
    if larger {
        *radius *= STEP;
    }
    if !drags {
        return false;
    }
    if let Some(strength) = strength.filter(|_| ui.input(|input| input.modifiers.shift)) {
        *strength = (*strength + moved * STRENGTH).clamp(0.0, 1.0);
        let at = ui.input(|input| input.pointer.latest_pos()).unwrap_or_default();
        // The picture is drawn later; this stands over it.
        let painter = ui.ctx().layer_painter(LayerId::new(Order::Foreground, ui.id().with("strength")));
        readout::beside(&painter, at, format!("{}   {:.0} %", tr("form.paint_strength"), *strength * 100.0));
    } else {
        *radius = (*radius + moved * unit).max(unit);
    }
    !response.dragged_by(PointerButton::Middle)
}

/// What the mouse does with the tool of `painting` on `surface`: a text's key.
pub fn hint(painting: &Painting, surface: &Surface) -> &'static str {
    match (painting.tool, surface) {
        (Tool::Brush, _) if painting.layer == Layer::Width => "hint.paint_width",
        (Tool::Brush, Surface::Mesh(_)) => "hint.fade_paint",
        (Tool::Brush, Surface::Image(_)) => "hint.image_paint",
        (Tool::Gradient, Surface::Mesh(_)) => "hint.paint_line",
        (Tool::Gradient, Surface::Image(_)) => "hint.image_line",
    }
}

/// The weight under the brush, beside the cursor.
pub fn value(painter: &Painter, at: Pos2, value: f32) {
    painter.circle_filled(at, 2.0, theme::OVER_VIEW);
    readout::beside(painter, at, format!("{value:.2}"));
}

/// The line along which a gradient rises, with a dot at its beginning.
pub fn line(painter: &Painter, [from, to]: [Pos2; 2]) {
    painter.line_segment([from, to], (3.5, theme::PLATE));
    painter.line_segment([from, to], (1.5, theme::OVER_VIEW));
    painter.circle(from, 4.0, theme::PLATE, (1.5, theme::OVER_VIEW));
}

/// What the colours mean, in the lower right corner of `rect`.
pub fn legend(painter: &Painter, rect: Rect, painting: &Painting) {
    let bar = Rect::from_min_size(Pos2::new(rect.max.x - 156.0, rect.max.y - 20.0), Vec2::new(140.0, 6.0));
    let plate = Rect::from_min_max(bar.min - Vec2::new(8.0, 20.0), bar.max + Vec2::new(8.0, 8.0));
    painter.rect_filled(plate, theme::RADIUS, theme::PLATE);
    for i in 0..28 {
        let x = |part: f32| bar.min.x + bar.width() * part / 28.0;
        let part = Rect::from_x_y_ranges(x(i as f32)..=x(i as f32 + 1.0), bar.y_range());
        painter.rect_filled(part, 0.0, color(painting.even_ramp, (i as f32 + 0.5) / 28.0));
    }
    let (low, high) = match painting.layer {
        Layer::Timing => ("paint.early", "paint.late"),
        Layer::Width => ("paint.hard", "paint.soft"),
        Layer::Pins => ("paint.free", "paint.held"),
    };
    let lift = Vec2::new(0.0, 3.0);
    let words =
        [(low, bar.left_top() - lift, Align2::LEFT_BOTTOM), (high, bar.right_top() - lift, Align2::RIGHT_BOTTOM)];
    for (key, at, align) in words {
        painter.text(at, align, tr(key), theme::caption(), theme::OVER_VIEW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_stroke_leaves_no_gaps_and_a_slow_one_waits() {
        let at = |x: f32| Pos2::new(x, 0.0);
        assert_eq!(along(None, at(7.0), 10.0), [at(7.0)]);
        assert_eq!(along(Some(at(0.0)), at(9.0), 10.0), []);
        assert_eq!(along(Some(at(0.0)), at(35.0), 10.0), [at(10.0), at(20.0), at(30.0)]);
        assert_eq!(along(Some(at(0.0)), at(0.0), 0.0), []);
    }
}
