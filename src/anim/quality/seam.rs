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
}

impl Residue {
    pub(super) fn measure(input: &Input, frames: &Frames) -> Self {
        let last = frames.poses.len() - 1;
        let [start, after, before, end] =
            [0, 1.min(last), last.saturating_sub(1), last].map(|frame| frames.beside_root(input, frame));
        // What hangs beside the body stays behind while it goes.
        let joints = (0..start.len()).filter(|&joint| input.skeleton.is_within(joint, frames.carrier));
        let place = joints.clone().map(|joint| start[joint].distance(end[joint])).fold(0.0, f64::max);
        let change = |joint: usize| ((after[joint] - start[joint]) - (end[joint] - before[joint])).length();
        Self {
            place: place / rig_size(input.skeleton).max(f64::MIN_POSITIVE),
            velocity: input.metres_per_unit * joints.map(change).fold(0.0, f64::max)
                / frames.step.max(f64::MIN_POSITIVE),
        }
    }
}
