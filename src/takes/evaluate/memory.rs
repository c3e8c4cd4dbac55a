//! Memory estimates, checked against the budget before allocation.

use crate::document::{Asset, Loaded};
use portamento_anim::Clip;
use portamento_anim::Pose;
use portamento_anim::math::Transform;

/// Returns the size in bytes of the poses of `joints` joints over `seconds` at `fps`.
pub(super) fn of_poses(seconds: f64, fps: f64, joints: usize) -> u64 {
    of_frames(seconds, fps).saturating_mul((joints.max(1) * size_of::<Transform>()) as u64)
}

/// Returns the size in bytes of the poses of `joints` joints at the frames of `fps` and at all key times of `clip`.
pub(super) fn of_frame_poses(clip: &Clip, fps: f64, joints: usize) -> u64 {
    let frames = of_frames(clip.duration, fps).saturating_add(clip.distinct_key_times().len() as u64);
    frames.saturating_mul((joints.max(1) * size_of::<Transform>()) as u64)
}

/// Returns the size in bytes of `frames` frames of `points` points.
pub(super) fn of_points(frames: u64, points: usize) -> u64 {
    frames.saturating_mul((points * size_of::<glam::Vec3>()) as u64)
}

/// Returns the number of frames of `seconds` at `fps`; 1 for NaN or negative values.
pub(super) fn of_frames(seconds: f64, fps: f64) -> u64 {
    // Float casts saturate at the range limits, and NaN becomes 0.
    ((seconds * fps) as u64).saturating_add(1)
}

/// Returns the number of vertices of all mesh instances in `file`.
pub(super) fn vertices(file: &Asset<Loaded>) -> usize {
    let model = &file.model;
    let parts = |mesh: usize| model.meshes.get(mesh).map_or(&[][..], |mesh| &mesh.primitives);
    model.instances.iter().flat_map(|instance| parts(instance.mesh)).map(|part| part.positions.len()).sum()
}

/// Returns the size of a pose, bytes.
pub(super) fn of_pose(pose: &Pose) -> usize {
    size_of_val(&pose.locals[..]) + size_of_val(&pose.morphs[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_lengths_saturate_instead_of_wrapping() {
        assert_eq!(of_poses(2.0, 30.0, 10), 61 * 10 * size_of::<Transform>() as u64);
        assert!([f64::INFINITY, 1e300].iter().all(|&seconds| of_poses(seconds, 30.0, 1) == u64::MAX));
        assert_eq!([of_frames(f64::NAN, 30.0), of_frames(-5.0, 30.0)], [1, 1]);
        assert_eq!(of_points(3, 5), 180);
    }
}
