//! Where the body goes.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::Input;
use super::frames::Frames;
use super::gait::{OnTheSpot, even_travel};

/// The way of a body over the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyTravel {
    /// From the first place to the last along the ground, metres.
    pub travel: f64,
    /// From the first height to the last, metres.
    pub climb: f64,
    /// From the first heading to the last, degrees, counter-clockwise seen from above.
    pub turn: f64,
    /// Whether the body stays where it is while its feet go.
    pub on_the_spot: bool,
    /// Whether it goes on about evenly from the first frame to the last, as a gait does and what drifts.
    #[serde(default)]
    pub goes_on: bool,
    /// Length of the way along the ground over its time, metres per second; on the spot that which the standing feet tell.
    pub speed: f64,
    /// From where it is at rest to the first place along the ground, metres.
    pub off_origin: f64,
}

impl BodyTravel {
    pub(super) fn measure(input: &Input, frames: &Frames, on_the_spot: Option<&OnTheSpot>) -> Self {
        let Input { clip, metres_per_unit: unit, .. } = *input;
        let [first, last] = [frames.root[0], frames.root[frames.root.len() - 1]];
        let seconds = clip.duration.max(f64::MIN_POSITIVE);
        Self {
            travel: unit * (last - first).with_y(0.0).length(),
            climb: unit * (last - first).y,
            turn: (frames.headings[frames.headings.len() - 1] - frames.headings[0]).to_degrees(),
            on_the_spot: on_the_spot.is_some(),
            goes_on: even_travel(&frames.root).is_some_and(|way| way > 0.0),
            speed: on_the_spot.map_or(unit * length(&frames.root) / seconds, |gait| gait.speed),
            off_origin: unit * (first - frames.root_at_rest).with_y(0.0).length(),
        }
    }
}

/// Along the ground.
fn length(way: &[DVec3]) -> f64 {
    way.windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum()
}
