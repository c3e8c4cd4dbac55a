//! Speed and compensation of every frame: source, stretched, and spread evenly.

use egui::{Stroke, Ui};
use egui_material_icons::icons::ICON_TIMELINE;
use egui_plot::{Line, LineStyle, Plot, PlotPoints, PlotUi, VLine};

use super::walk_plot::walk_plot_ui;
use super::weights::weights_ui;
use crate::session::Session;
use crate::systems::stretch::Report;
use crate::ui::i18n::tr;
use crate::ui::{theme, widgets};

/// What is plotted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Quantity {
    #[default]
    Speed,
    Compensation,
    Distance,
}

/// Draws the plot of the shown take.
pub fn plots_ui(ui: &mut Ui, session: &mut Session) {
    let built = session.frame().and_then(|frame| frame.built.clone());
    let blended = built.as_ref().filter(|built| built.stretch().is_none()).and_then(|built| built.blended.clone());
    if let Some(blended) = blended.filter(|blended| !blended.weights.is_empty()) {
        return weights_ui(ui, session, &blended);
    }
    let walked = built.as_ref().filter(|built| built.stretch().is_none()).and_then(|built| built.walked.clone());
    if let Some(walk) = walked.and_then(|walked| walked.walk.clone()) {
        return walk_plot_ui(ui, session, &walk);
    }
    if session.shown_take().is_some_and(|take| take.walk().is_some()) {
        return widgets::empty(ui, ICON_TIMELINE, &tr("plots.walk_empty"), &tr("plots.walk_empty_hint"));
    }
    let Some((built, stretch)) = built.as_ref().and_then(|built| Some((built, built.stretch()?))) else {
        return widgets::empty(ui, ICON_TIMELINE, &tr("plots.empty"), &tr("plots.empty_hint"));
    };
    let id = ui.id().with("quantity");
    let mut quantity = ui.data(|data| data.get_temp::<u8>(id)).map_or(Quantity::Speed, from_number);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::SMALL;
        for each in [Quantity::Speed, Quantity::Compensation, Quantity::Distance] {
            ui.selectable_value(&mut quantity, each, tr(name(each)));
        }
        widgets::caption(ui, if quantity == Quantity::Speed { "m/s" } else { "m" });
        legend(ui);
    });
    ui.data_mut(|data| data.insert_temp(id, quantity as u8));
    let time = session.playback.time;
    let clicked = plot(ui, quantity, &stretch.report, built.metres_per_unit, time);
    if let Some(time) = clicked {
        session.playback.playing = false;
        let frame = (time * session.playback.fps).round() as i64;
        session.playback.go_to_frame(frame);
    }
}

fn from_number(number: u8) -> Quantity {
    [Quantity::Speed, Quantity::Compensation, Quantity::Distance].get(usize::from(number)).copied().unwrap_or_default()
}

fn name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Speed => "plots.speed",
        Quantity::Compensation => "plots.compensation",
        Quantity::Distance => "plots.distance",
    }
}

fn legend(ui: &mut Ui) {
    let tokens = theme::of(ui);
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let rows = [
            ("plots.stretched", tokens.accent, 2.5),
            ("plots.uniform", tokens.target, 1.5),
            ("plots.source", tokens.source, 1.5),
        ];
        for (key, color, width) in rows {
            widgets::caption(ui, tr(key));
            let (rect, _) = ui.allocate_exact_size([18.0, theme::ROW].into(), egui::Sense::hover());
            let dashed = key == "plots.uniform";
            let ends = [rect.left_center(), rect.right_center()];
            if dashed {
                ui.painter().extend(egui::Shape::dashed_line(&ends, (width, color), 4.0, 3.0));
            } else {
                ui.painter().line_segment(ends, (width, color));
            }
        }
    });
}

/// Draws the curves; answers the time that was clicked or dragged to.
fn plot(ui: &mut Ui, quantity: Quantity, report: &Report, metres: f64, time: f64) -> Option<f64> {
    let tokens = *theme::of(ui);
    let end = report.times.last().copied().unwrap_or(1.0);
    let plot = Plot::new("motion")
        .show_background(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .set_margin_fraction(egui::vec2(0.01, 0.08))
        .include_y(0.0)
        .include_x(0.0)
        .include_x(end)
        .y_axis_min_width(36.0)
        .x_axis_formatter(|mark, _| format!("{} s", rounded(mark.value)))
        .y_axis_formatter(|mark, _| rounded(mark.value))
        .grid_color(tokens.line)
        .cursor_color(tokens.dim);
    let response = plot.show(ui, |plot| {
        let series = |report: &crate::systems::stretch::PathReport| values(quantity, report, metres);
        curve(plot, &report.times, series(&report.source), Stroke::new(1.5, tokens.source), false);
        curve(plot, &report.times, series(&report.uniform), Stroke::new(1.5, tokens.target), true);
        curve(plot, &report.times, series(&report.stretched), Stroke::new(2.5, tokens.accent), false);
        plot.vline(VLine::new("playhead", time).color(tokens.accent).width(1.0).allow_hover(false));
    });
    let held = response.response.is_pointer_button_down_on();
    let at = response.response.interact_pointer_pos().filter(|_| held)?;
    Some(response.transform.value_from_position(at).x)
}

fn rounded(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn values(quantity: Quantity, path: &crate::systems::stretch::PathReport, metres: f64) -> Vec<f64> {
    match quantity {
        Quantity::Speed => path.speeds.iter().map(|speed| speed * metres).collect(),
        Quantity::Compensation => path.compensation.iter().map(|length| length * metres).collect(),
        Quantity::Distance => {
            let start = path.points.first().copied().unwrap_or_default();
            path.points.iter().map(|point| point.distance(start) * metres).collect()
        }
    }
}

fn curve(plot: &mut PlotUi<'_>, times: &[f64], values: Vec<f64>, stroke: Stroke, dashed: bool) {
    let points: PlotPoints<'_> = times.iter().zip(values).map(|(&time, value)| [time, value]).collect();
    let line = Line::new("", points).stroke(stroke).allow_hover(false);
    plot.line(if dashed { line.style(LineStyle::dashed_dense()) } else { line });
}
