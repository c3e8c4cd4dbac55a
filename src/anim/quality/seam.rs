//! How far a clip is from playing on at its start.

use serde::{Deserialize, Serialize};

use super::Input;
use super::frames::Frames;
use crate::anim::root_motion::rig_size;

/// What differs between the end and the start, one cycle on: travel and turn of the body do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Residue {
    /// Largest distance of a joint, in parts of the body's size.
    pub place: f64,
    /// Largest difference of a joint's speed over the last frame and over the first, metres per second.
    pub velocity: f64,
    /// Largest turn of a joint against its parent, degrees.
    pub turn: f64,
    /// Share of the joints that turn at all whose turn at the end is that at the start.
    pub closed: f64,
}

/// Degrees that a joint turns from its first frame from which it is one that turns.
const TURNS: f64 = 1.0;
/// Degrees up to which a turn is none.
const CLOSED: f64 = 0.1;

impl Residue {
    pub(super) fn measure(input: &Input, frames: &Frames) -> Self {
        let last = frames.poses.len() - 1;
        let [start, after, before, end] =
            [0, 1.min(last), last.saturating_sub(1), last].map(|frame| frames.beside_root(input, frame));
        // What hangs beside the body stays behind while it goes.
        let joints = (0..start.len()).filter(|&joint| input.skeleton.is_within(joint, frames.carrier));
        let turned = |frame: usize, joint: usize| -> f64 {
            let [from, to] = [0, frame].map(|frame| frames.poses[frame].locals[joint].rotation.as_dquat().normalize());
            2.0 * from.dot(to).abs().min(1.0).acos().to_degrees()
        };
        let turns = |joint: &usize| *joint != frames.carrier && (1..=last).any(|frame| turned(frame, *joint) > TURNS);
        let ends: Vec<f64> = joints.clone().filter(turns).map(|joint| turned(last, joint)).collect();
        let place = joints.clone().map(|joint| start[joint].distance(end[joint])).fold(0.0, f64::max);
        let change = |joint: usize| ((after[joint] - start[joint]) - (end[joint] - before[joint])).length();
        Self {
            place: place / rig_size(input.skeleton).max(f64::MIN_POSITIVE),
            velocity: input.metres_per_unit * joints.map(change).fold(0.0, f64::max)
                / frames.step.max(f64::MIN_POSITIVE),
            turn: ends.iter().copied().fold(0.0, f64::max),
            closed: ends.iter().filter(|turn| **turn <= CLOSED).count() as f64 / ends.len().max(1) as f64,
        }
    }
}
