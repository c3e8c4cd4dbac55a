//! Noise while the body rests: what a pause of a capture trembles.

use glam::Quat;
use serde::Serialize;

use super::Input;
use super::frames::Frames;
use crate::anim::{Curve, Interpolation};
use crate::math::mean::{angle_between, slerp};

/// Seconds on both sides of a frame within which a body that rests stays where it is.
const AROUND: f64 = 0.2;
/// Degrees that no joint is off in that time while the body rests.
const STILL: f64 = 3.0;

/// How much the joint that trembles most does so, over all frames in which the body rests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Jitter {
    /// Root mean square of what the joint turns off the middle of its neighbours' turns, degrees per frame.
    pub degrees: f64,
    /// The joint's name.
    pub joint: String,
    /// Seconds that the body rests.
    pub seconds: f64,
}

impl Jitter {
    pub(super) fn of(input: &Input, frames: &Frames) -> Option<Self> {
        let width = (AROUND / frames.step.max(1e-6)).ceil() as usize;
        let moving = |curve: &Curve<Quat>| curve.times.len() > 1 && curve.interpolation != Interpolation::Step;
        let turning = |joint: &usize| input.clip.tracks[*joint].rotation.as_ref().is_some_and(moving);
        let joints: Vec<usize> = (0..input.skeleton.len()).filter(turning).collect();
        let turn = |joint: usize, frame: usize| frames.poses[frame].locals[joint].rotation;
        let stays = |joint: usize, frame: usize| {
            (frame - width..=frame + width)
                .all(|other| angle_between(turn(joint, frame), turn(joint, other)).to_degrees() <= STILL)
        };
        let rests = |&frame: &usize| joints.iter().all(|&joint| stays(joint, frame));
        let resting: Vec<usize> = (width..frames.poses.len().saturating_sub(width)).filter(rests).collect();
        let trembling = |&joint: &usize| {
            let off = |&frame: &usize| {
                let middle = slerp(turn(joint, frame - 1), turn(joint, frame + 1), 0.5);
                angle_between(turn(joint, frame), middle).to_degrees().powi(2)
            };
            (joint, resting.iter().map(off).sum::<f64>())
        };
        let most = joints.iter().map(trembling).max_by(|a, b| a.1.total_cmp(&b.1));
        let (joint, squares) = most.filter(|_| !resting.is_empty())?;
        Some(Self {
            degrees: (squares / resting.len() as f64).sqrt(),
            joint: input.skeleton.joints[joint].name.clone(),
            seconds: resting.len() as f64 * frames.step,
        })
    }
}
