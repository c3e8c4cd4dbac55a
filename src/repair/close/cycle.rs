//! The transform of one cycle: a rotation about +Y and a translation.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::Input;
use super::settings::Cycle;
use portamento_anim::RootKind;
use portamento_anim::root_motion::{headings, local_at, parent_at, path, rig_size, world_at, wrap};

/// The transform from a position at the start of a cycle to the same position at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CycleMap {
    /// World to world.
    pub world: DAffine3,
    /// Rotation about +Y, radians.
    pub turn: f64,
}

/// Travel below this fraction of the body size is drift. Tuned; no derivation recorded.
const DRIFT_MAX_SIZE_RATIO: f64 = 0.01;
/// Rotation below which a root, or the hips, counts as drifting or swaying, radians: `[root, hips]`.
const TURN_MIN_RADIANS: [f64; 2] = [0.02, 0.09];
/// Rise above which a root, or the hips, counts as climbing, as a fraction of the body size: `[root, hips]`. For a person 3.5 cm
/// and 9 cm; less is bobbing.
const CLIMB_MIN_SIZE_RATIO: [f64; 2] = [0.02, 0.05];

/// Determinant of the equation of the axis below which a cycle is straight: a turn of 1e-6 radians.
const STRAIGHT_MAX_DETERMINANT: f64 = 1e-12;

impl CycleMap {
    /// Returns the cycle of `input`, with frames at `times` (seconds), as `choice` says. Returns the identity in place, without a
    /// root, and if the root neither travels nor turns visibly.
    pub fn new(input: &Input, choice: Cycle, times: &[f64]) -> Self {
        let none = Self { world: DAffine3::IDENTITY, turn: 0.0 };
        let Some(root) = input.root.filter(|_| choice != Cycle::InPlace) else { return none };
        let ends = [0.0, input.clip.duration];
        let heading = headings(input.skeleton, input.clip, root.joint, &ends);
        let [start, end] = ends.map(|time| world_at(input.skeleton, input.clip, root.joint, time).translation);
        let size = rig_size(input.skeleton);
        let is_hips = root.kind == RootKind::HipsGroundPart;
        let (mut turn, mut travel) = (wrap(heading[1] - heading[0]), end - start);
        if choice == Cycle::Found {
            turn = if turn.abs() < TURN_MIN_RADIANS[usize::from(is_hips)] { 0.0 } else { turn };
            let min_climb = CLIMB_MIN_SIZE_RATIO[usize::from(is_hips)] * size;
            travel.y =
                if travel.y.abs() > min_climb.max(bobbing_height(input, root.joint, times)) { travel.y } else { 0.0 };
            let is_none = travel.length() < DRIFT_MAX_SIZE_RATIO * size || is_tilted(input, root.joint);
            travel = if turn == 0.0 && is_none { DVec3::ZERO } else { travel };
        }
        let world = DAffine3::from_translation(start + travel)
            * DAffine3::from_quat(DQuat::from_rotation_y(turn))
            * DAffine3::from_translation(-start);
        let is_none =
            turn == 0.0 && travel == DVec3::ZERO || choice == Cycle::Found && feet_stay(input, root.joint, world);
        if is_none || !world.is_finite() { none } else { Self { world, turn } }
    }

    /// Returns the part `share` of the cycle: a rotation about a vertical axis with a proportional translation along it.
    ///
    /// ```text
    /// x → R(θ)·x + b,   axis through c with c = R(θ)·c + b in the ground plane
    /// part(s): x → R(s·θ)·(x − c) + c + s·b_y
    /// ```
    pub fn part(&self, share: f64) -> DAffine3 {
        let offset = self.world.translation;
        let (sin, cos) = self.turn.sin_cos();
        let determinant = 2.0 * (1.0 - cos);
        if determinant < STRAIGHT_MAX_DETERMINANT {
            return DAffine3::from_translation(share * offset);
        }
        let axis = DVec3::new(
            ((1.0 - cos) * offset.x + sin * offset.z) / determinant,
            0.0,
            ((1.0 - cos) * offset.z - sin * offset.x) / determinant,
        );
        DAffine3::from_translation(axis + DVec3::Y * (share * offset.y))
            * DAffine3::from_quat(DQuat::from_rotation_y(share * self.turn))
            * DAffine3::from_translation(-axis)
    }
}

