//! A clip in place: its motion over the origin, and its removed travel.

use glam::{DAffine3, DQuat, DVec3, Quat};

use crate::locomotion::Input;
use portamento_anim::math::mean::{angle_between, slerp};
use portamento_anim::root_motion::{frame_times, rest_at, world_at};
use portamento_anim::root_synthesis;
use portamento_anim::{Clip, Pose, RootKind, RootMotion, Skeleton};

/// The joint that carries a character, and the character's front.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RootCarrier {
    pub root: Option<RootMotion>,
    /// Horizontal unit vector: the facing of the rest pose.
    pub front: DVec3,
}

/// Kind of travel that is removed from a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClipRole {
    /// A cycle: constant speed is removed.
    Cycle,
    /// A start: the travel from its first frame is removed.
    FromStand,
    /// A stop: the travel to its last frame is removed.
    ToStand,
}

/// A clip over the origin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InPlaceClip {
    pub clip: Clip,
    role: ClipRole,
    /// Rotation from the clip's direction of travel to the front, radians.
    turn: f64,
    /// True if the clip's own root travels.
    travels: bool,
    /// Slope of a cycle's own travel: metres up per metre forward.
    pub climb: f64,
    /// Seconds at which the path is sampled.
    pub times: Vec<f64>,
    /// Path of the body, world units, from the first frame.
    pub path: Vec<DVec3>,
    /// Per leg, its sole (toe, or ankle) over the origin with heights above the clip's own slope, world units.
    soles: Vec<Vec<DVec3>>,
    /// Joints of a cycle whose last key differs from the first, with the rotation from last to first.
    seam: Vec<(usize, Quat)>,
    metres_per_unit: f64,
}

/// Travel below which a clip counts as stationary, metres. Tuned; no derivation recorded.
const TRAVEL_MIN_M: f64 = 0.1;

impl InPlaceClip {
    /// Measures the travel of `clip` and the paths of its feet, so that it can be sampled in place. A cycle begins at the
    /// first key. If the root does not travel, the travel is read from the planted feet.
    pub fn new(input: &Input, carrier: &RootCarrier, clip: &Clip, role: ClipRole) -> Self {
        let clip = &if role == ClipRole::Cycle { without_lead(clip) } else { clip.clone() };
        let legs = input.legs();
        let chains = legs.iter().flat_map(|leg| input.skeleton.ancestors(leg.toe.unwrap_or(leg.foot)));
        let times = frame_times(clip, chains, 60.0);
        let root_path = root_path_of(input, carrier, clip, &times);
        // The net displacement decides: hips that sway in place move far but end where they began.
        let net_travel = |path: &[DVec3]| path.last().map_or(0.0, |end| end.distance(path[0]));
        let travels = net_travel(&root_path) * input.metres_per_unit >= TRAVEL_MIN_M;
        let synthesized = || synthesized_path(input, clip, &times);
        let path = if travels { root_path } else { synthesized().unwrap_or(root_path) };
        let travel = path.last().map_or(DVec3::ZERO, |&end| end - path[0]);
        let moves = travel.length() * input.metres_per_unit >= TRAVEL_MIN_M;
        let turn = if moves { yaw(carrier.front) - yaw(travel) } else { 0.0 };
        let metres_per_unit = input.metres_per_unit;
        let rises = role == ClipRole::Cycle && travels && moves;
        let climb = if rises { rise(input, carrier, clip) / travel.length() } else { 0.0 };
        let seam = if role == ClipRole::Cycle { seam(input.skeleton, clip) } else { Vec::new() };
        let (clip, soles) = (clip.clone(), Vec::new());
        let mut source = Self { clip, role, turn, travels, climb, times, path, soles, seam, metres_per_unit };
        let mut pose = Pose::default();
        let mut soles = vec![Vec::new(); legs.len()];
        for i in 0..source.times.len() {
            source.sample(input.skeleton, carrier, source.times[i], &mut pose);
            for (leg, points) in legs.iter().zip(&mut soles) {
                let sole = pose.world_from_joint(input.skeleton, leg.toe.unwrap_or(leg.foot)).translation;
                // Heights above the clip's own slope, so that they identify contacts.
                points.push(sole - DVec3::Y * (climb * sole.dot(carrier.front)));
            }
        }
        source.soles = soles;
        source
    }

