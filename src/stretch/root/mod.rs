//! Changes the joint that carries the root motion: moves the travel to the root or to the hips, or removes it.
//!
//! The body's path is that of the hips along the ground, and its heading is the turn of the hips about +Y
//! ([`portamento_anim::root_motion`]). At every frame the root is moved to that path, and its children get new local transforms, so
//! that the body keeps its world pose. Only when the travel is removed does the body move back along the path. Helper joints beside
//! the hips that rest go with the root ([`helpers`]). Changed curves get keys on the keys of the source, and on frames
//! where these are far apart, and are linear between them. A jump stays a jump. Curves that already fit keep their keys.

mod error;
mod from_feet;
mod helpers;
mod settings;

use glam::{Affine3A, DAffine3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

pub use error::BuildError;
use portamento_anim::math::Transform;
use portamento_anim::pose_keys::{PoseSpan, jumps, write_poses};
use portamento_anim::root_motion::{frame_times, headings, keyed_span, path, rest_at};
use portamento_anim::{Clip, Pose, Roles, RootKind, RootMotion, Skeleton};
use portamento_base::progress::Progress;
pub use settings::{RootTravel, Settings};

/// The motion to change, with its rig.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// The incoming motion.
    pub clip: &'a Clip,
    /// Joint roles: the hips and the root joint above them.
    pub roles: &'a Roles,
    /// Frame rate between distant keys, 1 to 1000 frames per second.
    pub fps: f64,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
    /// For each joint, true if it carries a visible part of the character.
    pub mesh_joints: &'a [bool],
}

/// Report of a root motion change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the joint that now carries the root motion.
    pub joint: String,
    /// Length of the body's path along the ground, metres.
    pub length: f64,
    /// Total turn of the body, radians.
    pub turn: f64,
    /// Largest distance of a joint from its original position on frames and between them, metres. With the travel removed, the
    /// original position is moved back along the path.
    pub moved: f64,
    /// Time of the largest distance, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_at: Option<f64>,
    /// Largest distance in metres that needs no warning: 10⁻³ of the body's size.
    pub bound: f64,
}

/// The changed motion with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The changed motion.
    pub clip: Clip,
    /// Root motion of the changed motion.
    pub root: RootMotion,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// Longest motion, seconds.
const MAX_SECONDS: f64 = 3600.0;

/// Largest usual frame rate. A larger key rate is that of uneven keys, as fine as their times: 100 for hundredths of a second.
const MAX_USUAL_FPS: f64 = 60.0;
/// Number of keys per second below which the keys of a curve are poses, not frames.
const MIN_FRAMES_PER_SECOND: f64 = 12.0;
/// Rate of the keys that are added between uneven poses, frames per second: the usual one of games.
const FPS_OF_POSES: f64 = 30.0;
/// Size of a deviation between frames that is reported as a warning, relative to the body's size.
const REPORTED_DEVIATION: f64 = 1e-3;
/// Distance of a joint from its place, relative to the body's size or in radians, at which it is there already.
const SAME_PLACE: f64 = 1e-5;
/// Differences of a position, relative to the body's size, or of a quaternion, that are rounding of f32.
const ROUNDING: f64 = 1e-6;

/// Changes the root motion of `input` according to `settings`.
///
/// Returns `Err` if
/// - the clip does not fit the skeleton, or the frame rate, unit, length or smoothing time is out of range;
/// - the character has no hips, or no root joint for [`RootTravel::IntoRoot`];
/// - the travel cannot be computed from the feet for [`RootTravel::FromFeet`];
/// - a parent of a moved joint is scaled to zero;
/// - `progress` is cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    let carriers = check(input, settings)?;
    if settings.travel == RootTravel::FromFeet {
        return from_feet::build(input, settings);
    }
    progress.step(0, 1)?;
    let times = changed_times(input, carriers.hips);
    let body_path = BodyPath { ground_poses: ground_poses(input, settings, carriers.hips, &times), times };
    let rooted = build_along(input, settings, &carriers, &body_path)?;
    let farthest = (0..rooted.deviations.len()).max_by(|&a, &b| rooted.deviations[a].total_cmp(&rooted.deviations[b]));
    let moved = farthest.map_or(0.0, |frame| rooted.deviations[frame]);
    let unit = input.metres_per_unit;
    let name = |joint: usize| input.skeleton.joints[joint].name.clone();
    let root = match settings.travel {
        RootTravel::IntoRoot => RootMotion { joint: carriers.root.unwrap_or(carriers.hips), kind: RootKind::Root },
        _ => RootMotion { joint: carriers.hips, kind: RootKind::HipsGroundPart },
    };
    let report = Report {
        joint: name(root.joint),
        length: rooted.length * unit,
        turn: rooted.turn,
        moved: moved * unit,
        moved_at: farthest.filter(|_| moved > 0.0).map(|frame| body_path.times[frame]),
        bound: REPORTED_DEVIATION * carriers.size * unit,
    };
    Ok(Built { clip: rooted.clip, root, report })
}

