//! Finds out whether a figure stands along Z, and turns it so that Y is up.

use glam::{Quat, Vec3};

use crate::import::frames::{positions, quantile, span};
use portamento_anim::Model;

/// Score from which the figure is taken to stand along Z.
const Z_UP_MIN_SCORE: f32 = 0.6;
/// Score of a ground at height 0 along Z only. It decides for a figure that moves upright along Z but rests upright along Y.
const GROUND_SCORE: f32 = 0.3;
/// Score of a rest pose that has equal sides only if it stands along Z. It outweighs height and drift at their limits.
const SIDES_SCORE: f32 = 2.2;
/// Number of headings, over half a turn, for which the sides are compared.
const SIDES_HEADINGS: usize = 36;
/// Largest number of joints whose sides are compared, because the comparison takes quadratic time.
const SIDES_MAX_JOINTS: usize = 300;
/// Largest mean distance of a joint from the mirror image of the pose, as a fraction of the pose's size.
const MIRROR_MAX_FRACTION: f32 = 0.03;

/// True if the figure of `model` stands along Z.
///
/// The body is taller along the upward axis, its lowest joint stays at one height, and its rest pose stands. Each of the
/// three compares Z with Y as a logarithm. The left and the right side of a rest pose that stands are equal. A figure that
/// clearly stands on the ground at height 0 along Y does not count.
pub(super) fn is_z(model: &Model) -> bool {
    let frames = positions(model);
    // Height of the tallest frames, drift of the lowest joint, and its distance from 0.
    let along = |axis: Vec3| {
        let spans: Vec<[f32; 2]> = frames.iter().map(|frame| span(frame, axis)).collect();
        let heights = spans.iter().map(|[low, high]| high - low).collect();
        let lows: Vec<f32> = spans.iter().map(|[low, _]| *low).collect();
        let drift = quantile(lows.clone(), 0.9) - quantile(lows.clone(), 0.1);
        [quantile(heights, 0.9), drift, quantile(lows, 0.5).abs()]
    };
    let ([height_y, drift_y, ground_y], [height_z, drift_z, ground_z]) = (along(Vec3::Y), along(Vec3::Z));
    let size = height_y.max(height_z);
    if size <= 0.0 || (ground_y < 0.05 * size && ground_z > 0.15 * size) {
        return false;
    }
    let log_ratio = |z: f32, y: f32, limit: f32| ((z + 0.05 * size) / (y + 0.05 * size)).ln().clamp(-limit, limit);
    let still = Model { skeleton: model.skeleton.clone(), ..Model::default() };
    let pose = positions(&still).remove(0);
    // A rest pose stands if it goes up and down from the joint where legs and trunk part; bones along one axis do not.
    let fork = fork(model);
    let rest_height = |axis: Vec3| {
        let ([low, high], middle) = (span(&pose, axis), pose[fork].dot(axis));
        2.0 * (high - middle).min(middle - low)
    };
    let rest = log_ratio(rest_height(Vec3::Z), rest_height(Vec3::Y), 1.2);
    let ground = if ground_z < 0.05 * size && ground_y > 0.15 * size { GROUND_SCORE } else { 0.0 };
    let sides = match (has_sides(&pose, fork, Vec3::Y), has_sides(&pose, fork, Vec3::Z)) {
        (false, true) => SIDES_SCORE,
        (true, false) => -SIDES_SCORE,
        _ => 0.0,
    };
    log_ratio(height_z, height_y, 1.2) - log_ratio(drift_z, drift_y, 1.0) + rest + ground + sides >= Z_UP_MIN_SCORE
}

/// True if left and right side of `pose` are mirror images for a body that stands along `up`, whatever its heading. `middle` is
/// a joint between them. Poses along a line have no sides.
fn has_sides(pose: &[Vec3], middle: usize, up: Vec3) -> bool {
    let (forward, right) = up.any_orthonormal_pair();
    let mut headings = (0..SIDES_HEADINGS).map(|step| step as f32 * std::f32::consts::PI / SIDES_HEADINGS as f32);
    let is_equal = |angle: f32| is_mirrored(pose, pose[middle], angle.cos() * right + angle.sin() * forward);
    pose.len() <= SIDES_MAX_JOINTS && headings.any(is_equal)
}

/// True if `pose` nearly equals its image in the mirror at `middle` with the normal `side` (a unit vector). False for
/// a pose that is too narrow along `side` or across it to tell.
fn is_mirrored(pose: &[Vec3], middle: Vec3, side: Vec3) -> bool {
    let width = |axis: Vec3| span(pose, axis)[1] - span(pose, axis)[0];
    let (one, other) = side.any_orthonormal_pair();
    let (own, across) = (width(side), width(one).max(width(other)));
    let size = own.max(across);
    if own < 0.15 * size || across < 0.3 * size {
        return false;
    }
    let image = |point: Vec3| point - 2.0 * (point - middle).dot(side) * side;
    let nearest = |point: Vec3| pose.iter().map(|other| other.distance(point)).fold(f32::INFINITY, f32::min);
    let distance: f32 = pose.iter().map(|&point| nearest(image(point))).sum();
    distance <= MIRROR_MAX_FRACTION * size * pose.len() as f32
}

/// Returns the first joint with several children, or the first one.
fn fork(model: &Model) -> usize {
    let joints = &model.skeleton.joints;
    let children = |joint: usize| joints.iter().filter(|child| child.parent == Some(joint)).count();
    (0..joints.len()).find(|&joint| children(joint) > 1).unwrap_or(0)
}

/// Turns a model from Z up to Y up: every offset and every rotation, so that rest rotations stay identities. Positions and
/// rotations of all clips are turned too.
pub(super) fn turn_to_y(model: &mut Model) {
    let turn_point = |point: Vec3| Vec3::new(point.x, point.z, -point.y);
    let turn_rotation = |q: Quat| Quat::from_xyzw(q.x, q.z, -q.y, q.w);
    for joint in &mut model.skeleton.joints {
        joint.rest.translation = turn_point(joint.rest.translation);
    }
    for tracks in model.clips.iter_mut().flat_map(|clip| &mut clip.tracks) {
        tracks.translation.iter_mut().flat_map(|curve| &mut curve.values).for_each(|value| *value = turn_point(*value));
        tracks.rotation.iter_mut().flat_map(|curve| &mut curve.values).for_each(|value| *value = turn_rotation(*value));
    }
}
