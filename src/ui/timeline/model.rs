//! Data shown by the timeline.

use std::sync::Arc;

use crate::timeline::scale::TimeScale;
use portamento_anim::math::key_curve::KeyEasing;
use portamento_anim::media::ImageClip;
use portamento_blend::Action;
use portamento_looping::SeamRating;
use portamento_takes::document::{Span, StageId};

/// Data of all lanes; times in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Duration of the clip, seconds.
    pub duration: f64,
    /// Frames per second.
    pub fps: f64,
    /// Playhead, seconds.
    pub time: f64,
    /// Preview range, if set.
    pub range: Option<(f64, f64)>,
    /// Times of the keys of the clip.
    pub keys: Arc<[f64]>,
    /// Stages of the take, one lane each.
    pub stages: Vec<StageLane>,
    /// Keyed settings, one lane each below their stage.
    pub keyed: Vec<KeyLane>,
    /// Half-open windows of the edited stretch.
    pub windows: Vec<(f64, f64)>,
    /// Index of the stage with those windows.
    pub windows_at: Option<usize>,
    /// Selected window, counted in order of time.
    pub window: Option<usize>,
    /// True if the ruler shows seconds.
    pub in_seconds: bool,
    /// Contacts of each foot.
    pub feet: Vec<Vec<(f64, f64)>>,
    /// Foot joints, if their contacts can be edited.
    pub plants: Vec<usize>,
    /// Events of the blend or of the edited layer.
    pub events: Option<Vec<EventMark>>,
    /// Index of the stage with those events; `None` for a blend.
    pub events_at: Option<usize>,
    /// Times at which the loop restarts while several rounds are shown.
    pub seams: Vec<f64>,
    /// Cycles of a loop in its source.
    pub cycles: Option<LoopCycles>,
    /// Image sequence before the loop.
    pub thumbnails: Option<ImageClip>,
    /// Selected event.
    pub event: Option<usize>,
    /// True if the stretch report is available.
    pub stretched: bool,
    /// Intervals in which the source does not move.
    pub still: Vec<(f64, f64)>,
    /// Intervals that run backwards.
    pub reversed: Vec<(f64, f64)>,
}

/// Keys of one setting.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyLane {
    /// The stage of the setting.
    pub stage: StageId,
    /// Lane index of that stage.
    pub place: usize,
    /// Path of the setting within the stage.
    pub setting: String,
    /// Display name of the setting.
    pub name: String,
    /// True if the stage is enabled.
    pub on: bool,
    /// Keys in order of time.
    pub keys: Vec<KeyMark>,
}

/// A key on its lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyMark {
    /// Time in seconds of the take's output.
    pub time: f64,
    /// Time in seconds of the motion that enters the stage.
    pub own: f64,
    /// Interpolation to the next key.
    pub easing: KeyEasing,
    /// True if selected.
    pub selected: bool,
}

/// A stage lane; times in seconds of the take's output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageLane {
    /// Id of the stage.
    pub id: StageId,
    /// Name of the stage kind.
    pub kind: &'static str,
    /// True if the stage is enabled.
    pub on: bool,
    /// True if its settings are shown.
    pub open: bool,
    /// True if it can be limited to a span.
    pub has_span: bool,
    /// Span in which it acts, if limited.
    pub span: Option<Span>,
    /// Events of a layer.
    pub events: Vec<EventMark>,
    /// Windows of a stretch.
    pub windows: Vec<(f64, f64)>,
    /// Time-warp keys of a retime and keys of a pose stage: output seconds and caption.
    pub knots: Vec<(f64, String)>,
}

/// An event on the lane.
#[derive(Clone, Debug, PartialEq)]
pub struct EventMark {
    /// Time of the event, seconds.
    pub time: f64,
    /// Duration of the transition, seconds.
    pub trans_time: f64,
    /// Action of the event.
    pub action: Action,
    /// State it switches to, if any.
    pub state: Option<String>,
}

/// Cycles of the current loop, in source frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopCycles {
    /// First frame of cycle A.
    pub start: usize,
    /// Frames per cycle.
    pub length: usize,
    /// Number of source frames.
    pub frames: usize,
    /// Rating of the seam.
    pub lamp: SeamRating,
}

/// Distance within which a key attracts the playhead, points.
const SNAP_RADIUS: f64 = 6.0;

impl Model {
    /// True if there is a key lane. An empty lane also shows that joints have no keys.
    pub(super) fn has_keys(&self) -> bool {
        !self.keys.is_empty() || self.cycles.is_none() && self.thumbnails.is_none()
    }

    /// Returns the time of the frame nearest to `time`, or of a key within the snap radius that is nearer. All are seconds.
    pub fn snapped(&self, time: f64, scale: &TimeScale) -> f64 {
        let reach = SNAP_RADIUS / scale.pixels_per_second;
        let frame = ((time * self.fps).round() / self.fps).min(self.duration);
        let within_reach = |key: &&f64| (**key - time).abs() <= reach;
        let key = self.keys.iter().filter(within_reach).min_by(|a, b| (*a - time).abs().total_cmp(&(*b - time).abs()));
        match key {
            Some(&key) if (key - time).abs() < (frame - time).abs() => key,
            _ => frame,
        }
    }

    /// Returns the range (low and high, seconds) in which window `index` can move without touching another; the whole duration
    /// for an unknown window.
    pub fn room_of(&self, index: usize) -> (f64, f64) {
        let Some(&(start, _)) = self.windows.get(index) else { return (0.0, self.duration) };
        let others = self.windows.iter().enumerate().filter(|&(other, _)| other != index).map(|(_, window)| window);
        others.fold((0.0, self.duration), |(low, high), &(from, to)| {
            if from < start { (f64::max(low, to), high) } else { (low, f64::min(high, from)) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_of_a_window_ends_at_its_neighbours() {
        let model = Model { duration: 3.0, windows: vec![(0.0, 1.0), (1.0, 2.0), (2.5, 3.0)], ..Model::default() };
        assert_eq!(model.room_of(1), (1.0, 2.5));
        assert_eq!(model.room_of(0), (0.0, 1.0));
    }
}