/// Returns the times in seconds at which changed curves get keys: the keys of the source, frames between distant keys, and the last
/// moment before each jump of `hips` or a joint above, so that joints that take over its travel jump too.
fn changed_times(input: &Input, hips: usize) -> Vec<f64> {
    let most_keys = input.clip.key_times().map(<[f32]>::len).max().unwrap_or(0);
    let has_poses = (most_keys as f64) < MIN_FRAMES_PER_SECOND * input.clip.duration;
    let fps = if has_poses && input.fps > MAX_USUAL_FPS { FPS_OF_POSES } else { input.fps };
    let mut times = frame_times(input.clip, 0..input.skeleton.len(), fps);
    let jumps = input.skeleton.ancestors(hips).flat_map(|joint| {
        let tracks = &input.clip.tracks[joint];
        let moves = tracks.translation.iter().flat_map(|curve| jumps(curve, 1));
        moves.chain(tracks.rotation.iter().flat_map(|curve| jumps(curve, 1))).collect::<Vec<f32>>()
    });
    let end = times[times.len() - 1];
    times.extend(jumps.map(|time| f64::from(time.next_down())).filter(|&time| time > 0.0 && time < end));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// The joints that carry the body.
struct Carriers {
    /// The joint above the hips that is moved to the path; `None` if there is none.
    root: Option<usize>,
    hips: usize,
    /// Size of the body in the clip's first frame, in the file's unit.
    size: f64,
}

/// A clip with its root motion changed, and its numbers in the file's unit and radians.
struct RootedClip {
    clip: Clip,
    /// Length of the body's path along the ground.
    length: f64,
    /// Turn of the body from the first frame to the last.
    turn: f64,
    /// Largest deviation of a joint between each frame and the next.
    deviations: Vec<f64>,
}

/// Position and heading of the body on the ground at one time.
#[derive(Clone, Copy, Debug)]
struct GroundPose {
    /// World position at height 0, in the file's unit.
    at: DVec3,
    /// Turn about +Y relative to the rest pose, radians.
    heading: f64,
}

/// The path of the body over the ground at every frame.
struct BodyPath {
    /// Frame times, rising; exact f32 values.
    times: Vec<f64>,
    ground_poses: Vec<GroundPose>,
}

/// Builds the clip with the root motion along `body_path`. Returns `Err` if a parent of a moved joint is scaled to zero.
fn build_along(
    input: &Input,
    settings: &Settings,
    carriers: &Carriers,
    body_path: &BodyPath,
) -> Result<RootedClip, BuildError> {
    let skeleton = input.skeleton;
    let BodyPath { times, ground_poses } = body_path;
    let poses: Vec<Pose> = times.iter().map(|&time| input.clip.pose_at(skeleton, time)).collect();
    let followers = helpers::at_rest(input, carriers, &poses);
    let target = |root: usize, ground: &GroundPose| match settings.travel {
        RootTravel::IntoRoot => on_path(&rest_at(skeleton, root), ground),
        _ => rest_at(skeleton, root),
    };
    let moves_root = |root: &usize| {
        let frames = poses.iter().zip(ground_poses);
        frames
            .map(|(pose, ground)| (pose.world_from_joint(skeleton, *root), target(*root, ground)))
            .any(|(world, target)| !is_same_place(&world, &target, carriers.size))
    };
    let moved_root = carriers.root.filter(moves_root);
    let moves_back = settings.travel == RootTravel::Away && {
        let back = |ground: &GroundPose| back_to_start(&ground_poses[0], ground);
        ground_poses.iter().any(|ground| !is_same_place(&back(ground), &DAffine3::IDENTITY, carriers.size))
    };
    let change = |(pose, ground): (&Pose, &GroundPose)| {
        let mut changed_pose = pose.clone();
        if let Some(root) = moved_root {
            move_root(skeleton, pose, &mut changed_pose, root, target(root, ground), &followers);
        }
        if moves_back {
            move_back(skeleton, carriers, &mut changed_pose, back_to_start(&ground_poses[0], ground), &followers);
        }
        keep_unchanged(&mut changed_pose, pose, carriers.size);
        changed_pose
    };
    let changed_poses: Vec<Pose> = poses.iter().zip(ground_poses).map(change).collect();
    if let Some(broken) = changed_poses.iter().find_map(|pose| pose.locals.iter().position(|local| !local.is_finite()))
    {
        return Err(BuildError::Flat { joint: skeleton.joints[broken].name.clone() });
    }
    let mut clip = input.clip.clone();
    if moved_root.is_some() || moves_back {
        write_poses(skeleton, &mut clip, &PoseSpan { times, first: 0, poses: &changed_poses });
    }
    let steps = ground_poses.windows(2).map(|pair| pair[1].at.distance(pair[0].at));
    let turn = ground_poses[ground_poses.len() - 1].heading - ground_poses[0].heading;
    let mut compared_joints = compared_joints(skeleton, carriers, settings.travel);
    compared_joints.retain(|&joint| !followers.iter().any(|&follower| skeleton.is_within(joint, follower)));
    let deviations =
        deviations_between(input, settings, &Comparison { clip: &clip, body_path, compared_joints: &compared_joints });
    Ok(RootedClip { length: steps.sum(), turn, deviations, clip })
}

/// Returns the ground position and heading of the hips at `times` (seconds), smoothed as set. The heading is 0 if the root is not
/// to turn with the body.
fn ground_poses(input: &Input, settings: &Settings, hips: usize, times: &[f64]) -> Vec<GroundPose> {
    let span = keyed_span(input.clip, input.skeleton.ancestors(hips));
    let even = |points: &[DVec3]| match settings.evened >= times[times.len() - 1] - times[0] {
        true => straight(points, times, span),
        false => smoothed(points, times, settings.evened),
    };
    let points = even(&path(input.skeleton, input.clip, hips, times));
    let headings = match settings.heading {
        true => headings(input.skeleton, input.clip, hips, times),
        false => vec![0.0; times.len()],
    };
    let headings: Vec<DVec3> = headings.into_iter().map(|heading| DVec3::X * heading).collect();
    let headings = even(&headings);
    points
        .iter()
        .zip(headings)
        .map(|(point, heading)| GroundPose { at: point.with_y(0.0), heading: heading.x })
        .collect()
}

/// Returns the straight line from the first to the last of `points`, at constant speed from `from` to `to` (seconds) and constant
/// outside this span.
fn straight(points: &[DVec3], times: &[f64], [from, to]: [f64; 2]) -> Vec<DVec3> {
    let [first, last] = [points[0], points[points.len() - 1]];
    times.iter().map(|time| first.lerp(last, ((time - from) / (to - from)).clamp(0.0, 1.0))).collect()
}

/// Returns `points` averaged over `seconds` around each of `times`. A straight path stays straight at both ends, and both ends
/// stay in position.
fn smoothed(points: &[DVec3], times: &[f64], seconds: f64) -> Vec<DVec3> {
    if seconds <= 0.0 || points.len() < 3 {
        return points.to_vec();
    }
    let [first, last] = [points[0], points[points.len() - 1]];
    let (start, end) = (times[0], times[times.len() - 1]);
    // Outside the path it continues as its point reflection through the end point, which keeps the ends in position.
    let at = |time: f64| {
        let inside = if time < start {
            2.0 * start - time
        } else if time > end {
            2.0 * end - time
        } else {
            time
        };
        let inside = inside.clamp(start, end);
        let next = times.partition_point(|&each| each < inside).clamp(1, times.len() - 1);
        let share = (inside - times[next - 1]) / (times[next] - times[next - 1]);
        let here = points[next - 1].lerp(points[next], share);
        if time < start {
            2.0 * first - here
        } else if time > end {
            2.0 * last - here
        } else {
            here
        }
    };
    const SAMPLES: i32 = 32;
    let mean_at = |&time: &f64| {
        let samples = (-SAMPLES..=SAMPLES).map(|k| {
            let away = f64::from(k) / f64::from(SAMPLES);
            (1.0 - away.abs(), at(time + 0.5 * seconds * away))
        });
        let (weights, sum) = samples
            .fold((0.0, DVec3::ZERO), |(weights, sum), (weight, point)| (weights + weight, sum + weight * point));
        sum / weights
    };
    times.iter().map(mean_at).collect()
}

/// Returns the root's rest transform, moved onto the path and turned along it.
fn on_path(rest: &DAffine3, ground: &GroundPose) -> DAffine3 {
    let turn = DAffine3::from_quat(DQuat::from_rotation_y(ground.heading));
    let mut world = turn * DAffine3 { translation: DVec3::ZERO, ..*rest };
    world.translation = ground.at.with_y(rest.translation.y);
    world
}

/// Returns the transform that moves the body from `ground` back to the start.
fn back_to_start(first: &GroundPose, ground: &GroundPose) -> DAffine3 {
    let turn = DQuat::from_rotation_y(first.heading - ground.heading);
    DAffine3::from_translation(first.at) * DAffine3::from_quat(turn) * DAffine3::from_translation(-ground.at)
}

/// Moves `root` to the world transform `target`. Its children keep the world transforms that they have in `pose`, except for
/// `followers`, which go with the root.
fn move_root(
    skeleton: &Skeleton,
    pose: &Pose,
    changed_pose: &mut Pose,
    root: usize,
    target: DAffine3,
    followers: &[usize],
) {
    let parent_world = parent_world_of(skeleton, pose, root);
    set_local(changed_pose, root, parent_world.inverse() * target);
    for child in skeleton.children(root).filter(|child| !followers.contains(child)) {
        let world = pose.world_from_joint(skeleton, child);
        set_local(changed_pose, child, target.inverse() * world);
    }
}

/// Moves the body by `back`: the children of the root except for `followers`, or the hips of a character without a root.
fn move_back(skeleton: &Skeleton, carriers: &Carriers, changed_pose: &mut Pose, back: DAffine3, followers: &[usize]) {
    let moved: Vec<usize> = match carriers.root {
        Some(root) => skeleton.children(root).filter(|child| !followers.contains(child)).collect(),
        None => vec![carriers.hips],
    };
    for joint in moved {
        let parent = parent_world_of(skeleton, changed_pose, joint);
        let world = back * parent * changed_pose.locals[joint].to_affine_f64();
        set_local(changed_pose, joint, parent.inverse() * world);
    }
}

/// True if two world transforms differ by rounding only; `size` is the body's size.
fn is_same_place(a: &DAffine3, b: &DAffine3, size: f64) -> bool {
    let scale = b.matrix3.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    a.matrix3.abs_diff_eq(b.matrix3, SAME_PLACE * scale) && a.translation.distance(b.translation) <= SAME_PLACE * size
}

/// Gives `changed_pose` the exact positions and rotations of `pose` where they differ by rounding only, so that curves which need
/// no change keep their keys and tangents. `size` is the body's size in the file's unit.
fn keep_unchanged(changed_pose: &mut Pose, pose: &Pose, size: f64) {
    for (changed, local) in changed_pose.locals.iter_mut().zip(&pose.locals) {
        let largest = f64::from(local.translation.abs().max_element());
        let distance = changed.translation.as_dvec3().distance(local.translation.as_dvec3());
        if distance <= 0.1 * ROUNDING * size.max(largest) {
            changed.translation = local.translation;
        }
        let sign = if changed.rotation.dot(local.rotation) < 0.0 { -1.0 } else { 1.0 };
        if changed.rotation.abs_diff_eq(local.rotation * sign, ROUNDING as f32) {
            changed.rotation = local.rotation;
        }
    }
}

/// Returns the diagonal of the box around all joints in the clip's first frame, world units; 0 without joints. Rest poses
/// may have all joints at one point.
fn body_size(input: &Input) -> f64 {
    let mut world = Vec::new();
    input.clip.pose_at(input.skeleton, 0.0).world_from_joints(input.skeleton, &mut world);
    let positions = || world.iter().map(|joint| Vec3::from(joint.translation));
    let (low, high) =
        positions().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    if world.is_empty() { 0.0 } else { f64::from((high - low).length()) }
}

/// Returns the world transform of the parent of `joint`.
fn parent_world_of(skeleton: &Skeleton, pose: &Pose, joint: usize) -> DAffine3 {
    skeleton.joints[joint].parent.map_or(DAffine3::IDENTITY, |parent| pose.world_from_joint(skeleton, parent))
}

/// Sets the local transform of `joint`. A scale that differs by rounding only stays as it is.
fn set_local(pose: &mut Pose, joint: usize, local: DAffine3) {
    let (scale, rotation, translation) = local.to_scale_rotation_translation();
    pose.locals[joint] = Transform {
        translation: translation.as_vec3(),
        rotation: rotation.normalize().as_quat(),
        // Rounding must not change a constant scale.
        scale: if pose.locals[joint].scale.as_dvec3().abs_diff_eq(scale, 1e-5 * scale.abs().max_element()) {
            pose.locals[joint].scale
        } else {
            scale.as_vec3()
        },
    };
}

/// The arguments of [`deviations_between`]: the changed clip and the joints to compare.
struct Comparison<'a> {
    clip: &'a Clip,
    body_path: &'a BodyPath,
    /// The joints whose positions are compared.
    compared_joints: &'a [usize],
}

