//! Correction of captured rest poses, which are a frame of a motion.
//!
//! If a foot is lifted in such a rest pose, neither its height nor its rotation in a stance can be derived from it, and
//! retargeted feet would sink into the ground. The legs of the rest pose are therefore bent so that the feet are placed as in the
//! stances of the motion.

use std::ops::Range;

use glam::DVec3;

use super::Body;
use super::body_position::{soles, stances};
use super::rest_feet::leg_length;
use portamento_anim::foot_place::{FootTransform, move_foot_to, sole};
use portamento_anim::foot_shape::REST_GROUND_MAX_RATIO;
use portamento_anim::{Clip, Leg, Pose};

/// Height difference of soles and ankles below which feet are equal, as a fraction of the leg length. Tuned; no derivation
/// recorded.
const EQUAL_HEIGHT_RATIO: f64 = 0.03;

/// Sampling rate for the detection of stances, frames per second.
const SAMPLING_FPS: f64 = 60.0;
/// Maximum number of sampled frames.
const MAX_FRAMES: f64 = 20_000.0;

/// Returns the rest pose of `source` with its feet placed as in the stances of `clip`. Returns `None` if the feet are already
/// equal, or if a foot has no stance.
pub(super) fn with_planted_feet(source: &Body, clip: &Clip) -> Option<Pose> {
    let mut rest = Pose::rest(source.skeleton);
    if has_equal_feet(source, &rest) {
        return None;
    }
    let frames = (clip.duration * SAMPLING_FPS).ceil().clamp(1.0, MAX_FRAMES);
    let times: Vec<f64> = (0..=frames as usize).map(|frame| clip.duration * frame as f64 / frames).collect();
    let poses: Vec<Pose> = times.iter().map(|&time| clip.pose_at(source.skeleton, time)).collect();
    let stances = stances(source, &soles(source, &poses), &times, &poses);
    // The slowest frame: a foot that rolls or lifts is not flat.
    let flattest = |(leg, ranges): (&Leg, &Vec<Range<usize>>)| {
        let motion = |frame: usize| -> f64 {
            let at = |frame: usize| FootTransform::from_pose(source.skeleton, leg, &poses[frame]);
            let [before, after] = [at(frame - 1), at(frame + 1)];
            before.sole.distance(after.sole) + before.ankle.distance(after.ankle)
        };
        let within = ranges.iter().cloned().flatten().filter(|frame| (1..poses.len() - 1).contains(frame));
        let motions = within.map(|frame| (motion(frame), frame));
        Some(&poses[motions.min_by(|a, b| a.0.total_cmp(&b.0))?.1])
    };
    let stance_poses: Vec<&Pose> = source.roles.legs.iter().zip(&stances).map(flattest).collect::<Option<_>>()?;
    let legs = || source.roles.legs.iter().zip(&stance_poses);
    let lowest = legs().map(|(leg, pose)| sole(source.skeleton, leg, pose).y).fold(f64::INFINITY, f64::min);
    let at_rest = legs().map(|(leg, _)| sole(source.skeleton, leg, &rest).y).fold(f64::INFINITY, f64::min);
    // The motion may have another ground height.
    let up =
        if (at_rest - lowest).abs() <= REST_GROUND_MAX_RATIO * leg_length(source) { 0.0 } else { at_rest - lowest };
    for (leg, pose) in legs() {
        let foot_place = FootTransform::from_pose(source.skeleton, leg, pose);
        let offset = FootTransform::from_pose(source.skeleton, leg, &rest).ankle - foot_place.ankle;
        move_foot_to(source.skeleton, leg, &foot_place.moved(DVec3::new(offset.x, up, offset.z)), &mut rest);
    }
    rest.locals.iter().all(|local| local.is_finite()).then_some(rest)
}

/// True if every foot has another foot of equal height. Fewer than two feet count as equal.
fn has_equal_feet(body: &Body, rest: &Pose) -> bool {
    let heights = |leg: &Leg| {
        [leg.toe.unwrap_or(leg.foot), leg.foot].map(|joint| rest.world_from_joint(body.skeleton, joint).translation.y)
    };
    let feet: Vec<[f64; 2]> = body.roles.legs.iter().map(heights).collect();
    let limit = EQUAL_HEIGHT_RATIO * leg_length(body);
    let has_twin = |(index, foot): (usize, &[f64; 2])| {
        let mut others = feet.iter().enumerate().filter(|(other, _)| *other != index);
        others.any(|(_, other)| foot.iter().zip(other).all(|(a, b)| (a - b).abs() <= limit))
    };
    feet.len() < 2 || feet.iter().enumerate().all(has_twin)
}
