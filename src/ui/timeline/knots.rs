//! Keys on the lane of a retime or pose stage: diamonds, dragged in time and removed with Delete.

use egui::{Align2, Key, Pos2, Response, Shape, Stroke, Ui, Vec2};

use crate::theme;
use crate::timeline::drag::LanePart;
use crate::timeline::lanes::{LaneCanvas, LaneView, Lanes};
use crate::timeline::model::Model;
use crate::timeline::scale::TimeScale;
use portamento_session::{Session, Shown};
use portamento_takes::document::{StageId, StageKind, Take};

/// Distance from a key within which it can be grabbed, points.
const GRAB_RADIUS: f64 = 6.0;
/// Half of the diagonal of a diamond, points.
const RADIUS: f32 = 5.0;

/// Returns the key of the lane under the screen position `at` that is nearest along x, within [`GRAB_RADIUS`]; `None` if there is
/// none.
pub(super) fn part_at(at: Pos2, scale: &TimeScale, lanes: &Lanes, model: &Model) -> Option<LanePart> {
    let (_, lane) = lanes.stages.iter().zip(&model.stages).find(|(rect, _)| rect.contains(at))?;
    let distance = |time: f64| (scale.x_of(time) - f64::from(at.x)).abs();
    let near = lane.knots.iter().enumerate().filter(|(_, knot)| distance(knot.0) <= GRAB_RADIUS);
    let nearest = near.min_by(|a, b| distance(a.1.0).total_cmp(&distance(b.1.0)))?;
    Some(LanePart::Knot(lane.id, nearest.0))
}

/// Moves the key with `index` of a stage to `time`, seconds of the output, between its neighbours, and selects the stage.
///
/// `time` belongs to the take `before` the drag, because every move of the key changes the times of the shown take.
pub(super) fn move_to(session: &mut Session, (stage, index): (StageId, usize), before: &Take, time: f64) {
    let Ok(built) = session.built(before) else { return };
    let time = built.input_time(before.active_stages_before(stage), time);
    let frame = 1.0 / built.fps;
    session.selection.stage = Some(stage);
    let kind = session.document.take_mut(before.id).and_then(|take| take.stage_mut(stage)).map(|stage| &mut stage.kind);
    let Some(mut times) = kind.map(times_mut) else { return };
    let neighbour = |at: Option<usize>| at.and_then(|at| times.get(at)).map(|time| **time);
    let low = neighbour(index.checked_sub(1)).map_or(0.0, |time| time + frame);
    let high = neighbour(Some(index + 1)).map_or(f64::INFINITY, |time| time - frame);
    if let Some(moved) = times.get_mut(index) {
        **moved = time.clamp(low, high.max(low));
    }
}

/// Opens the stage of a clicked key, given as stage and index, and moves the playhead to the key.
pub(super) fn go_to(session: &mut Session, (stage, index): (StageId, usize), model: &Model) {
    session.selection.stage = Some(stage);
    let lane = model.stages.iter().find(|lane| lane.id == stage);
    if let Some((time, _)) = lane.and_then(|lane| lane.knots.get(index)) {
        session.playback.time = time.clamp(0.0, model.duration);
    }
}

/// Returns the keys of a retime or pose stage: seconds of the motion that enters it, and caption. Empty for other stages.
pub(super) fn of_stage(kind: &StageKind) -> Vec<(f64, String)> {
    match kind {
        StageKind::Retime(retime) => {
            retime.knots.iter().map(|knot| (knot.time, format!("{:.2} ×", knot.speed))).collect()
        }
        StageKind::Pose(pose) => pose.keys.iter().map(|key| (key.time, String::new())).collect(),
        _ => Vec::new(),
    }
}

/// Returns the times (seconds of the motion that enters the stage) of the keys of a retime or pose stage for changes. Empty for
/// other stages.
fn times_mut(kind: &mut StageKind) -> Vec<&mut f64> {
    match kind {
        StageKind::Retime(retime) => retime.knots.iter_mut().map(|knot| &mut knot.time).collect(),
        StageKind::Pose(pose) => pose.keys.iter_mut().map(|key| &mut key.time).collect(),
        _ => Vec::new(),
    }
}

/// Removes the key under the pointer of the shown take when Delete is pressed.
pub(super) fn edit(ui: &Ui, response: &Response, session: &mut Session, scale: &TimeScale, view: &LaneView) {
    let deletes = ui.input(|input| input.key_pressed(Key::Delete) || input.key_pressed(Key::Backspace));
    let at = response.hover_pos().filter(|_| deletes && !ui.ctx().text_edit_focused());
    let part = at.and_then(|at| part_at(at, scale, view.lanes, view.model));
    let (Some(LanePart::Knot(stage, index)), Shown::Take(take)) = (part, session.selection.shown.clone()) else {
        return;
    };
    let stage = session.document.take_mut(take).and_then(|take| take.stage_mut(stage));
    match stage.map(|stage| &mut stage.kind) {
        Some(StageKind::Retime(retime)) if index < retime.knots.len() => drop(retime.knots.remove(index)),
        Some(StageKind::Pose(pose)) if index < pose.keys.len() => drop(pose.keys.remove(index)),
        _ => {}
    }
}

/// Draws the keys of all retime and pose stages.
pub(super) fn paint(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    for (rect, lane) in lanes.stages.iter().zip(&model.stages).filter(|(rect, _)| rect.is_positive()) {
        let color = if lane.on { tokens.accent } else { tokens.dim };
        for (time, caption) in &lane.knots {
            let at = Pos2::new(scale.x_of(*time) as f32, rect.center().y);
            let corners = [Vec2::Y, Vec2::X, -Vec2::Y, -Vec2::X].map(|side| at + side * RADIUS);
            painter.add(Shape::convex_polygon(corners.to_vec(), color, Stroke::new(1.0, tokens.panel)));
            let words = painter.layout_no_wrap(caption.clone(), theme::caption(), tokens.text);
            let rect = Align2::LEFT_CENTER.anchor_size(at + Vec2::new(RADIUS + 4.0, 0.0), words.size());
            painter.galley(rect.min, words, tokens.text);
        }
    }
}
