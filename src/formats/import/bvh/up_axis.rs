//! Finds out whether a figure stands along Z, and turns it so that Y is up.

use glam::{Quat, Vec3};

use crate::import::frames::{positions, quantile, span};
use portamento_anim::{Model, Skeleton};

/// Score above which the figure is taken to stand along Z.
const Z_UP_MIN_SCORE: f32 = 0.15;
/// Score of a ground at height 0 along one axis only. It outweighs the height of a body that lies on that ground.
const GROUND_SCORE: f32 = 1.8;
/// Distances of the lowest joint from 0, in sizes of the figure, up to which there is ground and from which there is none.
const GROUND_DISTANCES: [f32; 2] = [0.1, 0.3];
/// Largest score of the height. It outweighs the sinking of a body that turns over.
const HEIGHT_MAX_SCORE: f32 = 1.2;
/// Largest score of the sinking of the lowest joint.
const SINKING_MAX_SCORE: f32 = 1.0;
/// Sinking of a body on the ground, such as that of a swinging leg, in sizes of the figure.
const USUAL_SINKING: f32 = 0.15;
/// Largest score of a rest pose that stands along one axis. It decides for frames that look alike along both axes.
const REST_MAX_SCORE: f32 = 0.1;
/// Largest score of such a rest pose if the hips stay at 0, so that the frames do not show where the ground is.
const REST_MAX_SCORE_AT_ORIGIN: f32 = 1.5;
/// Distance of the hips from 0, in sizes of the figure, up to which they are at 0.
const ORIGIN_MAX_DISTANCE: f32 = 0.05;

/// True if the figure of `model` stands along Z.
pub(super) fn is_z(model: &Model) -> bool {
    is_z_in(&positions(model), &model.skeleton)
}

/// True if a figure with the joint positions `frames` stands along Z.
///
/// The lowest joint is on the ground at 0 in most frames. It may rise above that ground but does not sink below it. The
/// body is taller along the upward axis. Height, sinking and rest pose compare Z with Y as logarithms.
pub(super) fn is_z_in(frames: &[Vec<Vec3>], skeleton: &Skeleton) -> bool {
    let [y, z] = [Vec3::Y, Vec3::Z].map(|axis| Extent::of(frames, axis));
    let size = y.height.max(z.height);
    if size <= 0.0 {
        return false;
    }
    let log_ratio = |z: f32, y: f32, limit: f32| ((z + 0.05 * size) / (y + 0.05 * size)).ln().clamp(-limit, limit);
    let [rest_y, rest_z] = [Vec3::Y, Vec3::Z].map(|axis| rest_height(skeleton, axis));
    let sinking = |extent: &Extent| extent.sinking + USUAL_SINKING * size;
    let sinking_score = (sinking(&z) / sinking(&y)).ln().clamp(-SINKING_MAX_SCORE, SINKING_MAX_SCORE);
    let frames_score = log_ratio(z.height, y.height, HEIGHT_MAX_SCORE) - sinking_score;
    let score = if y.hips.max(z.hips) < ORIGIN_MAX_DISTANCE * size {
        frames_score + log_ratio(rest_z, rest_y, REST_MAX_SCORE_AT_ORIGIN)
    } else {
        let ground = GROUND_SCORE * (z.groundedness(size) - y.groundedness(size));
        frames_score + ground + log_ratio(rest_z, rest_y, REST_MAX_SCORE)
    };
    score > Z_UP_MIN_SCORE
}

/// The extent of a moving figure along an axis, in the file's unit.
struct Extent {
    /// Height of the tallest frames.
    height: f32,
    /// Distance of the lowest joint from 0 in most frames.
    ground_distance: f32,
    /// Depth to which the lowest joint sinks below its usual height.
    sinking: f32,
    /// Distance of the hips, the first joint, from 0 in most frames.
    hips: f32,
}

impl Extent {
    fn of(frames: &[Vec<Vec3>], axis: Vec3) -> Self {
        let spans: Vec<[f32; 2]> = frames.iter().map(|frame| span(frame, axis)).collect();
        let lows: Vec<f32> = spans.iter().map(|[low, _]| *low).collect();
        let hips = frames.iter().filter_map(|frame| frame.first()).map(|hips| hips.dot(axis).abs()).collect();
        Self {
            height: quantile(spans.iter().map(|[low, high]| high - low).collect(), 0.9),
            ground_distance: quantile(lows.iter().map(|low| low.abs()).collect(), 0.5),
            sinking: quantile(lows.clone(), 0.5) - quantile(lows, 0.1),
            hips: quantile(hips, 0.5),
        }
    }

    /// Returns 1 for a figure of that `size` that is on a ground at 0, and 0 for one far from it.
    fn groundedness(&self, size: f32) -> f32 {
        let [near, far] = GROUND_DISTANCES;
        ((far - self.ground_distance / size) / (far - near)).clamp(0.0, 1.0)
    }
}

/// Returns the distance of the lowest joint of `frames` from 0 in most of them, along the axis in which their figure stands,
/// in sizes of the figure; 0 for a single point.
pub(super) fn ground_distance(frames: &[Vec<Vec3>], skeleton: &Skeleton) -> f32 {
    let [y, z] = [Vec3::Y, Vec3::Z].map(|axis| Extent::of(frames, axis));
    let size = y.height.max(z.height);
    let up = if is_z_in(frames, skeleton) { z } else { y };
    if size > 0.0 { up.ground_distance / size } else { 0.0 }
}

/// Returns the height along `axis` of a rest pose that stands, from the joint where legs and trunk part; bones along one
/// axis do not stand.
fn rest_height(skeleton: &Skeleton, axis: Vec3) -> f32 {
    let still = Model { skeleton: skeleton.clone(), ..Model::default() };
    let pose = positions(&still).remove(0);
    let ([low, high], middle) = (span(&pose, axis), pose[fork(skeleton)].dot(axis));
    2.0 * (high - middle).min(middle - low)
}

/// Returns the first joint with several children, or the first one.
fn fork(skeleton: &Skeleton) -> usize {
    let joints = &skeleton.joints;
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
