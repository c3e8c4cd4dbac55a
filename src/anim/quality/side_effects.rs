//! Side effects of automatic corrections: figures that a correction must not make worse, measured from the poses before and
//! after it.
//!
//! The figures use world positions and local rotations only, and none of the figures that the corrections optimise.

use glam::{Affine3A, DVec3};

use crate::foot_shape::{SolePart, lowest};
use crate::root_motion::{frame_times, turn_of};
use crate::{Clip, Leg, Pose, Roles, Skeleton};
use portamento_base::message::{message, messages};

/// Distance of a knee from the line between hip and ankle from which it has a side, as a fraction of the thigh.
const KNEE_SIDE_MIN_RATIO: f64 = 0.15;
/// Share of the frames with a knee on the other side from which a correction is worse. A nearly straight knee changes its side
/// for some frames without being seen. Tuned; no derivation recorded.
const FLIPPED_MIN_SHARE: f64 = 0.25;
/// Jump of a joint in one frame above which a correction is worse: degrees beyond the neighbouring frames, in addition to
/// [`OWN_JUMP_RATIO`] times the largest jump before the correction. A joint that only turns faster does not jump.
const TURN_MAX_EXCESS_DEGREES: f64 = 10.0;
/// Ratio between the largest jump of a joint after a correction and before it that is not visible. Tuned; no derivation recorded.
const OWN_JUMP_RATIO: f64 = 1.25;
/// Jump of a joint's position in a thirtieth of a second above which a correction is worse: beyond the neighbouring frames and
/// [`OWN_JUMP_RATIO`] times the largest jump before it, as a fraction of the body size.
const DISPLACED_MAX_RATIO: f64 = 0.03;
/// Additional movement of the body in one frame above which a correction is worse, as a fraction of its size.
const MOVE_MAX_RATIO: f64 = 0.1;
/// Additional depth in the ground above which a correction is worse, as a fraction of the body size. Tuned; no derivation
/// recorded.
const SINK_MAX_RATIO: f64 = 0.02;
/// Height of the lowest joint above the ground from which a body floats, as a fraction of its size: above ankles and hocks.
const FLOAT_MIN_RATIO: f64 = 0.15;
/// Distance of a leg's joint from its position in the motion below a layer, above which the layer moves the leg, as a fraction of
/// the body size.
const LEG_MAX_RATIO: f64 = 0.01;
/// Maximum number of compared frames.
const MAX_FRAMES: usize = 20_000;

messages! {
/// A figure that a correction made worse.
#[derive(Clone, Debug, PartialEq)]
pub enum SideEffect {
    /// A knee bends to the other side.
    KneeFlips {
        /// Name of the knee's joint.
        joint: String,
        /// Number of frames.
        frames: usize,
        /// Time of the first one, seconds.
        time: f64,
    } => message!(
        "side_effect.knee",
        "“%{joint}” would bend to the other side in %{frames} %{frames|frame|frames}, first at %{time} s",
        joint,
        frames,
        time = format!("{time:.2}")
    ),
    /// A joint jumps.
    Jumps {
        /// Name of the joint.
        joint: String,
        /// Rotation in that frame beyond the neighbouring frames, degrees.
        degrees: f64,
        /// Time of that frame, seconds.
        time: f64,
    } => message!(
        "side_effect.jumps",
        "“%{joint}” would jump by %{degrees}° in one frame, at %{time} s",
        joint,
        degrees = format!("{degrees:.0}"),
        time = format!("{time:.2}")
    ),
    /// A joint is displaced in one frame.
    Displaced {
        /// Name of the joint.
        joint: String,
        /// Displacement in that frame beyond the neighbouring frames, metres.
        metres: f64,
        /// Time of that frame, seconds.
        time: f64,
    } => message!(
        "side_effect.displaced",
        "“%{joint}” would jump by %{metres} m in one frame, at %{time} s",
        joint,
        metres = format!("{metres:.2}"),
        time = format!("{time:.2}")
    ),
    /// The body moves further in one frame.
    Moves {
        /// Additional distance, metres.
        metres: f64,
        /// Time of that frame, seconds.
        time: f64,
    } => message!(
        "side_effect.moves",
        "the body would move %{metres} m further in one frame, at %{time} s",
        metres = format!("{metres:.2}"),
        time = format!("{time:.2}")
    ),
    /// The body is deeper in the ground.
    Sinks {
        /// Depth before and after, metres.
        metres: [f64; 2],
    } => message!(
        "side_effect.sinks",
        "the body would be %{after} m deep in the ground instead of %{before} m",
        after = format!("{:.2}", metres[1]),
        before = format!("{:.2}", metres[0])
    ),
    /// The body no longer touches the ground.
    Floats {
        /// Height of its lowest joint or mesh point above the ground, metres.
        metres: f64,
    } => message!(
        "side_effect.floats",
        "the body would float %{metres} m above the ground",
        metres = format!("{metres:.2}")
    ),
    /// A leg follows a layer of the upper body.
    LegMoves {
        /// Name of the joint.
        joint: String,
        /// Largest distance of the joint from its position in the motion below, metres.
        metres: f64,
        /// Time of that frame, seconds.
        time: f64,
    } => message!(
        "side_effect.leg",
        "“%{joint}” would leave its path in the motion below by %{metres} m, at %{time} s",
        joint,
        metres = format!("{metres:.2}"),
        time = format!("{time:.2}")
    ),
}
}

