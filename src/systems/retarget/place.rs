//! Where the body is: how far the hips go, how high they are over the ground, and what goes into the root.

use glam::{DQuat, DVec3};

use super::rest_feet::{LEVEL, RestFeet, leg_length};
use super::transfer::{Transfer, turns};
use super::{Body, Input, Settings};
use crate::anim::chain_ik::put_in_world;
use crate::anim::foot_contacts::{Walker, foot_contacts};
use crate::anim::foot_place::{leg_place, sole, sole_heights};
use crate::anim::root_motion::{rest_at, turn_of};
use crate::anim::{Leg, Pose, RootKind, RootMotion};

/// How places of the source become places of the character.
pub(super) struct PlaceMap<'a> {
    input: &'a Input<'a>,
    /// Character's units travelled for each of the source.
    pub scale: f64,
    /// Height of the source's ground while it moves, its unit.
    pub source_ground: f64,
    pub facing: DQuat,
    hips: [Hips; 2],
    roots: Option<[Root; 2]>,
}

/// Hips at rest.
#[derive(Clone, Copy, Debug)]
struct Hips {
    joint: usize,
    place: DVec3,
    /// Over the ground, with straight feet on it.
    height: f64,
}

/// A joint above the hips that carries the character, at rest.
#[derive(Clone, Copy, Debug)]
struct Root {
    joint: usize,
    place: DVec3,
    turn: DQuat,
}

/// The joints that move the body: the hips and all above them.
pub(super) fn carriers(body: &Body) -> Vec<usize> {
    body.chains.first().map_or_else(Vec::new, |hips| body.skeleton.ancestors(hips.bones[0].joint).collect())
}

impl<'a> PlaceMap<'a> {
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
        let scale = settings.scale.unwrap_or_else(|| ratio(source, target));
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

    /// A way of the source as one of the character.
    pub fn way(&self, way: DVec3) -> DVec3 {
        self.facing * way * self.scale
    }

    /// Where the toe of `followed` would be on `leg` at rest, seen from the ankle, character's unit; `None` where `leg` has one or
    /// `followed` none.
    pub fn toe(&self, leg: &Leg, followed: &Leg) -> Option<DVec3> {
        let toe = followed.toe.filter(|_| leg.toe.is_none())?;
        let at = |joint: usize| rest_at(self.input.source.skeleton, joint).translation;
        Some(self.way(at(toe) - at(followed.foot)))
    }

    /// Moves the joint that carries the character, where both have one.
    pub(super) fn put_root(&self, source: &Pose, pose: &mut Pose) {
        let Some([from, to]) = self.roots else { return };
        let now = source.world_from_joint(self.input.source.skeleton, from.joint);
        let turned = self.facing * turns(self.input.source.skeleton, source)[from.joint] * from.turn.inverse();
        let turn = turned * self.facing.inverse() * to.turn;
        let place = to.place + self.way(now.translation - from.place);
        put_in_world(self.input.target.skeleton, pose, to.joint, place, turn);
    }

    /// Puts the hips where those of the source are, seen from the ground.
    pub(super) fn put_hips(&self, source: &Pose, pose: &mut Pose) {
        let [from, to] = self.hips;
        let now = source.world_from_joint(self.input.source.skeleton, from.joint).translation;
        let way = self.way((now - from.place).with_y(0.0));
        let height = to.height + self.scale * (now.y - self.source_ground - from.height);
        let place = (to.place + way).with_y(height);
        let here = pose.world_from_joint(self.input.target.skeleton, to.joint).translation;
        move_body(&self.input.target, place - here, pose);
    }
}

/// Moves the whole body of `pose` by `way` (world).
pub(super) fn move_body(body: &Body, way: DVec3, pose: &mut Pose) {
    let hips = body.chains[0].bones[0].joint;
    let joint = body.roles.body(body.skeleton).unwrap_or(hips);
    let here = pose.world_from_joint(body.skeleton, joint);
    put_in_world(body.skeleton, pose, joint, here.translation + way, turn_of(&here));
}

