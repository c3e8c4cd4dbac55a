//! Event lane of a blend: a mark per event and a bar for its transition.

use std::cmp::Ordering;

use egui::{Key, Pos2, Rect, Response, Stroke, StrokeKind, Ui, Vec2};

use crate::i18n::tr;
use crate::panels::blend::events::{action_menu, add};
use crate::panels::blend::states::{state_menu, state_names};
use crate::theme;
use crate::timeline::drag::LanePart;
use crate::timeline::lanes::{LaneCanvas, Lanes};
use crate::timeline::model::{EventMark, Model};
use crate::timeline::scale::TimeScale;
use crate::timeline::stages;
use crate::widgets;
use portamento_blend::{Action, Event, StateEvent, Tree};
use portamento_session::{Session, Shown};
use portamento_takes::document::edited::EventTrack;
use portamento_takes::evaluate::BuiltTake;

/// Distance from a mark within which it can be grabbed, points.
const GRAB_RADIUS: f64 = 7.0;

/// Returns the events of the shown take in output seconds; `None` if it has no scenario, layer or states.
pub fn marks(session: &Session) -> Option<Vec<EventMark>> {
    let Shown::Take(id) = session.selection.shown else { return None };
    let take = session.document.take(id)?;
    let events = take.lane_events(session.selection.stage)?;
    let out = |time: f64| match take.edited_layer(session.selection.stage) {
        Some(layer) => stages::seconds_out(session, take, layer, time),
        None => from_source(session, |built| built.output_time(0, time)).unwrap_or(time),
    };
    Some(events.iter().map(|event| stages::mark(event, &out)).collect())
}

/// Returns the result of `ask` for the built take; `None` if the take is not built.
fn from_source(session: &Session, ask: impl Fn(&BuiltTake) -> f64) -> Option<f64> {
    session.frame().and_then(|frame| frame.built.as_deref()).map(ask)
}

/// Converts `time` of the output to seconds of the motion to which the edited events belong: a layer or the source. Returns
/// `time` if the take is not built.
fn seconds_in(session: &Session, time: f64) -> f64 {
    match session.shown_take().and_then(|take| take.edited_layer(session.selection.stage)) {
        Some(layer) => stages::seconds_in(session, Some(layer), time),
        None => from_source(session, |built| built.input_time(0, time)).unwrap_or(time),
    }
}

/// Returns the event part under the screen position `at`. Marks win over transition ends, and the selected event over others.
/// `None` if none is within [`GRAB_RADIUS`].
pub(super) fn part_at(at: Pos2, scale: &TimeScale, model: &Model) -> Option<LanePart> {
    let events = model.events.as_ref()?;
    let distance_to = |time: f64| (scale.x_of(time) - f64::from(at.x)).abs();
    let nearest = |distance: &dyn Fn(&EventMark) -> f64| {
        let all = (0..events.len()).map(|i| (distance(&events[i]), model.event != Some(i), i));
        let within_reach = all.filter(|each| each.0 <= GRAB_RADIUS);
        within_reach.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|each| each.2)
    };
    let mark = nearest(&|mark| distance_to(mark.time)).map(LanePart::Event);
    mark.or_else(|| nearest(&|mark| distance_to(mark.time + mark.trans_time)).map(LanePart::EventEnd))
}

/// Returns the event whose transition is under the screen position `at`: the selected one, else the one that started last. `None`
/// if there is none.
pub(super) fn body_at(at: Pos2, scale: &TimeScale, model: &Model) -> Option<LanePart> {
    let time = scale.time_at(f64::from(at.x));
    let events = model.events.iter().flatten().enumerate();
    let under = events.filter(|(_, mark)| (mark.time..mark.time + mark.trans_time).contains(&time));
    let rank = |index: usize, mark: &EventMark| (model.event == Some(index), mark.time);
    let (index, mark) = under.max_by(|a, b| rank(a.0, a.1).partial_cmp(&rank(b.0, b.1)).unwrap_or(Ordering::Equal))?;
    Some(LanePart::EventBody(index, ((time - mark.time) * model.fps).round() as usize))
}

