//! What there is over time, as plain data.

use crate::document::{Span, StageId};
use crate::math::key_curve::KeyEasing;
use crate::media::ImageClip;
use crate::systems::blend::Action;
use crate::systems::looping::Lamp;
use crate::ui::timeline::scale::TimeScale;

/// Everything the lanes show; times in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Length of the clip.
    pub duration: f64,
    /// Frames per second.
    pub fps: f64,
    /// Where the playhead is.
    pub time: f64,
    /// The preview range, where one is set.
    pub range: Option<(f64, f64)>,
    /// Keys of the clip.
    pub keys: Vec<f64>,
    /// The stages of the take, each with a lane.
    pub stages: Vec<StageLane>,
    /// Settings with keys, each with a lane under that of its stage.
    pub keyed: Vec<KeyLane>,
    /// Half-open windows of the stretch at hand.
    pub windows: Vec<(f64, f64)>,
    /// Which of the stages has those windows.
    pub windows_at: Option<usize>,
    /// The chosen one, counted in order of time.
    pub window: Option<usize>,
    /// Whether the ruler counts seconds.
    pub in_seconds: bool,
    /// Per foot, when it stands.
    pub feet: Vec<Vec<(f64, f64)>>,
    /// The joints of the feet, where their contacts can be edited.
    pub plants: Vec<usize>,
    /// Events of the blend or of the layer at hand.
    pub events: Option<Vec<EventMark>>,
    /// Which of the stages has those events; `None` for a blend's.
    pub events_at: Option<usize>,
    /// Where a loop that is shown several times in a row begins again.
    pub seams: Vec<f64>,
    /// The cycles of a loop in its source.
    pub cycles: Option<LoopCycles>,
    /// The image sequence, before any loop.
    pub thumbnails: Option<ImageClip>,
    /// The event that is edited.
    pub event: Option<usize>,
    /// Whether it is known how the source moves.
    pub stretched: bool,
    /// Stretches of time in which the source stands still.
    pub still: Vec<(f64, f64)>,
    /// Stretches of time that now run backwards.
    pub reversed: Vec<(f64, f64)>,
}

/// The keys of a setting.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyLane {
    /// Whose setting it is.
    pub stage: StageId,
    /// The lane of that stage.
    pub place: usize,
    /// Where it is within the stage.
    pub setting: String,
    /// What it is called.
    pub name: String,
    /// Whether the stage is applied.
    pub on: bool,
    /// By time.
    pub keys: Vec<KeyMark>,
}

/// A key on its lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyMark {
    /// Seconds of what comes out of the take.
    pub time: f64,
    /// Seconds of what comes into the stage.
    pub own: f64,
    /// How it goes on.
    pub easing: KeyEasing,
    /// Whether it is selected.
    pub selected: bool,
}

/// A stage on its lane; times are those of what comes out of the take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageLane {
    /// Which stage it is.
    pub id: StageId,
    /// Its kind, by name.
    pub kind: &'static str,
    /// Whether it is applied.
    pub on: bool,
    /// Whether its settings are shown.
    pub open: bool,
    /// Whether it can act within a span.
    pub has_span: bool,
    /// When it acts, where that is not throughout.
    pub span: Option<Span>,
    /// Events of a layer.
    pub events: Vec<EventMark>,
    /// Windows of a stretch.
    pub windows: Vec<(f64, f64)>,
}

/// An event on the lane.
#[derive(Clone, Debug, PartialEq)]
pub struct EventMark {
    /// When it happens, seconds.
    pub time: f64,
    /// Seconds of the transition.
    pub trans_time: f64,
    /// What the event starts or stops.
    pub action: Action,
    /// The state it goes to, where it does.
    pub state: Option<String>,
}

/// The cycles of the shown loop, in frames of its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopCycles {
    /// First frame of cycle A, Z.
    pub start: usize,
    /// Frames per cycle, X.
    pub length: usize,
    /// Frames of the source.
    pub frames: usize,
    /// How good the seam is.
    pub lamp: Lamp,
}

/// Pixels within which a key draws the playhead to itself.
const SNAP: f64 = 6.0;

impl Model {
    /// Whether there is a lane of keys: also an empty one says something of what joints move.
    pub(super) fn has_keys(&self) -> bool {
        !self.keys.is_empty() || self.cycles.is_none() && self.thumbnails.is_none()
    }

    /// The whole frame nearest to `time`, or a key that is nearer than a few pixels.
    pub fn snapped(&self, time: f64, scale: &TimeScale) -> f64 {
        let reach = SNAP / scale.pixels_per_second;
        let frame = ((time * self.fps).round() / self.fps).min(self.duration);
        let near = |key: &&f64| (**key - time).abs() <= reach;
        let key = self.keys.iter().filter(near).min_by(|a, b| (*a - time).abs().total_cmp(&(*b - time).abs()));
        match key {
            Some(&key) if (key - time).abs() < (frame - time).abs() => key,
            _ => frame,
        }
    }

    /// Between which times window `index` may lie without touching another.
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
    fn a_window_keeps_out_of_its_neighbours() {
        let model = Model { duration: 3.0, windows: vec![(0.0, 1.0), (1.0, 2.0), (2.5, 3.0)], ..Model::default() };
        assert_eq!(model.room_of(1), (1.0, 2.5));
        assert_eq!(model.room_of(0), (0.0, 1.0));
    }
}
