//! Which joint carries a character along: its travel put into the root, into the hips, or taken away.
//!
//! The carrier's path is that of the hips along the ground, its heading the turn of the hips about +Y ([`crate::anim::root_motion`]).
//! At every frame the root is put on that path, and what hangs on it is expressed against it anew, so that the body stays where it
//! is in the world; only with the travel taken away it is moved back along the path. Between frames curves are straight, so
//! what lies between two frames is halved wherever the body is farther off there than [`Report::bound`] allows.

mod error;
mod from_feet;
mod settings;

use glam::{Affine3A, DAffine3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::anim::pose_keys::{PoseSpan, write_poses};
use crate::anim::root_motion::{frame_times, headings, keyed_span, path, rest_at, rig_size};
use crate::anim::{Clip, Pose, Roles, RootKind, RootMotion, Skeleton};
use crate::math::Transform;
use crate::progress::Progress;
pub use error::BuildError;
pub use settings::{RootTravel, Settings};

/// A motion and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton that the clip was made for.
    pub skeleton: &'a Skeleton,
    /// The incoming motion; never changed.
    pub clip: &'a Clip,
    /// Hips, and the joint above them that carries the character.
    pub roles: &'a Roles,
    /// Frames per second where keys are further apart, 1 to 1000.
    pub fps: f64,
    /// Length of the file's unit in metres.
    pub metres_per_unit: f64,
}

/// What was changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The joint that carries the character now, by name.
    pub joint: String,
    /// How far the body travels along the ground, metres.
    pub length: f64,
    /// How far it turns, radians.
    pub turn: f64,
    /// The farthest that a joint is from where it was, metres; with the travel taken away, from where it was along the path.
    pub moved: f64,
    /// When that is, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_at: Option<f64>,
    /// What that may be: a hundred-thousandth of the body's size, metres.
    pub bound: f64,
}

/// The motion and what was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// What is to be changed.
    pub clip: Clip,
    /// What carries the character in it.
    pub root: RootMotion,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// The longest motion, seconds.
const LONGEST: f64 = 3600.0;

/// How often what lies between two frames is halved at most: from 1/30 s down to 30 µs.
const HALVINGS: usize = 10;
/// So often the path is that of the hips between frames too. Beyond it goes straight, so that turns get smaller with every halving
/// even where hips turn over and their heading jumps.
const FOLLOWED: usize = 4;
/// Of the bound, what the three places that are looked at between frames may be off: nothing beside them is farther off than it.
const MARGIN: f64 = 0.6;

/// Changes `input` as `settings` say.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    let carriers = check(input, settings)?;
    if settings.travel == RootTravel::FromFeet {
        return from_feet::build(input, settings);
    }
    let bound = 1e-5 * rig_size(input.skeleton);
    let times = frame_times(input.clip, 0..input.skeleton.len(), input.fps);
    let mut way = BodyPath { places: places(input, settings, carriers.hips, &times), times };
    let mut made = build_on(input, settings, &carriers, &way)?;
    for halving in 0..HALVINGS {
        progress.step(halving, HALVINGS)?;
        let halved = halved(&way, &made.off, MARGIN * bound);
        if halved.times.len() == way.times.len() {
            break;
        }
        way = halved;
        if halving < FOLLOWED {
            way.places = places(input, settings, carriers.hips, &way.times);
        }
        made = build_on(input, settings, &carriers, &way)?;
    }
    let farthest = (0..made.off.len()).max_by(|&a, &b| made.off[a].total_cmp(&made.off[b]));
    let moved = farthest.map_or(0.0, |frame| made.off[frame]);
    let unit = input.metres_per_unit;
    let name = |joint: usize| input.skeleton.joints[joint].name.clone();
    let root = match settings.travel {
        RootTravel::IntoRoot => RootMotion { joint: carriers.root.unwrap_or(carriers.hips), kind: RootKind::Root },
        _ => RootMotion { joint: carriers.hips, kind: RootKind::HipsGroundPart },
    };
    let report = Report {
        joint: name(root.joint),
        length: made.length * unit,
        turn: made.turn,
        moved: moved * unit,
        moved_at: farthest.filter(|_| moved > 0.0).map(|frame| way.times[frame]),
        bound: bound * unit,
    };
    Ok(Built { clip: made.clip, root, report })
}

/// What carries the body.
struct Carriers {
    /// The joint above the hips that is put on the path, where there is one.
    root: Option<usize>,
    hips: usize,
}

struct RootedClip {
    clip: Clip,
    length: f64,
    turn: f64,
    /// The farthest that a joint is off from each frame until the next.
    off: Vec<f64>,
}

/// The way of the body over the ground at one time.
#[derive(Clone, Copy, Debug)]
struct GroundPose {
    at: DVec3,
    heading: f64,
}

/// The path of the body over the ground, frame by frame.
struct BodyPath {
    /// Exact 32-bit values, rising.
    times: Vec<f64>,
    places: Vec<GroundPose>,
}

