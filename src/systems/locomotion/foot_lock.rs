//! Standing feet are held where they stand, and let go softly.
//!
//! All frames are known, so every stand is found first and given one place (as footskate is cleaned up by Kovar, Schreiner and
//! Gleicher 2002); between two stands the correction runs smoothly from one to the next, or fades where the swing is long.
//! The hips come down where a leg would be too short, well before and after, so that no knee pops.

use std::ops::Range;

use glam::{DQuat, DVec3, Vec3};

use super::foot_plants::{self, FootContacts, FootPlant, ReleaseLimits};
use super::near_ground::{self, Sight};
use super::{Input, Settings};
use crate::anim::chain_ik::{put_in_world, turn_in_world};
use crate::anim::contacts::per_frame;
use crate::anim::ik::{LegPlace, LegTurns, hinge, solve_leg};
use crate::anim::root_motion::turn_of;
use crate::anim::{Leg, Pose};

/// How far the hips come down at most, as a share of the leg.
const LOWEST: f64 = 0.15;

/// How far a step is raised at most, as a share of the leg: higher, the ankle comes to the hip, where no knee can be bent.
const HIGHEST: f64 = 0.35;

/// How straight a leg gets that is led to another place than its clip's, as a share of its length, and how far away that is.
const STRAIGHTEST: f64 = 0.97;
const LED: f64 = 0.04;

/// How often stands are lengthened by what is seen beside them: each time the way between them becomes another.
const LOOKS: usize = 4;

/// How far below the hip an ankle stays at least, as a share of the leg, unless its clip has it higher: from there up the knee
/// would turn over.
const BELOW_HIP: f64 = 0.4;

/// How often what a stretched bone throws off is made up for at most; each time about a tenth of it is left.
const REFINEMENTS: usize = 6;

/// What came of holding the feet.
#[derive(Clone, Debug)]
pub(super) struct LockedFeet {
    /// Per leg and frame whether the foot was held.
    pub standing: Vec<Vec<bool>>,
    /// Per frame the metres by which a leg fell short of its plant.
    pub gaps: Vec<f64>,
}

/// Holds the standing feet of `poses` and then leans each body by `leans`, over feet that stay.
pub(super) fn lock(
    input: &Input,
    settings: &Settings,
    contacts: &FootContacts,
    leans: &dyn Fn(usize, &mut Pose),
    poses: &mut [Pose],
) -> LockedFeet {
    let legs = input.legs();
    let unit = input.metres_per_unit;
    let size = near_ground::size(input);
    let mut steps: Vec<Range<usize>> = Vec::new();
    let mut feet: Vec<Vec<FootTarget>> = Vec::new();
    let mut standing: Vec<Vec<bool>> = Vec::new();
    for (k, leg) in legs.iter().enumerate() {
        let frames = LegFrames { input, settings, leg, poses, soles: soles(input, leg, poses), size };
        let mut plants = foot_plants::find(contacts, k, &frames.soles, unit, settings.fps);
        foot_plants::part(&mut plants, &mut steps, settings.fps);
        let (plants, offsets) = frames.held(contacts, plants);
        let frames: Vec<Range<usize>> = plants.iter().map(|plant| plant.frames.clone()).collect();
        standing.push(per_frame(&frames, poses.len()));
        let target = |(pose, offset): (&Pose, DVec3)| FootTarget::new(input, leg, pose, offset);
        feet.push(poses.iter().zip(offsets).map(target).collect());
    }
    poses.iter_mut().enumerate().for_each(|(i, pose)| leans(i, pose));
    lower_hips(input, settings, &legs, &feet, poses);
    let gaps = (0..poses.len())
        .map(|i| {
            let gaps = legs.iter().zip(&feet).zip(&standing).map(|((leg, targets), standing)| {
                let gap = reach(input, leg, &targets[i], &mut poses[i]);
                if standing[i] { gap * input.metres_per_unit } else { 0.0 }
            });
            gaps.fold(0.0, f64::max)
        })
        .collect();
    LockedFeet { standing, gaps }
}

/// One leg at every frame before it is held.
struct LegFrames<'a> {
    input: &'a Input<'a>,
    settings: &'a Settings,
    leg: &'a Leg,
    poses: &'a [Pose],
    /// Where the sole is in each frame, in the file's unit.
    soles: Vec<DVec3>,
    /// Of the body, metres.
    size: f64,
}

