//! Noise while the body rests: what a pause of a capture trembles.

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::Input;
use super::frames::Frames;
use crate::anim::{Clip, Curve, Interpolation, Pose};
use crate::math::mean::{angle_between, slerp};
use crate::progress::{Cancelled, Progress};

/// Seconds on both sides of a frame within which a body that rests stays where it is.
const AROUND: f64 = 0.2;
/// Degrees that no joint is off in that time while the body rests.
const STILL: f64 = 3.0;

/// How much the joint that trembles most does so, over all frames in which the body rests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jitter {
    /// Root mean square of what the joint turns off the middle of its neighbours' turns, degrees per frame.
    pub degrees: f64,
    /// The joint's name.
    pub joint: String,
    /// Seconds that the body rests.
    pub seconds: f64,
}

impl Jitter {
    pub(super) fn of(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let joints = turning_joints(input.clip);
        let turn = |joint: usize, frame: usize| frames.poses[frame].locals[joint].rotation;
        let resting = resting(&frames.poses, &joints, frames.step, progress)?;
        let trembling = |&joint: &usize| {
            let off = |&frame: &usize| {
                let middle = slerp(turn(joint, frame - 1), turn(joint, frame + 1), 0.5);
                angle_between(turn(joint, frame), middle).to_degrees().powi(2)
            };
            (joint, resting.iter().map(off).sum::<f64>())
        };
        let most = joints.iter().map(trembling).max_by(|a, b| a.1.total_cmp(&b.1));
        Ok(most.filter(|_| !resting.is_empty()).map(|(joint, squares)| Self {
            degrees: (squares / resting.len() as f64).sqrt(),
            joint: input.skeleton.joints[joint].name.clone(),
            seconds: resting.len() as f64 * frames.step,
        }))
    }
}

/// Joints whose curves turn them, and not in steps.
pub fn turning_joints(clip: &Clip) -> Vec<usize> {
    let moving = |curve: &Curve<Quat>| curve.times.len() > 1 && curve.interpolation != Interpolation::Step;
    let turns = |joint: &usize| clip.tracks[*joint].rotation.as_ref().is_some_and(moving);
    (0..clip.tracks.len()).filter(turns).collect()
}

/// Frames on both sides of one within which a body that rests stays where it is, where frames are `step` seconds apart.
pub fn neighbours(step: f64) -> usize {
    (AROUND / step.max(1e-6)).ceil() as usize
}

/// Frames at which the body rests: none of `joints` turns far within its [`neighbours`], all of which there are.
fn resting(poses: &[Pose], joints: &[usize], step: f64, progress: &Progress) -> Result<Vec<usize>, Cancelled> {
    let width = neighbours(step);
    let turn = |joint: usize, frame: usize| poses[frame].locals[joint].rotation;
    let stays = |joint: usize, frame: usize| {
        (frame - width..=frame + width)
            .all(|other| angle_between(turn(joint, frame), turn(joint, other)).to_degrees() <= STILL)
    };
    let mut resting = Vec::new();
    for frame in width..poses.len().saturating_sub(width) {
        progress.step(frame, poses.len())?;
        if joints.iter().all(|&joint| stays(joint, frame)) {
            resting.push(frame);
        }
    }
    Ok(resting)
}
