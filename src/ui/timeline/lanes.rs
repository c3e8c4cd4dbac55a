//! Where the lanes lie.

use egui::{Painter, Pos2, Rangef, Rect};

use crate::ui::theme::Tokens;
use crate::ui::timeline::model::Model;
use crate::ui::timeline::scale::TimeScale;

/// What lanes are drawn with.
#[derive(Clone, Copy)]
pub struct LaneCanvas<'a> {
    /// Draws within the lanes' part of the window.
    pub painter: &'a Painter,
    /// What they show.
    pub model: &'a Model,
    /// Time to pixels.
    pub scale: &'a TimeScale,
    /// Where they lie.
    pub lanes: &'a Lanes,
    /// The colours of the theme.
    pub tokens: &'a Tokens,
}

/// What the lanes show, and where.
pub struct LaneView<'a> {
    /// Where the lanes lie.
    pub lanes: &'a Lanes,
    /// What there is on them.
    pub model: &'a Model,
}

/// Space left of the lanes for their names, pixels.
pub(in crate::ui) const NAMES: f32 = 96.0;

/// Where the lanes lie.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// The whole area of all lanes.
    pub all: Rect,
    /// Screen x of what shows time.
    pub times: Rangef,
    /// Numbers and the preview range.
    pub ruler: Rect,
    /// Marks of the clip's keys.
    pub keys: Rect,
    /// When each foot stands.
    pub feet: Rect,
    /// Still and reversed frames.
    pub motion: Rect,
    /// One per stage.
    pub stages: Vec<Rect>,
    /// One per setting with keys, under its stage.
    pub keyed: Vec<Rect>,
    /// Windows of the stretch at hand: on the lane of its stage.
    pub windows: Rect,
    /// Events: of a layer on the lane of its stage.
    pub events: Rect,
    /// The source of the loop: numbered frames, pictures if there are any, the cycles.
    pub cycles: Rect,
    /// Pictures of an image sequence; within those of the loop.
    pub thumbnails: Rect,
    /// Height of a lane.
    pub row: f32,
    /// Height of the lanes that do not fit into the panel.
    pub hidden: f32,
    /// Screen y where what the playhead crosses ends.
    pub end: f32,
}

/// Height of the ruler and of a lane.
const HEIGHTS: (f32, f32) = (24.0, 22.0);

/// Height that a lane has at least: a line of small letters with some room around it.
const LOWEST: f32 = 16.0;

/// Height of the lane of cycles with its numbers.
const CYCLES: f32 = NUMBERS + 20.0;

/// Height of the numbers over the cycles.
pub const NUMBERS: f32 = 18.0;

/// Height of the lane of pictures.
const THUMBNAILS: f32 = 40.0;

/// Between what the playhead crosses and the lane of cycles.
const APART: f32 = 8.0;

impl Lanes {
    /// The lanes within `room`; what `model` has nothing of takes no place.
    /// Those above `scroll` pixels are out of sight.
    pub fn within(room: Rect, model: &Model, scroll: f32) -> Self {
        let times = Rangef::new(room.min.x + NAMES, room.max.x);
        let lane = |top: f32, height: f32| {
            let max = Pos2::new(times.max, (top + height).min(room.max.y));
            Rect::from_min_max(Pos2::new(times.min, top.min(max.y)), max)
        };
        let height = if model.thumbnails.is_some() { THUMBNAILS } else { 0.0 };
        let first = room.min.y + HEIGHTS.0;
        let mut top = first - scroll;
        let mut tall = |height: f32| {
            // Half a lane with half a name says nothing; of pictures a part is better than none.
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
        // Many lanes in a low panel draw together rather than leave one out of sight.
        let below = if model.cycles.is_some() { APART + CYCLES + height } else { height };
        let row = ((room.height() - HEIGHTS.0 - below) / count as f32).clamp(LOWEST, HEIGHTS.1);
        let own_events = tall(if has_own_events { row } else { 0.0 });
        let mut keyed = vec![Rect::NOTHING; model.keyed.len()];
        let mut stage = |place: usize| {
            let stage = tall(row);
            let own = model.keyed.iter().zip(&mut keyed).filter(|(lane, _)| lane.place == place);
            own.for_each(|(_, rect)| *rect = tall(row));
            stage
        };
        let stages: Vec<Rect> = (0..model.stages.len()).map(&mut stage).collect();
        let [keys, motion, feet] = there.map(|is_there| tall(if is_there { row } else { 0.0 }));
        let of_stage = |at: Option<usize>| at.and_then(|at| stages.get(at).copied());
        let events = of_stage(model.events_at).unwrap_or(own_events);
        let windows = of_stage(model.windows_at).unwrap_or(Rect::NOTHING);
        // The source has a scale of its own, so it lies apart, under its own ruler.
        let (thumbnails, cycles) = match model.cycles {
            Some(_) => (lane(top + APART + NUMBERS, height), lane(top + APART, CYCLES + height)),
            None => (tall(height), Rect::NOTHING),
        };
        let bottom = if model.cycles.is_some() { top + APART + CYCLES + height } else { top };
        let below_room = bottom + scroll - room.max.y;
        // Lanes that fill the room exactly are in it, whatever rounding says.
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

    /// How far lanes can be scrolled: whole lanes, until the last is seen.
    pub(super) fn hidden_steps(&self) -> f32 {
        (self.hidden / self.row).ceil() * self.row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::timeline::model::StageLane;

    #[test]
    fn many_lanes_draw_together_and_then_scroll_by_whole_lanes() {
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
