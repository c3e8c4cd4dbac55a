//! The space below a moving body: the lowest height at which any part of it passes each point along the ground.

use glam::DVec3;

use super::Input;
use portamento_anim::Pose;

/// Length of a bin along the ground, metres.
const BIN_M: f64 = 0.05;
/// Rate at which the motion is sampled, frames per second. A foot moves at most 8 cm in between.
const FPS: f64 = 120.0;
/// Tolerance of the height over the obstacle, metres.
const HEIGHT_TOLERANCE_M: f64 = 0.02;

/// Lowest heights along the ground, metres, from the start on in bins of [`BIN_M`]; infinite where nothing passes.
pub(super) type Profile = Vec<f64>;

/// Returns the profile of the clip of `input`, seen from `start` (metres) along `heading` (horizontal, unit).
pub(super) fn profile(input: &Input, start: DVec3, heading: DVec3) -> Profile {
    let (skeleton, unit) = (input.skeleton, input.metres_per_unit);
    let mut profile = Vec::new();
    let mut pose = Pose::rest(skeleton);
    let frames = (input.clip.duration * FPS).ceil() as usize;
    for frame in 0..=frames {
        pose.set_rest(skeleton);
        input.clip.sample(skeleton, frame as f64 / FPS, &mut pose);
        for point in body_points(input, &pose) {
            let bin = ((point * unit - start).dot(heading) / BIN_M).floor();
            if !(0.0..=1e5).contains(&bin) {
                continue;
            }
            let bin = bin as usize;
            if bin >= profile.len() {
                profile.resize(bin + 1, f64::INFINITY);
            }
            profile[bin] = profile[bin].min(point.y * unit);
        }
    }
    profile
}

/// Returns the world positions of the mesh points of the body in `pose`, in the file's unit; of its joints without a mesh.
pub(super) fn body_points(input: &Input, pose: &Pose) -> Vec<DVec3> {
    let skeleton = input.skeleton;
    if input.body.is_empty() {
        let joints = input.roles.trunk_and_limbs(skeleton).into_iter();
        let feet = input.roles.legs.iter().flat_map(|leg| [Some(leg.foot), leg.toe]).flatten();
        let joints = joints.chain(feet.filter(|&joint| joint < skeleton.len()));
        return joints.map(|joint| pose.world_from_joint(skeleton, joint).translation).collect();
    }
    let of_part = |part: &portamento_anim::foot_shape::SolePart| {
        let world = pose.world_from_joint(skeleton, part.joint);
        part.points.iter().map(move |&point| world.transform_point3(point)).collect::<Vec<_>>()
    };
    input.body.iter().flat_map(of_part).collect()
}

/// Returns the thickness of the obstacle of `height` from `distance` on that the body clears, at most `limit`. All in metres.
pub(super) fn clear_thickness(profile: &Profile, distance: f64, height: f64, limit: f64) -> f64 {
    let first = (distance / BIN_M).ceil().max(0.0) as usize;
    let is_clear = |bin: &usize| profile.get(*bin).is_none_or(|&lowest| lowest >= height - HEIGHT_TOLERANCE_M);
    let bins = (first..).take_while(is_clear).take((limit / BIN_M) as usize).count();
    (bins as f64 * BIN_M).min(limit)
}