/// `way` with a frame amid every two between which a joint is farther `off` than `most`, where 32-bit times have one.
fn halved(way: &BodyPath, off: &[f64], most: f64) -> BodyPath {
    let mut finer = BodyPath { times: Vec::new(), places: Vec::new() };
    for (i, &off) in off.iter().enumerate() {
        let (time, place) = (way.times[i], way.places[i]);
        finer.times.push(time);
        finer.places.push(place);
        let Some(next) = way.places.get(i + 1).filter(|_| off > most) else { continue };
        let middle = f64::from((0.5 * (time + way.times[i + 1])) as f32);
        if middle > time && middle < way.times[i + 1] {
            let share = (middle - time) / (way.times[i + 1] - time);
            finer.times.push(middle);
            finer.places.push(between(&place, next, share));
        }
    }
    finer
}

fn build_on(input: &Input, settings: &Settings, carriers: &Carriers, way: &BodyPath) -> Result<RootedClip, BuildError> {
    let skeleton = input.skeleton;
    let BodyPath { times, places } = way;
    let poses: Vec<Pose> = times.iter().map(|&time| input.clip.pose_at(skeleton, time)).collect();
    let rest = carriers.root.map(|root| rest_at(skeleton, root));
    let changed = |(pose, place): (&Pose, &GroundPose)| {
        let mut made = pose.clone();
        let root = carriers.root.zip(rest).map(|(root, rest)| {
            let stands = match settings.travel {
                RootTravel::IntoRoot => on_path(&rest, place),
                _ => rest,
            };
            (root, stands)
        });
        if let Some((root, stands)) = root {
            put(skeleton, pose, &mut made, root, stands);
        }
        if settings.travel == RootTravel::Away {
            let back = back(&places[0], place);
            let carried = carriers.root.unwrap_or(carriers.hips);
            // With a root the body goes back below it; else the hips themselves do.
            let moved: Vec<usize> = match carriers.root {
                Some(root) => skeleton.children(root).collect(),
                None => vec![carried],
            };
            for joint in moved {
                let parent = parent(skeleton, &made, joint);
                let world = back * parent * made.locals[joint].to_affine_f64();
                set(&mut made, joint, parent.inverse() * world);
            }
        }
        made
    };
    let made: Vec<Pose> = poses.iter().zip(places).map(changed).collect();
    if let Some(broken) = made.iter().find_map(|pose| pose.locals.iter().position(|local| !local.is_finite())) {
        return Err(BuildError::Flat { joint: skeleton.joints[broken].name.clone() });
    }
    let mut clip = input.clip.clone();
    write_poses(skeleton, &mut clip, &PoseSpan { times, first: 0, poses: &made });
    let ways = places.windows(2).map(|pair| pair[1].at.distance(pair[0].at));
    let turn = places[places.len() - 1].heading - places[0].heading;
    let body = body(skeleton, carriers, settings.travel);
    let off = off(input, settings, &Moved { clip: &clip, way, body: &body });
    Ok(RootedClip { length: ways.sum(), turn, off, clip })
}

