//! Trembling while the body, or a joint by itself, rests or moves slowly, stilled.

use std::ops::Range;

use glam::DVec3;

use crate::anim::Pose;
use crate::anim::contacts::runs;
use crate::anim::quality::{Pauses, mean_turn, neighbours, pause_weights, tremors, turns_of};
use crate::progress::{Cancelled, Progress};

/// Degrees off the middle of its neighbours from which a joint trembles; what turns slowly by intent bends less.
const TREMBLES: f64 = 0.05;

/// Where the body rests, see [`Pauses`], those of `turning` joints that tremble, and all translations where one does, become the mean
/// of what is around them, weighed by a raised cosine that grows narrow towards both ends of the pause. All other frames and joints
/// keep their bits. Frames are `step` seconds apart.
pub(super) fn still(poses: &mut [Pose], turning: &[usize], step: f64, progress: &Progress) -> Result<(), Cancelled> {
    let resting = Pauses::find(poses, turning, step, &progress.part())?;
    let width = resting.width;
    let mut pauses = vec![false; poses.len()];
    for &frame in &resting.frames {
        pauses[frame - width..=frame + width].fill(true);
    }
    let before = poses.to_vec();
    for pause in runs(&pauses) {
        let mut shaky = Vec::new();
        for &joint in turning {
            if resting.trembling(&before, joint, pause.clone(), &progress.part())? > TREMBLES {
                shaky.push(joint);
            }
        }
        if shaky.is_empty() {
            continue;
        }
        for frame in pause.clone() {
            poses[frame] = stilled(&before, frame, &shaky, &pause_weights(reach(&pause, frame, width)));
        }
    }
    Ok(())
}

/// Where one of `turning` joints rests and trembles by itself, see [`tremors`], its turns become such means, whatever the others do.
pub(super) fn still_joints(
    poses: &mut [Pose],
    turning: &[usize],
    step: f64,
    progress: &Progress,
) -> Result<(), Cancelled> {
    let before = poses.to_vec();
    for &joint in turning {
        progress.step(joint, before[0].locals.len())?;
        for tremor in tremors(&turns_of(&before, joint), step) {
            for frame in tremor.frames.clone() {
                let reach = reach(&tremor.frames, frame, neighbours(step));
                let near = &before[frame - reach..=frame + reach];
                poses[frame].locals[joint].rotation = mean_turn(near, joint, &pause_weights(reach));
            }
        }
    }
    Ok(())
}

/// Frames on both sides of `frame` over which a mean goes: `width`, but not beyond the ends of `pause`.
fn reach(pause: &Range<usize>, frame: usize, width: usize) -> usize {
    width.min(frame - pause.start).min(pause.end - 1 - frame)
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
