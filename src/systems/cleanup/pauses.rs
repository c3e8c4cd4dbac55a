//! Trembling while the body rests, stilled.

use glam::DVec3;

use crate::anim::Pose;
use crate::anim::contacts::runs;
use crate::anim::quality::{mean_turn, neighbours, pause_weights, rests};
use crate::progress::{Cancelled, Progress};

/// Wherever the body [`rests`] within its [`neighbours`], those of `turning` joints and all translations become the mean of what is around
/// them, weighed by a raised cosine that grows narrow towards both ends of the pause. All other frames keep their bits. Frames are
/// `step` seconds apart.
pub(super) fn still(poses: &mut [Pose], turning: &[usize], step: f64, progress: &Progress) -> Result<(), Cancelled> {
    let width = neighbours(step);
    let mut pauses = vec![false; poses.len()];
    let resting = rests(poses, turning, step, &progress.part())?;
    for frame in (0..poses.len()).filter(|&frame| resting[frame]) {
        pauses[frame - width..=frame + width].fill(true);
    }
    let before = poses.to_vec();
    for pause in runs(&pauses) {
        for frame in pause.clone() {
            let reach = width.min(frame - pause.start).min(pause.end - 1 - frame);
            poses[frame] = stilled(&before, frame, turning, &pause_weights(reach));
        }
    }
    Ok(())
}

/// The weighed mean of what is around `frame` of `before`; what does not move there keeps its bits.
fn stilled(before: &[Pose], frame: usize, turning: &[usize], weights: &[f64]) -> Pose {
    let mut pose = before[frame].clone();
    let width = weights.len() / 2;
    let near = &before[frame - width..=frame + width];
    for &joint in turning {
        pose.locals[joint].rotation = mean_turn(near, joint, weights);
    }
    for joint in 0..pose.locals.len() {
        let place = |pose: &Pose| pose.locals[joint].translation;
        if near.iter().any(|pose| place(pose) != place(&before[frame])) {
            let sum = near.iter().zip(weights).map(|(pose, &weight)| place(pose).as_dvec3() * weight).sum::<DVec3>();
            pose.locals[joint].translation = sum.as_vec3();
        }
    }
    pose
}
