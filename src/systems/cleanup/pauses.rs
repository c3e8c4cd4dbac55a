//! Trembling while the body rests, stilled.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use crate::anim::Pose;
use crate::anim::contacts::runs;
use crate::anim::quality::neighbours;
use crate::math::mean::{aligned, angle_between};
use crate::progress::{Cancelled, Progress};

/// How far a body that rests is off its mean, degrees: the root mean square of each joint over the frames within which it does, so
/// that the one frame in a hundred that trembles more does not pass for a gesture.
const NOISE: f64 = 1.5;

/// Wherever none of `turning` moves for twice [`neighbours`], those joints and all translations become the mean of what is around
/// them, weighed by a raised cosine that grows narrow towards both ends of the pause. All other frames keep their bits. Frames are
/// `step` seconds apart.
pub(super) fn still(poses: &mut [Pose], turning: &[usize], step: f64, progress: &Progress) -> Result<(), Cancelled> {
    let width = neighbours(step);
    let widest = weights(width);
    let part = progress.part();
    let mut pauses = vec![false; poses.len()];
    for frame in width..poses.len().saturating_sub(width) {
        part.step(frame, poses.len())?;
        let near = frame - width..=frame + width;
        let mean = stilled(poses, frame, turning, &widest);
        if turning.iter().all(|&joint| off(&poses[near.clone()], &mean, joint) <= NOISE) {
            pauses[near].fill(true);
        }
    }
    let before = poses.to_vec();
    for pause in runs(&pauses) {
        for frame in pause.clone() {
            let reach = width.min(frame - pause.start).min(pause.end - 1 - frame);
            poses[frame] = stilled(&before, frame, turning, &weights(reach));
        }
    }
    Ok(())
}

/// The root mean square of how far `joint` is off `mean`, degrees.
fn off(poses: &[Pose], mean: &Pose, joint: usize) -> f64 {
    let turn = |pose: &Pose| pose.locals[joint].rotation;
    let square = |pose: &Pose| angle_between(turn(pose), turn(mean)).to_degrees().powi(2);
    (poses.iter().map(square).sum::<f64>() / poses.len() as f64).sqrt()
}

/// The weighed mean of what is around `frame` of `before`; what does not move there keeps its bits.
fn stilled(before: &[Pose], frame: usize, turning: &[usize], weights: &[f64]) -> Pose {
    let mut pose = before[frame].clone();
    let width = weights.len() / 2;
    let near = || before[frame - width..=frame + width].iter().zip(weights);
    for &joint in turning {
        let turn = |pose: &Pose| pose.locals[joint].rotation;
        let middle = turn(&before[frame]);
        if near().any(|(pose, _)| turn(pose) != middle) {
            let part = |(pose, &weight): (&Pose, &f64)| aligned(turn(pose), middle).as_dquat() * weight;
            let sum = near().map(part).fold(DQuat::from_array([0.0; 4]), |sum, part| sum + part);
            pose.locals[joint].rotation = sum.normalize().as_quat();
        }
    }
    for joint in 0..pose.locals.len() {
        let place = |pose: &Pose| pose.locals[joint].translation;
        if near().any(|(pose, _)| place(pose) != place(&before[frame])) {
            let sum = near().map(|(pose, &weight)| place(pose).as_dvec3() * weight).sum::<DVec3>();
            pose.locals[joint].translation = sum.as_vec3();
        }
    }
    pose
}

/// A raised cosine over `width` frames on both sides of one; all together 1.
fn weights(width: usize) -> Vec<f64> {
    let reach = width as f64 + 1.0;
    let raw: Vec<f64> = (0..=2 * width).map(|k| 1.0 + (PI * (k as f64 - width as f64) / reach).cos()).collect();
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|weight| weight / sum).collect()
}
