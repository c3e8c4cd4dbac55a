//! Translation of a motion so that it starts at the origin.

use glam::{DVec3, Vec3};

use super::Input;
use portamento_anim::root_motion::{frame_times, parent_at, path, rest_at};
use portamento_anim::{Clip, Curve, Interpolation, RootMotion};

/// Offset below which a motion starts at the origin, metres.
const OFFSET_MIN_M: f64 = 1e-6;
/// Maximum difference between a joint's own offset and the offset of the body, as a fraction, for that joint to be the shifted
/// one.
const MAX_OFFSET_DIFFERENCE: f64 = 0.5;
/// Tolerance of the elements of equal transforms.
const TRANSFORM_TOLERANCE: f64 = 1e-6;

/// Moves the motion horizontally so that the root starts where it is in the rest pose. Returns the distance, metres; 0 if it
/// already does.
pub(super) fn move_to_origin(input: &Input, clip: &mut Clip) -> f64 {
    let Some(root) = RootMotion::find(input.skeleton, clip, input.roles) else { return 0.0 };
    let rest = rest_at(input.skeleton, root.joint).translation;
    let first = path(input.skeleton, clip, root.joint, &[0.0])[0];
    let offset = (rest - first).with_y(0.0);
    let metres = offset.length() * input.metres_per_unit;
    if metres <= OFFSET_MIN_M {
        return 0.0;
    }
    // Only a joint with static ancestors can be shifted by one constant offset. The topmost joint always qualifies.
    let ancestors = input.skeleton.ancestors(root.joint);
    let candidates: Vec<usize> = ancestors.filter(|&joint| has_static_ancestors(input, clip, joint)).collect();
    // If a joint above the hips was shifted, that joint is moved back, so that the body stays together.
    let shifted = candidates.iter().rev().find(|&&joint| is_off_by(input, clip, joint, offset));
    let Some(&joint) = shifted.or(candidates.first()) else { return 0.0 };
    let local = parent_at(input.skeleton, clip, joint, 0.0).matrix3.inverse() * offset;
    let track = &mut clip.tracks[joint].translation;
    let rest = input.skeleton.joints[joint].rest.translation;
    shift(track.get_or_insert_with(|| Curve::linear(vec![0.0], vec![rest])), local);
    metres
}

/// True if `joint`'s own horizontal offset from its start to its rest position is about `offset` (world, the file's unit).
fn is_off_by(input: &Input, clip: &Clip, joint: usize, offset: DVec3) -> bool {
    let Some(start) = clip.tracks[joint].translation.as_ref().and_then(|curve| curve.sample(0.0)) else { return false };
    let own_offset = (input.skeleton.joints[joint].rest.translation - start).as_dvec3();
    let own_offset = parent_at(input.skeleton, clip, joint, 0.0).matrix3 * own_offset;
    own_offset.with_y(0.0).distance(offset) <= MAX_OFFSET_DIFFERENCE * offset.length()
}

/// True if no ancestor of `joint` moves.
fn has_static_ancestors(input: &Input, clip: &Clip, joint: usize) -> bool {
    let at_start = parent_at(input.skeleton, clip, joint, 0.0);
    let times = frame_times(clip, input.skeleton.ancestors(joint).skip(1), clip.fps());
    times.iter().all(|&time| parent_at(input.skeleton, clip, joint, time).abs_diff_eq(at_start, TRANSFORM_TOLERANCE))
}

/// Adds `by` to all values of `curve`. Spline tangents are slopes and stay unchanged.
fn shift(curve: &mut Curve<Vec3>, by: DVec3) {
    let is_spline = curve.interpolation == Interpolation::CubicSpline;
    let values = curve.values.iter_mut().enumerate().filter(|(i, _)| !is_spline || i % 3 == 1);
    values.for_each(|(_, value)| *value = (value.as_dvec3() + by).as_vec3());
}
