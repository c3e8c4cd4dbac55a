//! Trembling while the body rests, stilled.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use crate::anim::Pose;
use crate::anim::quality::{neighbours, resting};
use crate::math::mean::{aligned, angle_between};
use crate::progress::{Cancelled, Progress};

/// What is farther off the mean of what is around it is meant, degrees.
const NOISE: f64 = 2.0;

/// In every frame in which none of `turning` moves, those joints and all translations become the mean of their neighbours, weighed by
/// a raised cosine. Frames in which the body moves keep their bits. Frames are `step` seconds apart.
pub(super) fn still(poses: &mut [Pose], turning: &[usize], step: f64, progress: &Progress) -> Result<(), Cancelled> {
    let width = neighbours(step);
    let weights = weights(width);
    let inner = width..poses.len().saturating_sub(width);
    let part = progress.part();
    let mut still = Vec::with_capacity(poses.len());
    for frame in 0..poses.len() {
        part.step(frame, poses.len())?;
        let is_inner = inner.contains(&frame);
        still.push(if is_inner { stilled(poses, frame, turning, &weights) } else { poses[frame].clone() });
    }
    let off = |frame: usize| {
        let turn =
            |joint: usize| angle_between(poses[frame].locals[joint].rotation, still[frame].locals[joint].rotation);
        turning.iter().map(|&joint| turn(joint).to_degrees()).fold(0.0, f64::max)
    };
    let is_noise: Vec<bool> = (0..poses.len()).map(|frame| off(frame) <= NOISE).collect();
    // Whether the body rests is seen on what is left without trembling, which else would look like moving.
    let rests = |frame: &usize| is_noise[frame - width..=frame + width].iter().all(|&is_noise| is_noise);
    let resting: Vec<usize> = resting(&still, turning, step, &progress.part())?.into_iter().filter(rests).collect();
    resting.into_iter().for_each(|frame| poses[frame] = still[frame].clone());
    Ok(())
}

/// The weighed mean of what is around `frame`; what does not move there keeps its bits.
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
