//! Timeline panel: transport, ruler and lanes.

mod cycles;
pub(super) mod drag;
mod event_names;
mod events;
mod feet;
mod knots;
pub(super) mod lanes;
pub(super) mod model;
pub(super) mod paint;
pub(super) mod read;
pub(super) mod scale;
mod scroll_bar;
pub(super) mod stages;
mod thumbnails;
mod transport;
mod windows;

use egui::{PointerButton, Pos2, Response, Sense, Ui};

use super::i18n::{localized, tr};
use super::keys::lane;
use super::keys::lane_edit::{self, KeySelection};
use super::panels::clips::or_from_library;
use super::widgets;
use crate::drag::{DragEnd, DragState};
use portamento_session::{Session, Shown};

use self::drag::{LaneDrag, LanePart};
use self::lanes::{LaneView, Lanes};
use self::model::Model;
use self::scale::TimeScale;
use self::thumbnails::Thumbnails;

/// State of the timeline that is not part of the document.
#[derive(Default)]
pub struct Timeline {
    scale: TimeScale,
    drag: DragState<LaneDrag>,
    thumbnails: Thumbnails,
    keys: KeySelection,
    /// Scroll offset of the lanes, points.
    scroll: f32,
}

impl Timeline {
    /// True while a part is dragged. Keyboard input then belongs to the drag.
    pub(super) fn is_dragging(&self) -> bool {
        self.drag.is_dragging()
    }
}

/// Height with only the transport bar, while nothing can be played, points.
pub(super) const TRANSPORT_ONLY_HEIGHT: f32 = 34.0;

/// True if the shown item has no duration: nothing, or a file without motion. A take may still get one.
pub(super) fn is_static(session: &Session) -> bool {
    let has_none = matches!(session.selection.shown, Shown::Nothing | Shown::File(_));
    has_none && session.playback.duration <= 0.0 && session.evaluation.failure().is_none()
}

/// Draws transport and lanes and handles mouse input. Without a duration, draws a hint instead of the lanes.
pub fn ui(ui: &mut Ui, session: &mut Session, timeline: &mut Timeline) {
    let is_static = is_static(session);
    let hint = is_static.then(|| or_from_library(session, "timeline.empty_hint"));
    transport::bar(ui, session, hint.as_deref());
    if is_static {
        return;
    }
    let room = ui.available_rect_before_wrap();
    if session.playback.duration <= 0.0 {
        let (title, hint) = match session.evaluation.failure() {
            Some(failure) => ("timeline.failed", localized(failure)),
            // The inspector of the take shows what it still needs.
            None => ("timeline.not_yet", tr("timeline.not_yet_hint")),
        };
        return widgets::empty(ui, egui_material_icons::icons::ICON_TIMELINE, &tr(title), &hint);
    }
    let mut model = read::model(session);
    timeline.keys.mark(&mut model);
    let lanes = Lanes::within(room, &model, timeline.scroll);
    timeline.scroll = timeline.scroll.min(lanes.hidden_steps());
    // A drag can change the duration. The scale is constant until it ends.
    if !timeline.is_dragging() {
        timeline.scale.resize(model.duration, lanes.times);
    }
    let response = ui.interact(room, ui.id().with("lanes"), Sense::click_and_drag());
    let on_names = response.hover_pos().is_some_and(|at| at.x < lanes.times.min);
    if on_names {
        timeline.scroll = scrolled(ui, timeline.scroll, &lanes);
    } else {
        navigate(ui, &response, &mut timeline.scale, &lanes);
    }
    drag(ui, &response, session, timeline, &LaneView { lanes: &lanes, model: &model });
    stages::open(&response, session, &lanes, &model);
    let view = LaneView { lanes: &lanes, model: &model };
    if !timeline.is_dragging() {
        event_names::show_tooltip(&response, &timeline.scale, &view);
    }
    lane_edit::edit(ui, &response, session, &mut timeline.keys, &timeline.scale, &view);
    events::edit(ui, &response, session, &timeline.scale, &lanes, &model);
    knots::edit(ui, &response, session, &timeline.scale, &view);
    feet::edit(ui, &response, session, &timeline.scale, &LaneView { lanes: &lanes, model: &model });
    paint::lanes(ui, &model, &timeline.scale, &lanes, &mut timeline.thumbnails);
    timeline.scroll = scroll_bar::ui(ui, timeline.scroll, &lanes);
    announce(&response, session);
    ui.advance_cursor_after_rect(room);
}

