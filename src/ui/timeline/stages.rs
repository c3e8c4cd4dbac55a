//! Stage lanes of the current take: spans, edges, events and windows, in output time.

use egui::{Pos2, Rect, Response, Shape, Stroke, Vec2};

use crate::theme;
use crate::timeline::drag::LanePart;
use crate::timeline::knots;
use crate::timeline::lanes::{LaneCanvas, Lanes};
use crate::timeline::model::{EventMark, Model, StageLane};
use crate::timeline::scale::TimeScale;
use portamento_blend::Event;
use portamento_session::command::stage::StageCommand;
use portamento_session::{Command, EditCommand, Session, Shown};
use portamento_takes::document::stage::StageId;
use portamento_takes::document::{Span, StageKind, Take};

/// Distance from an edge within which it can be grabbed, points.
const GRAB_RADIUS: f64 = 5.0;

/// Fade length of a span edge that is dragged inwards for the first time, seconds.
const NEW_FADE_SECONDS: f64 = 0.2;

/// Returns one lane per stage of the shown take except loops, whose lane has its own scale. Empty for other items.
pub(super) fn lanes_of(session: &Session) -> Vec<StageLane> {
    let Shown::Take(id) = session.selection.shown else { return Vec::new() };
    let Some(take) = session.document.take(id) else { return Vec::new() };
    let open = session.selection.open_stage(&session.document);
    let shown = take.stages.iter().filter(|stage| !matches!(stage.kind, StageKind::Loop(_)));
    let lane = |stage: &portamento_takes::document::Stage| {
        let out = |time: f64| seconds_out(session, take, stage.id, time);
        let span = stage.kind.span().map(|span| {
            let (start, end) = (out(span.start), out(span.end));
            let fade_in = out(span.start + span.fade_in) - start;
            Span { start, end, fade_in, fade_out: end - out(span.end - span.fade_out) }
        });
        let events = stage.kind.as_layer().map(|layer| layer.settings.events.iter().map(|event| mark(event, &out)));
        let windows = stage.kind.as_stretch().map(|stretch| stretch.settings.windows.iter());
        StageLane {
            id: stage.id,
            kind: stage.kind.name(),
            on: stage.on,
            open: open == Some(stage.id),
            has_span: stage.kind.has_span(),
            span,
            events: events.map(Iterator::collect).unwrap_or_default(),
            knots: knots::of_stage(&stage.kind).into_iter().map(|(time, text)| (out(time), text)).collect(),
            windows: windows.into_iter().flatten().map(|window| (out(window.start), out(window.end))).collect(),
        }
    };
    shown.map(lane).collect()
}

/// Returns the mark of `event` in output seconds. `out` converts seconds of the motion that the event belongs to.
pub(super) fn mark(event: &Event, out: &dyn Fn(f64) -> f64) -> EventMark {
    let time = out(event.time);
    let trans_time = out(event.time + event.trans_time) - time;
    EventMark { time, trans_time, action: event.action, state: event.state.clone() }
}

/// Converts `time` of the motion that enters `stage` to output seconds of the take. Returns `time` if the take is not built.
pub fn seconds_out(session: &Session, take: &Take, stage: StageId, time: f64) -> f64 {
    let built = session.frame().and_then(|frame| frame.built.as_ref());
    built.map_or(time, |built| built.output_time(take.active_stages_before(stage), time))
}

/// Converts `time`, output seconds of the shown take, to seconds of the motion that enters `stage`. Without a stage or a built
/// take, returns `time`.
pub fn seconds_in(session: &Session, stage: Option<StageId>, time: f64) -> f64 {
    let Shown::Take(id) = session.selection.shown else { return time };
    let built = session.frame().and_then(|frame| frame.built.as_ref());
    let (Some(stage), Some(take), Some(built)) = (stage, session.document.take(id), built) else { return time };
    built.input_time(take.active_stages_before(stage), time)
}