/// A rig and the ground on which a motion is compared.
#[derive(Clone, Copy)]
pub struct ComparedBody<'a> {
    /// The skeleton of both motions.
    pub skeleton: &'a Skeleton,
    /// The roles of its joints.
    pub roles: &'a Roles,
    /// The mesh points that may be lowest; empty for rigs without a mesh.
    pub points: &'a [SolePart],
    /// Length of one file unit, metres.
    pub metres_per_unit: f64,
    /// Returns the ground height in metres at a world position in metres; `None` without ground.
    pub ground: &'a dyn Fn(DVec3) -> Option<f64>,
}

/// A body with the poses before and after a correction, one at each of `times` (seconds). `size` is its largest extent, world
/// units.
struct Compared<'a> {
    body: &'a ComparedBody<'a>,
    times: &'a [f64],
    poses: &'a [Vec<Pose>; 2],
    size: f64,
}

impl ComparedBody<'_> {
    /// Returns the first figure that `after` makes visibly worse than `before`, both sampled at `fps` up to the end of the
    /// shorter one. Returns `None` if there is none, or for a clip of another skeleton. The step from the last frame to the first
    /// counts for `before` only, so that closing a loop is no fault.
    pub fn side_effect(&self, before: &Clip, after: &Clip, fps: f64) -> Option<SideEffect> {
        let (times, poses) = self.sampled([before, after], fps)?;
        self.side_effect_of_poses(&times, &poses)
    }

    /// Like [`ComparedBody::side_effect`], with the poses before and after the correction at `times` (seconds). Returns `None` if
    /// no figure gets visibly worse.
    pub fn side_effect_of_poses(&self, times: &[f64], poses: &[Vec<Pose>; 2]) -> Option<SideEffect> {
        let compared = self.compared(times, poses);
        let jumps =
            || compared.jump_effect().or_else(|| compared.displacement_effect()).or_else(|| compared.travel_effect());
        compared.knee_effect().or_else(jumps).or_else(|| compared.height_effect())
    }

    /// Like [`ComparedBody::side_effect_of_poses`], for a correction of feet: a leg whose foot is locked on the ground turns
    /// faster on purpose.
    pub fn side_effect_of_feet(&self, times: &[f64], poses: &[Vec<Pose>; 2]) -> Option<SideEffect> {
        let compared = self.compared(times, poses);
        compared.knee_effect().or_else(|| compared.travel_effect()).or_else(|| compared.height_effect())
    }

    /// Returns the joint of a leg that a layer moves farthest away from its path; `None` if that is not visible. `poses` are
    /// those of the motion below and of the result at `times`.
    pub fn leg_moved(&self, times: &[f64], poses: &[Vec<Pose>; 2]) -> Option<SideEffect> {
        let compared = self.compared(times, poses);
        let legs = self.roles.legs.iter().filter(|leg| is_known(self.skeleton, leg));
        // The foot's joint may not be a descendant of the shin.
        let joints: Vec<usize> = legs.flat_map(|leg| [leg.foot, leg.shin, leg.thigh]).collect();
        let distances = joints.iter().flat_map(|&joint| {
            (0..times.len()).map(move |i| {
                let [from, to] = [0, 1].map(|side| poses[side][i].world_from_joint(self.skeleton, joint).translation);
                (from.distance(to), joint, i)
            })
        });
        let (distance, joint, i) = distances.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (distance > LEG_MAX_RATIO * compared.size).then(|| SideEffect::LegMoves {
            joint: self.skeleton.joints[joint].name.clone(),
            metres: distance * self.metres_per_unit,
            time: times[i],
        })
    }

    /// Returns the frame times (seconds) of both `clips` at `fps`, up to the end of the shorter one and at most [`MAX_FRAMES`],
    /// and the poses of each. Returns `None` for a clip of another skeleton.
    fn sampled(&self, clips: [&Clip; 2], fps: f64) -> Option<(Vec<f64>, [Vec<Pose>; 2])> {
        if clips.iter().any(|clip| clip.check_fits(self.skeleton).is_err()) {
            return None;
        }
        let mut times = frame_times(clips[0], [], fps);
        times.retain(|&time| time <= clips[1].duration + 1e-6);
        times.truncate(MAX_FRAMES);
        let poses = clips.map(|clip| times.iter().map(|&time| clip.pose_at(self.skeleton, time)).collect());
        Some((times, poses))
    }

    /// Returns the number of frames in which a knee bends to the other side than usual in `before`: of `before` and of `after`,
    /// both sampled at `fps`. Returns `None` for a clip of another skeleton, or if the rig has no hips or no legs.
    pub fn flipped_knees(&self, before: &Clip, after: &Clip, fps: f64) -> Option<[usize; 2]> {
        let (times, poses) = self.sampled([before, after], fps)?;
        let compared = self.compared(&times, &poses);
        let legs = self.roles.legs.iter().filter(|leg| is_known(self.skeleton, leg));
        let flips = legs.filter_map(|leg| compared.knee_flips(leg)).map(|flips| flips.map(|frames| frames.len()));
        flips.reduce(|all, leg| [0, 1].map(|side| all[side] + leg[side]))
    }

    /// Returns the quantile `share` (0…1) of the distances between the positions of hips, head and hands in `before` and in
    /// `after`, over all frames at `fps`. The unit is the size of the rest pose. Returns `None` for a clip of another skeleton,
    /// or if no such joint is known.
    pub fn moved(&self, before: &Clip, after: &Clip, fps: f64, share: f64) -> Option<f64> {
        let (times, poses) = self.sampled([before, after], fps)?;
        let size = extent(self.skeleton, &Pose::rest(self.skeleton));
        let joints = self.roles.hips.iter().chain(&self.roles.head).chain(&self.roles.hands);
        let joints: Vec<usize> = joints.copied().filter(|&joint| joint < self.skeleton.len()).collect();
        let [before, after] = poses;
        let distance = |i: usize, joint: usize| {
            let [from, to] =
                [&before[i], &after[i]].map(|pose| pose.world_from_joint(self.skeleton, joint).translation);
            from.distance(to)
        };
        let all = (0..times.len()).flat_map(|i| joints.iter().map(move |&joint| distance(i, joint)));
        let mut all: Vec<f64> = all.filter(|distance| distance.is_finite()).collect();
        all.sort_by(f64::total_cmp);
        let last = all.len().checked_sub(1).filter(|_| size > 0.0)?;
        Some(all[(share * last as f64).round() as usize] / size)
    }

    /// Returns the comparison of both `poses`. Its size is the largest extent of the body before the correction, world units.
    fn compared<'a>(&'a self, times: &'a [f64], poses: &'a [Vec<Pose>; 2]) -> Compared<'a> {
        let size = poses[0].iter().map(|pose| extent(self.skeleton, pose)).fold(0.0, f64::max);
        Compared { body: self, times, poses, size }
    }
}