/// Returns the scroll offset `scroll`, in points, after the wheel was used: a notch scrolls by one lane.
fn scrolled(ui: &Ui, scroll: f32, lanes: &Lanes) -> f32 {
    let notch = |event: &egui::Event| match event {
        egui::Event::MouseWheel { delta, .. } if delta.y != 0.0 => delta.y.signum(),
        _ => 0.0,
    };
    let notches: f32 = ui.input(|input| input.events.iter().map(notch).sum());
    (scroll - notches * lanes.row).clamp(0.0, lanes.hidden_steps())
}

/// Tells screen readers the current and the last frame.
fn announce(response: &Response, session: &Session) {
    let playback = &session.playback;
    let text = format!("{} {} / {}", tr("panel.timeline"), playback.frame(), playback.last_frame());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Slider, true, &text));
}

/// Zooms at the pointer by wheel, pans by horizontal wheel and middle or right drag, and fits by double-click outside editable
/// lanes.
fn navigate(ui: &Ui, response: &Response, scale: &mut TimeScale, lanes: &Lanes) {
    if let Some(at) = response.hover_pos() {
        let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
        let factor = f64::from(zoom) * (f64::from(scroll.y) * 0.004).exp();
        if (factor - 1.0).abs() > 1e-6 {
            scale.zoom_at(f64::from(at.x), factor, lanes.times);
        }
        if scroll.x != 0.0 {
            scale.pan(f64::from(scroll.x));
        }
    }
    if response.dragged_by(PointerButton::Middle) || response.dragged_by(PointerButton::Secondary) {
        scale.pan(f64::from(response.drag_delta().x));
    }
    let is_edited =
        |at: Pos2| lanes.events.contains(at) || lanes.feet.contains(at) || lane::lane_at(at, lanes).is_some();
    let on_edited = response.interact_pointer_pos().is_some_and(is_edited);
    if response.double_clicked() && !on_edited {
        scale.fit();
    }
}

/// Handles a drag of the left button in the lanes, which pauses playback. A cancelled drag restores the state before it; a click
/// on a transition moves the playhead.
fn drag(ui: &Ui, response: &Response, session: &mut Session, timeline: &mut Timeline, at: &LaneView) {
    let Timeline { scale, drag, keys, .. } = timeline;
    let LaneView { lanes, model } = at;
    let part_at = |at| part_at(at, scale, lanes, model);
    let modifiers = ui.input(|input| input.modifiers);
    let begin = |at| {
        let part = part_at(at)?;
        Some(LaneDrag::new(part, session).holding(keys.pressed(part, model, modifiers)))
    };
    if let Some(DragEnd::Cancelled(drag)) = drag.update(ui, response, begin) {
        drag.restore(session);
    }
    let Some(drag) = drag.active() else {
        let hovered = response.hover_pos().and_then(part_at);
        return hovered.into_iter().for_each(|part| show_cursor(ui, part));
    };
    session.playback.playing = false;
    let (part, x) = (drag.subject.part, drag.input.pointer().x);
    show_cursor(ui, part);
    if matches!(part, LanePart::Loop(_) | LanePart::LoopEnd) {
        return cycles::move_to(session, model, part, x, lanes.times);
    }
    let exact = scale.time_at(f64::from(x)).clamp(0.0, model.duration);
    let time = if drag.input.snaps() { exact } else { model.snapped(exact, scale) };
    if let LanePart::Key(..) = part {
        // A click only selects.
        if let Some(before) = drag.subject.before().filter(|_| drag.input.has_moved()) {
            keys.move_to(session, &drag.subject.keys, before, time);
        }
        return;
    }
    if let LanePart::Knot(stage, index) = part {
        match drag.subject.before().filter(|_| drag.input.has_moved()) {
            Some(before) => knots::move_to(session, (stage, index), before, time),
            None => knots::go_to(session, (stage, index), model),
        }
        return;
    }
    if let LanePart::EventBody(index, _) = part {
        session.selection.event = Some(index);
        session.playback.time = drag.subject.playhead();
        if !drag.input.has_moved() {
            // A click falls through to the lane behind the transition.
            return move_part(session, LanePart::Playhead, time, model);
        }
    }
    move_part(session, part, time, model);
}