    /// Returns the joint that turns most from the end of a cycle to its start, and its rotation in degrees; `None` if that is
    /// not visible.
    pub fn open_joint(&self, skeleton: &Skeleton) -> Option<(usize, f64)> {
        /// Rotation in one frame up to which a seam is not visible, degrees. Tuned; no derivation recorded.
        const OPEN_MIN_DEGREES: f64 = 5.0;
        let [first, last] = [0.0, self.clip.duration].map(|time| self.clip.pose_at(skeleton, time));
        let turn = |joint: usize| angle_between(first.locals[joint].rotation, last.locals[joint].rotation).to_degrees();
        let joints = (0..skeleton.len()).map(|joint| (joint, turn(joint)));
        joints.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|worst| worst.1 > OPEN_MIN_DEGREES)
    }

    /// Returns the straight distance from start to end, metres; 0 without a path.
    pub fn travel(&self) -> f64 {
        self.path.last().map_or(0.0, |&end| (end - self.path[0]).length()) * self.metres_per_unit
    }

    /// Returns the angle between the direction of travel and the front, 0…π radians.
    pub(super) fn off_front(&self) -> f64 {
        portamento_anim::root_motion::wrap(self.turn).abs()
    }

    /// Samples the pose at `time` (seconds) over the origin, facing the front.
    pub fn sample(&self, skeleton: &Skeleton, carrier: &RootCarrier, time: f64, pose: &mut Pose) {
        pose.set_rest(skeleton);
        self.clip.sample(skeleton, time, pose);
        let share = (time / self.clip.duration.max(1e-9)) as f32;
        for (joint, turn) in &self.seam {
            let local = &mut pose.locals[*joint];
            local.rotation = (slerp(Quat::IDENTITY, *turn, share) * local.rotation).normalize();
        }
        let gone = if self.travels { self.removed_travel(time) } else { DVec3::ZERO };
        if gone != DVec3::ZERO || self.turn != 0.0 {
            let turn = if self.travels { self.turn } else { 0.0 };
            let shift = DAffine3::from_rotation_y(turn) * DAffine3::from_translation(-gone);
            move_body(skeleton, carrier, &shift, pose);
        }
    }

    /// True if the clip's own root travels; false if the travel was read from the feet.
    pub fn travels(&self) -> bool {
        self.travels
    }

    /// Returns the number of legs.
    pub fn leg_count(&self) -> usize {
        self.soles.len()
    }

    /// Returns a leg's sole over the origin at clip `time` (seconds), world units.
    pub fn sole(&self, leg: usize, time: f64) -> DVec3 {
        point_at(&self.times, &self.soles[leg], time)
    }

    /// Returns a leg's sole at `time` (seconds) with the cycle's constant travel added, over any number of cycles, world
    /// units.
    pub(crate) fn sole_along_path(&self, leg: usize, time: f64) -> DVec3 {
        let cycles = time / self.clip.duration;
        let forward = self.path.last().map_or(DVec3::ZERO, |&end| end - self.path[0]);
        let turned = if self.travels { DQuat::from_rotation_y(self.turn) * forward } else { forward };
        self.sole(leg, time.rem_euclid(self.clip.duration)) + turned * cycles
    }

    /// Returns a leg's sole at clip `time` (seconds) with the travel of a start or stop clip added, world units. The
    /// character faces the front. The travel of a start counts from its first frame, that of a stop from its last, so
    /// it is negative before. Only travel along the straight line from start to end is added. Returns zero for a clip
    /// without a path.
    pub(super) fn sole_once(&self, leg: usize, time: f64) -> DVec3 {
        let (Some(&start), Some(&end)) = (self.path.first(), self.path.last()) else { return DVec3::ZERO };
        let ahead = (end - start).normalize_or_zero();
        let from = if self.role == ClipRole::FromStand { start } else { end };
        let gone = ahead * (point_at(&self.times, &self.path, time) - from).dot(ahead);
        let turned = if self.travels { DQuat::from_rotation_y(self.turn) * gone } else { gone };
        self.sole(leg, time) + turned
    }

    /// Returns the travel that is removed from the pose at `time` (seconds), world units.
    fn removed_travel(&self, time: f64) -> DVec3 {
        let (Some(&start), Some(&end)) = (self.path.first(), self.path.last()) else { return DVec3::ZERO };
        match self.role {
            ClipRole::Cycle => {
                let gone = (end - start) * (time / self.clip.duration.max(1e-9));
                start + gone + DVec3::Y * (self.climb * gone.length())
            }
            ClipRole::FromStand | ClipRole::ToStand => {
                let ahead = (end - start).normalize_or_zero();
                // The body keeps its sideways motion; where it stands, it is over the origin.
                let stand = if self.role == ClipRole::FromStand { start } else { end };
                stand + ahead * (point_at(&self.times, &self.path, time) - stand).dot(ahead)
            }
        }
    }
}

