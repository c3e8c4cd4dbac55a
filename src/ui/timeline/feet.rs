//! Foot lane: a thin bar per contact. Contacts kept by a stretch can be edited: dragging moves an end, double-click adds, Delete
//! removes, the menu detects all again.

use egui::{Key, Pos2, Rect, Response, Ui, Vec2};

use crate::i18n::tr;
use crate::theme;
use crate::timeline::drag::LanePart;
use crate::timeline::lanes::{LaneCanvas, LaneView, Lanes};
use crate::timeline::model::Model;
use crate::timeline::scale::TimeScale;
use crate::timeline::stages;
use portamento_session::{Session, Shown};
use portamento_stretch::{FootPlants, PlantSpan, Settings};
use portamento_takes::document::StageId;

/// Distance from an end within which it can be grabbed, points.
const GRAB_RADIUS: f64 = 5.0;

/// Duration of a new contact, seconds.
const NEW_CONTACT_SECONDS: f64 = 0.2;

/// Returns the contacts that the edited stretch keeps planted, in seconds of the motion that enters it. Empty if it keeps none or
/// is not built.
pub(super) fn plants(session: &Session) -> Vec<FootPlants> {
    let keeps_feet = settings(session).is_some_and(|settings| settings.feet);
    let built = session.frame().and_then(|frame| frame.built.as_ref()).filter(|_| keeps_feet);
    let stretch = built.and_then(|built| built.stretch(session.selection.stage_index(&session.document)));
    stretch.map(|stretch| stretch.report.plants.clone()).unwrap_or_default()
}

/// Converts the contacts of each foot to timeline seconds, as (start, end); empty if no stretch stage is edited.
pub(super) fn contacts(session: &Session, plants: &[FootPlants]) -> Vec<Vec<(f64, f64)>> {
    let Some((take, stage)) = session.shown_take().zip(stage(session)) else { return Vec::new() };
    let out = |time: f64| stages::seconds_out(session, &take, stage, time);
    let spans = |plants: &FootPlants| plants.spans.iter().map(|span| (out(span.start), out(span.end))).collect();
    plants.iter().map(spans).collect()
}

/// Returns the id of the edited stretch stage: the selected one or the first; `None` if there is none.
fn stage(session: &Session) -> Option<StageId> {
    let Shown::Take(id) = session.selection.shown else { return None };
    session.document.take(id)?.selected_or_first_stretch(session.selection.stage)
}

/// Returns the settings of the edited stretch stage; `None` if there is none.
fn settings(session: &Session) -> Option<&Settings> {
    let Shown::Take(id) = session.selection.shown else { return None };
    let stage = session.document.take(id)?.stage(stage(session)?)?;
    stage.kind.as_stretch().map(|stretch| &stretch.settings)
}

/// Returns the contact end nearest to the screen position `at` in its row, within [`GRAB_RADIUS`]; `None` if there is none.
pub(super) fn part_at(at: Pos2, scale: &TimeScale, lanes: &Lanes, model: &Model) -> Option<LanePart> {
    let row = row_at(at, lanes, model)?;
    let distance_to = |time: f64| (scale.x_of(time) - f64::from(at.x)).abs();
    let ends = model.feet[row].iter().enumerate().flat_map(|(index, &(start, end))| {
        [(distance_to(start), LanePart::FootDown(row, index)), (distance_to(end), LanePart::FootUp(row, index))]
    });
    let within_reach = ends.filter(|(distance, _)| *distance <= GRAB_RADIUS);
    within_reach.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, part)| part)
}

/// Returns the foot row under the screen position `at`, or `None` outside the lane or if contacts cannot be edited.
fn row_at(at: Pos2, lanes: &Lanes, model: &Model) -> Option<usize> {
    if !lanes.feet.contains(at) || model.plants.is_empty() {
        return None;
    }
    (0..model.feet.len()).find(|&row| strip(lanes.feet, row, model.feet.len()).y_range().contains(at.y))
}

/// Returns the rectangle of foot row `row` of `count` rows, which share `lane` from top to bottom.
fn strip(lane: Rect, row: usize, count: usize) -> Rect {
    let height = lane.height() / count.max(1) as f32;
    Rect::from_min_size(Pos2::new(lane.min.x, lane.min.y + row as f32 * height), Vec2::new(lane.width(), height))
}

/// Moves the dragged contact end to `time`, in seconds of the shown take, limited by its neighbours.
pub(super) fn move_to(session: &mut Session, part: LanePart, time: f64, model: &Model) {
    let (LanePart::FootDown(row, index) | LanePart::FootUp(row, index)) = part else { return };
    let time = stages::seconds_in(session, stage(session), time);
    let (frame, last) = (1.0 / session.playback.fps, stages::seconds_in(session, stage(session), model.duration));
    let Some(spans) = spans_mut(session, model, row) else { return };
    let low = index.checked_sub(1).and_then(|before| spans.get(before)).map_or(0.0, |before| before.end + frame);
    let high = spans.get(index + 1).map_or(last, |next| next.start - frame);
    let Some(span) = spans.get_mut(index) else { return };
    match part {
        LanePart::FootDown(..) => span.start = time.clamp(low, span.end.max(low)),
        _ => span.end = time.clamp(span.start.min(high), high),
    }
}

