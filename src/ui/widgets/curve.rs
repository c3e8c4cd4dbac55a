//! Small curve editor: click adds a point, drag moves it, right-click removes it.

use egui::{Color32, PointerButton, Pos2, Rect, Response, Sense, Stroke, Ui, Vec2, WidgetInfo, WidgetType};

use crate::drag::DragState;
use crate::theme::{self, Tokens};
use crate::units::Unit;

/// Height of the widget, points.
const HEIGHT: f32 = 64.0;
/// Maximum distance from the pointer to a point that counts as pointed at, points.
const PICK_RADIUS: f32 = 9.0;
/// Largest factor shown, unless points are higher.
const DEFAULT_MAX_FACTOR: f64 = 1.5;

/// Axes of a curve: ranges, rounding steps and units.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    /// Largest position on the horizontal axis.
    pub across: f64,
    /// Largest value shown, unless points are higher.
    pub top: f64,
    /// Rounding steps of positions and values.
    pub steps: (f64, f64),
    /// Units of positions and values.
    pub units: (Unit, Unit),
}

const SHARE_AXES: Axes =
    Axes { across: 1.0, top: DEFAULT_MAX_FACTOR, steps: (0.01, 0.01), units: (Unit::Plain, Unit::Plain) };

/// Draws an editor of `points` (position 0 … 1, factor), sorted by position. `name` is its accessible name.
///
/// The curve is linear between points and constant outside; no points means 1 everywhere. The response is marked as changed if
/// the points changed.
pub fn curve(ui: &mut Ui, name: &str, points: &mut Vec<(f64, f64)>) -> Response {
    curve_over(ui, name, points, SHARE_AXES)
}

/// Draws an editor of `points` (position 0 … `axes.across`, value) like [`curve`]. A drag is limited to the values shown.
pub fn curve_over(ui: &mut Ui, name: &str, points: &mut Vec<(f64, f64)>, axes: Axes) -> Response {
    let size = Vec2::new(ui.available_width(), HEIGHT);
    let (rect, mut response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, name));
    let top = points.iter().map(|point| point.1).fold(axes.top, f64::max);
    let layout = Layout { rect: rect.shrink(6.0), axes: Axes { top, ..axes } };
    let pointer = response.hover_pos().or(response.interact_pointer_pos());
    if pointer_input(ui, &response, &layout, points) {
        response.mark_changed();
    }
    let dragged = ui.data(|data| data.get_temp::<DragState<usize>>(response.id));
    let dragged = dragged.and_then(|state| state.active().map(|drag| drag.subject));
    let highlighted = dragged.or_else(|| pointer.and_then(|at| layout.point_at(points, at)));
    if highlighted.is_some() {
        ui.set_cursor_icon(egui::CursorIcon::Grab);
    }
    paint(ui, rect, &layout, points, highlighted);
    response
}

/// Draws an editor of the inner points of a rising curve from (0, 0) to (1, 1). `line` is the curve as (x, y), 0 … 1. Without
/// points the line is read-only.
pub fn rise(ui: &mut Ui, name: &str, points: &mut Vec<(f64, f64)>, line: &[[f32; 2]]) -> Response {
    let sense = if points.is_empty() { Sense::hover() } else { Sense::click_and_drag() };
    let (rect, mut response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), HEIGHT), sense);
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, name));
    let layout = Layout { rect: rect.shrink(6.0), axes: Axes { top: 1.0, ..SHARE_AXES } };
    if !points.is_empty() && pointer_input(ui, &response, &layout, points) {
        pin_ends(points);
        response.mark_changed();
    }
    let tokens = theme::of(ui);
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, theme::RADIUS, tokens.window);
    let line: Vec<Pos2> = line.iter().map(|&[x, y]| layout.position((f64::from(x), f64::from(y)))).collect();
    fill(&painter, &layout, &line, tokens);
    painter.line(line, Stroke::new(2.0, tokens.accent));
    for &point in points.iter() {
        painter.circle(layout.position(point), 3.5, tokens.panel, Stroke::new(2.0, tokens.accent));
    }
    response
}

/// Sets the first point to (0, 0) and the last one to (1, 1). Removes inner points on the edges or less than a step (0.01) after
/// another.
fn pin_ends(points: &mut Vec<(f64, f64)>) {
    points.retain(|point| point.0 > 0.0 && point.0 < 1.0);
    points.dedup_by(|b, a| b.0 - a.0 < 0.009);
    points.insert(0, (0.0, 0.0));
    points.push((1.0, 1.0));
}