/// Returns the joints that turn from the end of a cycle to its start by 0.001 to 1 rad, each with that rotation. Spread over
/// the whole cycle it is invisible, in one frame it pops.
fn seam(skeleton: &Skeleton, clip: &Clip) -> Vec<(usize, Quat)> {
    /// Range in which a seam is closed, radians: less is no seam, more is no cycle.
    const SEAM_RADIANS: [f64; 2] = [1e-3, 1.0];
    let [first, last] = [0.0, clip.duration].map(|time| clip.pose_at(skeleton, time));
    let turn = |joint: usize| {
        let [from, to] = [&last, &first].map(|pose| pose.locals[joint].rotation);
        (joint, portamento_anim::math::mean::aligned((to * from.conjugate()).normalize(), Quat::IDENTITY))
    };
    let is_open =
        |(_, turn): &(usize, Quat)| (SEAM_RADIANS[0]..SEAM_RADIANS[1]).contains(&angle_between(Quat::IDENTITY, *turn));
    (0..skeleton.len()).map(turn).filter(is_open).collect()
}

/// Returns `clip` from its first key on; the still time before it does not belong to the cycle. A clip that is still for half
/// its length or longer is unchanged.
fn without_lead(clip: &Clip) -> Clip {
    let first = clip.key_times().filter_map(|times| times.first()).copied().fold(f32::INFINITY, f32::min);
    if !(first > 0.0 && f64::from(first) < 0.5 * clip.duration) {
        return clip.clone();
    }
    let mut clip = clip.clone();
    clip.duration -= f64::from(first);
    let earlier = |times: &mut Vec<f32>| times.iter_mut().for_each(|time| *time -= first);
    for tracks in &mut clip.tracks {
        tracks.translation.iter_mut().for_each(|curve| earlier(&mut curve.times));
        tracks.rotation.iter_mut().for_each(|curve| earlier(&mut curve.times));
        tracks.scale.iter_mut().for_each(|curve| earlier(&mut curve.times));
        tracks.morphs.iter_mut().for_each(|curve| earlier(&mut curve.times));
    }
    clip
}

/// Transforms the carrier, and so the whole body, by `shift` in world space. Does nothing without a carrier joint.
pub(crate) fn move_body(skeleton: &Skeleton, carrier: &RootCarrier, shift: &DAffine3, pose: &mut Pose) {
    let Some(root) = carrier.root else { return };
    let parent = skeleton.joints[root.joint].parent;
    let parent = parent.map_or(DAffine3::IDENTITY, |parent| pose.world_from_joint(skeleton, parent));
    let local = parent.inverse() * *shift * parent * pose.locals[root.joint].to_affine_f64();
    let (_, rotation, translation) = local.to_scale_rotation_translation();
    if rotation.is_finite() && translation.is_finite() {
        pose.locals[root.joint].rotation = rotation.normalize().as_quat();
        pose.locals[root.joint].translation = translation.as_vec3();
    }
}

/// Returns the yaw of `direction`, radians about +Y from +Z towards +X.
pub(crate) fn yaw(direction: DVec3) -> f64 {
    direction.x.atan2(direction.z)
}

/// Returns the carrier's ground-plane positions at `times` (seconds) relative to its rest position, world units. All are 0
/// without a carrier.
fn root_path_of(input: &Input, carrier: &RootCarrier, clip: &Clip, times: &[f64]) -> Vec<DVec3> {
    let Some(root) = carrier.root else { return vec![DVec3::ZERO; times.len()] };
    let rest = rest_at(input.skeleton, root.joint).translation;
    let at = |&time: &f64| (world_at(input.skeleton, clip, root.joint, time).translation - rest).with_y(0.0);
    times.iter().map(at).collect()
}

/// Returns the path read from the planted feet at `times` (seconds), world units; `None` without legs.
fn synthesized_path(input: &Input, clip: &Clip, times: &[f64]) -> Option<Vec<DVec3>> {
    let (synthesized, root) =
        root_synthesis::synthesize_root_motion(input.skeleton, clip, input.roles, 60.0, input.metres_per_unit).ok()?;
    let position = |clip: &Clip, time: f64| world_at(input.skeleton, clip, root.joint, time).translation;
    Some(times.iter().map(|&time| (position(&synthesized, time) - position(clip, time)).with_y(0.0)).collect())
}

/// Returns the height that the carrier gains over the clip, world units.
fn rise(input: &Input, carrier: &RootCarrier, clip: &Clip) -> f64 {
    let height = |root: RootMotion, time: f64| world_at(input.skeleton, clip, root.joint, time).translation.y;
    carrier.root.map_or(0.0, |root| height(root, clip.duration) - height(root, 0.0))
}
/// Returns the length of a path, in its own unit.
fn length(path: &[DVec3]) -> f64 {
    path.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}
