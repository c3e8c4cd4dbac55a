//! Settings of a stretch.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Position at which the motion ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A point in the file's world space, in the file's unit.
    World(DVec3),
    /// An offset from the first position in the character's frame at that time: +Z forward, +Y up, in the file's unit.
    Start(DVec3),
}

impl Target {
    /// Returns the point in world space for a character that starts at `start` with `heading` (radians about +Y).
    pub fn in_world(self, start: DVec3, heading: f64) -> DVec3 {
        match self {
            Self::World(point) => point,
            Self::Start(offset) => start + DQuat::from_rotation_y(heading) * offset,
        }
    }
}

/// Distribution of the correction over the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// In proportion to how far the source moved in each frame.
    #[default]
    Displacement,
    /// Evenly over time, for comparison.
    Uniform,
    /// The least-change linear map from the source's travel to the wanted travel.
    Shear,
}

portamento_base::named!(Method { Displacement: "displacement", Uniform: "uniform", Shear: "shear" });

/// Measure of the length of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthMeasure {
    /// All three axes.
    #[default]
    Full,
    /// The ground plane.
    Horizontal,
    /// The height only.
    Vertical,
}

portamento_base::named!(LengthMeasure { Full: "full", Horizontal: "horizontal", Vertical: "vertical" });

/// Behaviour for a source that does not move although the target is elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZeroMotion {
    /// Returns an error.
    #[default]
    Refuse,
    /// Distributes the correction evenly over time and adds a warning.
    Uniform,
}

portamento_base::named!(ZeroMotion { Refuse: "refuse", Uniform: "uniform" });

/// Heading of the character at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facing {
    /// The source's heading.
    #[default]
    Keep,
    /// Turned by the angle between the source's direction of travel and the new one, so that a leap at an enemy still faces it.
    Target,
    /// This heading in radians about +Y, with 0 along +Z. The shorter turn is used; half a turn is counter-clockwise.
    Heading(f64),
}

/// A part of the clip with its own target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Start in seconds. Motion from here on belongs to the window.
    pub start: f64,
    /// End in seconds, exclusive. The character arrives at this time.
    pub end: f64,
    /// Target of the window.
    pub target: Target,
    /// Heading at the end of the window.
    pub facing: Facing,
    /// Time in seconds over which the correction sets in after the start and fades out before the end; at most half the window.
    /// 0 changes the speed at once. Ends of the clip are never softened.
    #[serde(default)]
    pub soft_edges: f64,
    /// True to keep the speed of the source: the window lasts as much longer or shorter as its path does.
    #[serde(default)]
    pub keep_speed: bool,
}

impl Window {
    /// Soft edges of a new window, seconds: six frames at 30 per second.
    pub const DEFAULT_SOFT_EDGES: f64 = 0.2;

    /// Returns a window from `start` to `end` (seconds) with default edges.
    pub fn new(start: f64, end: f64, target: Target) -> Self {
        let soft_edges = Self::DEFAULT_SOFT_EDGES;
        Self { start, end, target, facing: Facing::Keep, soft_edges, keep_speed: false }
    }
}

/// The contact intervals of one foot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FootPlants {
    /// Index of the foot joint.
    pub foot: usize,
    /// Contact intervals, rising and disjoint.
    pub spans: Vec<PlantSpan>,
}

/// A contact interval in seconds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlantSpan {
    /// Start of the contact.
    pub start: f64,
    /// End of the contact.
    pub end: f64,
}

impl PlantSpan {
    /// True if the foot is planted at `time`. Keys and frames may differ by less than a thousandth of a frame.
    pub fn holds(&self, time: f64) -> bool {
        (self.start - 1e-5..=self.end + 1e-5).contains(&time)
    }
}

impl FootPlants {
    /// Returns the contact intervals of the joint `foot` from a contact flag per frame. `is_planted` and `times` (seconds) have
    /// one entry per frame.
    pub(super) fn of_frames(foot: usize, is_planted: &[bool], times: &[f64]) -> Self {
        let mut spans: Vec<PlantSpan> = Vec::new();
        for i in (0..is_planted.len()).filter(|&i| is_planted[i]) {
            match spans.last_mut() {
                Some(last) if i > 0 && is_planted[i - 1] => last.end = times[i],
                _ => spans.push(PlantSpan { start: times[i], end: times[i] }),
            }
        }
        Self { foot, spans }
    }
}

