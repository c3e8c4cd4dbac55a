//! What the user sets.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Where the motion shall end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A point of the file's world space, in its unit.
    World(DVec3),
    /// An offset from the first position, in the character's frame there: +Z ahead, +Y up, in the file's unit.
    Start(DVec3),
}

impl Target {
    /// The point in world space for a character that starts at `start` with `heading` (radians about +Y).
    pub fn in_world(self, start: DVec3, heading: f64) -> DVec3 {
        match self {
            Self::World(point) => point,
            Self::Start(offset) => start + DQuat::from_rotation_y(heading) * offset,
        }
    }
}

/// How the correction is shared out over the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// In proportion to how far the source moved in each frame.
    #[default]
    Displacement,
    /// Evenly over time, for comparison.
    Uniform,
    /// The least-change linear map from the source's travel to the wanted one.
    Shear,
}

/// Which length of a step counts.
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

/// What to do where the source does not move at all but shall arrive elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZeroMotion {
    /// Say so and build nothing.
    #[default]
    Refuse,
    /// Spread the way evenly over time, and say so.
    Uniform,
}

/// Which way the character looks at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facing {
    /// As in the source.
    #[default]
    Keep,
    /// Turned by the angle between the source's way and the new way, so that a leap at an enemy still looks at it.
    Target,
    /// This heading, radians about +Y, 0 looking along +Z; the shorter way round, half a turn counter-clockwise.
    Heading(f64),
}

/// A part of the clip with a target of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Seconds; motion from here on belongs to the window.
    pub start: f64,
    /// Seconds; motion from here on no longer does. The character arrives at this moment.
    pub end: f64,
    /// Where it arrives.
    pub target: Target,
    /// Which way it looks then.
    pub facing: Facing,
}

/// When a foot stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FootPlants {
    /// The foot's joint.
    pub foot: usize,
    /// When, in order of time and apart from each other.
    pub spans: Vec<PlantSpan>,
}

/// From when to when a foot stands, seconds; both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlantSpan {
    /// When it is down.
    pub start: f64,
    /// When it lifts.
    pub end: f64,
}

impl PlantSpan {
    /// Whether the foot stands at `time`; keys and frames differ by less than a thousandth of a frame.
    pub fn holds(&self, time: f64) -> bool {
        (self.start - 1e-5..=self.end + 1e-5).contains(&time)
    }
}

impl FootPlants {
    /// A foot that stands at these frames, `stands` and `times` having an entry for each.
    pub(super) fn of_frames(foot: usize, stands: &[bool], times: &[f64]) -> Self {
        let mut spans: Vec<PlantSpan> = Vec::new();
        for i in (0..stands.len()).filter(|&i| stands[i]) {
            match spans.last_mut() {
                Some(last) if i > 0 && stands[i - 1] => last.end = times[i],
                _ => spans.push(PlantSpan { start: times[i], end: times[i] }),
            }
        }
        Self { foot, spans }
    }
}

/// All that shapes a stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Where the clip ends; without one (and without windows) the source comes back as it is.
    pub target: Option<Target>,
    /// How the correction is shared out.
    pub method: Method,
    /// Which length of a step counts; always the ground plane where root motion is that part of the hips.
    pub measure: LengthMeasure,
    /// World axes that are corrected; an axis left out keeps the source's values bit for bit.
    pub axes: [bool; 3],
    /// Metres per second below which a frame counts as still; 0 switches it off.
    pub dead_zone: f64,
    /// For a source that does not move.
    pub zero_motion: ZeroMotion,
    /// Which way the character looks at the end.
    pub facing: Facing,
    /// Parts with their own targets; when there are any, `target` and `facing` are not used.
    pub windows: Vec<Window>,
    /// The joint that arrives at the target instead of the root.
    pub aligner: Option<usize>,
    /// Planted feet stay planted: each foot follows the same rule on its own path, and the leg is bent to it.
    pub feet: bool,
    /// When feet stand where that was set by hand: those of the other feet are found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plants: Vec<FootPlants>,
    /// Largest stretch ratio |D − P(N)|/S; a target beyond is drawn nearer, and the amount is reported.
    pub max_ratio: Option<f64>,
}

impl Settings {
    /// The seconds a new window would get that starts at `from`: up to the next window or `duration`; `None` where less than
    /// two frames are free there.
    pub fn free_window(&self, from: f64, duration: f64, fps: f64) -> Option<(f64, f64)> {
        let start = if from >= duration { 0.0 } else { from };
        let is_taken = self.windows.iter().any(|window| window.start <= start && start < window.end);
        let later = self.windows.iter().map(|window| window.start).filter(|&next| next > start);
        let end = later.fold(duration, f64::min);
        (!is_taken && end - start >= 2.0 / fps).then_some((start, end))
    }

    /// The windows by their start: places in [`Settings::windows`].
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.windows.len()).collect();
        order.sort_by(|&a, &b| self.windows[a].start.total_cmp(&self.windows[b].start));
        order
    }

    /// The window that is `nth` in order of time.
    pub fn window_in_order(&mut self, nth: usize) -> Option<&mut Window> {
        let index = self.order().get(nth).copied()?;
        self.windows.get_mut(index)
    }

    /// Adds a window in order of time. The first takes over the target of the whole clip; others begin at `fallback`.
    pub fn add_window(&mut self, start: f64, end: f64, fallback: DVec3) {
        let whole = self.target.filter(|_| self.windows.is_empty());
        let target = whole.unwrap_or(Target::World(fallback));
        self.windows.push(Window { start, end, target, facing: Facing::Keep });
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
    fn the_first_window_takes_the_target_of_the_clip_and_all_lie_in_order_of_time() {
        let settings = with_windows(&[(2.0, 3.0), (0.0, 1.0)]);
        let told: Vec<(f64, Target)> = settings.windows.iter().map(|window| (window.start, window.target)).collect();
        assert_eq!(told, [(0.0, Target::World(DVec3::Y)), (2.0, Target::World(DVec3::X))]);
    }

    #[test]
    fn a_foot_that_lifts_between_stands_twice() {
        let times = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
        let of = |stands: [bool; 6]| FootPlants::of_frames(3, &stands, &times).spans;
        let span = |start: f64, end: f64| PlantSpan { start, end };
        assert_eq!(of([true, true, false, true, false, true]), [span(0.0, 0.1), span(0.3, 0.3), span(0.5, 0.5)]);
        assert_eq!(of([false, true, true, true, true, false]), [span(0.1, 0.4)]);
        assert_eq!(of([false; 6]), []);
    }
}