/// Mapping between values of a curve and screen positions in `rect`.
struct Layout {
    rect: Rect,
    axes: Axes,
}

impl Layout {
    /// Returns the screen position of a point (position, value) of the curve.
    fn position(&self, (at, factor): (f64, f64)) -> Pos2 {
        let x = self.rect.min.x + self.rect.width() * (at / self.axes.across) as f32;
        Pos2::new(x, self.rect.max.y - self.rect.height() * (factor / self.axes.top) as f32)
    }

    /// Returns (position, value) at a screen position, clamped to the axes and rounded to their steps.
    fn value(&self, at: Pos2) -> (f64, f64) {
        let Axes { across, top, steps, .. } = self.axes;
        let x = f64::from((at.x - self.rect.min.x) / self.rect.width().max(1.0)) * across;
        let y = f64::from((self.rect.max.y - at.y) / self.rect.height().max(1.0)) * top;
        // The step is finer than a pixel and gives short numbers in files.
        let round_to = |value: f64, top: f64, step: f64| (value.clamp(0.0, top) / step).round() / (1.0 / step).round();
        (round_to(x, across, steps.0), round_to(y, top, steps.1))
    }

    /// Returns the index of the point nearest to the screen position `at`, within [`PICK_RADIUS`]; `None` if there is none.
    fn point_at(&self, points: &[(f64, f64)], at: Pos2) -> Option<usize> {
        let distance = |index: &usize| self.position(points[*index]).distance(at);
        (0..points.len())
            .filter(|index| distance(index) <= PICK_RADIUS)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

/// Applies mouse input to the points: left adds or drags a point, right removes one. Returns true if they changed.
fn pointer_input(ui: &Ui, response: &Response, layout: &Layout, points: &mut Vec<(f64, f64)>) -> bool {
    if response.clicked_by(PointerButton::Secondary) {
        let index = response.interact_pointer_pos().and_then(|at| layout.point_at(points, at));
        return index.map(|index| points.remove(index)).is_some();
    }
    let mut state: DragState<usize> = ui.data_mut(|data| data.remove_temp(response.id)).unwrap_or_default();
    let mut has_begun = false;
    state.update(ui, response, |at| {
        has_begun = true;
        Some(layout.point_at(points, at).unwrap_or_else(|| add(points, layout.value(at))))
    });
    let mut changed = has_begun;
    // The point may have been removed elsewhere during the drag.
    if let Some(drag) = state.active().filter(|drag| drag.subject < points.len()) {
        let wanted = bounded(points, drag.subject, layout.value(drag.input.pointer()), layout.axes.across);
        changed |= points[drag.subject] != wanted;
        points[drag.subject] = wanted;
    }
    if state.is_dragging() {
        ui.data_mut(|data| data.insert_temp(response.id, state));
    }
    changed
}

/// Inserts `point` (position, value) in order and returns its index. An empty curve first gets points at 0 and 1 of value 1.
fn add(points: &mut Vec<(f64, f64)>, point: (f64, f64)) -> usize {
    if points.is_empty() {
        points.extend([(0.0, 1.0), (1.0, 1.0)]);
    }
    let at = points.partition_point(|each| each.0 <= point.0);
    points.insert(at, point);
    at
}

/// Returns the point (position, value) with its position between those of the neighbours of point `index`. The ends are 0 and
/// `across`.
fn bounded(points: &[(f64, f64)], index: usize, (at, factor): (f64, f64), across: f64) -> (f64, f64) {
    let low = index.checked_sub(1).map_or(0.0, |before| points[before].0);
    let high = points.get(index + 1).map_or(across, |after| after.0);
    (at.clamp(low, high), factor)
}

/// Draws the curve with its points. The value of the highlighted one is written in the corner. `rect` is the area of the widget;
/// `layout` has a smaller one.
fn paint(ui: &Ui, rect: Rect, layout: &Layout, points: &[(f64, f64)], highlighted: Option<usize>) {
    let tokens = theme::of(ui);
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, theme::RADIUS, tokens.window);
    let one = layout.position((0.0, 1.0)).y;
    let faint = Stroke::new(1.0, theme::mix(tokens.window, tokens.line, 0.8));
    painter.hline(layout.rect.x_range(), one, faint);
    let Axes { across, units: (position_unit, value), .. } = layout.axes;
    for quarter in [0.25, 0.5, 0.75] {
        painter.vline(layout.position((quarter * across, 0.0)).x, layout.rect.y_range(), faint);
    }
    let line = line(layout, points);
    fill(&painter, layout, &line, tokens);
    painter.line(line, Stroke::new(2.0, tokens.accent));
    for (index, &point) in points.iter().enumerate() {
        let radius = if highlighted == Some(index) { 5.0 } else { 3.5 };
        painter.circle(layout.position(point), radius, tokens.panel, Stroke::new(2.0, tokens.accent));
    }
    let words = |point: &(f64, f64)| match (position_unit, value) {
        (Unit::Plain, Unit::Plain) => format!("{:.2} × {:.2}", point.0, point.1),
        _ => format!("{}   {}", position_unit.text(point.0, 0), value.text(point.1, 2)),
    };
    if let Some(text) = highlighted.and_then(|index| points.get(index)).map(words) {
        let at = rect.right_top() + Vec2::new(-6.0, 3.0);
        painter.text(at, egui::Align2::RIGHT_TOP, text, theme::caption(), tokens.dim);
    }
}

/// Returns the curve in screen positions. Before the first point and after the last one it is constant; without points it is 1.
fn line(layout: &Layout, points: &[(f64, f64)]) -> Vec<Pos2> {
    let start = points.first().map_or(1.0, |point| point.1);
    let end = points.last().map_or(1.0, |point| point.1);
    let middle = points.iter().copied();
    std::iter::once((0.0, start))
        .chain(middle)
        .chain([(layout.axes.across, end)])
        .map(|point| layout.position(point))
        .collect()
}

/// Fills the area below `line`, which is in screen positions from left to right.
fn fill(painter: &egui::Painter, layout: &Layout, line: &[Pos2], tokens: &Tokens) {
    let color: Color32 = tokens.accent.gamma_multiply(0.12);
    let mut mesh = egui::Mesh::default();
    for (index, at) in line.iter().enumerate() {
        mesh.colored_vertex(*at, color);
        mesh.colored_vertex(Pos2::new(at.x, layout.rect.max.y), color);
        if let Some(first) = index.checked_sub(1).map(|before| 2 * before as u32) {
            mesh.add_triangle(first, first + 1, first + 2);
            mesh.add_triangle(first + 1, first + 2, first + 3);
        }
    }
    painter.add(mesh);
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    fn layout() -> Layout {
        Layout { rect: Rect::from_min_size(Pos2::ZERO, Vec2::new(100.0, 60.0)), axes: SHARE_AXES }
    }

    #[test]
    fn a_value_is_read_back_from_where_it_is_drawn() {
        for point in [(0.0, 0.0), (0.25, 1.0), (1.0, 1.5)] {
            assert_eq!(layout().value(layout().position(point)), point);
        }
        assert_eq!(layout().value(Pos2::new(-20.0, -20.0)), (0.0, 1.5));
    }

    #[test]
    fn a_click_adds_a_point_even_if_pressed_and_released_in_one_frame() {
        let draw = |ui: &mut Ui, points: &mut Vec<(f64, f64)>| drop(curve(ui, "shares", points));
        let mut window = egui_kittest::Harness::builder().with_size([212.0, 90.0]).build_ui_state(draw, Vec::new());
        let at = window.get_by_label("shares").rect().center();
        window.event(egui::Event::PointerMoved(at));
        window.run_steps(2);
        for pressed in [true, false] {
            let (button, modifiers) = (PointerButton::Primary, egui::Modifiers::NONE);
            window.input_mut().events.push(egui::Event::PointerButton { pos: at, button, pressed, modifiers });
        }
        window.run_steps(3);
        assert_eq!(*window.state(), [(0.0, 1.0), (0.5, 0.75), (1.0, 1.0)]);
    }

    #[test]
    fn a_rise_keeps_its_ends_and_sorted_points() {
        let mut points = vec![(0.0, 0.3), (0.4, 0.5), (0.4, 0.6), (1.0, 0.2)];
        pin_ends(&mut points);
        assert_eq!(points, [(0.0, 0.0), (0.4, 0.5), (1.0, 1.0)]);
    }

    #[test]
    fn the_first_point_bends_a_flat_curve_and_stays_between_its_neighbours() {
        let mut points = Vec::new();
        let index = add(&mut points, (0.5, 0.2));
        assert_eq!(points, [(0.0, 1.0), (0.5, 0.2), (1.0, 1.0)]);
        assert_eq!(bounded(&points, index, (1.4, 0.3), 1.0), (1.0, 0.3));
        assert_eq!(layout().point_at(&points, layout().position((0.52, 0.2))), Some(1));
        assert_eq!(layout().point_at(&points, Pos2::new(30.0, 30.0)), None);
    }
}