/// Returns the part under the screen position `at`; the playhead if there is nothing else. `None` over lane names, and below the
/// lanes outside the cycles of a loop.
fn part_at(at: Pos2, scale: &TimeScale, lanes: &Lanes, model: &Model) -> Option<LanePart> {
    let near = |time: f64| (scale.x_of(time) - f64::from(at.x)).abs() < 5.0;
    if lanes.ruler.contains(at)
        && let Some((start, end)) = model.range
        && at.y < lanes.ruler.min.y + 8.0
    {
        if near(start) {
            return Some(LanePart::RangeStart);
        }
        if near(end) {
            return Some(LanePart::RangeEnd);
        }
    }
    if lanes.events.contains(at)
        && let Some(part) = events::part_at(at, scale, model)
    {
        return Some(part);
    }
    if at.y > lanes.end {
        return model.cycles.filter(|_| lanes.cycles.contains(at)).and_then(|cycles| cycles.part_at(at, lanes.times));
    }
    // The names are left of the time axis.
    if at.x < lanes.times.min && lanes.stages.iter().any(|rect| rect.y_range().contains(at.y)) {
        return None;
    }
    if at.x < lanes.times.min && lanes.keyed.iter().any(|rect| rect.y_range().contains(at.y)) {
        return None;
    }
    let on_lane = lane::part_at(at, scale, lanes, model);
    let on_lane = on_lane.or_else(|| knots::part_at(at, scale, lanes, model));
    let on_lane = on_lane.or_else(|| stages::part_at(at, scale, lanes, model));
    if let None | Some(LanePart::Span(..)) = on_lane
        && lanes.events.contains(at)
        && let Some(body) = events::body_at(at, scale, model)
    {
        return Some(body);
    }
    if on_lane.is_some() {
        return on_lane;
    }
    if let Some(part) = windows::part_at(at, scale, lanes, model).or_else(|| feet::part_at(at, scale, lanes, model)) {
        return Some(part);
    }
    Some(LanePart::Playhead)
}

/// Sets the mouse cursor for the part under the pointer or being dragged.
fn show_cursor(ui: &Ui, part: LanePart) {
    let is_pressed = ui.input(|input| input.pointer.primary_down());
    match part {
        LanePart::Playhead => {}
        LanePart::EventBody(..) if is_pressed => ui.ctx().set_cursor_icon(egui::CursorIcon::Grabbing),
        LanePart::EventBody(..) => ui.ctx().set_cursor_icon(egui::CursorIcon::Grab),
        _ => ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal),
    }
}

/// Moves `part` to `time`, in seconds of the output. Keys and loop cycles are not moved, because that needs other data.
fn move_part(session: &mut Session, part: LanePart, time: f64, model: &Model) {
    let frame = 1.0 / session.playback.fps;
    match part {
        LanePart::Playhead => session.playback.time = time,
        // The loop lane has its own scale.
        LanePart::Loop(_) | LanePart::LoopEnd => {}
        // Keys move elsewhere, with the state before the drag.
        LanePart::Key(..) | LanePart::Knot(..) => {}
        LanePart::Event(_) | LanePart::EventBody(..) | LanePart::EventEnd(_) => events::move_to(session, part, time),
        LanePart::Span(..)
        | LanePart::SpanStart(_)
        | LanePart::SpanEnd(_)
        | LanePart::FadeIn(_)
        | LanePart::FadeOut(_) => stages::move_to(session, part, time),
        LanePart::RangeStart => {
            let end = session.playback.bounds().1;
            session.playback.range = Some((time.min(end - frame), end));
        }
        LanePart::RangeEnd => {
            let start = session.playback.bounds().0;
            session.playback.range = Some((start, time.max(start + frame)));
        }
        LanePart::Window(..) | LanePart::WindowStart(_) | LanePart::WindowEnd(_) => {
            windows::move_to(session, part, time, model);
        }
        LanePart::FootDown(..) | LanePart::FootUp(..) => feet::move_to(session, part, time, model),
    }
}
