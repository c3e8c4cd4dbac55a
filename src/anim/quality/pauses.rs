//! Noise while the body rests: what a pause of a capture trembles.

use std::f64::consts::PI;

use glam::{DQuat, Quat};
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::{Input, WorstFrame};
use crate::anim::{Clip, Curve, Interpolation, Pose};
use crate::math::mean::{aligned, angle_between, slerp};
use crate::progress::{Cancelled, Progress};

/// Seconds on both sides of a frame within which a body that rests stays where it is.
const AROUND: f64 = 0.2;
/// How far a body that rests is off its mean, degrees: the root mean square of each joint over the frames within which it does, so
/// that the one frame in a hundred that trembles more does not pass for a gesture.
const NOISE: f64 = 1.5;

/// Seconds between two frames as trembling is told: keys that lie more closely, or on a finer rate by chance, tremble no less.
const FRAME: f64 = 1.0 / 30.0;

/// How much the joint that trembles most does so, over all frames in which the body rests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jitter {
    /// Root mean square of what the joint turns off the middle of its turns a frame before and after, degrees; a frame is that of
    /// the clip's rate, but at least a thirtieth of a second.
    pub degrees: f64,
    /// The joint's name.
    pub joint: String,
    /// The same of the joint that is moved about most, by itself or by those it hangs on: root mean square of how far it is off
    /// the middle of where it was and will be, millimetres.
    pub millimetres: f64,
    /// Seconds that the body rests.
    pub seconds: f64,
    /// Where the joint that trembles most does so most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trembles_at: Option<WorstFrame>,
}

impl Jitter {
    pub(super) fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let joints = turning_joints(input.clip);
        let turn = |joint: usize, frame: usize| frames.poses[frame].locals[joint].rotation;
        let apart = frames_apart(frames.step);
        let is_resting = rests(&frames.poses, &joints, frames.step, progress)?;
        let resting: Vec<usize> = (0..is_resting.len()).filter(|&frame| is_resting[frame]).collect();
        let off = |joint: usize, frame: usize| {
            let middle = slerp(turn(joint, frame - apart), turn(joint, frame + apart), 0.5);
            angle_between(turn(joint, frame), middle).to_degrees().powi(2)
        };
        let trembling = |&joint: &usize| (joint, resting.iter().map(|&frame| off(joint, frame)).sum::<f64>());
        let most_of = |joint: usize| {
            resting
                .iter()
                .copied()
                .max_by(|&a, &b| off(joint, a).total_cmp(&off(joint, b)))
                .map(|frame| frames.times[frame])
        };
        let millimetres = 1000.0 * input.metres_per_unit * places_off(input, frames, &resting, progress)?;
        let most = joints.iter().map(trembling).max_by(|a, b| a.1.total_cmp(&b.1));
        Ok(most.filter(|_| !resting.is_empty()).map(|(joint, squares)| Self {
            degrees: (squares / resting.len() as f64).sqrt(),
            joint: input.skeleton.joints[joint].name.clone(),
            millimetres,
            seconds: resting.len() as f64 * frames.step,
            trembles_at: most_of(joint).map(|time| WorstFrame { joint, time }),
        }))
    }
}

/// Root mean square of how far the joint that is moved most is off the middle of its neighbours in time, world units.
fn places_off(input: &Input, frames: &Frames, resting: &[usize], progress: &Progress) -> Result<f64, Cancelled> {
    let apart = frames_apart(frames.step);
    let mut squares = vec![0.0_f64; input.skeleton.len()];
    let mut worlds = [Vec::new(), Vec::new(), Vec::new()];
    for (i, &frame) in resting.iter().enumerate() {
        progress.step(i, resting.len())?;
        for (near, world) in [frame - apart, frame, frame + apart].into_iter().zip(&mut worlds) {
            frames.poses[near].world_from_joints(input.skeleton, world);
        }
        for (joint, square) in squares.iter_mut().enumerate() {
            let [before, here, after] = worlds.each_ref().map(|world| world[joint].translation.as_dvec3());
            *square += here.distance_squared(before.midpoint(after));
        }
    }
    let most = squares.into_iter().fold(0.0, f64::max);
    Ok((most / resting.len().max(1) as f64).sqrt())
}

/// Frames between two as trembling is told, where they are `step` seconds apart.
fn frames_apart(step: f64) -> usize {
    ((FRAME / step.max(1e-6)).round() as usize).clamp(1, neighbours(step))
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

/// At which frames the body rests: none of `joints` turns off its mean within the frame's [`neighbours`], all of which there are,
/// but for noise.
pub fn rests(poses: &[Pose], joints: &[usize], step: f64, progress: &Progress) -> Result<Vec<bool>, Cancelled> {
    let width = neighbours(step);
    let weights = pause_weights(width);
    let mut resting = vec![false; poses.len()];
    for frame in width..poses.len().saturating_sub(width) {
        progress.step(frame, poses.len())?;
        let near = &poses[frame - width..=frame + width];
        resting[frame] = joints.iter().all(|&joint| off_mean(near, joint, &weights) <= NOISE);
    }
    Ok(resting)
}

/// The root mean square of how far `joint` is off its weighed mean, degrees.
fn off_mean(near: &[Pose], joint: usize, weights: &[f64]) -> f64 {
    let mean = mean_turn(near, joint, weights);
    let square = |pose: &Pose| angle_between(pose.locals[joint].rotation, mean).to_degrees().powi(2);
    (near.iter().map(square).sum::<f64>() / near.len() as f64).sqrt()
}

/// The weighed mean of how `joint` is turned in `near`; where it never turns, that turn bit for bit.
pub fn mean_turn(near: &[Pose], joint: usize, weights: &[f64]) -> Quat {
    let turn = |pose: &Pose| pose.locals[joint].rotation;
    let middle = turn(&near[near.len() / 2]);
    if near.iter().all(|pose| turn(pose) == middle) {
        return middle;
    }
    let part = |(pose, &weight): (&Pose, &f64)| aligned(turn(pose), middle).as_dquat() * weight;
    let sum = near.iter().zip(weights).map(part).fold(DQuat::from_array([0.0; 4]), |sum, part| sum + part);
    sum.normalize().as_quat()
}

/// A raised cosine over `width` frames on both sides of one; all together 1.
pub fn pause_weights(width: usize) -> Vec<f64> {
    let reach = width as f64 + 1.0;
    let raw: Vec<f64> = (0..=2 * width).map(|k| 1.0 + (PI * (k as f64 - width as f64) / reach).cos()).collect();
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|weight| weight / sum).collect()
}