/// True if all feet are independent of `root` and end nearer to their start than to the position to which `world` moves it. Feet
/// of a body that really travels move along. False without feet.
fn feet_stay(input: &Input, root: usize, world: DAffine3) -> bool {
    let skeleton = input.skeleton;
    let soles = input.roles.legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot)).filter(|&sole| sole < skeleton.len());
    let stays = |sole: usize| {
        let [start, end] =
            [0.0, input.clip.duration].map(|time| world_at(skeleton, input.clip, sole, time).translation);
        !skeleton.is_within(sole, root) && start.distance(end) <= world.transform_point3(start).distance(end)
    };
    let mut stay = soles.map(stays).peekable();
    stay.peek().is_some() && stay.all(|stays| stays)
}

/// True if `joint` and its ancestors end at their start position relative to their parents. The joint was then only tilted by a
/// rotation above it.
fn is_tilted(input: &Input, joint: usize) -> bool {
    let moves = |joint: usize| {
        let ends = [0.0, input.clip.duration].map(|time| local_at(input.skeleton, input.clip, joint, time).translation);
        ends[0].distance(ends[1]) > 1e-5 * rig_size(input.skeleton) as f32
    };
    !input.skeleton.ancestors(joint).any(moves)
}

/// Returns the range of the height of `joint` around the straight line from its first to its last height, world units. A smaller
/// climb is bobbing.
fn bobbing_height(input: &Input, joint: usize, times: &[f64]) -> f64 {
    let path = path(input.skeleton, input.clip, joint, times);
    let (Some(first), Some(last)) = (path.first(), path.last()) else { return 0.0 };
    let duration = (times[times.len() - 1] - times[0]).max(f64::MIN_POSITIVE);
    let line = |time: f64| first.y + (last.y - first.y) * (time - times[0]) / duration;
    let off = path.iter().zip(times).map(|(position, &time)| position.y - line(time));
    let [low, high] = off.fold([0.0; 2], |[low, high], off| [f64::min(low, off), f64::max(high, off)]);
    high - low
}

/// The transform of a cycle in the space of a joint's parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LocalMap {
    /// The transform, in the file's unit.
    pub affine: DAffine3,
    /// Its rotation.
    pub turn: DQuat,
}

impl LocalMap {
    pub const NONE: Self = Self { affine: DAffine3::IDENTITY, turn: DQuat::IDENTITY };

    /// Returns the transform of each joint. Only the root, and independent joints that travel with it, get one.
    pub fn of_joints(input: &Input, cycle: &CycleMap) -> Vec<Self> {
        let mut maps = vec![Self::NONE; input.skeleton.len()];
        let Some(root) = input.root.filter(|_| cycle.world != DAffine3::IDENTITY) else { return maps };
        maps[root.joint] = Self::new(input, cycle, root.joint);
        for joint in (0..maps.len()).filter(|&joint| is_independent(input, joint, root.joint)) {
            let at = |time: f64| world_at(input.skeleton, input.clip, joint, time).translation;
            let (start, end) = (at(0.0), at(input.clip.duration));
            // Controls of hands and feet travel with the character; other objects stay.
            if cycle.world.transform_point3(start).distance(end) < start.distance(end) {
                maps[joint] = Self::new(input, cycle, joint);
            }
        }
        maps
    }

    /// Returns the transform of `cycle` in the space of the parent of `joint` at the start; [`LocalMap::NONE`] if it is not
    /// finite.
    fn new(input: &Input, cycle: &CycleMap, joint: usize) -> Self {
        let parent = parent_at(input.skeleton, input.clip, joint, 0.0);
        let affine = parent.inverse() * cycle.world * parent;
        let turn = DQuat::from_mat3(&orthonormal(affine.matrix3));
        if affine.is_finite() && turn.is_finite() { Self { affine, turn } } else { Self::NONE }
    }
}

/// True if `joint` moves independently in the world and is neither an ancestor nor a descendant of `root`.
fn is_independent(input: &Input, joint: usize, root: usize) -> bool {
    let skeleton = input.skeleton;
    let is_fixed = |parent: usize| skeleton.is_within(root, parent);
    input.clip.tracks[joint].translation.is_some()
        && !skeleton.is_within(joint, root)
        && !skeleton.is_within(root, joint)
        && skeleton.joints[joint].parent.is_none_or(is_fixed)
}

/// Returns the rotation matrix of a matrix that may be scaled.
fn orthonormal(map: DMat3) -> DMat3 {
    let x = map.x_axis.normalize_or(DVec3::X);
    let y = (map.y_axis - x * x.dot(map.y_axis)).normalize_or(x.any_orthonormal_vector());
    DMat3::from_cols(x, y, x.cross(y))
}