/// Returns the part under the screen position `at`: fade handles in the upper half, ends in the lower half, else the span between
/// them. `None` for stages without a span.
pub(super) fn part_at(at: Pos2, scale: &TimeScale, lanes: &Lanes, model: &Model) -> Option<LanePart> {
    let (rect, lane) = lanes.stages.iter().zip(&model.stages).find(|(rect, _)| rect.contains(at))?;
    if !lane.has_span {
        return None;
    }
    let near = |time: f64| (scale.x_of(time) - f64::from(at.x)).abs() <= GRAB_RADIUS;
    let Span { start, end, fade_in, fade_out } = lane.span.unwrap_or(Span { end: model.duration, ..Span::default() });
    let is_upper_half = at.y < rect.center().y;
    match lane.span {
        Some(_) if is_upper_half && near(start + fade_in) => Some(LanePart::FadeIn(lane.id)),
        Some(_) if is_upper_half && near(end - fade_out) => Some(LanePart::FadeOut(lane.id)),
        _ if near(start) => Some(LanePart::SpanStart(lane.id)),
        _ if near(end) => Some(LanePart::SpanEnd(lane.id)),
        Some(_) if (start..end).contains(&scale.time_at(f64::from(at.x))) => {
            let grabbed = (scale.time_at(f64::from(at.x)) - start) * model.fps;
            Some(LanePart::Span(lane.id, grabbed.round().max(0.0) as usize))
        }
        _ => None,
    }
}

/// Moves the dragged part of a span to `time`, in seconds of the shown take, and selects the stage. A span over the whole motion
/// without fades is removed.
pub(super) fn move_to(session: &mut Session, part: LanePart, time: f64) {
    let (LanePart::Span(id, _)
    | LanePart::SpanStart(id)
    | LanePart::SpanEnd(id)
    | LanePart::FadeIn(id)
    | LanePart::FadeOut(id)) = part
    else {
        return;
    };
    let Shown::Take(take) = session.selection.shown else { return };
    let (fps, length) = (session.playback.fps, length_before(session, take, id));
    let grabbed = if let LanePart::Span(_, frames) = part { frames as f64 / fps } else { 0.0 };
    let time = seconds_in(session, Some(id), time - grabbed);
    session.selection.stage = Some(id);
    let stage = session.document.take_mut(take).and_then(|take| take.stage_mut(id));
    let Some(span) = stage.and_then(|stage| stage.kind.span_mut()) else { return };
    let moved = span_after_drag(*span, part, time, Room { frame: 1.0 / fps, length });
    let is_all = moved.start <= 0.0 && moved.end >= length && moved.fade_in == 0.0 && moved.fade_out == 0.0;
    *span = (!is_all).then_some(moved);
}

/// Limits of a span, seconds.
#[derive(Clone, Copy)]
struct Room {
    /// Duration of a frame, the shortest span.
    frame: f64,
    /// Duration of the motion that enters the stage.
    length: f64,
}

/// Returns `span` after `part` was dragged to `time`, in seconds of the motion that enters the stage. Without a span, starts from
/// the whole motion. An end that is dragged inwards for the first time gets a fade.
fn span_after_drag(span: Option<Span>, part: LanePart, time: f64, room: Room) -> Span {
    let Room { frame, length } = room;
    let mut span = span.unwrap_or(Span { end: length, ..Span::default() });
    // Typed values may end before they start.
    let length_of_span = (span.end - span.start).max(0.0);
    match part {
        LanePart::SpanStart(_) => {
            // An edge dragged away from the end of the motion gets a fade.
            let is_new = span.start <= 0.0 && span.fade_in == 0.0;
            span.start = time.clamp(0.0, (span.end - frame).max(0.0));
            span.fade_in = if is_new { NEW_FADE_SECONDS } else { span.fade_in };
        }
        LanePart::SpanEnd(_) => {
            let is_new = span.end >= length && span.fade_out == 0.0;
            span.end = time.clamp(span.start + frame, length.max(span.start + frame));
            span.fade_out = if is_new { NEW_FADE_SECONDS } else { span.fade_out };
        }
        LanePart::FadeIn(_) => {
            span.fade_in = (time - span.start).clamp(0.0, length_of_span - span.fade_out.min(length_of_span))
        }
        LanePart::FadeOut(_) => {
            span.fade_out = (span.end - time).clamp(0.0, length_of_span - span.fade_in.min(length_of_span))
        }
        _ => {
            span.start = time.clamp(0.0, (length - length_of_span).max(0.0));
            span.end = span.start + length_of_span;
        }
    }
    let room = span.end - span.start;
    (span.fade_in, span.fade_out) = (span.fade_in.min(room), span.fade_out.min(room));
    span
}

