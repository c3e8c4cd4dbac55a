//! The joint that carries a character through the world, and its path.

use glam::{DAffine3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::math::Transform;
use crate::{Clip, JointTracks, Roles, Skeleton};

/// The part of a joint's motion that is root motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootKind {
    /// All of it; the joint exists to carry the character.
    #[default]
    Root,
    /// Its part in the ground plane; the height belongs to the body's pose.
    HipsGroundPart,
}

/// The joint that carries the character in a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootMotion {
    /// Index of the carrying joint in the skeleton.
    pub joint: usize,
    /// The part of its motion that counts.
    pub kind: RootKind,
}

impl RootMotion {
    /// Finds the topmost ancestor of the hips whose translation moves, else the hips with their ground-plane part.
    ///
    /// Without hips it is the topmost moving joint; of several at one level, the one with most descendants. `None`
    /// for a skeleton without joints.
    pub fn find(skeleton: &Skeleton, clip: &Clip, roles: &Roles) -> Option<Self> {
        let Some(hips) = roles.hips.filter(|&hips| hips < skeleton.len()) else {
            let depth = |joint: usize| skeleton.ancestors(joint).count();
            let moving = |&joint: &usize| moves(skeleton, clip, joint);
            let order = |&joint: &usize| (depth(joint), std::cmp::Reverse(skeleton.subtree(joint).len()));
            let joint = (0..skeleton.len()).filter(moving).min_by_key(order).or_else(|| skeleton.roots().next())?;
            return Some(Self { joint, kind: RootKind::Root });
        };
        Some(match moving_ancestor(skeleton, clip, hips) {
            Some(joint) => Self { joint, kind: RootKind::Root },
            None => Self { joint: hips, kind: RootKind::HipsGroundPart },
        })
    }
}

/// Returns the topmost ancestor of `hips` whose translation moves in `clip`; `None` if none moves. `hips` does not
/// count.
pub(crate) fn moving_ancestor(skeleton: &Skeleton, clip: &Clip, hips: usize) -> Option<usize> {
    skeleton.ancestors(hips).skip(1).filter(|&joint| moves(skeleton, clip, joint)).last()
}

/// True if the joint's own translation moves by more than exporter noise, which is 1e-4 of the rig's size.
fn moves(skeleton: &Skeleton, clip: &Clip, joint: usize) -> bool {
    let Some(curve) = clip.tracks.get(joint).and_then(|tracks| tracks.translation.as_ref()) else { return false };
    let keys = || (0..curve.times.len()).map(|key| curve.key(key));
    let (low, high) =
        keys().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), key| (low.min(key), high.max(key)));
    let parent = skeleton.joints[joint].parent.map_or(DAffine3::IDENTITY, |parent| rest_at(skeleton, parent));
    let travel = keys().next().map_or(0.0, |_| parent.transform_vector3((high - low).as_dvec3()).length());
    travel > rig_size(skeleton) * 1e-4
}

/// Returns the ground height of the rest pose, world units: 0, or the height of its lowest joint if that is at least a tenth of
/// [`rig_size`] from 0.
pub fn rest_ground(skeleton: &Skeleton) -> f64 {
    let lowest = all_at_rest(skeleton).iter().map(|world| world.translation.y).fold(f64::INFINITY, f64::min);
    if lowest.abs() < 0.1 * rig_size(skeleton) { 0.0 } else { lowest }
}

/// Returns the diagonal of the box around all joints in the rest pose, world units.
pub fn rig_size(skeleton: &Skeleton) -> f64 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for world in all_at_rest(skeleton) {
        (low, high) = (low.min(world.translation), high.max(world.translation));
    }
    if skeleton.is_empty() { 0.0 } else { (high - low).length() }
}