impl Compared<'_> {
    /// Returns the first leg whose knee bends to the other side in more frames than before, by at least [`FLIPPED_MIN_SHARE`]
    /// of all frames; `None` if there is none.
    fn knee_effect(&self) -> Option<SideEffect> {
        let skeleton = self.body.skeleton;
        let flips = |leg: &Leg| {
            let [before, after] = self.knee_flips(leg)?;
            let first = *after.iter().find(|frame| !before.contains(frame))?;
            let frames = after.len().saturating_sub(before.len());
            (frames > 0 && frames as f64 >= FLIPPED_MIN_SHARE * self.times.len() as f64).then(|| {
                SideEffect::KneeFlips { joint: skeleton.joints[leg.shin].name.clone(), frames, time: self.times[first] }
            })
        };
        self.body.roles.legs.iter().filter(|leg| is_known(skeleton, leg)).find_map(flips)
    }

    /// Returns the frames in which the knee of `leg` bends to the other side than usual before the correction: before it and
    /// after it. Returns `None` without hips.
    fn knee_flips(&self, leg: &Leg) -> Option<[Vec<usize>; 2]> {
        let skeleton = self.body.skeleton;
        let hips = self.body.roles.hips.filter(|&hips| hips < skeleton.len())?;
        let side = |pose: &Pose| {
            let turn = turn_of(&pose.world_from_joint(skeleton, hips));
            Some(turn.inverse() * knee_side(skeleton, leg, pose)?)
        };
        let sides = self.poses.each_ref().map(|poses| poses.iter().map(side).collect::<Vec<_>>());
        let usual: DVec3 = sides[0].iter().flatten().sum();
        let flipped = |sides: &[Option<DVec3>]| -> Vec<usize> {
            let is_flipped = |side: &Option<DVec3>| side.is_some_and(|side| side.dot(usual) < 0.0);
            sides.iter().enumerate().filter(|(_, side)| is_flipped(side)).map(|(i, _)| i).collect()
        };
        Some(sides.each_ref().map(|sides| flipped(sides)))
    }

    /// Returns the joint whose local rotation jumps most in one frame, if that is visibly more than its largest jump before;
    /// `None` if no joint does.
    fn jump_effect(&self) -> Option<SideEffect> {
        let joints = &self.body.skeleton.joints;
        let step = |poses: &[Pose], joint: usize, [from, to]: [usize; 2]| {
            let [from, to] = [from, to].map(|i| poses[i].locals[joint].rotation.as_dquat().normalize());
            from.angle_between(to).to_degrees()
        };
        let last = self.times.len().checked_sub(1)?;
        let steps =
            |poses: &[Pose], joint: usize| -> Vec<f64> { (1..=last).map(|i| step(poses, joint, [i - 1, i])).collect() };
        let worst = |joint: usize| {
            let [before, after] = self.poses;
            let mut cycle = steps(before, joint);
            cycle.push(step(before, joint, [last, 0]));
            let own = (0..cycle.len()).map(|i| beyond_neighbours(&cycle, i)).fold(0.0, f64::max);
            let after = steps(after, joint);
            let jumps = (0..after.len()).map(|i| (beyond_neighbours(&after, i), i + 1));
            let (degrees, i) = jumps.max_by(|a, b| a.0.total_cmp(&b.0))?;
            (degrees > OWN_JUMP_RATIO * own + TURN_MAX_EXCESS_DEGREES).then_some((degrees, joint, self.times[i]))
        };
        let (degrees, joint, time) = (0..joints.len()).filter_map(worst).max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(SideEffect::Jumps { joint: joints[joint].name.clone(), degrees, time })
    }

    /// Returns the joint whose world position jumps most in one frame, if that is visibly more than its largest jump before;
    /// `None` if no joint does or with fewer than two frames.
    fn displacement_effect(&self) -> Option<SideEffect> {
        let skeleton = self.body.skeleton;
        let paths = |poses: &[Pose]| -> Vec<Vec<DVec3>> {
            let mut world: Vec<Affine3A> = Vec::new();
            let positions = poses.iter().map(|pose| {
                pose.world_from_joints(skeleton, &mut world);
                world.iter().map(|joint| joint.translation.as_dvec3()).collect()
            });
            positions.collect()
        };
        let [before, after] = self.poses.each_ref().map(|poses| paths(poses));
        let frame = self.times.get(1)? - self.times[0];
        let unseen = DISPLACED_MAX_RATIO * self.size * (30.0 * frame).max(1.0);
        let jumps = |path: &[Vec<DVec3>], joint: usize| -> Vec<f64> {
            let steps: Vec<f64> = path.windows(2).map(|pair| pair[0][joint].distance(pair[1][joint])).collect();
            (0..steps.len()).map(|i| beyond_neighbours(&steps, i)).collect()
        };
        let worst = |joint: usize| {
            let own = jumps(&before, joint).into_iter().fold(0.0, f64::max);
            let (jump, i) = jumps(&after, joint).into_iter().zip(1..).max_by(|a, b| a.0.total_cmp(&b.0))?;
            (jump > OWN_JUMP_RATIO * own + unseen).then_some((jump, joint, self.times[i]))
        };
        let (jump, joint, time) = (0..skeleton.len()).filter_map(worst).max_by(|a, b| a.0.total_cmp(&b.0))?;
        let joint = skeleton.joints[joint].name.clone();
        Some(SideEffect::Displaced { joint, metres: jump * self.body.metres_per_unit, time })
    }

    /// Returns the frame in which the correction changes the step of the body most abruptly, if that exceeds
    /// [`MOVE_MAX_RATIO`]; `None` if no frame does or without hips.
    fn travel_effect(&self) -> Option<SideEffect> {
        let skeleton = self.body.skeleton;
        let body = self.body.roles.body(skeleton)?;
        let at = |side: usize, i: usize| self.poses[side][i].world_from_joint(skeleton, body).translation;
        // Travel that is added or removed at a steady speed is no jump.
        let step = |i: usize| (at(1, i) - at(0, i)) - (at(1, i - 1) - at(0, i - 1));
        let jumps = (2..self.times.len()).map(|i| (step(i).distance(step(i - 1)), i));
        let (distance, i) = jumps.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let effect = SideEffect::Moves { metres: distance * self.body.metres_per_unit, time: self.times[i] };
        (distance > MOVE_MAX_RATIO * self.size).then_some(effect)
    }

    /// Returns [`SideEffect::Sinks`] if the lowest point of the whole motion is visibly deeper in the ground than
    /// before the correction. Returns [`SideEffect::Floats`] if that point is visibly above the ground and higher
    /// than before. `None` otherwise, and without ground or a known body.
    fn height_effect(&self) -> Option<SideEffect> {
        let lowest = |poses: &Vec<Pose>| {
            poses.iter().filter_map(|pose| self.height(pose)).min_by(f64::total_cmp).filter(|height| height.is_finite())
        };
        let [before, after] = [lowest(&self.poses[0])?, lowest(&self.poses[1])?];
        let size = self.size * self.body.metres_per_unit;
        let depths = [before, after].map(|height| (-height).max(0.0));
        if depths[1] > depths[0] + SINK_MAX_RATIO * size {
            return Some(SideEffect::Sinks { metres: depths });
        }
        (after > before.max(FLOAT_MIN_RATIO * size) + SINK_MAX_RATIO * size)
            .then_some(SideEffect::Floats { metres: after })
    }

    /// Returns the height of the lowest joint of the body, or of the lowest mesh point, above the ground, metres; `None`
    /// without ground or a known body.
    fn height(&self, pose: &Pose) -> Option<f64> {
        let ComparedBody { skeleton, roles, points, metres_per_unit: unit, ground } = *self.body;
        let mut world: Vec<Affine3A> = Vec::new();
        pose.world_from_joints(skeleton, &mut world);
        let mut body = roles.trunk_and_limbs(skeleton);
        let legs = roles.legs.iter().filter(|leg| is_known(skeleton, leg));
        // The joints of a foot include the tips of its toes.
        body.extend(legs.flat_map(|leg| [leg.thigh, leg.shin].into_iter().chain(skeleton.subtree(leg.foot))));
        let joint = body.iter().min_by(|&&a, &&b| world[a].translation.y.total_cmp(&world[b].translation.y))?;
        let position = world[*joint].translation.as_dvec3();
        let lowest = lowest(skeleton, points, pose).map_or(position.y, |height| height.min(position.y));
        Some(lowest * unit - ground(position * unit)?)
    }
}

