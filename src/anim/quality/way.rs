//! Where the body goes.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::Input;
use super::frames::Frames;
use crate::anim::root_motion::path;
use crate::anim::root_synthesis::synthesize_root_motion;

/// A body that stays within so many metres of its first place sways, but goes nowhere.
const SWAY: f64 = 0.2;
/// Metres per second below which feet on the spot tell of no gait.
const SLOWEST: f64 = 0.1;

/// The way of a body over the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Way {
    /// From the first place to the last along the ground, metres.
    pub travel: f64,
    /// From the first height to the last, metres.
    pub climb: f64,
    /// From the first heading to the last, degrees, counter-clockwise seen from above.
    pub turn: f64,
    /// Whether the body stays where it is while its feet go.
    pub on_the_spot: bool,
    /// Length of the way along the ground over its time, metres per second; on the spot that which the standing feet tell.
    pub speed: f64,
    /// From where it is at rest to the first place along the ground, metres.
    pub off_origin: f64,
}

impl Way {
    pub(super) fn of(input: &Input, frames: &Frames) -> Self {
        let unit = input.metres_per_unit;
        let [first, last] = [frames.root[0], frames.root[frames.root.len() - 1]];
        let seconds = input.clip.duration.max(f64::MIN_POSITIVE);
        let farthest = frames.root.iter().map(|place| (place - first).with_y(0.0).length()).fold(0.0, f64::max);
        let by_feet = if unit * farthest < SWAY { speed_of_feet(input, frames) } else { None };
        Self {
            travel: unit * (last - first).with_y(0.0).length(),
            climb: unit * (last - first).y,
            turn: (frames.headings[frames.headings.len() - 1] - frames.headings[0]).to_degrees(),
            on_the_spot: by_feet.is_some(),
            speed: by_feet.unwrap_or(unit * length(&frames.root) / seconds),
            off_origin: unit * (first - frames.root_at_rest).with_y(0.0).length(),
        }
    }
}

fn speed_of_feet(input: &Input, frames: &Frames) -> Option<f64> {
    let Input { skeleton, clip, roles, metres_per_unit } = *input;
    let (made, root) = synthesize_root_motion(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit).ok()?;
    let way = path(skeleton, &made, root.joint, &frames.times);
    let speed = metres_per_unit * (way[way.len() - 1] - way[0]).with_y(0.0).length() / clip.duration;
    Some(speed).filter(|&speed| speed >= SLOWEST)
}

/// Along the ground.
fn length(way: &[DVec3]) -> f64 {
    way.windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum()
}
