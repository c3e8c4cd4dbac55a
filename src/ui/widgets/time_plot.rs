//! Plot over seconds: curves, a draggable playhead and the hovered time.

use egui::{Stroke, Ui};
use egui_plot::{GridInput, GridMark, Line, Plot, PlotPoints, PlotUi, VLine};

use crate::i18n::tr;
use crate::theme::{self, Tokens};
use crate::units::{self, Unit};
use crate::widgets::form;
use portamento_session::playback::Playback;

/// Returns a plot over seconds without pan and zoom. Its y axis includes 0. Its time axis shows frames if [`units::frames`] has a
/// rate.
///
/// `name` is its unique id.
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
        .grid_spacing(MIN_GRID_SPACING..=300.0)
        .y_grid_spacer(value_marks)
        .x_axis_formatter(|mark, _| rounded(mark.value * Unit::Seconds.display_factor()) + Unit::Seconds.suffix())
        .y_axis_formatter(|mark, _| rounded(mark.value))
        .grid_color(tokens.line)
        .cursor_color(tokens.dim)
}

/// Draws `plot` with the curves of `draw`, the playhead and the hovered time.
///
/// A press or drag pauses playback and moves the playhead. Hovering sets the hovered time of `playback`.
pub fn show(ui: &mut Ui, plot: Plot<'_>, playback: &mut Playback, draw: impl FnOnce(&mut PlotUi<'_>)) {
    let tokens = *theme::of(ui);
    // The plot would otherwise exceed its room. A low plot needs no time axis, because the timeline shows the time.
    let plot = plot.min_size(egui::Vec2::ZERO).show_axes([ui.available_height() > MIN_AXIS_HEIGHT, true]);
    let response = plot.show(ui, |plot| {
        draw(plot);
        if let Some(hover_time) = playback.hover_time() {
            plot.vline(VLine::new("hover_time", hover_time).color(tokens.dim).width(1.0).allow_hover(false));
        }
        plot.vline(VLine::new("playhead", playback.time).color(tokens.playhead).width(1.0).allow_hover(false));
    });
    form::with_name(response.response.clone(), &tr("plots.name"));
    let time_of = |at| response.transform.value_from_position(at).x;
    if let Some(at) = response.response.hover_pos() {
        playback.hover_at(time_of(at));
    }
    if let (Some(at), true) = (response.response.interact_pointer_pos(), response.response.is_pointer_button_down_on())
    {
        playback.pause_at(time_of(at));
    }
}

/// Returns a curve through `points` (seconds, value) that does not react to the pointer.
pub fn line(points: impl Iterator<Item = [f64; 2]>, stroke: Stroke) -> Line<'static> {
    let points: PlotPoints<'static> = points.collect();
    Line::new("", points).stroke(stroke).allow_hover(false)
}

/// Height up to which a plot shows no time axis, points.
const MIN_AXIS_HEIGHT: f32 = 64.0;
/// Minimum distance of grid lines, points.
const MIN_GRID_SPACING: f32 = 8.0;
/// Minimum distance of labelled values, and the distance from which labels are fully opaque, points.
const LABEL_SPACING: [f64; 2] = [22.0, 32.0];

/// Returns round values for the y axis, as many as fit; empty without a range. Low plots also get more labels than 0.
fn value_marks(input: GridInput) -> Vec<GridMark> {
    let per_point = input.base_step_size / f64::from(MIN_GRID_SPACING);
    let min_step = LABEL_SPACING[0] * per_point;
    let (low, high) = input.bounds;
    if !(min_step > 0.0 && min_step.is_finite() && high > low) {
        return Vec::new();
    }
    let ten = 10f64.powf(min_step.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|times| times * ten)
        .into_iter()
        .find(|step| *step >= min_step)
        .unwrap_or(min_step);
    let multiples = (low / step).ceil() as i64..=(high / step).floor() as i64;
    multiples.map(|n| GridMark { value: n as f64 * step, step_size: step.max(LABEL_SPACING[1] * per_point) }).collect()
}

/// Minimum distance of labelled frames, points.
const FRAME_LABEL_SPACING: f64 = 48.0;

/// Returns times of whole frames in seconds for the time axis, as many as fit. `rate` is in frames per second; empty without a
/// range.
fn frame_marks(input: GridInput, rate: f64) -> Vec<GridMark> {
    let min_step = FRAME_LABEL_SPACING * input.base_step_size / f64::from(MIN_GRID_SPACING) * rate;
    let (low, high) = (input.bounds.0 * rate, input.bounds.1 * rate);
    if !(min_step > 0.0 && min_step.is_finite() && high > low) {
        return Vec::new();
    }
    let ten = 10f64.powf(min_step.log10().floor()).max(1.0);
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|times| times * ten).into_iter().find(|step| *step >= min_step).unwrap_or(min_step);
    let multiples = (low / step).ceil() as i64..=(high / step).floor() as i64;
    multiples.map(|n| GridMark { value: n as f64 * step / rate, step_size: step / rate }).collect()
}

/// Returns `value` with up to four decimals, without trailing zeros.
fn rounded(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_plot_has_round_labels_that_do_not_overlap() {
        for (points, high) in [(50.0, 4.6), (60.0, 0.37), (90.0, 130.0), (400.0, 7.0)] {
            let per_point = high / points;
            let bounds = (-0.05 * high, 1.05 * high);
            let marks = value_marks(GridInput { bounds, base_step_size: per_point * f64::from(MIN_GRID_SPACING) });
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
    fn frame_labels_are_integers_and_do_not_overlap() {
        for (points, seconds) in [(400.0, 4.5), (400.0, 0.2), (300.0, 90.0)] {
            let per_point = seconds / points;
            let input = GridInput { bounds: (0.0, seconds), base_step_size: per_point * f64::from(MIN_GRID_SPACING) };
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