/// How much longer the legs are; without legs, the trunk.
fn ratio(source: &Body, target: &Body) -> f64 {
    let legs = |body: &Body| {
        let rest = Pose::rest(body.skeleton);
        let length = |leg: &Leg| leg_place(body.skeleton, leg, &rest).length();
        let legs: Vec<f64> = body.roles.legs.iter().map(length).filter(|length| *length > 0.0).collect();
        (!legs.is_empty()).then(|| legs.iter().sum::<f64>() / legs.len() as f64)
    };
    let trunk = |body: &Body| {
        let at = |joint: usize| rest_at(body.skeleton, joint).translation;
        Some(at(body.roles.head?).distance(at(body.roles.hips?)))
    };
    let pair = legs(source).zip(legs(target)).or_else(|| trunk(source).zip(trunk(target)));
    let ratio = pair.map_or(1.0, |(source, target)| target / source);
    // What has no length in one of both is compared by the units alone.
    if Settings::SCALES.contains(&ratio) { ratio } else { source.metres_per_unit / target.metres_per_unit }
}

/// The hips of `body` in `pose`, which is its rest, or that bent.
fn hips(body: &Body, pose: &Pose) -> Hips {
    let joint = body.chains[0].bones[0].joint;
    let place = rest_at(body.skeleton, joint).translation;
    let lowest = body.roles.legs.iter().map(|leg| sole(body.skeleton, leg, pose).y).fold(f64::INFINITY, f64::min);
    let here = pose.world_from_joint(body.skeleton, joint).translation.y;
    let height = RestFeet::measure(body).heights.iter().copied().fold(f64::INFINITY, f64::min) + here - lowest;
    Hips { joint, place, height: if height.is_finite() { height } else { place.y } }
}

/// The height of the ground on which the source moves, by the feet that stand.
fn moving_ground(body: &Body, times: &[f64], poses: &[Pose]) -> f64 {
    let at_rest = RestFeet::measure(body).heights;
    let soles = soles(body, poses);
    let standing = foot_contacts(&Walker {
        soles: &soles,
        heights: &standing_heights(body),
        body: &hips_path(body, poses),
        times,
        metres_per_unit: body.metres_per_unit,
    });
    let of_foot = |(foot, ranges): (usize, &Vec<std::ops::Range<usize>>)| {
        let heights = ranges.iter().flat_map(Clone::clone).map(|i| soles[foot][i].y - at_rest[foot]);
        heights.collect::<Vec<f64>>()
    };
    let mut heights: Vec<f64> = standing.iter().enumerate().flat_map(of_foot).collect();
    heights.sort_by(f64::total_cmp);
    let middle = heights.get(heights.len() / 2).copied().unwrap_or(0.0);
    if middle.abs() <= LEVEL * leg_length(body) { 0.0 } else { middle }
}

/// World places of each leg's sole in `poses`.
pub(super) fn soles(body: &Body, poses: &[Pose]) -> Vec<Vec<DVec3>> {
    let of_leg = |leg: &Leg| poses.iter().map(|pose| sole(body.skeleton, leg, pose)).collect();
    body.roles.legs.iter().map(of_leg).collect()
}

/// How high each sole is over the ground where it stands, see [`sole_heights`].
pub(super) fn standing_heights(body: &Body) -> Vec<f64> {
    sole_heights(body.skeleton, body.roles, &body.roles.legs.iter().collect::<Vec<_>>())
}

/// World places of the hips in `poses`.
pub(super) fn hips_path(body: &Body, poses: &[Pose]) -> Vec<DVec3> {
    let hips = body.chains[0].bones[0].joint;
    poses.iter().map(|pose| pose.world_from_joint(body.skeleton, hips).translation).collect()
}

/// The joints that carry both, where the source's moves and the character has one.
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
        place: rest_at(body.skeleton, joint).translation,
        turn: turns(body.skeleton, &Pose::rest(body.skeleton))[joint],
    };
    Some([root(source, from), root(target, to)])
}
