//! Layout of the timeline lanes.

use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, Painter, Pos2, Rangef, Rect, Vec2};

use crate::theme::{self, Tokens};
use crate::timeline::model::Model;
use crate::timeline::scale::TimeScale;

/// Drawing context of the lanes.
#[derive(Clone, Copy)]
pub struct LaneCanvas<'a> {
    /// Painter clipped to the lanes.
    pub painter: &'a Painter,
    /// Data shown by the lanes.
    pub model: &'a Model,
    /// Conversion of time to screen x.
    pub scale: &'a TimeScale,
    /// Layout of the lanes.
    pub lanes: &'a Lanes,
    /// Theme colours.
    pub tokens: &'a Tokens,
}

impl LaneCanvas<'_> {
    /// Draws the name of a lane, truncated at the time axis. `at` is its left centre on the screen.
    pub fn lane_name(&self, at: Pos2, name: &str, color: Color32) {
        let room = self.lanes.times.min - theme::GAP_SMALL - at.x;
        self.cut_text(Rect::from_center_size(at + Vec2::X * 0.5 * room, Vec2::new(room, 0.0)), name, color);
    }

    /// Draws `text` left-aligned and vertically centred in `room`, truncated at its end.
    pub fn cut_text(&self, room: Rect, text: &str, color: Color32) {
        let mut job = LayoutJob::simple_singleline(text.to_owned(), theme::caption(), color);
        job.wrap = TextWrapping::truncate_at_width(room.width());
        let galley = self.painter.layout_job(job);
        let at = Align2::LEFT_CENTER.anchor_size(room.left_center(), galley.size());
        self.painter.galley(at.min, galley, color);
    }
}

/// Data and layout of the lanes.
pub struct LaneView<'a> {
    /// Layout of the lanes.
    pub lanes: &'a Lanes,
    /// Data shown by the lanes.
    pub model: &'a Model,
}

/// Width of the lane names, points.
pub(crate) const NAMES: f32 = 96.0;

/// Rectangles of all lanes.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// Area of all lanes.
    pub all: Rect,
    /// Screen x range of the time axis.
    pub times: Rangef,
    /// Ruler with the preview range.
    pub ruler: Rect,
    /// Keys of the clip.
    pub keys: Rect,
    /// Foot contacts.
    pub feet: Rect,
    /// Idle and backward frames.
    pub motion: Rect,
    /// One lane per stage.
    pub stages: Vec<Rect>,
    /// One lane per keyed setting, below its stage.
    pub keyed: Vec<Rect>,
    /// Windows of the edited stretch, on the lane of its stage.
    pub windows: Rect,
    /// Events; those of a layer are on the lane of its stage.
    pub events: Rect,
    /// Source of the loop: frame numbers, images if there are any, cycles.
    pub cycles: Rect,
    /// Images of an image sequence; for a loop, inside `cycles`.
    pub thumbnails: Rect,
    /// Height of a lane, points.
    pub row: f32,
    /// Height of the lanes that do not fit into the panel, points.
    pub hidden: f32,
    /// Screen y at which the playhead line ends.
    pub end: f32,
}

/// Heights of the ruler and of a lane, points.
const HEIGHTS: (f32, f32) = (24.0, 22.0);

/// Minimum height of a lane: a line of small text with margin, points.
const MIN_LANE_HEIGHT: f32 = 16.0;

/// Height of the cycles lane with its numbers, points.
const CYCLES_HEIGHT: f32 = NUMBERS_HEIGHT + 20.0;

/// Height of the frame numbers above the cycles, points.
pub const NUMBERS_HEIGHT: f32 = 18.0;

/// Height of the image lane, points.
const THUMBNAILS_HEIGHT: f32 = 40.0;

/// Gap between the other lanes and the cycles lane, points.
const CYCLES_GAP: f32 = 8.0;

