//! Joints that turn in one frame far more than in the frames beside it.

use super::super::report::{FrameReport, Pop};
use super::super::segment::Rig;
use crate::anim::Pose;
use crate::anim::quality::beyond_neighbours;
use crate::math::mean::angle_between;

/// The largest pop of all joints, and the joint that turns most in one frame.
pub(super) fn pops(rig: Rig, poses: &[Pose], frames: &[FrameReport]) -> [Option<Pop>; 2] {
    let skeleton = rig.input.skeleton;
    let pop = |joint: usize, (frame, degrees): (usize, f64)| Pop {
        joint: skeleton.joints[joint].name.clone(),
        degrees,
        time: frame as f64 / rig.settings.fps,
        clip: frames.get(frame).map_or_else(String::new, |frame| frame.clip.clone()),
    };
    let most = |measure: fn(&[f64], usize) -> f64| {
        let of_joint = |joint: usize| {
            let turns = turns(poses, joint);
            let worst = (0..turns.len()).map(|i| (i + 1, measure(&turns, i))).max_by(|a, b| a.1.total_cmp(&b.1));
            worst.map(|worst| (joint, worst))
        };
        let worst = (0..skeleton.len()).filter_map(of_joint).max_by(|a, b| a.1.1.total_cmp(&b.1.1));
        worst.map(|(joint, worst)| pop(joint, worst))
    };
    [most(beyond_neighbours), most(|turns, i| turns[i])]
}

/// Degrees by which a joint turns into each frame but the first.
fn turns(poses: &[Pose], joint: usize) -> Vec<f64> {
    let turn = |pair: &[Pose]| angle_between(pair[0].locals[joint].rotation, pair[1].locals[joint].rotation);
    poses.windows(2).map(|pair| turn(pair).to_degrees()).collect()
}
