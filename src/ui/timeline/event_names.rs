//! Event names on the lane, as far as they fit, and their tooltip.

use egui::{Rangef, Rect, Response};

use crate::panels::blend::states::event_word;
use crate::theme;
use crate::timeline::lanes::{LaneCanvas, LaneView};
use crate::timeline::model::{EventMark, Model};
use crate::timeline::scale::TimeScale;
use crate::units::Unit;

/// Distance between a mark and its name, points.
const NAME_GAP: f32 = 5.0;
/// Minimum width for a name, points; about two letters.
const MIN_NAME_WIDTH: f32 = 18.0;

/// Draws the names, each between its mark and the next, truncated there. A name without room for a letter is left out.
pub(super) fn paint(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    if !lanes.events.is_positive() {
        return;
    }
    for mark in model.events.iter().flatten() {
        let ink = tokens.text;
        let word = event_word(mark.action, mark.state.as_deref());
        let width = painter.layout_no_wrap(word.clone(), theme::caption(), ink).size().x;
        if let Some(range) = name_range(mark, model, scale, width) {
            canvas.cut_text(Rect::from_x_y_ranges(range, lanes.events.y_range()), &word, ink);
        }
    }
}

/// Returns the screen x range of a name of `width` points: inside the transition if it fits or has the most room, else behind it. Returns `None`
/// if neither has room for a letter.
fn name_range(mark: &EventMark, model: &Model, scale: &TimeScale, width: f32) -> Option<Rangef> {
    let x = |time: f64| scale.x_of(time) as f32;
    let others = model.events.iter().flatten().map(|other| other.time).filter(|&time| time > mark.time);
    let next = x(others.fold(model.duration, f64::min)) - NAME_GAP;
    let end = x(mark.time + mark.trans_time);
    let inside = Rangef::new(x(mark.time) + NAME_GAP, next.min(end - NAME_GAP));
    let behind = Rangef::new(end + NAME_GAP, next);
    let best = if inside.span() >= width || inside.span() >= behind.span() { inside } else { behind };
    (best.span() >= width.min(MIN_NAME_WIDTH)).then_some(best)
}

/// Shows a tooltip with the events under the pointer and their times, including those whose names do not fit.
pub(super) fn show_tooltip(response: &Response, scale: &TimeScale, view: &LaneView) {
    let Some(at) = response.hover_pos().filter(|at| view.lanes.events.contains(*at)) else { return };
    let is_under = |mark: &EventMark| {
        let (start, end) = (scale.x_of(mark.time), scale.x_of(mark.time + mark.trans_time));
        (start - HOVER_RADIUS..=end + HOVER_RADIUS).contains(&f64::from(at.x))
    };
    let lines = view.model.events.iter().flatten().filter(|mark| is_under(mark)).map(|mark| {
        let word = event_word(mark.action, mark.state.as_deref());
        format!("{word}  {}", Unit::Seconds.text(mark.time, 3))
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        response.clone().on_hover_text_at_pointer(lines.join("\n"));
    }
}

/// Distance from an event within which it counts as under the pointer, points.
const HOVER_RADIUS: f64 = 3.0;

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_blend::Action;

    /// Returns offset and width of each name at 100 points per second.
    fn placed(times: &[(f64, f64)], width: f32) -> Vec<Option<(f32, f32)>> {
        let mark = |&(time, trans_time): &(f64, f64)| EventMark { time, trans_time, action: Action::Run, state: None };
        let events = Some(times.iter().map(mark).collect::<Vec<_>>());
        let model = Model { duration: 4.0, fps: 30.0, events: events.clone(), ..Model::default() };
        let mut scale = TimeScale::default();
        scale.resize(model.duration, Rangef::new(0.0, 400.0));
        let left = |time: f64| scale.x_of(time) as f32;
        let of =
            |mark: &EventMark| name_range(mark, &model, &scale, width).map(|at| (at.min - left(mark.time), at.span()));
        events.iter().flatten().map(of).collect()
    }

    #[test]
    fn names_avoid_ends_of_transitions_and_are_cut_at_the_next_event() {
        let one = placed(&[(1.0, 0.5)], 30.0)[0].unwrap();
        assert!(one.0 == NAME_GAP && one.1 >= 30.0, "within the transition: {one:?}");
        let short = placed(&[(1.0, 0.1)], 30.0)[0].unwrap();
        assert!(short.0 > 5.0 + NAME_GAP && short.1 > 30.0, "behind its end: {short:?}");
        let near = placed(&[(1.0, 0.5), (1.02, 0.5)], 30.0);
        assert!(near[0].is_none() && near[1].is_some(), "{near:?}");
        let cut = placed(&[(1.0, 1.0), (1.35, 0.5)], 60.0)[0].unwrap();
        assert!(cut.1 < 30.0 && cut.1 >= MIN_NAME_WIDTH, "{cut:?}");
    }
}