/// Returns the joints that must keep their positions. For removed travel these are only the joints below the root, or
/// the hips and all below them without a root. Otherwise these are all joints but the root.
fn compared_joints(skeleton: &Skeleton, carriers: &Carriers, travel: RootTravel) -> Vec<usize> {
    let is_compared = |joint: &usize| match (travel, carriers.root) {
        (RootTravel::Away, None) => skeleton.is_within(*joint, carriers.hips),
        (RootTravel::Away, Some(root)) => *joint != root && skeleton.is_within(*joint, root),
        (_, root) => Some(*joint) != root,
    };
    (0..skeleton.len()).filter(is_compared).collect()
}

/// Returns the largest deviation of a compared joint between each frame and the next, in the file's unit.
fn deviations_between(input: &Input, settings: &Settings, comparison: &Comparison) -> Vec<f64> {
    let Comparison { clip, body_path: BodyPath { times, ground_poses }, compared_joints } = comparison;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut deviation_at = |time: f64, ground: GroundPose| {
        let back = match settings.travel {
            RootTravel::Away => back_to_start(&ground_poses[0], &ground),
            _ => DAffine3::IDENTITY,
        };
        input.clip.pose_at(input.skeleton, time).world_from_joints(input.skeleton, &mut before);
        clip.pose_at(input.skeleton, time).world_from_joints(input.skeleton, &mut after);
        let at = |world: &[Affine3A], joint: usize| Vec3::from(world[joint].translation).as_dvec3();
        let distance = |&joint: &usize| back.transform_point3(at(&before, joint)).distance(at(&after, joint));
        compared_joints.iter().map(distance).fold(0.0, f64::max)
    };
    let mut from = |i: usize| match (times.get(i + 1), ground_poses.get(i + 1)) {
        (Some(&end), Some(next)) => [0.0, 0.25, 0.5, 0.75]
            .map(|share| deviation_at(times[i] + share * (end - times[i]), between(&ground_poses[i], next, share)))
            .into_iter()
            .fold(0.0, f64::max),
        _ => deviation_at(times[i], ground_poses[i]),
    };
    (0..times.len()).map(&mut from).collect()
}