/// Returns the duration of the motion that enters `stage`, seconds; that of the shown motion if the take is not built.
fn length_before(session: &Session, take: portamento_takes::document::TakeId, stage: StageId) -> f64 {
    let built = session.frame().and_then(|frame| frame.built.as_ref());
    let index = session.document.take(take).map(|take| take.active_stages_before(stage));
    built.zip(index).map_or(session.playback.duration, |(built, index)| built.before_stage(index).duration)
}

/// Opens the stage if the name of its lane was clicked.
pub(super) fn open(response: &Response, session: &mut Session, lanes: &Lanes, model: &Model) {
    let Some(at) = response.interact_pointer_pos().filter(|at| response.clicked() && at.x < lanes.times.min) else {
        return;
    };
    let clicked = lanes.stages.iter().zip(&model.stages).find(|(rect, _)| rect.y_range().contains(at.y));
    if let Some((_, lane)) = clicked {
        session.perform(Command::Edit(EditCommand::Stage(StageCommand::Open(lane.id))));
    }
}

/// Draws the lanes.
pub(super) fn paint(canvas: &LaneCanvas) {
    let &LaneCanvas { model, lanes, .. } = canvas;
    for (index, (rect, lane)) in lanes.stages.iter().zip(&model.stages).enumerate() {
        let rect = rect.shrink2(Vec2::new(0.0, 3.0));
        acting(canvas, lane, rect);
        if model.events_at != Some(index) {
            other_events(canvas, lane, rect);
        }
    }
}

/// Draws the active span: a trapezoid with its fades, or a line if the stage has no span.
fn acting(canvas: &LaneCanvas, lane: &StageLane, rect: Rect) {
    let &LaneCanvas { painter, model, scale, tokens, .. } = canvas;
    let x = |time: f64| scale.x_of(time) as f32;
    let color = if lane.on { tokens.accent } else { tokens.dim };
    let strength = if lane.on { 0.28 } else { 0.15 };
    let (from, to) = (x(0.0), x(model.duration));
    if !lane.has_span {
        let y = rect.center().y;
        painter.hline(from..=to, y, Stroke::new(2.0, theme::mix(tokens.panel, color, strength)));
        return;
    }
    let Some(span) = lane.span else {
        let full_rect = Rect::from_x_y_ranges(from..=to, rect.y_range());
        painter.rect_filled(full_rect, 3.0, theme::mix(tokens.panel, color, 0.5 * strength));
        return;
    };
    let corners = [
        Pos2::new(x(span.start), rect.max.y),
        Pos2::new(x(span.start + span.fade_in), rect.min.y),
        Pos2::new(x(span.end - span.fade_out), rect.min.y),
        Pos2::new(x(span.end), rect.max.y),
    ];
    let fill = theme::mix(tokens.panel, color, strength);
    let line = Stroke::new(if lane.open { 1.5 } else { 1.0 }, theme::mix(tokens.panel, color, 0.8));
    painter.add(Shape::convex_polygon(corners.to_vec(), fill, Stroke::NONE));
    painter.add(Shape::line(corners.to_vec(), line));
    let handle = |at: Pos2| Rect::from_center_size(at + Vec2::Y * 1.5, Vec2::splat(5.0));
    [corners[1], corners[2]].into_iter().for_each(|at| {
        painter.rect_filled(handle(at), 1.0, color);
    });
}