/// Returns the editable contacts of the foot in `row`, initialized with the detected ones; `None` if contacts cannot be edited.
fn spans_mut<'s>(session: &'s mut Session, model: &Model, row: usize) -> Option<&'s mut Vec<PlantSpan>> {
    let foot = *model.plants.get(row)?;
    let found = plants(session).into_iter().find(|plants| plants.foot == foot)?;
    let Shown::Take(id) = session.selection.shown else { return None };
    let stretch = session.document.take_mut(id)?.stretch_mut(session.selection.stage)?;
    let all = &mut stretch.settings.plants;
    if !all.iter().any(|plants| plants.foot == foot) {
        all.push(found);
    }
    all.iter_mut().find(|plants| plants.foot == foot).map(|plants| &mut plants.spans)
}

/// Handles double-click (add), Delete (remove the contact under the pointer) and the context menu.
pub(super) fn edit(ui: &Ui, response: &Response, session: &mut Session, scale: &TimeScale, view: &LaneView) {
    let &LaneView { lanes, model } = view;
    let hovered = response.hover_pos().and_then(|at| Some((at, row_at(at, lanes, model)?)));
    let Some((at, row)) = hovered else { return menu(response, session, false) };
    let time = scale.time_at(f64::from(at.x)).clamp(0.0, model.duration);
    let hovered_contact = model.feet[row].iter().position(|&(start, end)| start <= time && time <= end);
    let deletes = ui.input(|input| input.key_pressed(Key::Delete) || input.key_pressed(Key::Backspace));
    if let Some(index) = hovered_contact.filter(|_| deletes && !ui.ctx().text_edit_focused()) {
        if let Some(spans) = spans_mut(session, model, row).filter(|spans| index < spans.len()) {
            spans.remove(index);
        }
    } else if response.double_clicked() && hovered_contact.is_none() {
        add(session, model, row, model.snapped(time, scale));
    }
    menu(response, session, true);
}

/// Adds a contact of [`NEW_CONTACT_SECONDS`] around `time`, in seconds of the shown take, shortened if its neighbours are close.
/// `row` is the foot row.
fn add(session: &mut Session, model: &Model, row: usize, time: f64) {
    let time = stages::seconds_in(session, stage(session), time);
    let (frame, last) = (1.0 / session.playback.fps, stages::seconds_in(session, stage(session), model.duration));
    let Some(spans) = spans_mut(session, model, row) else { return };
    let before = spans.iter().map(|span| span.end + frame).filter(|&end| end <= time).fold(0.0, f64::max);
    let after = spans.iter().map(|span| span.start - frame).filter(|&start| start >= time).fold(last, f64::min);
    let [start, end] = [time - 0.5 * NEW_CONTACT_SECONDS, time + 0.5 * NEW_CONTACT_SECONDS]
        .map(|time| time.clamp(before, after.max(before)));
    spans.push(PlantSpan { start, end });
    spans.sort_by(|a, b| a.start.total_cmp(&b.start));
}

/// Shows the context menu of the foot lane, which discards edited contacts, if there are any. `is_over` is true if the pointer is
/// over the lane.
fn menu(response: &Response, session: &mut Session, is_over: bool) {
    let id = response.id.with("feet menu");
    if response.secondary_clicked() {
        response.ctx.data_mut(|data| data.insert_temp(id, is_over));
    }
    let is_edited = settings(session).is_some_and(|settings| !settings.plants.is_empty());
    if !is_edited || !response.ctx.data(|data| data.get_temp(id)).unwrap_or(false) {
        return;
    }
    response.context_menu(|ui| {
        if ui.button(tr("feet.find_again")).clicked() {
            let Shown::Take(take) = session.selection.shown else { return };
            let at = session.selection.stage;
            let stretch = session.document.take_mut(take).and_then(|take| take.stretch_mut(at));
            stretch.into_iter().for_each(|stretch| stretch.settings.plants.clear());
            ui.close();
        }
    });
}

/// Draws the bars, one row per foot. Editable bars have visible ends.
pub(super) fn paint(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    let color = theme::mix(tokens.panel, tokens.ok, 0.7);
    for (row, spans) in model.feet.iter().enumerate() {
        let strip = strip(lanes.feet.shrink2(Vec2::new(0.0, 3.0)), row, model.feet.len());
        let strip = Rect::from_min_max(strip.min, strip.max - Vec2::new(0.0, 1.5));
        for &span in spans {
            let bar = scale.rect_of(span, strip);
            painter.rect_filled(bar, 1.5, color);
            if !model.plants.is_empty() {
                for x in [bar.min.x, bar.max.x] {
                    painter.vline(x, strip.y_range(), egui::Stroke::new(2.0, tokens.ok));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_contacts_are_grabbed_on_the_row_of_their_foot() {
        let feet = vec![vec![(0.0, 1.0)], vec![(0.5, 1.5), (2.0, 2.5)]];
        let mut model = Model { duration: 3.0, fps: 30.0, feet, plants: vec![4, 7], ..Model::default() };
        let mut scale = TimeScale::default();
        scale.resize(model.duration, egui::Rangef::new(0.0, 600.0));
        let room = Rect::from_min_max(Pos2::ZERO, Pos2::new(600.0, 100.0));
        let mut lanes = Lanes::within(room, &model, 0.0);
        lanes.feet = Rect::from_min_max(Pos2::ZERO, Pos2::new(600.0, 20.0));
        let at = |time: f64, y: f32| Pos2::new(scale.x_of(time) as f32, y);
        assert_eq!(part_at(at(1.0, 5.0), &scale, &lanes, &model), Some(LanePart::FootUp(0, 0)));
        assert_eq!(part_at(at(2.0, 15.0), &scale, &lanes, &model), Some(LanePart::FootDown(1, 1)));
        assert_eq!(part_at(at(2.0, 5.0), &scale, &lanes, &model), None);
        model.plants.clear();
        assert_eq!(part_at(at(1.0, 5.0), &scale, &lanes, &model), None, "what is only measured is not edited");
    }
}