/// Returns a body's size as a fraction of an adult's, at most 1. Thresholds for sliding and sinking scale with it.
pub fn size_factor(skeleton: &Skeleton, metres_per_unit: f64) -> f64 {
    // Diagonal of the bounding box with spread arms, metres, of a figure about 1.2 m high.
    const ADULT_DIAGONAL_M: f64 = 1.8;
    (rig_size(skeleton) * metres_per_unit / ADULT_DIAGONAL_M).min(1.0)
}

/// Returns the world transforms of all joints in the rest pose in one pass; calling [`rest_at`] for each joint takes
/// quadratic time on long chains.
pub fn all_at_rest(skeleton: &Skeleton) -> Vec<DAffine3> {
    let mut world: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
    for joint in &skeleton.joints {
        let local = joint.rest.to_affine_f64();
        world.push(joint.parent.map_or(local, |parent| world[parent] * local));
    }
    world
}

/// Returns the world transform of `joint` in the rest pose.
pub fn rest_at(skeleton: &Skeleton, joint: usize) -> DAffine3 {
    skeleton.ancestors(joint).fold(DAffine3::IDENTITY, |local, each| skeleton.joints[each].rest.to_affine_f64() * local)
}

/// Returns the transform of `joint` relative to its parent at `time` (seconds): from the clip's curves where it has
/// them, else from the rest pose.
pub fn local_at(skeleton: &Skeleton, clip: &Clip, joint: usize, time: f64) -> Transform {
    let mut local = skeleton.joints[joint].rest;
    if let Some(tracks) = clip.tracks.get(joint) {
        local.translation = tracks.translation.as_ref().and_then(|c| c.sample(time)).unwrap_or(local.translation);
        local.rotation = tracks.rotation.as_ref().and_then(|c| c.sample(time)).unwrap_or(local.rotation);
        local.scale = tracks.scale.as_ref().and_then(|c| c.sample(time)).unwrap_or(local.scale);
    }
    local
}

/// Returns the world transform of `joint` at `time` (seconds) in f64; evaluates its ancestors only.
pub fn world_at(skeleton: &Skeleton, clip: &Clip, joint: usize, time: f64) -> DAffine3 {
    skeleton
        .ancestors(joint)
        .fold(DAffine3::IDENTITY, |local, each| local_at(skeleton, clip, each, time).to_affine_f64() * local)
}

/// Returns the world transform of `joint`'s parent at `time` (seconds); the identity for a root.
pub fn parent_at(skeleton: &Skeleton, clip: &Clip, joint: usize, time: f64) -> DAffine3 {
    skeleton.joints[joint].parent.map_or(DAffine3::IDENTITY, |parent| world_at(skeleton, clip, parent, time))
}

/// Returns the times (seconds) at which motion is measured: every key of `chain`'s curves, and a point every 1/`fps`
/// where keys are farther apart.
///
/// All are exact f32 values; the first is 0 and the last is the clip's end. Keys of different curves that differ by
/// rounding only are one time. Two such keys of one curve are a step, and both are kept.
pub fn frame_times(clip: &Clip, chain: impl IntoIterator<Item = usize>, fps: f64) -> Vec<f64> {
    let end = f64::from(clip.duration as f32);
    let mut keys = vec![KeyTime { time: 0.0, curve: CLIP_ENDS }, KeyTime { time: end, curve: CLIP_ENDS }];
    let tracks = chain.into_iter().filter_map(|joint| clip.tracks.get(joint));
    for (curve, times) in tracks.flat_map(curves).enumerate() {
        let times = times.iter().map(|&time| f64::from(time)).filter(|&time| time > 0.0 && time < end);
        keys.extend(times.map(|time| KeyTime { time, curve }));
    }
    keys.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.curve.cmp(&b.curve)));
    let is_one_frame = |a: &KeyTime, b: &KeyTime| b.time - a.time <= ROUNDING_SECONDS;
    let mut times: Vec<f64> = keys.chunk_by(is_one_frame).flat_map(times_of_frame).collect();
    times.dedup();
    with_grid(&times, fps)
}

