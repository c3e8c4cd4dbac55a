//! Trembling while the body, or a joint by itself, rests or moves slowly, stilled.

use std::ops::Range;

use glam::{DQuat, DVec3, Quat};

use super::Input;
use super::around::Around;
use crate::anim::Pose;
use crate::anim::contacts::runs;
use crate::anim::quality::{Pauses, neighbours, tremors, turns_of};
use crate::anim::root_motion::rest_at;
use crate::math::mean::aligned;
use crate::progress::{Cancelled, Progress};

/// Metres off a smooth curve from which a translation shakes: less is how files round.
const SHAKES: f64 = 2e-4;

/// Where the body rests, see [`Pauses`], those of `turning` joints that tremble, and translations that shake there, go evenly as what
/// is around them does, see [`Around`]. All other frames and joints keep their bits. Frames are `step` seconds apart.
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
                still_turns(poses, &turns_of(&before, joint), joint, &pause, width);
            }
        }
        for joint in 0..input.skeleton.len() {
            let places: Vec<DVec3> = before.iter().map(|pose| pose.locals[joint].translation.as_dvec3()).collect();
            let least = SHAKES / metres_per_local_unit(input, joint);
            if resting.shakes(&places, least, pause.clone(), &progress.part())? {
                for frame in pause.clone() {
                    let around = Around::of(frame, &pause, width, places.len());
                    poses[frame].locals[joint].translation = around.even(&places[around.frames.clone()]).as_vec3();
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

/// Where one of `turning` joints rests and trembles by itself, see [`tremors`], it is turned so evenly, whatever the others do.
pub(super) fn still_joints(
    poses: &mut [Pose],
    turning: &[usize],
    step: f64,
    progress: &Progress,
) -> Result<(), Cancelled> {
    let before = poses.to_vec();
    for &joint in turning {
        progress.step(joint, before[0].locals.len())?;
        let turns = turns_of(&before, joint);
        for tremor in tremors(&turns, step) {
            still_turns(poses, &turns, joint, &tremor.frames, neighbours(step));
        }
    }
    Ok(())
}

/// Turns `joint`, which comes turned by `turns`, evenly within `pause`; where it never turns it stays bit for bit.
fn still_turns(poses: &mut [Pose], turns: &[Quat], joint: usize, pause: &Range<usize>, width: usize) {
    for frame in pause.clone() {
        let around = Around::of(frame, pause, width, turns.len());
        let here = turns[frame];
        if turns[around.frames.clone()].iter().any(|turn| *turn != here) {
            let from_here =
                |&turn: &Quat| (here.as_dquat().inverse() * aligned(turn, here).as_dquat()).to_scaled_axis();
            let near: Vec<DVec3> = turns[around.frames.clone()].iter().map(from_here).collect();
            poses[frame].locals[joint].rotation =
                (here.as_dquat() * DQuat::from_scaled_axis(around.even(&near))).normalize().as_quat();
        }
    }
}
