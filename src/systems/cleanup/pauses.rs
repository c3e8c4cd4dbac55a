//! Trembling while the body, or a joint by itself, rests or moves slowly, stilled.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::Input;
use crate::anim::Pose;
use crate::anim::contacts::runs;
use crate::anim::quality::{Pauses, mean_turn, neighbours, pause_weights, tremors, turns_of};
use crate::anim::root_motion::rest_at;
use crate::progress::{Cancelled, Progress};

/// Metres off a smooth curve from which a translation shakes: less is how files round.
const SHAKES: f64 = 2e-4;

/// Where the body rests, see [`Pauses`], those of `turning` joints that tremble, and translations that shake there, become the mean
/// of what is around them, weighed by a raised cosine that grows narrow towards both ends of the pause. All other frames and joints
/// keep their bits. Frames are `step` seconds apart.
pub(super) fn still(
    input: &Input,
    poses: &mut [Pose],
    turning: &[usize],
    step: f64,
    progress: &Progress,
) -> Result<(), Cancelled> {
    let resting = Pauses::find(poses, turning, step, &progress.part())?;
    let width = resting.width;
    let mut pauses = vec![false; poses.len()];
    for &frame in &resting.frames {
        pauses[frame - width..=frame + width].fill(true);
    }
    let before = poses.to_vec();
    for pause in runs(&pauses) {
        for &joint in turning {
            if resting.trembles(&before, joint, pause.clone(), &progress.part())? {
                for frame in pause.clone() {
                    let reach = reach(&pause, frame, width);
                    let near = &before[frame - reach..=frame + reach];
                    poses[frame].locals[joint].rotation = mean_turn(near, joint, &pause_weights(reach));
                }
            }
        }
        for joint in 0..input.skeleton.len() {
            let places: Vec<DVec3> = before.iter().map(|pose| pose.locals[joint].translation.as_dvec3()).collect();
            let least = SHAKES / metres_per_local_unit(input, joint);
            if resting.shakes(&places, least, pause.clone(), &progress.part())? {
                for frame in pause.clone() {
                    poses[frame].locals[joint].translation = mean_place(&places, frame, reach(&pause, frame, width));
                }
            }
        }
    }
    Ok(())
}

/// How long a unit of the joint's translation is, metres.
fn metres_per_local_unit(input: &Input, joint: usize) -> f64 {
    let parent = input.skeleton.joints[joint].parent.map(|parent| rest_at(input.skeleton, parent).matrix3);
    input.metres_per_unit * parent.map_or(1.0, |matrix| matrix.determinant().abs().cbrt()).max(f64::MIN_POSITIVE)
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

/// The weighed mean of the places within `reach` frames of one.
fn mean_place(places: &[DVec3], frame: usize, reach: usize) -> Vec3 {
    let near = &places[frame - reach..=frame + reach];
    near.iter().zip(pause_weights(reach)).map(|(place, weight)| *place * weight).sum::<DVec3>().as_vec3()
}
