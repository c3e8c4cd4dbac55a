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
    /// The same of the joint that is moved about most, by itself or by those it hangs on: root mean square of how far it is off
    /// the middle of where it was and will be, millimetres.
    pub millimetres: f64,
    /// Seconds that the body rests.
    pub seconds: f64,
}

impl Jitter {
    pub(super) fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
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
        let millimetres = 1000.0 * input.metres_per_unit * places_off(input, frames, &resting, progress)?;
        let most = joints.iter().map(trembling).max_by(|a, b| a.1.total_cmp(&b.1));
        Ok(most.filter(|_| !resting.is_empty()).map(|(joint, squares)| Self {
            degrees: (squares / resting.len() as f64).sqrt(),
            joint: input.skeleton.joints[joint].name.clone(),
            millimetres,
            seconds: resting.len() as f64 * frames.step,
        }))
    }
}

/// Root mean square of how far the joint that is moved most is off the middle of its neighbours in time, world units.
fn places_off(input: &Input, frames: &Frames, resting: &[usize], progress: &Progress) -> Result<f64, Cancelled> {
    let mut squares = vec![0.0_f64; input.skeleton.len()];
    let mut worlds = [Vec::new(), Vec::new(), Vec::new()];
    for (i, &frame) in resting.iter().enumerate() {
        progress.step(i, resting.len())?;
        for (pose, world) in frames.poses[frame - 1..=frame + 1].iter().zip(&mut worlds) {
            pose.world_from_joints(input.skeleton, world);
        }
        for (joint, square) in squares.iter_mut().enumerate() {
            let [before, here, after] = worlds.each_ref().map(|world| world[joint].translation.as_dvec3());
            *square += here.distance_squared(before.midpoint(after));
        }
    }
    let most = squares.into_iter().fold(0.0, f64::max);
    Ok((most / resting.len().max(1) as f64).sqrt())
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