/// All settings of a stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Target of the clip; without a target and windows the source is returned unchanged.
    pub target: Option<Target>,
    /// Distribution of the correction.
    pub method: Method,
    /// Measure of a step's length. Always the ground plane if the root motion is the ground part of the hips.
    pub measure: LengthMeasure,
    /// World axes to correct. The other axes keep the source's values bit for bit.
    pub axes: [bool; 3],
    /// Speed in metres per second below which a frame counts as still; 0 disables it.
    pub dead_zone: f64,
    /// Behaviour for a source that does not move.
    pub zero_motion: ZeroMotion,
    /// Heading of the character at the end.
    pub facing: Facing,
    /// Parts with their own targets. If there are any, `target` and `facing` are ignored.
    pub windows: Vec<Window>,
    /// The joint that arrives at the target instead of the root.
    pub aligner: Option<usize>,
    /// True to keep planted feet planted: each foot follows the same formula on its own path, and the leg is bent to it by IK.
    pub feet: bool,
    /// Contact intervals set by hand. The contacts of other feet are detected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plants: Vec<FootPlants>,
    /// Largest stretch ratio |D − P(N)|/S. A farther target is moved nearer, and a warning reports the rest.
    pub max_ratio: Option<f64>,
}

impl Settings {
    /// Returns start and end in seconds for a new window that starts at `from`, or at 0 if `from` is at the end of the clip. It
    /// reaches up to the next window or `duration`. Returns `None` if a window is there, or if less than two frames are free.
    pub fn free_window(&self, from: f64, duration: f64, fps: f64) -> Option<(f64, f64)> {
        let start = if from >= duration { 0.0 } else { from };
        let is_taken = self.windows.iter().any(|window| window.start <= start && start < window.end);
        let later_starts = self.windows.iter().map(|window| window.start).filter(|&next| next > start);
        let end = later_starts.fold(duration, f64::min);
        (!is_taken && end - start >= 2.0 / fps).then_some((start, end))
    }

    /// Returns the indices of [`Settings::windows`], sorted by start.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.windows.len()).collect();
        order.sort_by(|&a, &b| self.windows[a].start.total_cmp(&self.windows[b].start));
        order
    }

    /// Returns the window at position `nth`, from 0, in order of time; `None` if there are fewer.
    pub fn window_in_order(&mut self, nth: usize) -> Option<&mut Window> {
        let index = self.order().get(nth).copied()?;
        self.windows.get_mut(index)
    }

    /// Adds a window from `start` to `end` (seconds) and sorts the windows by start. The first window takes over the target of the
    /// clip; others get the world position `fallback`, in the file's unit.
    pub fn add_window(&mut self, start: f64, end: f64, fallback: DVec3) {
        let clip_target = self.target.filter(|_| self.windows.is_empty());
        let target = clip_target.unwrap_or(Target::World(fallback));
        self.windows.push(Window::new(start, end, target));
        self.windows.sort_by(|a, b| a.start.total_cmp(&b.start));
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            target: None,
            method: Method::default(),
            measure: LengthMeasure::default(),
            axes: [true; 3],
            dead_zone: 0.0,
            zero_motion: ZeroMotion::default(),
            facing: Facing::default(),
            windows: Vec::new(),
            aligner: None,
            feet: false,
            plants: Vec::new(),
            max_ratio: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_windows(spans: &[(f64, f64)]) -> Settings {
        let mut settings = Settings { target: Some(Target::World(DVec3::X)), ..Settings::default() };
        spans.iter().for_each(|&(start, end)| settings.add_window(start, end, DVec3::Y));
        settings
    }

    #[test]
    fn a_new_window_starts_at_the_playhead_and_ends_before_its_neighbour() {
        let free = |spans: &[(f64, f64)], from| with_windows(spans).free_window(from, 3.0, 30.0);
        assert_eq!(free(&[], 1.0), Some((1.0, 3.0)));
        assert_eq!(free(&[], 3.0), Some((0.0, 3.0)));
        assert_eq!(free(&[(2.0, 3.0)], 1.0), Some((1.0, 2.0)));
        assert_eq!(free(&[(0.5, 3.0)], 1.0), None);
        assert_eq!(free(&[(0.5, 1.0)], 1.0), Some((1.0, 3.0)));
        assert_eq!(free(&[(1.05, 3.0)], 1.0), None);
    }

    #[test]
    fn the_first_window_takes_the_target_of_the_clip_and_windows_are_sorted_by_time() {
        let settings = with_windows(&[(2.0, 3.0), (0.0, 1.0)]);
        let targets: Vec<(f64, Target)> = settings.windows.iter().map(|window| (window.start, window.target)).collect();
        assert_eq!(targets, [(0.0, Target::World(DVec3::Y)), (2.0, Target::World(DVec3::X))]);
    }

    #[test]
    fn a_foot_that_lifts_in_between_has_separate_contacts() {
        let times = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
        let of = |is_planted: [bool; 6]| FootPlants::of_frames(3, &is_planted, &times).spans;
        let span = |start: f64, end: f64| PlantSpan { start, end };
        assert_eq!(of([true, true, false, true, false, true]), [span(0.0, 0.1), span(0.3, 0.3), span(0.5, 0.5)]);
        assert_eq!(of([false, true, true, true, true, false]), [span(0.1, 0.4)]);
        assert_eq!(of([false; 6]), []);
    }
}