/// Maximum difference between the rounded times of one frame in different curves.
const ROUNDING_SECONDS: f64 = 1e-4;

/// Curve index of the clip's first and last frame.
const CLIP_ENDS: usize = usize::MAX;

/// A key time and its curve.
#[derive(Clone, Copy)]
struct KeyTime {
    time: f64,
    curve: usize,
}

/// Returns the key times of translation, rotation and scale in seconds, as far as they have curves.
fn curves(tracks: &JointTracks) -> impl Iterator<Item = &[f32]> {
    let translation = tracks.translation.iter().map(|curve| &curve.times[..]);
    let rotation = tracks.rotation.iter().map(|curve| &curve.times[..]);
    translation.chain(rotation).chain(tracks.scale.iter().map(|curve| &curve.times[..]))
}

/// Returns one time for `keys` of one frame, in order: the clip's end if it is among them, else the first. All keys
/// of a curve with a step there are kept.
fn times_of_frame(keys: &[KeyTime]) -> Vec<f64> {
    if keys[0].time == keys[keys.len() - 1].time {
        return vec![keys[0].time];
    }
    let steps = |key: &KeyTime| keys.iter().any(|other| other.curve == key.curve && other.time != key.time);
    let times: Vec<f64> = keys.iter().filter(|key| key.curve == CLIP_ENDS || steps(key)).map(|key| key.time).collect();
    if times.is_empty() { vec![keys[0].time] } else { times }
}

/// Returns the first and the last key time (seconds) of the topmost joint of `chain`, which runs upwards, whose translation curve
/// moves; the whole clip if none moves.
///
/// Outside this span the joint does not move, so a drift exists within it only.
pub fn keyed_span(clip: &Clip, chain: impl IntoIterator<Item = usize>) -> [f64; 2] {
    let span = |joint: usize| {
        let curve = clip.tracks.get(joint)?.translation.as_ref()?;
        let moves = curve.values.iter().any(|value| *value != curve.values[0]);
        let ends = [*curve.times.first()?, *curve.times.last()?].map(f64::from);
        (moves && ends[0] < ends[1]).then_some(ends)
    };
    chain.into_iter().filter_map(span).last().unwrap_or([0.0, clip.duration])
}

/// Returns `keys` and the frames k/`fps` that are farther than a quarter of a frame from any key.
fn with_grid(keys: &[f64], fps: f64) -> Vec<f64> {
    let mut times = Vec::with_capacity(keys.len());
    let margin = 0.25 / fps;
    for (i, &key) in keys.iter().enumerate() {
        times.push(key);
        let Some(&next) = keys.get(i + 1) else { break };
        let mut frame = (key * fps).floor() + 1.0;
        while frame / fps < next - margin {
            if frame / fps > key + margin {
                times.push(f64::from((frame / fps) as f32));
            }
            frame += 1.0;
        }
    }
    times
}

/// Returns the world positions of `joint` at `times` (seconds), in the file's unit.
pub fn path(skeleton: &Skeleton, clip: &Clip, joint: usize, times: &[f64]) -> Vec<DVec3> {
    times.iter().map(|&time| world_at(skeleton, clip, joint, time).translation).collect()
}

/// Returns the heading of `joint` at `times`, radians about +Y relative to the rest pose, unwrapped so that
/// neighbours differ by at most π.
///
/// An upside-down joint has no heading; there it is interpolated between the last known heading and the next.
pub fn headings(skeleton: &Skeleton, clip: &Clip, joint: usize, times: &[f64]) -> Vec<f64> {
    // The heading is the twist about +Y. Beyond a swing of 150° it is mostly rounding and may sweep a whole turn.
    const UPSIDE_DOWN: f64 = 0.067;
    let rest = turn_of(&rest_at(skeleton, joint)).inverse();
    let mut headings: Vec<f64> = Vec::with_capacity(times.len());
    let mut known: Option<usize> = None;
    for (i, &time) in times.iter().enumerate() {
        let turned = turn_of(&world_at(skeleton, clip, joint, time)) * rest;
        let last = known.map_or(0.0, |known| headings[known]);
        if turned.y * turned.y + turned.w * turned.w < UPSIDE_DOWN {
            headings.push(last);
            continue;
        }
        let heading = last + wrap(2.0 * turned.y.atan2(turned.w) - last);
        if let Some(known) = known {
            let share = |gap: usize| (times[gap] - times[known]) / (time - times[known]);
            (known + 1..i).for_each(|gap| headings[gap] = last + (heading - last) * share(gap));
        }
        headings.push(heading);
        known = Some(i);
    }
    headings
}