/// Interpolates between two ground poses.
fn between(a: &GroundPose, b: &GroundPose, share: f64) -> GroundPose {
    GroundPose { at: a.at.lerp(b.at, share), heading: a.heading + share * (b.heading - a.heading) }
}

/// Returns the carriers. Returns `Err` if the input or a setting is out of range, or if hips or root are missing.
fn check(input: &Input, settings: &Settings) -> Result<Carriers, BuildError> {
    input.clip.check_fits(input.skeleton)?;
    let (unit, length) = (input.metres_per_unit, input.clip.duration);
    let checks = [
        (input.fps, (1.0..=1000.0).contains(&input.fps)),
        (unit, unit > 0.0 && unit.is_finite()),
        (length, (0.0..=MAX_SECONDS).contains(&length)),
        (settings.evened, (0.0..=Settings::MAX_SMOOTHING_SECONDS).contains(&settings.evened)),
    ];
    if let Some(&(value, _)) = checks.iter().find(|(_, is_valid)| !is_valid) {
        return Err(BuildError::BadNumber { value });
    }
    let hips = input.roles.hips.filter(|&hips| hips < input.skeleton.len()).ok_or(BuildError::NoHips)?;
    let root = input.roles.root(input.skeleton);
    if root.is_none() && settings.travel == RootTravel::IntoRoot {
        return Err(BuildError::NoRoot { hips: input.skeleton.joints[hips].name.clone() });
    }
    Ok(Carriers { root, hips, size: body_size(input) })
}

#[cfg(test)]
mod tests;