/// Moves the event of `part`, or the end of its transition, to `time` (seconds of the shown take), and selects the event.
pub fn move_to(session: &mut Session, part: LanePart, time: f64) {
    let (LanePart::Event(index) | LanePart::EventBody(index, _) | LanePart::EventEnd(index)) = part else { return };
    session.selection.event = Some(index);
    let grabbed = if let LanePart::EventBody(_, frames) = part { frames as f64 / session.playback.fps } else { 0.0 };
    let time = seconds_in(session, (time - grabbed).max(0.0));
    let Some(mut track) = track(session) else { return };
    match part {
        LanePart::EventEnd(_) => track.set_transition_end(index, time),
        _ => track.move_event(index, time),
    }
}

/// Handles double-click (add an event and select it), Delete (remove the selected event) and the context menu. Does nothing
/// without an event lane.
pub fn edit(ui: &Ui, response: &Response, session: &mut Session, scale: &TimeScale, lanes: &Lanes, model: &Model) {
    if model.events.is_none() {
        return;
    }
    let delete =
        response.hovered() && ui.input(|input| input.key_pressed(Key::Delete) || input.key_pressed(Key::Backspace));
    if delete && !ui.ctx().text_edit_focused() {
        remove(session);
    }
    let pressed = response.interact_pointer_pos().filter(|at| lanes.events.contains(*at));
    if let Some(at) = pressed {
        let on_mark = part_at(at, scale, model).is_some();
        if response.double_clicked() && !on_mark {
            let time = model.snapped(scale.time_at(f64::from(at.x)).clamp(0.0, model.duration), scale);
            let action = usual_action(model, time);
            let time = seconds_in(session, time);
            session.selection.event = match events(session) {
                Some(events) => Some(add(events, time, action)),
                None => add_next_event(session, time),
            };
        }
    }
    menu(response, session, lanes, model.time);
}

/// Shows the context menu of the event lane, which adds an event at `playhead` (seconds) or removes the selected one.
fn menu(response: &Response, session: &mut Session, lanes: &Lanes, playhead: f64) {
    let id = response.id.with("event menu");
    if response.secondary_clicked() {
        let inside = response.interact_pointer_pos().is_some_and(|at| lanes.events.contains(at));
        response.ctx.data_mut(|data| data.insert_temp(id, inside));
    }
    if !response.ctx.data(|data| data.get_temp(id)).unwrap_or(false) {
        return;
    }
    response.context_menu(|ui| {
        widgets::caption(ui, tr("events.add"));
        if events(session).is_some()
            && let Some(action) = action_menu(ui)
        {
            let time = seconds_in(session, playhead);
            let added = events(session).map(|events| add(events, time, action));
            session.selection.event = added;
        }
        let names = tree(session).map(|tree| state_names(tree)).unwrap_or_default();
        if let Some(state) = state_menu(ui, &names) {
            let time = seconds_in(session, playhead);
            session.selection.event = add_event(session, time, state);
        }
        if session.selection.event.is_some() {
            ui.separator();
            if ui.button(tr("events.remove")).clicked() {
                remove(session);
                ui.close();
            }
        }
    });
}

/// Returns the likely action of a new event at `time`, in seconds: End while a cast is active, else Cast.
fn usual_action(model: &Model, time: f64) -> Action {
    let skill = |mark: &&EventMark| matches!(mark.action, Action::Cast | Action::End) && mark.time <= time;
    let last = model.events.iter().flatten().filter(skill).max_by(|a, b| a.time.total_cmp(&b.time));
    if last.is_some_and(|mark| mark.action == Action::Cast) { Action::End } else { Action::Cast }
}

/// Removes the selected event; does nothing if none is selected.
fn remove(session: &mut Session) {
    let Some(index) = session.selection.event.take() else { return };
    if let Some(mut track) = track(session) {
        track.remove(index);
    }
}

