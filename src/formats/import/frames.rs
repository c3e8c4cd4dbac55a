//! Joint positions of a model in frames of its first clip.

use glam::Vec3;

use portamento_anim::{Model, Pose};

/// Maximum number of frames that are sampled. They are spread evenly over the clip.
const MAX_FRAMES: usize = 64;

/// Returns the world positions of all joints in evenly spread key frames of the first clip, or at rest without a clip. They
/// are in the file's unit. The frames are at most [`MAX_FRAMES`].
pub(super) fn positions(model: &Model) -> Vec<Vec<Vec3>> {
    let skeleton = &model.skeleton;
    let mut world = Vec::new();
    let mut of_pose = |pose: &Pose| {
        pose.world_from_joints(skeleton, &mut world);
        world.iter().map(|joint| Vec3::from(joint.translation)).collect()
    };
    let Some(clip) = model.clips.first() else { return vec![of_pose(&Pose::rest(skeleton))] };
    let times = clip.key_times().max_by_key(|times| times.len()).unwrap_or(&[0.0]);
    let count = times.len().clamp(1, MAX_FRAMES);
    let frame = |i: usize| f64::from(times[i * (times.len() - 1) / (count - 1).max(1)]);
    (0..count).map(|i| of_pose(&clip.pose_at(skeleton, frame(i)))).collect()
}

/// Returns the value below which `fraction` (0 … 1) of `values` lie, 0 without values.
pub(super) fn quantile(mut values: Vec<f32>, fraction: f32) -> f32 {
    values.sort_by(f32::total_cmp);
    let index = (fraction * values.len().saturating_sub(1) as f32).round() as usize;
    values.get(index).copied().unwrap_or(0.0)
}

/// Returns the smallest and the largest coordinate of `points` along `axis` (a unit vector). Returns infinity and −infinity
/// without points.
pub(super) fn span(points: &[Vec3], axis: Vec3) -> [f32; 2] {
    let along = points.iter().map(|point| point.dot(axis));
    along.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
}
