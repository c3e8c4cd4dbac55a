//! Key lanes on the timeline: one lane per keyed setting, under the lane of its stage, in output time.

use egui::{Pos2, Rect, Stroke};

use super::diamond::outline;
use super::names::named;
use crate::theme;
use crate::timeline::drag::LanePart;
use crate::timeline::lanes::{LaneCanvas, Lanes};
use crate::timeline::model::{KeyLane, KeyMark, Model};
use crate::timeline::scale::TimeScale;
use crate::timeline::stages::seconds_out;
use portamento_anim::math::key_curve::KeyEasing;
use portamento_session::Session;
use portamento_takes::document::{KeyedSetting, Stage, StageKind, Take};

/// Distance in pixels within which a key is grabbed. Tuned; no derivation recorded.
const GRAB_MAX_PIXELS: f64 = 6.0;
/// Half the diagonal of a key, pixels.
const SIZE: f32 = 4.0;

/// Returns the lanes of all keyed settings of `take`, with key times in seconds of the output. Nothing is selected.
pub fn lanes_of(session: &Session, take: &Take) -> Vec<KeyLane> {
    // A loop has neither a stage lane nor keys.
    let stages = take.stages.iter().filter(|stage| !matches!(stage.kind, StageKind::Loop(_)));
    let lane = |stage_index: usize, stage: &Stage, keyed: &KeyedSetting| {
        let out = |own: f64| seconds_out(session, take, stage.id, own);
        let keys = keyed.keys.keys().iter().map(|key| KeyMark {
            time: out(key.time),
            own: key.time,
            easing: key.easing,
            selected: false,
        });
        KeyLane {
            stage: stage.id,
            place: stage_index,
            setting: keyed.setting.clone(),
            name: named(stage, &keyed.setting).name,
            on: stage.on,
            keys: keys.collect(),
        }
    };
    stages
        .enumerate()
        .flat_map(|(stage_index, stage)| stage.keys.iter().map(move |keyed| lane(stage_index, stage, keyed)))
        .collect()
}

/// Returns the index of the key lane at the screen position `at`; `None` outside the lanes.
pub fn lane_at(at: Pos2, lanes: &Lanes) -> Option<usize> {
    lanes.keyed.iter().position(|rect| rect.contains(at))
}

/// Returns the key nearest to the screen position `at`, in the same lane and within [`GRAB_MAX_PIXELS`]; `None` if there is none.
pub fn part_at(at: Pos2, scale: &TimeScale, lanes: &Lanes, model: &Model) -> Option<LanePart> {
    let lane = lane_at(at, lanes)?;
    let away = |mark: &KeyMark| (scale.x_of(mark.time) - f64::from(at.x)).abs();
    let near = model.keyed.get(lane)?.keys.iter().enumerate().filter(|(_, mark)| away(mark) <= GRAB_MAX_PIXELS);
    let nearest = near.min_by(|a, b| away(a.1).total_cmp(&away(b.1)));
    nearest.map(|(key, _)| LanePart::Key(lane, key))
}

/// Draws the keys and a line between them: thick for smooth, thin for linear, none for stepped easing.
pub fn paint(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    for (rect, lane) in lanes.keyed.iter().zip(&model.keyed).filter(|(rect, _)| rect.is_positive()) {
        let color = if lane.on { tokens.accent } else { tokens.dim };
        let y = rect.center().y;
        let x = |time: f64| scale.x_of(time) as f32;
        for pair in lane.keys.windows(2).filter(|pair| pair[0].easing != KeyEasing::Step) {
            let width = if pair[0].easing == KeyEasing::Smooth { 2.0 } else { 1.0 };
            let line = Stroke::new(width, theme::mix(tokens.panel, color, 0.45));
            painter.hline(x(pair[0].time)..=x(pair[1].time), y, line);
        }
        for mark in &lane.keys {
            let here = (mark.time - model.time).abs() < 0.25 / model.fps;
            let line = match (mark.selected, here) {
                (true, _) => tokens.selection,
                (false, true) => tokens.playhead,
                (false, false) => color,
            };
            let fill = if mark.selected { tokens.selection } else { color };
            outline(painter, Pos2::new(x(mark.time), y), SIZE, fill, line);
        }
    }
}

/// Draws the setting names, indented under the stage name.
pub fn names(canvas: &LaneCanvas) {
    let &LaneCanvas { model, lanes, tokens, .. } = canvas;
    for (rect, lane) in lanes.keyed.iter().zip(&model.keyed).filter(|(rect, _)| rect.is_positive()) {
        let room = Rect::from_x_y_ranges(lanes.all.min.x..=rect.min.x - theme::GAP_SMALL, rect.y_range());
        let at = Pos2::new(room.min.x + theme::GAP_MEDIUM + theme::GAP_LARGE, room.center().y);
        let color = if lane.on { tokens.dim } else { theme::mix(tokens.panel, tokens.dim, 0.6) };
        canvas.lane_name(at, &lane.name, color);
    }
}