/// True if thigh, shin and foot are joints of `skeleton`.
fn is_known(skeleton: &Skeleton, leg: &Leg) -> bool {
    [leg.thigh, leg.shin, leg.foot].iter().all(|&joint| joint < skeleton.len())
}

/// Returns the excess of step `i` over the largest of the two steps before it and the two after it, negative if it is smaller;
/// 0 with fewer than two of them.
fn beyond_neighbours(steps: &[f64], i: usize) -> f64 {
    let neighbours = || (i.saturating_sub(2)..steps.len().min(i + 3)).filter(|&other| other != i);
    if neighbours().count() < 2 { 0.0 } else { steps[i] - neighbours().map(|other| steps[other]).fold(0.0, f64::max) }
}

/// Returns the unit direction in which the knee deviates from the line between hip and ankle; `None` if it is nearly straight.
fn knee_side(skeleton: &Skeleton, leg: &Leg, pose: &Pose) -> Option<DVec3> {
    let [hip, knee, ankle] = [leg.thigh, leg.shin, leg.foot].map(|at| pose.world_from_joint(skeleton, at).translation);
    let side = (knee - hip).reject_from((ankle - hip).try_normalize()?);
    (side.length() > KNEE_SIDE_MIN_RATIO * knee.distance(hip)).then(|| side.normalize())
}

