//! The position of the body: travel, height of the hips above the ground, and root motion.

use std::ops::Range;

use glam::{DQuat, DVec3};

use super::rest_feet::{LEVEL_RATIO, RestFeet, leg_length};
use super::transfer::{Transfer, world_rotations};
use super::{Body, Input, Settings};
use portamento_anim::chain_ik::put_in_world;
use portamento_anim::foot_contacts::{FootMotion, foot_contacts};
use portamento_anim::foot_place::{leg_positions, sole, sole_heights};
use portamento_anim::rig::chains::Limb;
use portamento_anim::root_motion::{rest_at, turn_of};
use portamento_anim::{Leg, Pose, RootKind, RootMotion};

/// The mapping from positions of the source to positions of the character.
pub(super) struct PositionMap<'a> {
    input: &'a Input<'a>,
    /// Travel of the character per unit of travel of the source.
    pub scale: f64,
    /// Height of the source's ground in the motion, in its unit.
    pub source_ground: f64,
    /// Rotation of the source to the facing direction of the character.
    pub facing: DQuat,
    hips: [Hips; 2],
    roots: Option<[Root; 2]>,
}

/// The hips at rest, in world space and the unit of their rig.
#[derive(Clone, Copy, Debug)]
struct Hips {
    joint: usize,
    position: DVec3,
    /// Height above the ground with straight legs.
    height: f64,
}

/// A root joint above the hips at rest, in world space and the unit of its rig.
#[derive(Clone, Copy, Debug)]
struct Root {
    joint: usize,
    position: DVec3,
    turn: DQuat,
}

/// Returns the joints that move the body: the hips and their ancestors.
pub(super) fn carriers(body: &Body) -> Vec<usize> {
    body.chains.first().map_or_else(Vec::new, |hips| body.skeleton.ancestors(hips.bones[0].joint).collect())
}

impl<'a> PositionMap<'a> {
    /// Creates the mapping from both rigs at rest. The source's ground follows from its poses `sources` at `times` (seconds).
    pub fn new(
        input: &'a Input<'a>,
        transfer: &Transfer,
        settings: &Settings,
        times: &[f64],
        sources: &[Pose],
    ) -> Self {
        let (source, target) = (&input.source, &input.target);
        let rests = [source, target].map(|body| Pose::rest(body.skeleton));
        let mut aligned = rests[1].clone();
        transfer.apply(&rests[0], &mut aligned);
        let scale = settings.scale.unwrap_or_else(|| leg_length_ratio(source, target));
        let hips = [hips(source, &rests[0]), hips(target, &aligned)];
        Self {
            scale,
            source_ground: moving_ground(source, times, sources),
            facing: transfer.facing,
            hips,
            roots: roots(input),
            input,
        }
    }

    /// Converts a displacement of the source to one of the character, each in its own world units.
    pub fn displacement(&self, displacement: DVec3) -> DVec3 {
        self.facing * displacement * self.scale
    }

    /// Returns the offset from the ankle to the toe of `followed`, converted to `leg` in the character's unit. Returns `None` if
    /// `leg` has a toe or `followed` has none.
    pub fn toe(&self, leg: &Leg, followed: &Leg) -> Option<DVec3> {
        let toe = followed.toe.filter(|_| leg.toe.is_none())?;
        let at = |joint: usize| rest_at(self.input.source.skeleton, joint).translation;
        Some(self.displacement(at(toe) - at(followed.foot)))
    }

    /// Moves and rotates the root joint of `pose`, a pose of the character, as in the source pose. Does nothing unless the
    /// root of the source moves and the character has one.
    pub(super) fn put_root(&self, source: &Pose, pose: &mut Pose) {
        let Some([from, to]) = self.roots else { return };
        let now = source.world_from_joint(self.input.source.skeleton, from.joint);
        let turned =
            self.facing * world_rotations(self.input.source.skeleton, source)[from.joint] * from.turn.inverse();
        let turn = turned * self.facing.inverse() * to.turn;
        let position = to.position + self.displacement(now.translation - from.position);
        put_in_world(self.input.target.skeleton, pose, to.joint, position, turn);
    }