impl Lanes {
    /// Returns the layout within `room` (points). Lanes without data or out of view have [`Rect::NOTHING`]. `scroll` points of
    /// lanes are scrolled out of view at the top.
    ///
    /// In a low room, lanes shrink before any is hidden.
    pub fn within(room: Rect, model: &Model, scroll: f32) -> Self {
        let times = Rangef::new(room.min.x + NAMES, room.max.x);
        let lane = |top: f32, height: f32| {
            let max = Pos2::new(times.max, (top + height).min(room.max.y));
            Rect::from_min_max(Pos2::new(times.min, top.min(max.y)), max)
        };
        let height = if model.thumbnails.is_some() { THUMBNAILS_HEIGHT } else { 0.0 };
        let first = room.min.y + HEIGHTS.0;
        let mut top = first - scroll;
        let mut tall = |height: f32| {
            // A lane is shown only completely, except that a cut image lane is better than none.
            let fits = top + height < room.max.y + 0.5 || height > HEIGHTS.1;
            let is_seen = height > 0.0 && top > first - 1.0 && fits;
            let rect = if is_seen { lane(top, height) } else { Rect::NOTHING };
            top += height;
            rect
        };
        let has_own_events = model.events.is_some() && model.events_at.is_none();
        let there = [model.has_keys(), model.stretched, !model.feet.is_empty()];
        let others = there.iter().filter(|is_there| **is_there).count();
        let count = (usize::from(has_own_events) + model.stages.len() + model.keyed.len() + others).max(1);
        // In a low panel lanes shrink before any is hidden.
        let extra_height = if model.cycles.is_some() { CYCLES_GAP + CYCLES_HEIGHT + height } else { height };
        let row = ((room.height() - HEIGHTS.0 - extra_height) / count as f32).clamp(MIN_LANE_HEIGHT, HEIGHTS.1);
        let own_events = tall(if has_own_events { row } else { 0.0 });
        let mut keyed = vec![Rect::NOTHING; model.keyed.len()];
        let mut stage = |stage_index: usize| {
            let stage = tall(row);
            let keyed_lanes = model.keyed.iter().zip(&mut keyed).filter(|(lane, _)| lane.place == stage_index);
            keyed_lanes.for_each(|(_, rect)| *rect = tall(row));
            stage
        };
        let stages: Vec<Rect> = (0..model.stages.len()).map(&mut stage).collect();
        let [keys, motion, feet] = there.map(|is_there| tall(if is_there { row } else { 0.0 }));
        let of_stage = |at: Option<usize>, other: Rect| at.and_then(|at| stages.get(at).copied()).unwrap_or(other);
        let (events, windows) = (of_stage(model.events_at, own_events), of_stage(model.windows_at, Rect::NOTHING));
        // The source has its own time scale, so its lane is separate and has its own ruler.
        let (thumbnails, cycles) = match model.cycles {
            Some(_) => {
                (lane(top + CYCLES_GAP + NUMBERS_HEIGHT, height), lane(top + CYCLES_GAP, CYCLES_HEIGHT + height))
            }
            None => (tall(height), Rect::NOTHING),
        };
        let bottom = if model.cycles.is_some() { top + CYCLES_GAP + CYCLES_HEIGHT + height } else { top };
        let below_room = bottom + scroll - room.max.y;
        // Tolerance for rounding, so that lanes that fill the room exactly count as visible.
        let hidden = if below_room > 0.5 { below_room } else { 0.0 };
        let end = if model.cycles.is_some() { top.min(room.max.y) } else { room.max.y };
        Self {
            all: room,
            times,
            row,
            hidden,
            end,
            ruler: lane(room.min.y, HEIGHTS.0),
            stages,
            keyed,
            events,
            cycles,
            thumbnails,
            keys,
            motion,
            windows,
            feet,
        }
    }

    /// Returns the maximum scroll offset in whole lanes, points.
    pub(super) fn hidden_steps(&self) -> f32 {
        (self.hidden / self.row).ceil() * self.row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::model::StageLane;

    #[test]
    fn many_lanes_shrink_and_then_scroll_by_whole_lanes() {
        let stages = |count: usize| vec![StageLane::default(); count];
        let model = |count: usize| Model { duration: 1.0, fps: 30.0, stages: stages(count), ..Model::default() };
        let room = Rect::from_min_max(Pos2::ZERO, Pos2::new(800.0, 113.0));
        let few = Lanes::within(room, &model(2), 0.0);
        assert_eq!((few.row, few.hidden), (22.0, 0.0));
        let some = Lanes::within(room, &model(4), 0.0);
        assert!(some.row < 18.0 && some.hidden == 0.0 && some.keys.height() > 16.0, "{some:?}");
        let many = Lanes::within(room, &model(12), 0.0);
        assert!(many.hidden > 0.0 && !many.keys.is_positive());
        let seen: Vec<&Rect> = many.stages.iter().filter(|lane| lane.is_positive()).collect();
        assert!(seen.len() == 5 && seen.iter().all(|lane| lane.height() == many.row), "none is cut: {seen:?}");
        let scrolled = Lanes::within(room, &model(12), many.hidden_steps());
        assert!(scrolled.keys.is_positive() && scrolled.keys.max.y <= room.max.y, "the last is in sight");
        assert!(!scrolled.stages[0].is_positive() && scrolled.hidden == many.hidden);
    }
}
