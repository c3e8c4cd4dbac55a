//! A quiet plot over seconds: curves, the playhead to drag, and the time that is pointed at here or elsewhere.

use egui::{Stroke, Ui};
use egui_plot::{Line, Plot, PlotPoints, PlotUi, VLine};

use crate::session::playback::Playback;
use crate::ui::i18n::tr;
use crate::ui::theme::{self, Tokens};
use crate::ui::widgets::form;

/// A plot that neither pans nor zooms; `y` starts at 0.
pub fn time_plot(name: &str, tokens: &Tokens) -> Plot<'static> {
    Plot::new(name.to_owned())
        .show_background(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .set_margin_fraction(egui::vec2(0.01, 0.08))
        .include_y(0.0)
        .y_axis_min_width(36.0)
        .x_axis_formatter(|mark, _| format!("{} s", rounded(mark.value)))
        .y_axis_formatter(|mark, _| rounded(mark.value))
        .grid_color(tokens.line)
        .cursor_color(tokens.dim)
}

/// Draws `plot` with the playhead, which follows clicks and drags, and what is pointed at.
pub fn show(ui: &mut Ui, plot: Plot<'_>, playback: &mut Playback, draw: impl FnOnce(&mut PlotUi<'_>)) {
    let tokens = *theme::of(ui);
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

fn rounded(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
