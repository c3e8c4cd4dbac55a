//! What one cycle carries the character on by: a turn about +Y and a way.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::Input;
use super::settings::Cycle;
use crate::anim::RootKind;
use crate::anim::root_motion::{headings, local_at, parent_at, path, rig_size, world_at, wrap};

/// The map from a place at the start of a cycle to the same place at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CycleMap {
    /// World from world.
    pub world: DAffine3,
    /// Radians about +Y.
    pub turn: f64,
}

/// Travel below this part of the body is drift.
const DRIFT: f64 = 0.01;
/// Turns of a root below this are drift, and those of hips sway; radians.
const LEAST_TURN: [f64; 2] = [0.02, 0.09];
/// A root rises by more than this part of the body where it climbs, 3.5 cm of a person, and hips by more than that, 9 cm: less is
/// where they are in their bobbing.
const LEAST_CLIMB: [f64; 2] = [0.02, 0.05];

impl CycleMap {
    /// The cycle of `input`, whose frames are at `times`, as `choice` says.
    pub fn new(input: &Input, choice: Cycle, times: &[f64]) -> Self {
        let none = Self { world: DAffine3::IDENTITY, turn: 0.0 };
        let Some(root) = input.root.filter(|_| choice != Cycle::InPlace) else { return none };
        let ends = [0.0, input.clip.duration];
        let heading = headings(input.skeleton, input.clip, root.joint, &ends);
        let [start, end] = ends.map(|time| world_at(input.skeleton, input.clip, root.joint, time).translation);
        let size = rig_size(input.skeleton);
        let is_hips = root.kind == RootKind::HipsGroundPart;
        let (mut turn, mut way) = (wrap(heading[1] - heading[0]), end - start);
        if choice == Cycle::Found {
            turn = if turn.abs() < LEAST_TURN[usize::from(is_hips)] { 0.0 } else { turn };
            let least = LEAST_CLIMB[usize::from(is_hips)] * size;
            way.y = if way.y.abs() > least.max(bobs(input, root.joint, times)) { way.y } else { 0.0 };
            let is_none = way.length() < DRIFT * size || is_tilted(input, root.joint);
            way = if turn == 0.0 && is_none { DVec3::ZERO } else { way };
        }
        let world = DAffine3::from_translation(start + way)
            * DAffine3::from_quat(DQuat::from_rotation_y(turn))
            * DAffine3::from_translation(-start);
        let is_none =
            turn == 0.0 && way == DVec3::ZERO || choice == Cycle::Found && feet_stay(input, root.joint, world);
        if is_none || !world.is_finite() { none } else { Self { world, turn } }
    }
}

/// Whether all feet hang beside `root` and end nearer to where they began than to where `world` leads from there: a body that is meant
/// to go on takes them along.
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

/// Whether `joint` and what is above it end where they began, each by its parent: then it was only tilted away by a turn above it.
fn is_tilted(input: &Input, joint: usize) -> bool {
    let moves = |joint: usize| {
        let ends = [0.0, input.clip.duration].map(|time| local_at(input.skeleton, input.clip, joint, time).translation);
        ends[0].distance(ends[1]) > 1e-5 * rig_size(input.skeleton) as f32
    };
    !input.skeleton.ancestors(joint).any(moves)
}

/// How far `joint` leaves the straight line from its first to its last height, up and down together: what climbs less only bobs.
fn bobs(input: &Input, joint: usize, times: &[f64]) -> f64 {
    let path = path(input.skeleton, input.clip, joint, times);
    let (Some(first), Some(last)) = (path.first(), path.last()) else { return 0.0 };
    let whole = (times[times.len() - 1] - times[0]).max(f64::MIN_POSITIVE);
    let line = |time: f64| first.y + (last.y - first.y) * (time - times[0]) / whole;
    let off = path.iter().zip(times).map(|(place, &time)| place.y - line(time));
    let [low, high] = off.fold([0.0; 2], |[low, high], off| [f64::min(low, off), f64::max(high, off)]);
    high - low
}

/// What a cycle does to a joint's own place, relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LocalMap {
    pub affine: DAffine3,
    pub turn: DQuat,
}

impl LocalMap {
    pub const NONE: Self = Self { affine: DAffine3::IDENTITY, turn: DQuat::IDENTITY };

    /// For each joint; only what carries the character, and what goes along beside it, is carried on.
    pub fn of_joints(input: &Input, cycle: &CycleMap) -> Vec<Self> {
        let mut maps = vec![Self::NONE; input.skeleton.len()];
        let Some(root) = input.root.filter(|_| cycle.world != DAffine3::IDENTITY) else { return maps };
        maps[root.joint] = Self::new(input, cycle, root.joint);
        for joint in (0..maps.len()).filter(|&joint| is_beside(input, joint, root.joint)) {
            let at = |time: f64| world_at(input.skeleton, input.clip, joint, time).translation;
            let (start, end) = (at(0.0), at(input.clip.duration));
            // Controls of hands and feet travel with the character, other things stay.
            if cycle.world.transform_point3(start).distance(end) < start.distance(end) {
                maps[joint] = Self::new(input, cycle, joint);
            }
        }
        maps
    }

    fn new(input: &Input, cycle: &CycleMap, joint: usize) -> Self {
        let parent = parent_at(input.skeleton, input.clip, joint, 0.0);
        let affine = parent.inverse() * cycle.world * parent;
        let turn = DQuat::from_mat3(&orthonormal(affine.matrix3));
        if affine.is_finite() && turn.is_finite() { Self { affine, turn } } else { Self::NONE }
    }
}

/// Whether `joint` moves by itself in the world, neither above nor below `root`.
fn is_beside(input: &Input, joint: usize, root: usize) -> bool {
    let skeleton = input.skeleton;
    let is_fixed = |parent: usize| skeleton.is_within(root, parent);
    input.clip.tracks[joint].translation.is_some()
        && !skeleton.is_within(joint, root)
        && !skeleton.is_within(root, joint)
        && skeleton.joints[joint].parent.is_none_or(is_fixed)
}

/// The turn in a map whose parent may be scaled.
fn orthonormal(map: DMat3) -> DMat3 {
    let x = map.x_axis.normalize_or(DVec3::X);
    let y = (map.y_axis - x * x.dot(map.y_axis)).normalize_or(x.any_orthonormal_vector());
    DMat3::from_cols(x, y, x.cross(y))
}