/// Adds an event at `time`, seconds of the blend, that switches to the edited state, or to the next state if that one is already
/// active. Returns its index on the lane; `None` without a free tree with states.
fn add_next_event(session: &mut Session, time: f64) -> Option<usize> {
    let edited = session.selection.state.clone();
    let tree = tree(session)?;
    let before = tree.resolved_events().into_iter().rfind(|event| event.time <= time).and_then(|event| event.state);
    let before = before.unwrap_or_default();
    let names = state_names(tree);
    let after = names.iter().position(|name| *name == before).map_or(0, |at| (at + 1) % names.len().max(1));
    let is_there = names.contains(&edited);
    let next = if edited == before || !is_there { names.get(after).cloned().unwrap_or_default() } else { edited };
    add_event(session, time, next)
}

/// Adds an event at `time`, seconds of the blend, that switches to `state`. Returns its index on the lane; `None` without a free
/// tree with states.
fn add_event(session: &mut Session, time: f64, state: String) -> Option<usize> {
    tree(session)?.events.push(StateEvent { time, state, ..StateEvent::default() });
    Some(session.shown_take()?.lane_events(session.selection.stage)?.len() - 1)
}

/// Returns the free tree whose states the lane switches; `None` if a layer is edited or the tree has no states.
fn tree(session: &mut Session) -> Option<&mut Tree> {
    let Shown::Take(id) = session.selection.shown else { return None };
    let at = session.selection.stage;
    let take = session.document.take_mut(id).filter(|take| take.edited_layer(at).is_none())?;
    take.blend_mut()?.settings.tree_mut().filter(|tree| !tree.states.is_empty())
}

/// Returns the events on the lane for editing; `None` if no take is shown.
fn track(session: &mut Session) -> Option<EventTrack<'_>> {
    let Shown::Take(id) = session.selection.shown else { return None };
    Some(session.document.take_mut(id)?.event_track(session.selection.stage))
}

/// Returns the events of the edited layer or the scenario for editing; `None` if there is neither.
fn events(session: &mut Session) -> Option<&mut Vec<Event>> {
    let Shown::Take(id) = session.selection.shown else { return None };
    session.document.take_mut(id)?.events_mut(session.selection.stage)
}

/// Draws the marks and bars. Names are drawn separately on top.
pub fn paint(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    let lane = lanes.events.shrink2(Vec2::new(0.0, 3.0));
    for (index, mark) in model.events.iter().flatten().enumerate() {
        let on = model.event == Some(index);
        let color = theme::action(mark.action, tokens);
        let (start, end) = (scale.x_of(mark.time) as f32, scale.x_of(mark.time + mark.trans_time) as f32);
        let bar = Rect::from_min_max(Pos2::new(start, lane.min.y), Pos2::new(end, lane.max.y));
        painter.rect_filled(bar, 3.0, theme::mix(tokens.panel, color, if on { 0.35 } else { 0.25 }));
        if on {
            painter.rect_stroke(bar, 3.0, Stroke::new(1.5, tokens.selection), StrokeKind::Inside);
        }
        painter.vline(end, lane.center().y - 4.0..=lane.center().y + 4.0, Stroke::new(2.0, color));
        painter.vline(start, lane.y_range(), Stroke::new(if on { 3.0 } else { 2.0 }, color));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_win_over_transition_ends_and_distant_clicks_hit_nothing() {
        let mark = |time, trans_time| EventMark { time, trans_time, action: Action::Run, state: None };
        let events = Some(vec![mark(0.5, 0.5), mark(1.0, 0.2)]);
        let model = Model { duration: 2.0, fps: 30.0, events, ..Model::default() };
        let mut scale = TimeScale::default();
        scale.resize(model.duration, egui::Rangef::new(0.0, 400.0));
        let at = |time: f64| Pos2::new(scale.x_of(time) as f32, 0.0);
        assert_eq!(part_at(at(0.5), &scale, &model), Some(LanePart::Event(0)));
        assert_eq!(part_at(at(1.0), &scale, &model), Some(LanePart::Event(1)));
        assert_eq!(part_at(at(1.2), &scale, &model), Some(LanePart::EventEnd(1)));
        assert_eq!(part_at(at(0.75), &scale, &model), None);
        assert_eq!(body_at(at(0.7), &scale, &model), Some(LanePart::EventBody(0, 6)));
        assert_eq!(body_at(at(1.5), &scale, &model), None);
        assert_eq!(usual_action(&model, 1.0), Action::Cast);
    }
}