/// Returns the largest extent of the joints along x, y or z, world units; 0 if a position is not finite.
fn extent(skeleton: &Skeleton, pose: &Pose) -> f64 {
    let mut world: Vec<Affine3A> = Vec::new();
    pose.world_from_joints(skeleton, &mut world);
    let positions = || world.iter().map(|joint| joint.translation);
    let (low, high) = positions()
        .fold((glam::Vec3A::INFINITY, glam::Vec3A::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    let extent = f64::from((high - low).max_element());
    if extent.is_finite() { extent } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;
    use glam::{Quat, Vec3};

    /// Returns a leg below hips at 0.95 m with a bent knee, and its roles.
    fn leg() -> (Skeleton, Roles) {
        let rows = [("hips", None), ("thigh", Some(0)), ("shin", Some(1)), ("foot", Some(2))];
        let mut skeleton = skeleton_of(&rows);
        let offsets = [Vec3::Y * 0.95, Vec3::X * 0.1, Vec3::new(0.0, -0.43, 0.15), Vec3::new(0.0, -0.44, -0.15)];
        skeleton.joints.iter_mut().zip(offsets).for_each(|(joint, offset)| joint.rest.translation = offset);
        let roles =
            Roles { hips: Some(0), legs: vec![Leg { thigh: 1, shin: 2, foot: 3, toe: None }], ..Roles::default() };
        (skeleton, roles)
    }

    /// Returns the first side effect of a change of the rest pose in eight frames.
    fn effect(change: impl Fn(usize, &mut Pose)) -> Option<SideEffect> {
        let (skeleton, roles) = leg();
        let body = ComparedBody {
            skeleton: &skeleton,
            roles: &roles,
            points: &[],
            metres_per_unit: 1.0,
            ground: &|_| Some(0.0),
        };
        let before = vec![Pose::rest(&skeleton); 8];
        let mut after = before.clone();
        after.iter_mut().enumerate().for_each(|(i, pose)| change(i, pose));
        body.side_effect_of_poses(&(0..8).map(|i| f64::from(i) / 30.0).collect::<Vec<_>>(), &[before, after])
    }

    #[test]
    fn every_kind_of_damage_is_found_and_small_changes_are_not() {
        assert_eq!(effect(|_, _| {}), None);
        assert_eq!(effect(|_, pose| pose.locals[1].rotation = Quat::from_rotation_x(0.05)), None);
        let turned = |_: usize, pose: &mut Pose| pose.locals[1].rotation = Quat::from_rotation_y(3.1);
        assert!(matches!(effect(turned), Some(SideEffect::KneeFlips { frames: 8, .. })), "{:?}", effect(turned));
        let turned_to = |angles: [f32; 8]| {
            move |i: usize, pose: &mut Pose| pose.locals[3].rotation = Quat::from_rotation_x(angles[i])
        };
        let jump = effect(turned_to([0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5]));
        let is_jump = |effect: &SideEffect| matches!(effect, SideEffect::Jumps { degrees, time, .. } if (degrees - 28.65).abs() < 0.01 && (time - 4.0 / 30.0).abs() < 1e-9);
        assert!(jump.as_ref().is_some_and(is_jump), "{jump:?}");
        // A joint that turns fast over several frames does not jump.
        assert_eq!(effect(turned_to([0.0, 0.0, 0.5, 1.0, 1.5, 1.5, 1.5, 1.5])), None);
        let moved = |i: usize, pose: &mut Pose| pose.locals[0].translation.z = if i == 3 { 0.3 } else { 0.0 };
        assert!(matches!(effect(moved), Some(SideEffect::Moves { .. })), "{:?}", effect(moved));
        let sunk = |_: usize, pose: &mut Pose| pose.locals[0].translation.y -= 0.3;
        assert!(matches!(effect(sunk), Some(SideEffect::Sinks { .. })), "{:?}", effect(sunk));
        let risen = |_: usize, pose: &mut Pose| pose.locals[0].translation.y += 3.5;
        assert!(matches!(effect(risen), Some(SideEffect::Floats { .. })), "{:?}", effect(risen));
    }

    #[test]
    fn flipped_knees_and_moved_hips_are_counted() {
        let (skeleton, roles) = leg();
        let ground = |_: DVec3| Some(0.0);
        let body =
            ComparedBody { skeleton: &skeleton, roles: &roles, points: &[], metres_per_unit: 1.0, ground: &ground };
        let mut before = Clip { name: "stand".into(), duration: 1.0, tracks: Vec::new() };
        before.tracks.resize_with(4, Default::default);
        let mut after = before.clone();
        // From 0.5 s on the thigh is turned about its own length and the hips are 0.1 m higher.
        let half = |from: Quat, to: Quat| crate::Curve::linear(vec![0.0, 0.49, 0.5, 1.0], vec![from, from, to, to]);
        after.tracks[1].rotation = Some(half(Quat::IDENTITY, Quat::from_rotation_y(3.1)));
        let at = skeleton.joints[0].rest.translation;
        let path = vec![at, at, at + Vec3::Y * 0.1, at + Vec3::Y * 0.1];
        after.tracks[0].translation = Some(crate::Curve::linear(vec![0.0, 0.49, 0.5, 1.0], path));
        assert_eq!(body.flipped_knees(&before, &after, 10.0), Some([0, 6]));
        assert_eq!(body.flipped_knees(&before, &before, 10.0), Some([0, 0]));
        // The leg is 0.87 m long from hips to foot.
        let moved = body.moved(&before, &after, 10.0, 0.95).unwrap();
        assert!((moved - 0.1 / 0.87).abs() < 1e-5, "{moved}");
        assert_eq!(body.moved(&before, &before, 10.0, 0.95), Some(0.0));
    }

    #[test]
    fn a_tip_of_a_toe_below_the_foot_counts_as_part_of_the_body() {
        let (mut skeleton, roles) = leg();
        skeleton.joints.push(crate::Joint { parent: Some(3), ..skeleton.joints[3].clone() });
        skeleton.joints[4].rest.translation = Vec3::Z * 0.3;
        let body = ComparedBody {
            skeleton: &skeleton,
            roles: &roles,
            points: &[],
            metres_per_unit: 1.0,
            ground: &|_| Some(0.0),
        };
        let poses = |turn: f32| {
            let mut pose = Pose::rest(&skeleton);
            pose.locals[3].rotation = Quat::from_rotation_x(turn);
            vec![pose; 8]
        };
        let times: Vec<f64> = (0..8).map(|i| f64::from(i) / 30.0).collect();
        let effect = |turn: f32| body.side_effect_of_poses(&times, &[poses(0.0), poses(turn)]);
        // The foot is 0.08 m above the ground, so the tip is 0.3 · sin 0.6 − 0.08 m = 0.089 m deep.
        let is_depth = |[before, after]: [f64; 2]| before == 0.0 && (after - 0.0894).abs() < 1e-3;
        assert!(matches!(effect(0.6), Some(SideEffect::Sinks { metres }) if is_depth(metres)), "{:?}", effect(0.6));
        assert_eq!(effect(0.1), None);
    }
}