impl LegFrames<'_> {
    /// Whether the leg reaches a place for its sole at a frame.
    fn within(&self, frame: usize, place: DVec3) -> bool {
        let leg = leg_place(self.input, self.leg, &self.poses[frame]);
        let ankle = leg.ankle + place - self.soles[frame];
        ankle.y <= leg.hip.y - BELOW_HIP * leg.length() && drop_needed(&leg, ankle).is_some()
    }

    /// What is left of `plants` within reach, as long as each is seen to stand, and what is added to the sole at each frame.
    fn held(&self, contacts: &FootContacts, mut plants: Vec<FootPlant>) -> (Vec<FootPlant>, Vec<DVec3>) {
        let (unit, fps, count) = (self.input.metres_per_unit, self.settings.fps, self.poses.len());
        let within = |frame: usize, place: DVec3| self.within(frame, place);
        let is_fixed = |plant: &FootPlant| contacts.anchors.iter().any(|anchor| plant.frames.contains(anchor));
        for plant in plants.iter_mut().filter(|plant| !is_fixed(plant)) {
            plant.shift_within(&self.soles, &within, contacts.ground);
        }
        foot_plants::keep_reachable(&mut plants, count, &within);
        let length = self.poses.first().map_or(0.0, |pose| leg_place(self.input, self.leg, pose).length());
        let release = (self.settings.release * fps).max(1.0);
        let limits = ReleaseLimits { release, metres_per_unit: unit, highest: HIGHEST * length };
        let step = (foot_plants::QUICKEST * fps).ceil() as usize;
        let mut offsets = self.offsets(&plants, contacts, limits);
        for look in 0.. {
            let soles: Vec<DVec3> = self.soles.iter().zip(&offsets).map(|(sole, offset)| *sole + *offset).collect();
            let ground = contacts.ground;
            let sight =
                Sight { soles: &soles, ground, speeds: contacts.speeds, metres_per_unit: unit, fps, size: self.size };
            if look == LOOKS || !sight.lengthen(&mut plants, step) {
                sight.peel(&plants, &mut offsets);
                break;
            }
            foot_plants::keep_reachable(&mut plants, count, &within);
            offsets = self.offsets(&plants, contacts, limits);
        }
        (plants, offsets)
    }

    /// What is added to the sole at each frame for `plants`, on the way between them only as much of it as the leg reaches.
    fn offsets(&self, plants: &[FootPlant], contacts: &FootContacts, limits: ReleaseLimits) -> Vec<DVec3> {
        let mut offsets = foot_plants::offsets(plants, &self.soles, contacts, limits);
        let is_held = |frame: usize| plants.iter().any(|plant| plant.frames.contains(&frame));
        for (frame, offset) in offsets.iter_mut().enumerate() {
            let leg = leg_place(self.input, self.leg, &self.poses[frame]);
            let reaches = |share: f64| drop_needed(&leg, leg.ankle + *offset * share).is_some();
            if !is_held(frame) && !reaches(1.0) {
                // The clip's own place is always within reach.
                let (mut near, mut far) = (0.0, 1.0);
                for _ in 0..20 {
                    let middle = 0.5 * (near + far);
                    if reaches(middle) { near = middle } else { far = middle }
                }
                *offset *= near;
            }
        }
        offsets
    }
}

/// Where an ankle and its sole go in one frame, and how the foot is turned, in the world.
struct FootTarget {
    ankle: DVec3,
    sole: DVec3,
    turn: DQuat,
}

impl FootTarget {
    fn new(input: &Input, leg: &Leg, pose: &Pose, offset: DVec3) -> Self {
        let foot = pose.world_from_joint(input.skeleton, leg.foot);
        let place = leg_place(input, leg, pose);
        let highest = (place.hip.y - BELOW_HIP * place.length()).max(foot.translation.y);
        let raised = foot.translation + offset;
        let ankle = raised.with_y(raised.y.min(highest));
        Self { ankle, sole: sole(input, leg, pose) + ankle - foot.translation, turn: turn_of(&foot) }
    }
}

/// World place of a leg's sole at every frame.
pub(super) fn soles(input: &Input, leg: &Leg, poses: &[Pose]) -> Vec<DVec3> {
    poses.iter().map(|pose| sole(input, leg, pose)).collect()
}

fn sole(input: &Input, leg: &Leg, pose: &Pose) -> DVec3 {
    pose.world_from_joint(input.skeleton, leg.toe.unwrap_or(leg.foot)).translation
}

fn leg_place(input: &Input, leg: &Leg, pose: &Pose) -> LegPlace {
    let at = |joint: usize| pose.world_from_joint(input.skeleton, joint).translation;
    LegPlace { hip: at(leg.thigh), knee: at(leg.shin), ankle: at(leg.foot) }
}