    /// Places the hips of `pose`, a pose of the character, relative to the ground at height 0 as in the source pose.
    pub(super) fn put_hips(&self, source: &Pose, pose: &mut Pose) {
        let [from, to] = self.hips;
        let now = source.world_from_joint(self.input.source.skeleton, from.joint).translation;
        let displacement = self.displacement((now - from.position).with_y(0.0));
        let height = to.height + self.scale * (now.y - self.source_ground - from.height);
        let position = (to.position + displacement).with_y(height);
        let current = pose.world_from_joint(self.input.target.skeleton, to.joint).translation;
        move_body(&self.input.target, position - current, pose);
    }
}

/// Moves the full body of `pose` by `displacement` in world space.
pub(super) fn move_body(body: &Body, displacement: DVec3, pose: &mut Pose) {
    let hips = body.chains[0].bones[0].joint;
    let joint = body.roles.body(body.skeleton).unwrap_or(hips);
    let current = pose.world_from_joint(body.skeleton, joint);
    put_in_world(body.skeleton, pose, joint, current.translation + displacement, turn_of(&current));
}

/// Returns the character's leg length divided by the source's, or the ratio of trunk lengths for rigs without legs. Returns 1
/// without either, and the ratio of the units if a length is 0.
fn leg_length_ratio(source: &Body, target: &Body) -> f64 {
    let legs = |body: &Body| {
        let rest = Pose::rest(body.skeleton);
        let length = |leg: &Leg| leg_positions(body.skeleton, leg, &rest).length();
        let legs: Vec<f64> = body.roles.legs.iter().map(length).filter(|length| *length > 0.0).collect();
        (!legs.is_empty()).then(|| legs.iter().sum::<f64>() / legs.len() as f64)
    };
    let trunk = |body: &Body| {
        let at = |joint: usize| rest_at(body.skeleton, joint).translation;
        Some(at(body.roles.head?).distance(at(body.roles.hips?)))
    };
    let pair = legs(source).zip(legs(target)).or_else(|| trunk(source).zip(trunk(target)));
    let ratio = pair.map_or(1.0, |(source, target)| target / source);
    // If a length is 0, only the units are compared.
    if Settings::SCALES.contains(&ratio) { ratio } else { source.metres_per_unit / target.metres_per_unit }
}

/// Returns the hips of `body`. `pose` is its rest pose, possibly aligned.
fn hips(body: &Body, pose: &Pose) -> Hips {
    let joint = body.chains[0].bones[0].joint;
    let position = rest_at(body.skeleton, joint).translation;
    let lowest = body.roles.legs.iter().map(|leg| sole(body.skeleton, leg, pose).y).fold(f64::INFINITY, f64::min);
    let hips_height = pose.world_from_joint(body.skeleton, joint).translation.y;
    let height = RestFeet::measure(body).heights.iter().copied().fold(f64::INFINITY, f64::min) + hips_height - lowest;
    Hips { joint, position, height: if height.is_finite() { height } else { position.y } }
}

/// Returns the ground height of the source's motion in its unit, from its stances. Without stances, and if the trunk or the
/// arms are below them, as those of a body that lies with raised legs, it is height 0 or the ground of the rest pose. A
/// ground near height 0 counts as 0.
fn moving_ground(body: &Body, times: &[f64], poses: &[Pose]) -> f64 {
    let rest = RestFeet::measure(body);
    let soles = soles(body, poses);
    let stances = stances(body, &soles, times, poses);
    let of_foot = |(foot, ranges): (usize, &Vec<Range<usize>>)| {
        let heights = ranges.iter().flat_map(Clone::clone).map(|i| soles[foot][i].y - rest.heights[foot]);
        heights.collect::<Vec<f64>>()
    };
    let mut heights: Vec<f64> = stances.iter().enumerate().flat_map(of_foot).collect();
    heights.sort_by(f64::total_cmp);
    let limit = LEVEL_RATIO * leg_length(body);
    let lowest = lowest_above_legs(body, poses);
    let ground = heights.get(heights.len() / 2).copied().filter(|median| lowest >= median - limit);
    let ground = ground.unwrap_or_else(|| {
        let of_foot = |(soles, height): (&Vec<DVec3>, &f64)| {
            soles.iter().map(|sole| sole.y - height).fold(f64::INFINITY, f64::min)
        };
        let lowest = soles.iter().zip(&rest.heights).map(of_foot).fold(lowest, f64::min);
        if (lowest - rest.ground).abs() < lowest.abs() { rest.ground } else { 0.0 }
    });
    if ground.abs() <= limit { 0.0 } else { ground }
}

