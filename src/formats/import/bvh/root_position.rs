//! Decides whether the position channels of a BVH replace the offsets of the joints or are added to them.

use glam::Vec3;

use super::up_axis::ground_distance;
use crate::import::frames::{positions, quantile};
use portamento_anim::Model;

/// Number of joints with positions and an offset from which their values alone decide.
const MIN_JOINTS_TO_DECIDE: usize = 3;

/// Largest distance of the lowest joint from 0, in sizes of the figure, at which it is on the ground. Joints lie inside a
/// body: those of a person who lies or sits on the floor are up to 0.09 above it.
const GROUND_TOLERANCE: f32 = 0.1;

/// True if the positions are relative to the offsets. `model` must have been read with positions that replace them.
///
/// Most writers replace, as Blender reads it: some position channel is then near its offset in most frames. If that is
/// not so, the figure must also stand closer to the ground at 0 with its offsets added. False without a clip or without
/// such joints.
pub(super) fn are_added(model: &Model) -> bool {
    let joints = &model.skeleton.joints;
    let Some(clip) = model.clips.first() else { return false };
    let moved = (0..joints.len()).filter(|&joint| joints[joint].rest.translation.length_squared() > 0.0);
    // The part of each position along its offset, in lengths of the offset: 1 at the offset and 0 without it.
    let ratios: Vec<(usize, f32)> = moved
        .filter_map(|joint| {
            let offset = joints[joint].rest.translation;
            let curve = clip.tracks[joint].translation.as_ref()?;
            let along = curve.values.iter().map(|position| position.dot(offset) / offset.length_squared());
            Some((joint, quantile(along.collect(), 0.5)))
        })
        .collect();
    let Some(&(first, _)) = ratios.first() else { return false };
    if quantile(ratios.iter().map(|&(_, ratio)| ratio).collect(), 0.5) >= 0.5 {
        return false;
    }
    ratios.len() >= MIN_JOINTS_TO_DECIDE || is_nearer_to_ground(model, joints[first].rest.translation)
}

/// True if the lowest joint is closer to 0 in most frames once `offset` is added, and was not on the ground before.
fn is_nearer_to_ground(model: &Model, offset: Vec3) -> bool {
    let replaced = positions(model);
    let added: Vec<Vec<Vec3>> =
        replaced.iter().map(|frame| frame.iter().map(|&point| point + offset).collect()).collect();
    let [before, after] = [replaced, added].map(|frames| ground_distance(&frames, &model.skeleton));
    before > GROUND_TOLERANCE && after < before
}
