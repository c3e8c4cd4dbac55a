//! Time-warp keys on the lane of a retime stage: diamonds with their speeds, dragged in time.

use egui::{Align2, Pos2, Shape, Stroke, Vec2};

use crate::theme;
use crate::timeline::drag::LanePart;
use crate::timeline::lanes::{LaneCanvas, Lanes};
use crate::timeline::model::Model;
use crate::timeline::scale::TimeScale;
use portamento_session::Session;
use portamento_stretch::retime::Settings;
use portamento_takes::document::{StageId, Take};

/// Distance from a key within which it can be grabbed, points.
const GRAB_RADIUS: f64 = 6.0;
/// Half of the diagonal of a diamond, points.
const RADIUS: f32 = 5.0;

/// Returns the key of the lane under `at` that is nearest along x, within [`GRAB_RADIUS`].
pub(super) fn part_at(at: Pos2, scale: &TimeScale, lanes: &Lanes, model: &Model) -> Option<LanePart> {
    let (_, lane) = lanes.stages.iter().zip(&model.stages).find(|(rect, _)| rect.contains(at))?;
    let distance = |time: f64| (scale.x_of(time) - f64::from(at.x)).abs();
    let near = lane.knots.iter().enumerate().filter(|(_, knot)| distance(knot.0) <= GRAB_RADIUS);
    let nearest = near.min_by(|a, b| distance(a.1.0).total_cmp(&distance(b.1.0)))?;
    Some(LanePart::Knot(lane.id, nearest.0))
}

/// Moves a key to `time`, between its neighbours. Times are those of the take `before` the drag, because every move of the key changes
/// those of the current take.
pub(super) fn move_to(session: &mut Session, (stage, index): (StageId, usize), before: &Take, time: f64) {
    let Ok(built) = session.built(before) else { return };
    let time = built.input_time(before.active_stages_before(stage), time);
    let frame = 1.0 / built.fps;
    session.selection.stage = Some(stage);
    let take = session.document.take_mut(before.id);
    let Some(settings) = take.and_then(|take| take.settings_mut::<Settings>(Some(stage))) else { return };
    let neighbour = |at: Option<usize>| at.and_then(|at| settings.knots.get(at)).map(|knot| knot.time);
    let low = neighbour(index.checked_sub(1)).map_or(0.0, |time| time + frame);
    let high = neighbour(Some(index + 1)).map_or(f64::INFINITY, |time| time - frame);
    if let Some(knot) = settings.knots.get_mut(index) {
        knot.time = time.clamp(low, high.max(low));
    }
}

/// Draws the keys of all retime stages.
pub(super) fn paint(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    for (rect, lane) in lanes.stages.iter().zip(&model.stages).filter(|(rect, _)| rect.is_positive()) {
        let color = if lane.on { tokens.accent } else { tokens.dim };
        for &(time, speed) in &lane.knots {
            let at = Pos2::new(scale.x_of(time) as f32, rect.center().y);
            let corners = [Vec2::Y, Vec2::X, -Vec2::Y, -Vec2::X].map(|side| at + side * RADIUS);
            painter.add(Shape::convex_polygon(corners.to_vec(), color, Stroke::new(1.0, tokens.panel)));
            let words = painter.layout_no_wrap(format!("{speed:.2} ×"), theme::caption(), tokens.text);
            let rect = Align2::LEFT_CENTER.anchor_size(at + Vec2::new(RADIUS + 4.0, 0.0), words.size());
            painter.galley(rect.min, words, tokens.text);
        }
    }
}