/// Returns the point at `time` (seconds, clamped), interpolated between the samples at `times`.
fn point_at(times: &[f64], points: &[DVec3], time: f64) -> DVec3 {
    match portamento_anim::math::arc_length::locate(times, time) {
        Some((i, fraction)) => points[i].lerp(points[i + 1], fraction),
        None => points.first().copied().unwrap_or(DVec3::ZERO),
    }
}

impl RootCarrier {
    /// Finds the carrier joint of `input`'s clips and the facing of the rest pose.
    pub fn find(input: &Input) -> Self {
        let (skeleton, roles) = (input.skeleton, input.roles);
        let root = match (roles.root_motion, roles.hips) {
            // A carrier of the trunk alone would leave detached feet behind.
            (Some(joint), _) => {
                Some(RootMotion { joint: carrier(input, joint).unwrap_or(joint), kind: RootKind::Root })
            }
            (None, Some(hips)) => Some(Self::over_hips(input, hips)),
            (None, None) => input.clips.first().and_then(|clip| RootMotion::find(skeleton, clip, roles)),
        };
        Self { root: root.filter(|root| root.joint < skeleton.len()), front: front(input) }
    }

    /// Returns the joint above the hips that carries all feet, if the hips themselves do not. Otherwise returns the hips if
    /// some clip travels by them, else their parent joint if there is one.
    fn over_hips(input: &Input, hips: usize) -> RootMotion {
        if let Some(joint) = carrier(input, hips).filter(|joint| *joint != hips) {
            // Detached feet would stay behind if only the hips moved.
            return RootMotion { joint, kind: RootKind::Root };
        }
        let root = RootMotion { joint: hips, kind: RootKind::HipsGroundPart };
        let by_hips = Self { root: Some(root), front: DVec3::Z };
        let ends = |clip: &Clip| root_path_of(input, &by_hips, clip, &[0.0, clip.duration]);
        let travels = |clip: &&Clip| length(&ends(clip)) * input.metres_per_unit >= 3.0 * TRAVEL_MIN_M;
        match input.skeleton.joints[hips].parent {
            Some(joint) if !input.clips.iter().any(|clip| travels(&clip)) => RootMotion { joint, kind: RootKind::Root },
            _ => root,
        }
    }
}

/// Returns the lowest joint from `joint` upwards whose descendants include all feet. Returns `None` if no joint carries
/// all of them.
fn carrier(input: &Input, joint: usize) -> Option<usize> {
    let carries = |joint: &usize| input.legs().iter().all(|leg| input.skeleton.is_within(leg.foot, *joint));
    input.skeleton.ancestors(joint).find(carries)
}

/// Returns the rig's known facing as a horizontal unit vector. Otherwise it points from the ankles to the toes at rest, or
/// along +Z without toes.
fn front(input: &Input) -> DVec3 {
    if let Some(front) = input.roles.front {
        return front.direction();
    }
    let rest_position = |joint: usize| rest_at(input.skeleton, joint).translation;
    let foot = |leg: &portamento_anim::Leg| Some(rest_position(leg.toe?) - rest_position(leg.foot));
    let sum: DVec3 = input.legs().into_iter().filter_map(foot).sum();
    let flat = sum.with_y(0.0);
    if flat.length() * input.metres_per_unit > 0.02 { flat.normalize() } else { DVec3::Z }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seam_of_a_cycle_is_spread_over_the_full_cycle() {
        // The last key of a thumb differs from its first by 24°; no single frame shows the correction.
        let mut hero = portamento_test_support::hero();
        let roles = portamento_anim::Roles::find(&hero.skeleton, &hero.clips);
        let joint = hero.skeleton.len() - 1;
        let index = hero.clips.iter().position(|clip| clip.name == "walk").unwrap();
        let duration = hero.clips[index].duration as f32;
        for degrees in [24.0_f32, 50.0] {
            hero.clips[index].tracks[joint].rotation = Some(portamento_anim::Curve {
                interpolation: portamento_anim::curve::Interpolation::Linear,
                times: vec![0.0, duration].into(),
                values: vec![Quat::IDENTITY, Quat::from_rotation_x(degrees.to_radians())].into(),
            });
            let (skeleton, clips) = (&hero.skeleton, &hero.clips[..]);
            let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: None };
            let carrier = RootCarrier::find(&input);
            let cycle = InPlaceClip::new(&input, &carrier, &clips[index], ClipRole::Cycle);
            let turn = |time: f64| {
                let mut pose = Pose::default();
                cycle.sample(skeleton, &carrier, time, &mut pose);
                pose.locals[joint].rotation
            };
            let open = angle_between(turn(0.0), turn(f64::from(duration)));
            assert!(open.to_degrees() < 0.1, "{degrees}°: {}°", open.to_degrees());
        }
    }
}