/// Returns the lowest world height in `poses` of a joint of trunk, head or arms, in the unit of `body`. Legs and tail are left
/// out. Returns infinity without poses.
fn lowest_above_legs(body: &Body, poses: &[Pose]) -> f64 {
    let is_leg = |limb: Limb| matches!(limb, Limb::Leg(..) | Limb::Foot(..) | Limb::Toe(..) | Limb::Tail);
    let chains = body.chains.iter().filter(|chain| !is_leg(chain.limb));
    let joints: Vec<usize> = chains.flat_map(|chain| chain.bones.iter().map(|bone| bone.joint)).collect();
    let mut world = Vec::new();
    let in_pose = |pose: &Pose| {
        pose.world_from_joints(body.skeleton, &mut world);
        joints.iter().map(|&joint| f64::from(world[joint].translation.y)).fold(f64::INFINITY, f64::min)
    };
    poses.iter().map(in_pose).fold(f64::INFINITY, f64::min)
}

/// Returns the world positions of each leg's sole in `poses`, in the unit of `body`.
pub(super) fn soles(body: &Body, poses: &[Pose]) -> Vec<Vec<DVec3>> {
    let of_leg = |leg: &Leg| poses.iter().map(|pose| sole(body.skeleton, leg, pose)).collect();
    body.roles.legs.iter().map(of_leg).collect()
}

/// Returns the ranges of frames in which each foot stands, one list for each leg. `soles` are the paths of the soles, and
/// `times` are in seconds.
pub(super) fn stances(body: &Body, soles: &[Vec<DVec3>], times: &[f64], poses: &[Pose]) -> Vec<Vec<Range<usize>>> {
    foot_contacts(&FootMotion {
        soles,
        heights: &sole_heights(body.skeleton, body.roles, &body.roles.legs.iter().collect::<Vec<_>>()),
        body: &hips_path(body, poses),
        times,
        metres_per_unit: body.metres_per_unit,
    })
}

/// Returns the world positions of the hips in `poses`, in the unit of `body`.
pub(super) fn hips_path(body: &Body, poses: &[Pose]) -> Vec<DVec3> {
    let hips = body.chains[0].bones[0].joint;
    poses.iter().map(|pose| pose.world_from_joint(body.skeleton, hips).translation).collect()
}

/// Returns the root joints of the source and of the character, if the source's root moves and the character has one.
fn roots(input: &Input) -> Option<[Root; 2]> {
    let (source, target) = (&input.source, &input.target);
    let found = RootMotion::find(source.skeleton, input.clip, source.roles)?;
    let is_limb = |body: &Body, joint: usize| {
        let mut bones = body.chains.iter().flat_map(|chain| &chain.bones);
        bones.any(|bone| bone.joint == joint)
    };
    let from = (found.kind == RootKind::Root && !is_limb(source, found.joint)).then_some(found.joint)?;
    let hips = target.chains[0].bones[0].joint;
    let to =
        target.roles.root_motion.filter(|&root| !is_limb(target, root) && target.skeleton.is_within(hips, root))?;
    let root = |body: &Body, joint: usize| Root {
        joint,
        position: rest_at(body.skeleton, joint).translation,
        turn: world_rotations(body.skeleton, &Pose::rest(body.skeleton))[joint],
    };
    Some([root(source, from), root(target, to)])
}