/// Brings the hips down so that every target is within reach, evenly over a tenth of a second around each such frame.
fn lower_hips(input: &Input, settings: &Settings, legs: &[&Leg], feet: &[Vec<FootTarget>], poses: &mut [Pose]) {
    let Some(hips) = input.roles.hips.filter(|&hips| hips < input.skeleton.len()) else { return };
    let needs: Vec<f64> = (0..poses.len())
        .map(|i| {
            legs.iter()
                .zip(feet)
                .filter_map(|(leg, targets)| drop_needed(&leg_place(input, leg, &poses[i]), targets[i].ankle))
                .fold(0.0, f64::max)
        })
        .collect();
    let width = (0.1 * settings.fps).ceil() as usize;
    let around = |i: usize, count: usize| i.saturating_sub(width)..(i + width + 1).min(count);
    let widest: Vec<f64> =
        (0..needs.len()).map(|i| needs[around(i, needs.len())].iter().copied().fold(0.0, f64::max)).collect();
    for (i, pose) in poses.iter_mut().enumerate() {
        let near = &widest[around(i, widest.len())];
        let down = near.iter().sum::<f64>() / near.len() as f64;
        if down <= 0.0 {
            continue;
        }
        let parent = input.skeleton.joints[hips].parent.map(|parent| pose.world_from_joint(input.skeleton, parent));
        let moved = parent.map_or(DVec3::NEG_Y * down, |parent| parent.matrix3.inverse() * (DVec3::NEG_Y * down));
        if moved.is_finite() {
            pose.locals[hips].translation += Vec3::new(moved.x as f32, moved.y as f32, moved.z as f32);
        }
    }
}

/// How far the hip has to come down so that the ankle reaches `target` without the leg getting straighter than it was; `None`
/// where that is more than a body stoops for a step.
fn drop_needed(leg: &LegPlace, target: DVec3) -> Option<f64> {
    let length = leg.length();
    let own = (leg.ankle - leg.hip).length();
    // Next to straight a knee snaps: a clip that is there itself may stay, what is led elsewhere has to come down.
    let led = ((target - leg.ankle).length() / (LED * length)).min(1.0);
    let most = own - (own - STRAIGHTEST * length).max(0.0) * led;
    // 95 %: up to here the leg solver goes exactly where it is told.
    let reach = most.max(0.95 * length) - 1e-6 * length;
    let flat = (target - leg.hip).with_y(0.0).length();
    let height = leg.hip.y - target.y;
    let down = (height - (reach * reach - flat * flat).max(0.0).sqrt()).max(0.0);
    (flat <= reach && down <= LOWEST * length).then_some(down)
}

/// Bends the leg of `pose` so that its ankle is at `target` and its foot turned so; answers what is left, world units.
fn reach(input: &Input, leg: &Leg, target: &FootTarget, pose: &mut Pose) -> f64 {
    let now = leg_place(input, leg, pose);
    if (target.ankle - now.ankle).length() <= 1e-7 * now.length() {
        return 0.0;
    }
    let turns = bend(input, leg, (&now, target.ankle), target.turn, pose);
    // A bone that its clip stretches shears what hangs on it, so that turns no longer lead where they should: what is left is made
    // up for until it cannot be seen. Legs that keep their lengths are there at once.
    let wanted = target.sole + now.turned(&turns).ankle - target.ankle;
    for _ in 0..REFINEMENTS {
        let left = wanted - sole(input, leg, pose);
        let now = leg_place(input, leg, pose);
        if left.length() <= 1e-5 * now.length() {
            break;
        }
        bend(input, leg, (&now, now.ankle + left), target.turn, pose);
    }
    turns.gap
}

/// Bends the leg of `pose`, which stands as told, so that its ankle comes to a place and its foot is turned so.
fn bend(input: &Input, leg: &Leg, (now, ankle): (&LegPlace, DVec3), turn: DQuat, pose: &mut Pose) -> LegTurns {
    let thigh = pose.world_from_joint(input.skeleton, leg.thigh);
    let turns = solve_leg(now, ankle, hinge(input.skeleton, leg, &thigh));
    turn_in_world(input.skeleton, pose, leg.thigh, turns.thigh);
    turn_in_world(input.skeleton, pose, leg.shin, turns.shin * turns.thigh.inverse());
    if leg.has_foot_apart(input.skeleton) {
        put_in_world(input.skeleton, pose, leg.foot, now.turned(&turns).ankle, turn);
    } else {
        let after = turn_of(&pose.world_from_joint(input.skeleton, leg.foot));
        turn_in_world(input.skeleton, pose, leg.foot, turn * after.inverse());
    }
    turns
}