/// The ground path and heading of the hips at `times`.
fn places(input: &Input, settings: &Settings, hips: usize, times: &[f64]) -> Vec<GroundPose> {
    let span = keyed_span(input.clip, input.skeleton.ancestors(hips));
    let even = |points: &[DVec3]| match settings.evened >= times[times.len() - 1] - times[0] {
        true => straight(points, times, span),
        false => evened(points, times, settings.evened),
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

/// The straight line from the first of `points` to the last, gone evenly while the clip is not held.
fn straight(points: &[DVec3], times: &[f64], [from, to]: [f64; 2]) -> Vec<DVec3> {
    let [first, last] = [points[0], points[points.len() - 1]];
    times.iter().map(|time| first.lerp(last, ((time - from) / (to - from)).clamp(0.0, 1.0))).collect()
}

/// `points` averaged over `seconds` around each time; at both ends what goes straight stays straight.
fn evened(points: &[DVec3], times: &[f64], seconds: f64) -> Vec<DVec3> {
    if seconds <= 0.0 || points.len() < 3 {
        return points.to_vec();
    }
    let [first, last] = [points[0], points[points.len() - 1]];
    let (start, end) = (times[0], times[times.len() - 1]);
    // Beyond an end the path goes on as its mirror image through the end point, which keeps the ends in place.
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
    let mean = |&time: &f64| {
        let samples = (-SAMPLES..=SAMPLES).map(|k| {
            let away = f64::from(k) / f64::from(SAMPLES);
            (1.0 - away.abs(), at(time + 0.5 * seconds * away))
        });
        let (weights, sum) = samples
            .fold((0.0, DVec3::ZERO), |(weights, sum), (weight, point)| (weights + weight, sum + weight * point));
        sum / weights
    };
    times.iter().map(mean).collect()
}

/// The root's place at rest, moved onto the path and turned along it.
fn on_path(rest: &DAffine3, place: &GroundPose) -> DAffine3 {
    let turn = DAffine3::from_quat(DQuat::from_rotation_y(place.heading));
    let mut world = turn * DAffine3 { translation: DVec3::ZERO, ..*rest };
    world.translation = place.at.with_y(rest.translation.y);
    world
}

/// What takes the body from `place` back to where it began.
fn back(first: &GroundPose, place: &GroundPose) -> DAffine3 {
    let turn = DQuat::from_rotation_y(first.heading - place.heading);
    DAffine3::from_translation(first.at) * DAffine3::from_quat(turn) * DAffine3::from_translation(-place.at)
}

/// Puts `root` at `stands` in the world; what hangs on it stays where `pose` has it.
fn put(skeleton: &Skeleton, pose: &Pose, made: &mut Pose, root: usize, stands: DAffine3) {
    let above = parent(skeleton, pose, root);
    set(made, root, above.inverse() * stands);
    for child in skeleton.children(root) {
        let world = pose.world_from_joint(skeleton, child);
        set(made, child, stands.inverse() * world);
    }
}

fn parent(skeleton: &Skeleton, pose: &Pose, joint: usize) -> DAffine3 {
    skeleton.joints[joint].parent.map_or(DAffine3::IDENTITY, |parent| pose.world_from_joint(skeleton, parent))
}

fn set(pose: &mut Pose, joint: usize, local: DAffine3) {
    let (scale, rotation, translation) = local.to_scale_rotation_translation();
    pose.locals[joint] = Transform {
        translation: translation.as_vec3(),
        rotation: rotation.normalize().as_quat(),
        // A scale that does not move is not touched by rounding.
        scale: if pose.locals[joint].scale.as_dvec3().abs_diff_eq(scale, 1e-5 * scale.abs().max_element()) {
            pose.locals[joint].scale
        } else {
            scale.as_vec3()
        },
    };
}

/// What was made.
struct Moved<'a> {
    clip: &'a Clip,
    way: &'a BodyPath,
    /// The joints that are looked at.
    body: &'a [usize],
}

/// The joints that shall stay where they are, or along the path: all but the root, or where the travel goes those that it carried.
fn body(skeleton: &Skeleton, carriers: &Carriers, travel: RootTravel) -> Vec<usize> {
    let carried = |joint: &usize| match (travel, carriers.root) {
        (RootTravel::Away, None) => skeleton.is_within(*joint, carriers.hips),
        (RootTravel::Away, Some(root)) => *joint != root && skeleton.is_within(*joint, root),
        (_, root) => Some(*joint) != root,
    };
    (0..skeleton.len()).filter(carried).collect()
}

/// The farthest that a joint is from where it shall be, from each frame until the next.
fn off(input: &Input, settings: &Settings, moved: &Moved) -> Vec<f64> {
    let Moved { clip, way: BodyPath { times, places }, body } = moved;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut off_at = |time: f64, place: GroundPose| {
        let back = match settings.travel {
            RootTravel::Away => back(&places[0], &place),
            _ => DAffine3::IDENTITY,
        };
        input.clip.pose_at(input.skeleton, time).world_from_joints(input.skeleton, &mut before);
        clip.pose_at(input.skeleton, time).world_from_joints(input.skeleton, &mut after);
        let at = |world: &[Affine3A], joint: usize| Vec3::from(world[joint].translation).as_dvec3();
        let distance = |&joint: &usize| back.transform_point3(at(&before, joint)).distance(at(&after, joint));
        body.iter().map(distance).fold(0.0, f64::max)
    };
    let mut from = |i: usize| match (times.get(i + 1), places.get(i + 1)) {
        (Some(&end), Some(next)) => [0.0, 0.25, 0.5, 0.75]
            .map(|share| off_at(times[i] + share * (end - times[i]), between(&places[i], next, share)))
            .into_iter()
            .fold(0.0, f64::max),
        _ => off_at(times[i], places[i]),
    };
    (0..times.len()).map(&mut from).collect()
}

fn between(a: &GroundPose, b: &GroundPose, share: f64) -> GroundPose {
    GroundPose { at: a.at.lerp(b.at, share), heading: a.heading + share * (b.heading - a.heading) }
}

fn check(input: &Input, settings: &Settings) -> Result<Carriers, BuildError> {
    input.clip.check_fits(input.skeleton)?;
    let (unit, length) = (input.metres_per_unit, input.clip.duration);
    let good = [
        (input.fps, (1.0..=1000.0).contains(&input.fps)),
        (unit, unit > 0.0 && unit.is_finite()),
        (length, (0.0..=LONGEST).contains(&length)),
        (settings.evened, (0.0..=Settings::LONGEST).contains(&settings.evened)),
    ];
    if let Some(&(value, _)) = good.iter().find(|(_, is_good)| !is_good) {
        return Err(BuildError::BadNumber { value });
    }
    let hips = input.roles.hips.filter(|&hips| hips < input.skeleton.len()).ok_or(BuildError::NoHips)?;
    let root = input.roles.root(input.skeleton);
    if root.is_none() && settings.travel == RootTravel::IntoRoot {
        return Err(BuildError::NoRoot { hips: input.skeleton.joints[hips].name.clone() });
    }
    Ok(Carriers { root, hips })
}

#[cfg(test)]
mod tests;
