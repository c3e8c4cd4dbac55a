//! Plots of a walk: speed, remaining distance, foot slide and the distance curve of the stop.

use egui::{Stroke, Ui};
use egui_plot::{LineStyle, PlotUi, Points, VLine};

use crate::i18n::tr;
use crate::theme::{self, Tokens};
use crate::units::Unit;
use crate::widgets;
use crate::widgets::legend::{LegendLine, legend};
use crate::widgets::time_plot::{line, show, time_plot};
use portamento_session::Session;
use portamento_session::playback::Playback;
use portamento_walk::locomotion::{FrameReport, Walk};

/// The plotted quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Quantity {
    #[default]
    Speed,
    Remaining,
    Slide,
    Distance,
}

const ALL_QUANTITIES: [Quantity; 4] = [Quantity::Speed, Quantity::Remaining, Quantity::Slide, Quantity::Distance];

/// Draws the choice of the quantity and its plot for `walk`. A click in the plot moves the playhead, except in that of the stop
/// clip.
pub fn walk_plot_ui(ui: &mut Ui, session: &mut Session, walk: &Walk) {
    let id = ui.id().with("walk quantity");
    let number = ui.data(|data| data.get_temp::<usize>(id)).unwrap_or_default();
    let mut quantity = ALL_QUANTITIES.get(number).copied().unwrap_or_default();
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        for each in ALL_QUANTITIES {
            ui.selectable_value(&mut quantity, each, tr(label_key(each)));
        }
        widgets::caption(ui, unit(quantity).suffix().trim());
        if quantity == Quantity::Slide {
            legend(ui, &curves(theme::of(ui)));
        }
    });
    ui.data_mut(|data| {
        data.insert_temp(id, ALL_QUANTITIES.iter().position(|each| *each == quantity).unwrap_or_default())
    });
    plot(ui, quantity, walk, &mut session.playback);
}

/// Returns the locale key of the label.
fn label_key(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Speed => "plots.speed",
        Quantity::Remaining => "plots.remaining",
        Quantity::Slide => "plots.slide",
        Quantity::Distance => "plots.distance_curve",
    }
}

/// Returns the unit in which the quantity is displayed.
fn unit(quantity: Quantity) -> Unit {
    match quantity {
        Quantity::Speed => Unit::Speed,
        Quantity::Slide => Unit::CentimetresPerSecond,
        Quantity::Remaining | Quantity::Distance => Unit::Metres,
    }
}

fn curves(tokens: &Tokens) -> [LegendLine; 2] {
    let line = |key, color| LegendLine { key, stroke: Stroke::new(2.0, color), is_dashed: false };
    [line("plots.slide_after", tokens.accent), line("plots.slide_before", tokens.source)]
}

/// Draws `quantity` over time. A distance is that of the stop clip, on its own time axis.
fn plot(ui: &mut Ui, quantity: Quantity, walk: &Walk, playback: &mut Playback) {
    let (tokens, scale) = (*theme::of(ui), unit(quantity).display_factor());
    let plot = time_plot(label_key(quantity), &tokens).include_x(0.0);
    if quantity == Quantity::Distance {
        // The time axis is that of the stop clip, so the playhead is not shown.
        plot.show(ui, |plot| distance_curve(plot, walk, scale, &tokens));
        return;
    }
    show(ui, plot.include_x(walk.duration), playback, |plot| {
        let series = |value: fn(&FrameReport) -> f64| -> Vec<[f64; 2]> {
            walk.report.frames.iter().map(|frame| [frame.time, value(frame) * scale]).collect()
        };
        match quantity {
            Quantity::Speed => ribbon(plot, &series(|frame| frame.speed)),
            Quantity::Slide => {
                curve(plot, series(|frame| frame.slide_before), Stroke::new(1.5, tokens.source));
                curve(plot, series(|frame| frame.slide_after), Stroke::new(2.5, tokens.accent));
            }
            _ => curve(plot, series(|frame| frame.remaining), Stroke::new(2.5, tokens.accent)),
        }
        let stop = &walk.report.stop;
        for at in [stop.begins, stop.ends] {
            let mark = VLine::new("stop", at).color(tokens.target).width(1.0).style(LineStyle::dashed_dense());
            plot.vline(mark.allow_hover(false));
        }
    });
}

/// Draws the speed, as points of seconds and displayed speed, in the colours of the route: relative to the fastest point.
fn ribbon(plot: &mut PlotUi<'_>, series: &[[f64; 2]]) {
    let fastest = series.iter().map(|point| point[1]).fold(1e-9, f64::max);
    // Several frames per segment: finer segments are narrower than a pixel on long walks.
    let step = (series.len() / 240).max(1);
    for first in (0..series.len().saturating_sub(1)).step_by(step) {
        let piece = &series[first..(first + step + 1).min(series.len())];
        let color = theme::ramp((piece[0][1] / fastest) as f32);
        curve(plot, piece.to_vec(), Stroke::new(3.0, color));
    }
}

/// Draws the remaining distance of the stop clip over its own time (seconds), and the entry point if it has one. `scale` converts
/// metres to the displayed unit.
fn distance_curve(plot: &mut PlotUi<'_>, walk: &Walk, scale: f64, tokens: &Tokens) {
    let remaining = &walk.distance_curve;
    let points =
        remaining.times.iter().zip(&remaining.remaining).map(|(&time, &remaining)| [time, remaining * scale]).collect();
    curve(plot, points, Stroke::new(2.5, tokens.accent));
    if let Some(entry) = walk.report.stop.entry_time {
        let points = Points::new("entry", vec![[entry, remaining.at(entry) * scale]]).radius(5.0);
        plot.points(points.color(tokens.target).allow_hover(false));
    }
}

/// Draws a curve through `points`, which are pairs of seconds and displayed value.
fn curve(plot: &mut PlotUi<'_>, points: Vec<[f64; 2]>, stroke: Stroke) {
    plot.line(line(points.into_iter(), stroke));
}