/// Draws the events of a layer that is not open.
fn other_events(canvas: &LaneCanvas, lane: &StageLane, rect: Rect) {
    let &LaneCanvas { painter, scale, tokens, .. } = canvas;
    for event in &lane.events {
        let color = if lane.on { theme::action(event.action, tokens) } else { tokens.dim };
        let at = scale.x_of(event.time) as f32;
        painter.vline(at, rect.y_range(), Stroke::new(2.0, theme::mix(tokens.panel, color, 0.7)));
    }
}

/// Draws the names. The open stage is highlighted.
pub(super) fn names(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, lanes, tokens, .. } = canvas;
    // A lane scrolled out of view has no rectangle.
    for (rect, lane) in lanes.stages.iter().zip(&model.stages).filter(|(rect, _)| rect.is_positive()) {
        let color = match (lane.on, lane.open) {
            (false, _) => theme::mix(tokens.panel, tokens.dim, 0.6),
            (true, true) => tokens.selection,
            (true, false) => tokens.dim,
        };
        let at = Pos2::new(lanes.all.min.x + theme::GAP_MEDIUM, rect.center().y);
        let name = crate::i18n::tr(&format!("stage.{}", lane.kind));
        canvas.lane_name(at, &name, color);
        painter.hline(lanes.all.x_range(), rect.min.y, Stroke::new(1.0, theme::mix(tokens.panel, tokens.line, 0.5)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: StageId = StageId(3);
    const ROOM: Room = Room { frame: 0.1, length: 4.0 };

    #[test]
    fn a_span_is_shortened_from_both_ends_and_moved_within_its_motion() {
        let drawn = span_after_drag(None, LanePart::SpanStart(ID), 1.0, ROOM);
        assert_eq!(drawn, Span { start: 1.0, end: 4.0, fade_in: NEW_FADE_SECONDS, fade_out: 0.0 });
        let both = span_after_drag(Some(drawn), LanePart::SpanEnd(ID), 2.0, ROOM);
        assert_eq!((both.start, both.end, both.fade_out), (1.0, 2.0, NEW_FADE_SECONDS));
        let both = Span { fade_out: 0.0, ..both };
        let slid = span_after_drag(Some(both), LanePart::Span(ID, 0), 9.0, ROOM);
        assert_eq!((slid.start, slid.end, slid.fade_in), (3.0, 4.0, NEW_FADE_SECONDS));
        let shortest = span_after_drag(Some(both), LanePart::SpanEnd(ID), 0.0, ROOM);
        assert_eq!((shortest.end, shortest.fade_in), (1.1, 0.10000000000000009));
        let edge = span_after_drag(Some(both), LanePart::FadeOut(ID), 0.5, ROOM);
        assert!((edge.fade_out - 0.8).abs() < 1e-12, "both edges share the span");
    }

    #[test]
    fn fade_handles_are_above_the_ends() {
        let span = Some(Span { start: 1.0, end: 3.0, ..Span::default() });
        let lane = |has_span| StageLane { id: ID, has_span, span: span.filter(|_| has_span), ..StageLane::default() };
        let at = |has_span: bool, time: f64, down: f32| {
            let model = Model { duration: 4.0, fps: 10.0, stages: vec![lane(has_span)], ..Model::default() };
            let room = Rect::from_min_max(Pos2::ZERO, Pos2::new(888.0, 100.0));
            let lanes = Lanes::within(room, &model, 0.0);
            let mut scale = TimeScale::default();
            scale.resize(4.0, lanes.times);
            let rect = lanes.stages[0];
            part_at(Pos2::new(scale.x_of(time) as f32, rect.min.y + down * rect.height()), &scale, &lanes, &model)
        };
        assert_eq!(at(true, 1.0, 0.2), Some(LanePart::FadeIn(ID)));
        assert_eq!(at(true, 1.0, 0.8), Some(LanePart::SpanStart(ID)));
        assert_eq!(at(true, 3.0, 0.2), Some(LanePart::FadeOut(ID)));
        assert_eq!(at(true, 3.0, 0.8), Some(LanePart::SpanEnd(ID)));
        assert_eq!(at(true, 2.0, 0.5), Some(LanePart::Span(ID, 10)));
        assert_eq!((at(true, 0.5, 0.5), at(false, 2.0, 0.5)), (None, None));
    }
}