/// Wraps `angle` (radians) into (−π, π]: half a turn counts as counter-clockwise as seen from +Y.
pub fn wrap(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}

/// Returns the rotation of an affine transform; the identity if it is not finite.
pub fn turn_of(affine: &DAffine3) -> DQuat {
    let rotation = affine.to_scale_rotation_translation().1;
    if rotation.is_finite() { rotation } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Curve;
    use crate::small_inputs::skeleton_of;
    use glam::Quat;

    fn clip_moving(joints: usize, moving: &[(usize, Vec3)]) -> Clip {
        let mut clip = Clip { name: "go".into(), duration: 1.0, tracks: vec![JointTracks::default(); joints] };
        for &(joint, to) in moving {
            clip.tracks[joint].translation = Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, to]));
        }
        clip
    }

    #[test]
    fn the_topmost_moving_ancestor_of_the_hips_is_the_root_and_controls_are_not() {
        let skeleton = skeleton_of(&[("rig", None), ("root", Some(0)), ("hips", Some(1)), ("IK-foot.l", Some(0))]);
        let roles = Roles::find(&skeleton, &[]);
        let root = |moving: &[(usize, Vec3)]| RootMotion::find(&skeleton, &clip_moving(4, moving), &roles);
        let expect = |joint, kind| Some(RootMotion { joint, kind });
        assert_eq!(root(&[(1, Vec3::Z), (2, Vec3::Z), (3, Vec3::X)]), expect(1, RootKind::Root));
        assert_eq!(root(&[(2, Vec3::Z), (3, Vec3::X)]), expect(2, RootKind::HipsGroundPart));
        assert_eq!(root(&[(1, Vec3::Z * 1e-6), (2, Vec3::Z)]), expect(2, RootKind::HipsGroundPart));
        assert_eq!(root(&[]), expect(2, RootKind::HipsGroundPart));
        assert_eq!(RootMotion::find(&Skeleton::default(), &Clip::default(), &Roles::default()), None);
    }

    #[test]
    fn the_ground_of_a_hanging_chain_is_at_its_end_at_any_length() {
        let rows: Vec<(&str, Option<usize>)> = (0..3000_usize).map(|joint| ("link", joint.checked_sub(1))).collect();
        let mut skeleton = skeleton_of(&rows);
        skeleton.joints.iter_mut().for_each(|joint| joint.rest.translation = Vec3::NEG_Y);
        assert_eq!(rest_ground(&skeleton), -3000.0);
    }

    #[test]
    fn scale_and_rotation_of_a_parent_armature_affect_the_path() {
        let mut skeleton = skeleton_of(&[("Armature", None), ("root", Some(0))]);
        skeleton.joints[0].rest = Transform {
            translation: Vec3::X,
            rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
            scale: Vec3::splat(0.01),
        };
        let clip = clip_moving(2, &[(1, Vec3::new(0.0, -300.0, 0.0))]);
        let points = path(&skeleton, &clip, 1, &[0.0, 1.0]);
        assert!(points[0].abs_diff_eq(DVec3::X, 1e-6));
        assert!(points[1].abs_diff_eq(DVec3::new(1.0, 0.0, 3.0), 1e-6), "{points:?}");
    }

    #[test]
    fn frames_are_the_keys_and_fill_only_wide_gaps() {
        let mut clip = clip_moving(1, &[]);
        clip.tracks[0].translation = Some(Curve::linear(vec![0.0, 0.101, 0.5, 1.0], vec![Vec3::ZERO; 4]));
        let times = frame_times(&clip, [0], 10.0);
        let key = f64::from(0.101_f32);
        assert_eq!(times.len(), 11);
        assert!(times.contains(&key) && times.is_sorted() && times[10] == 1.0);
        assert_eq!(frame_times(&Clip::default(), [], 30.0), [0.0]);
    }

    #[test]
    fn rounded_key_times_merge_and_a_step_keeps_both_keys() {
        let mut clip = clip_moving(3, &[]);
        let keys = |times: [f32; 4]| Some(Curve::linear(times.to_vec(), vec![Vec3::ZERO; 4]));
        clip.tracks[0].translation = keys([0.0, 0.1, 0.2, 1.0]);
        clip.tracks[1].translation = keys([2e-6, 0.100_002, 0.199_999, 0.999_999]);
        let first = frame_times(&clip, [0, 1], 1.0);
        assert_eq!(first, [0.0_f32, 0.1, 0.199_999, 1.0].map(f64::from));
        let step = [0.0_f32, 0.5_f32.next_down(), 0.5, 1.0];
        clip.tracks[2].translation = keys(step);
        assert_eq!(frame_times(&clip, [2], 1.0), step.map(f64::from));
        clip.tracks[1].translation = keys([0.0, 0.2, 0.500_001, 1.0]);
        assert_eq!(frame_times(&clip, [2, 1], 1.0), [0.0, 0.2, step[1], step[2], 1.0].map(f64::from));
        clip.duration = 5e-5;
        assert_eq!(frame_times(&clip, [0, 1, 2], 1.0), [0.0, f64::from(5e-5_f32)]);
    }

    #[test]
    fn a_somersault_does_not_change_the_heading() {
        let skeleton = skeleton_of(&[("root", None)]);
        for sway in [1e-6_f32, -1e-3, 0.05] {
            let mut clip = clip_moving(1, &[]);
            let times: Vec<f32> = (0..=40).map(|i| i as f32 / 40.0).collect();
            let roll =
                |time: f32| Quat::from_rotation_y(0.4 + sway) * Quat::from_rotation_x(std::f32::consts::TAU * time);
            let leant = |time: &f32| roll(*time) * Quat::from_rotation_z(sway);
            clip.tracks[0].rotation = Some(Curve::linear(times.clone(), times.iter().map(leant).collect()));
            let times: Vec<f64> = times.into_iter().map(f64::from).collect();
            let turned = headings(&skeleton, &clip, 0, &times);
            let sweep: f64 = turned.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
            assert!(sweep < 1.0, "{sway}: {sweep} {turned:?}");
        }
    }

    #[test]
    fn headings_unwrap_and_half_a_turn_is_counter_clockwise() {
        assert_eq!(wrap(std::f64::consts::PI), std::f64::consts::PI);
        assert_eq!(wrap(-std::f64::consts::PI), std::f64::consts::PI);
        assert!((wrap(358_f64.to_radians()) + 2_f64.to_radians()).abs() < 1e-12);
        let skeleton = skeleton_of(&[("root", None)]);
        let mut clip = clip_moving(1, &[]);
        let keys = [0.0_f32, 100.0, 200.0, 300.0].map(|degrees| Quat::from_rotation_y(degrees.to_radians()));
        clip.tracks[0].rotation = Some(Curve::linear(vec![0.0, 0.3, 0.6, 1.0], keys.to_vec()));
        let turned = headings(&skeleton, &clip, 0, &[0.0, 0.3, 0.6, 1.0]);
        assert!((turned[3].to_degrees() - 300.0).abs() < 1e-3, "{turned:?}");
    }
}
