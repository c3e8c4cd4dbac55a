//! Travel of the body.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::Input;
use super::frames::Frames;
use super::gait::{OnTheSpot, even_travel};

/// The travel of a body over the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyTravel {
    /// Ground distance from the first position to the last, metres.
    pub travel: f64,
    /// Height difference from the first position to the last, metres.
    pub climb: f64,
    /// Heading difference from the first frame to the last, degrees, counter-clockwise as seen from +Y.
    pub turn: f64,
    /// True if the body stays in place while its feet walk.
    pub on_the_spot: bool,
    /// True if the body travels about evenly from the first frame to the last, as in a gait or with a drifting root.
    #[serde(default)]
    pub goes_on: bool,
    /// Length of the path along the ground over its duration, metres per second. On the spot, the speed that the
    /// standing feet imply.
    pub speed: f64,
    /// Ground distance from the rest position to the first position, metres.
    pub off_origin: f64,
}

impl BodyTravel {
    /// Measures the travel of the body over all `frames`. `on_the_spot` is the gait of a body that stays in place.
    pub(super) fn measure(input: &Input, frames: &Frames, on_the_spot: Option<&OnTheSpot>) -> Self {
        let Input { clip, metres_per_unit: unit, .. } = *input;
        let [first, last] = [frames.root[0], frames.root[frames.root.len() - 1]];
        let seconds = clip.duration.max(f64::MIN_POSITIVE);
        Self {
            travel: unit * (last - first).with_y(0.0).length(),
            climb: unit * (last - first).y,
            turn: (frames.headings[frames.headings.len() - 1] - frames.headings[0]).to_degrees(),
            on_the_spot: on_the_spot.is_some(),
            goes_on: even_travel(&frames.root).is_some_and(|distance| distance > 0.0),
            speed: on_the_spot.map_or(unit * length(&frames.root) / seconds, |gait| gait.speed),
            off_origin: unit * (first - frames.root_at_rest).with_y(0.0).length(),
        }
    }
}

/// Returns the length of `path` along the ground, in its own unit.
fn length(path: &[DVec3]) -> f64 {
    path.windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum()
}
