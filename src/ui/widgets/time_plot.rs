//! A quiet plot over seconds: curves, the playhead to drag, and the time that is pointed at here or elsewhere.

use egui::{Stroke, Ui};
use egui_plot::{GridInput, GridMark, Line, Plot, PlotPoints, PlotUi, VLine};

use crate::session::playback::Playback;
use crate::ui::i18n::tr;
use crate::ui::theme::{self, Tokens};
use crate::ui::units::{self, Unit};
use crate::ui::widgets::form;

/// A plot that neither pans nor zooms; `y` starts at 0.
pub fn time_plot(name: &str, tokens: &Tokens) -> Plot<'static> {
    let plot = Plot::new(name.to_owned());
    let plot = match units::frames() {
        Some(rate) => plot.x_grid_spacer(move |input| frame_marks(input, rate)),
        None => plot,
    };
    plot.show_background(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .set_margin_fraction(egui::vec2(0.01, 0.08))
        .include_y(0.0)
        .y_axis_min_width(36.0)
        .grid_spacing(SPACING..=300.0)
        .y_grid_spacer(value_marks)
        .x_axis_formatter(|mark, _| rounded(mark.value * Unit::Seconds.shown_per_kept()) + Unit::Seconds.suffix())
        .y_axis_formatter(|mark, _| rounded(mark.value))
        .grid_color(tokens.line)
        .cursor_color(tokens.dim)
}

/// Draws `plot` with the playhead, which follows clicks and drags, and what is pointed at.
pub fn show(ui: &mut Ui, plot: Plot<'_>, playback: &mut Playback, draw: impl FnOnce(&mut PlotUi<'_>)) {
    let tokens = *theme::of(ui);
    // A plot would else be higher than its room, and what is written below it cut: the timeline tells the time too.
    let plot = plot.min_size(egui::Vec2::ZERO).show_axes([ui.available_height() > LOW, true]);
    let response = plot.show(ui, |plot| {
        draw(plot);
        if let Some(hover_time) = playback.hover_time() {
            plot.vline(VLine::new("hover_time", hover_time).color(tokens.dim).width(1.0).allow_hover(false));
        }
        plot.vline(VLine::new("playhead", playback.time).color(tokens.playhead).width(1.0).allow_hover(false));
    });
    form::called(response.response.clone(), &tr("plots.name"));
    let time_of = |at| response.transform.value_from_position(at).x;
    if let Some(at) = response.response.hover_pos() {
        playback.hover_at(time_of(at));
    }
    if let (Some(at), true) = (response.response.interact_pointer_pos(), response.response.is_pointer_button_down_on())
    {
        playback.hold(time_of(at));
    }
}

/// A curve through `points`, each seconds and value.
pub fn line(points: impl Iterator<Item = [f64; 2]>, stroke: Stroke) -> Line<'static> {
    let points: PlotPoints<'static> = points.collect();
    Line::new("", points).stroke(stroke).allow_hover(false)
}

/// Height up to which a plot has room for its curves alone, points.
const LOW: f32 = 64.0;
/// The least distance of faint lines of the grid, points.
const SPACING: f32 = 8.0;
/// The least distance of values that are written out, and that from which on they are written in full strength.
const WRITTEN: [f64; 2] = [22.0, 32.0];

/// Round values to write beside the plot, as many as it has room for: low plots too have more than their 0.
fn value_marks(input: GridInput) -> Vec<GridMark> {
    let per_point = input.base_step_size / f64::from(SPACING);
    let least = WRITTEN[0] * per_point;
    let (low, high) = input.bounds;
    if !(least > 0.0 && least.is_finite() && high > low) {
        return Vec::new();
    }
    let ten = 10f64.powf(least.log10().floor());
    let step =
        [1.0, 2.0, 2.5, 5.0, 10.0].map(|times| times * ten).into_iter().find(|step| *step >= least).unwrap_or(least);
    let whole = (low / step).ceil() as i64..=(high / step).floor() as i64;
    whole.map(|n| GridMark { value: n as f64 * step, step_size: step.max(WRITTEN[1] * per_point) }).collect()
}

/// The least distance of frames that are written out, points.
const FRAMES: f64 = 48.0;

/// Whole frames to write below the plot, at `rate` a second.
fn frame_marks(input: GridInput, rate: f64) -> Vec<GridMark> {
    let least = FRAMES * input.base_step_size / f64::from(SPACING) * rate;
    let (low, high) = (input.bounds.0 * rate, input.bounds.1 * rate);
    if !(least > 0.0 && least.is_finite() && high > low) {
        return Vec::new();
    }
    let ten = 10f64.powf(least.log10().floor()).max(1.0);
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * ten).into_iter().find(|step| *step >= least).unwrap_or(least);
    let whole = (low / step).ceil() as i64..=(high / step).floor() as i64;
    whole.map(|n| GridMark { value: n as f64 * step / rate, step_size: step / rate }).collect()
}

fn rounded(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_plot_has_round_values_beside_it_and_none_over_another() {
        for (points, high) in [(50.0, 4.6), (60.0, 0.37), (90.0, 130.0), (400.0, 7.0)] {
            let per_point = high / points;
            let bounds = (-0.05 * high, 1.05 * high);
            let marks = value_marks(GridInput { bounds, base_step_size: per_point * f64::from(SPACING) });
            assert!(marks.len() >= 2 && marks.iter().any(|mark| mark.value == 0.0), "{points}: {marks:?}");
            let apart = marks.windows(2).map(|pair| (pair[1].value - pair[0].value) / per_point);
            assert!(
                apart.clone().all(|apart| apart >= 22.0) && apart.fold(0.0, f64::max) < 56.0,
                "{points}: {marks:?}"
            );
            assert!(marks.iter().all(|mark| mark.value >= bounds.0 && mark.value <= bounds.1));
        }
    }

    #[test]
    fn frames_below_a_plot_are_whole_and_none_lies_over_another() {
        for (points, seconds) in [(400.0, 4.5), (400.0, 0.2), (300.0, 90.0)] {
            let per_point = seconds / points;
            let input = GridInput { bounds: (0.0, seconds), base_step_size: per_point * f64::from(SPACING) };
            let marks = frame_marks(input, 24.0);
            assert!(marks.len() >= 2, "{points}: {marks:?}");
            assert!(marks.iter().all(|mark| ((mark.value * 24.0) - (mark.value * 24.0).round()).abs() < 1e-9));
            assert!(marks.windows(2).all(|pair| (pair[1].value - pair[0].value) / per_point >= 48.0), "{marks:?}");
        }
    }

    #[test]
    fn an_empty_plot_has_no_values() {
        assert!(frame_marks(GridInput { bounds: (0.0, 0.0), base_step_size: 0.0 }, 30.0).is_empty());
        assert!(value_marks(GridInput { bounds: (0.0, 0.0), base_step_size: 0.0 }).is_empty());
    }
}
