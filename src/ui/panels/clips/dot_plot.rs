//! Scatter plot of two figures of all shown clips. A click or a box selects clips in the table.

use egui::{Key, PointerButton, Pos2, Rangef, Rect, Response, Stroke, StrokeKind, Ui};
use egui_plot::{AxisHints, MarkerShape, Plot, PlotPoints, Points};

use super::clicked::{Clicked, name};
use super::figures::{heading, shown_number};
use crate::widgets::form;
use crate::{theme, widgets};
use portamento_session::ClipTable;
use portamento_session::clip_library::columns::COLUMNS;

/// The plotted figures, as indices into [`COLUMNS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct DotPlot {
    x: usize,
    y: usize,
    /// Corners of the selection box: press position and current pointer.
    drawn: Option<[Pos2; 2]>,
}

/// Selection made in the plot.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Picked {
    /// A clicked dot.
    One(Clicked),
    /// Rows of all dots inside the selection box.
    Box(Vec<usize>),
}

/// Distances between grid marks at which labels fade in and are fully visible, points, for the y and x axis.
const Y_LABEL_SPACING: Rangef = Rangef { min: 10.0, max: 16.0 };
const X_LABEL_SPACING: Rangef = Rangef { min: 20.0, max: 36.0 };
/// Maximum distance from the pointer to a dot that counts as pointed at, points.
const PICK_RADIUS: f32 = 12.0;

impl Default for DotPlot {
    /// Foot slide over speed, the usual first question about a folder of gaits.
    fn default() -> Self {
        let index = |key: &str| COLUMNS.iter().position(|column| column.key == key).unwrap_or(0);
        Self { x: index("speed"), y: index("slide"), drawn: None }
    }
}

impl DotPlot {
    /// Draws the plot and returns what was selected in it.
    pub(super) fn ui(&mut self, ui: &mut Ui, clips: &mut ClipTable) -> Option<Picked> {
        self.axes(ui);
        let tokens = *theme::of(ui);
        let dots = self.dots(clips);
        let of = |is_chosen: bool| -> PlotPoints<'static> {
            dots.iter().filter(|dot| clips.chosen.contains(&dot.row) == is_chosen).map(|dot| dot.at).collect()
        };
        let plot = Plot::new("clip_dots")
            .show_background(false)
            .grid_color(tokens.line)
            .cursor_color(tokens.dim)
            .allow_scroll(false)
            .allow_drag(false)
            // The panel is low, so that grid marks one text line apart also get labels.
            .custom_y_axes(vec![AxisHints::new_y().label_spacing(Y_LABEL_SPACING)])
            .custom_x_axes(vec![AxisHints::new_x().label_spacing(X_LABEL_SPACING)])
            .show(ui, |plot| {
                let points = |points| Points::new("", points).shape(MarkerShape::Circle).allow_hover(false);
                plot.points(points(of(false)).radius(3.0).color(tokens.source));
                plot.points(points(of(true)).radius(4.5).color(tokens.accent));
            });
        let on_screen = |dot: &Dot| plot.transform.position_from_point(&egui_plot::PlotPoint::from(dot.at));
        let nearest = |at: Pos2| {
            let distance = |dot: &Dot| on_screen(dot).distance(at);
            let nearest = dots.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
            (distance(nearest) <= PICK_RADIUS).then_some(nearest.row)
        };
        let pointed = plot.response.hover_pos().and_then(nearest);
        if let Some(row) = pointed.and_then(|row| clips.rows().get(row)) {
            plot.response.clone().on_hover_text_at_pointer(format!("{} · {}", name(&row.file), row.clip));
        }
        if let Some(drawn) = self.box_drawn(ui, &plot.response) {
            let inside = dots.iter().filter(|dot| drawn.contains(on_screen(dot)));
            return Some(Picked::Box(inside.map(|dot| dot.row).collect()));
        }
        let is_clicked = plot.response.clicked() || plot.response.double_clicked();
        let row = pointed.filter(|_| is_clicked)?;
        Some(Picked::One(Clicked { row, opens: plot.response.double_clicked() }))
    }

    /// Draws the selection box while it is dragged; Esc cancels. In the frame in which the drag ends, returns it in screen
    /// points, otherwise `None`.
    fn box_drawn(&mut self, ui: &Ui, plot: &Response) -> Option<Rect> {
        if plot.drag_started_by(PointerButton::Primary) {
            let start = ui.input(|input| input.pointer.press_origin());
            self.drawn = start.map(|start| [start; 2]);
        }
        if ui.input(|input| input.key_pressed(Key::Escape)) {
            self.drawn = None;
        }
        let [start, end] = self.drawn.as_mut()?;
        *end = plot.interact_pointer_pos().unwrap_or(*end);
        let drawn = Rect::from_two_pos(*start, *end);
        if plot.drag_stopped_by(PointerButton::Primary) {
            self.drawn = None;
            return Some(drawn);
        }
        let tokens = theme::of(ui);
        let painter = ui.painter_at(plot.rect);
        painter.rect_filled(drawn, 0.0, tokens.accent.gamma_multiply(0.12));
        painter.rect_stroke(drawn, 0.0, Stroke::new(1.0, tokens.accent), StrokeKind::Inside);
        None
    }

    /// Draws the choice of the columns for both axes.
    fn axes(&mut self, ui: &mut Ui) {
        let numbers = COLUMNS.iter().enumerate().filter(|(_, column)| column.is_number);
        let choices: Vec<(usize, String)> = numbers.map(|(at, column)| (at, heading(column))).collect();
        ui.columns(2, |columns| {
            let axes = [("↑", "clip_dots_y", &mut self.y), ("→", "clip_dots_x", &mut self.x)];
            for (ui, (mark, id, axis)) in columns.iter_mut().zip(axes) {
                ui.horizontal(|ui| {
                    widgets::caption(ui, mark);
                    form::choice(ui, id, axis, &choices);
                });
            }
        });
    }

    /// Returns the shown clips for which both figures were measured, at these figures in the user's units.
    fn dots(&self, clips: &mut ClipTable) -> Vec<Dot> {
        let shown = clips.shown();
        let dot = |&row: &usize| {
            let number = |column: usize| shown_number(&COLUMNS[column], &clips.rows()[row]);
            Some(Dot { row, at: [number(self.x)?, number(self.y)?] })
        };
        shown.iter().filter_map(dot).collect()
    }
}

/// A clip in the plot.
struct Dot {
    /// Index among all rows.
    row: usize,
    at: [f64; 2],
}
