//! Standing feet are held where they stand, and let go softly.
//!
//! All frames are known, so every stand is found first and given one place (as footskate is cleaned up by Kovar, Schreiner and
//! Gleicher 2002); between two stands the correction runs smoothly from one to the next, or fades where the swing is long.
//! The hips come down where a leg would be too short, well before and after, so that no knee pops.

use std::ops::Range;

use glam::{DQuat, DVec3, Vec3};

use super::foot_plants::{self, FootContacts, ReleaseLimits};
use super::{Input, Settings};
use crate::anim::chain_ik::{put_in_world, turn_in_world};
use crate::anim::contacts::per_frame;
use crate::anim::ik::{LegPlace, hinge, solve_leg};
use crate::anim::root_motion::turn_of;
use crate::anim::{Leg, Pose};

/// How far the hips come down at most, as a share of the leg.
const LOWEST: f64 = 0.15;

/// How far a step is raised at most, as a share of the leg: higher, the ankle comes to the hip, where no knee can be bent.
const HIGHEST: f64 = 0.35;

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
    let mut steps: Vec<Range<usize>> = Vec::new();
    let mut feet: Vec<Vec<FootTarget>> = Vec::new();
    let mut standing: Vec<Vec<bool>> = Vec::new();
    for (k, leg) in legs.iter().enumerate() {
        let soles = soles(input, leg, poses);
        let mut plants = foot_plants::find(contacts, k, &soles, unit, settings.fps);
        foot_plants::part(&mut plants, &mut steps, settings.fps);
        let within = |i: usize, place: DVec3| {
            let leg = leg_place(input, leg, &poses[i]);
            drop_needed(&leg, leg.ankle + place - soles[i]).is_some()
        };
        foot_plants::keep_reachable(&mut plants, poses.len(), &within);
        let frames: Vec<Range<usize>> = plants.iter().map(|plant| plant.frames.clone()).collect();
        standing.push(per_frame(&frames, poses.len()));
        let release = (settings.release * settings.fps).max(1.0);
        let highest = HIGHEST * poses.first().map_or(0.0, |pose| leg_place(input, leg, pose).length());
        let limits = ReleaseLimits { release, metres_per_unit: unit, highest };
        let offsets = foot_plants::offsets(&plants, &soles, contacts, limits);
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

/// Where an ankle goes in one frame, and how its foot is turned, in the world.
struct FootTarget {
    ankle: DVec3,
    turn: DQuat,
}

impl FootTarget {
    fn new(input: &Input, leg: &Leg, pose: &Pose, offset: DVec3) -> Self {
        let foot = pose.world_from_joint(input.skeleton, leg.foot);
        Self { ankle: foot.translation + offset, turn: turn_of(&foot) }
    }
}

/// World place of a leg's sole at every frame.
pub(super) fn soles(input: &Input, leg: &Leg, poses: &[Pose]) -> Vec<DVec3> {
    let joint = leg.toe.unwrap_or(leg.foot);
    poses.iter().map(|pose| pose.world_from_joint(input.skeleton, joint).translation).collect()
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
    // 95 %: up to here the leg solver goes exactly where it is told.
    let reach = (leg.ankle - leg.hip).length().max(0.95 * leg.length()) - 1e-6 * leg.length();
    let flat = (target - leg.hip).with_y(0.0).length();
    let height = leg.hip.y - target.y;
    let down = (height - (reach * reach - flat * flat).max(0.0).sqrt()).max(0.0);
    (flat <= reach && down <= LOWEST * leg.length()).then_some(down)
}

/// Bends the leg of `pose` so that its ankle is at `target` and its foot turned so; answers what is left, world units.
fn reach(input: &Input, leg: &Leg, target: &FootTarget, pose: &mut Pose) -> f64 {
    let now = leg_place(input, leg, pose);
    if (target.ankle - now.ankle).length() <= 1e-7 * now.length() {
        return 0.0;
    }
    let thigh = pose.world_from_joint(input.skeleton, leg.thigh);
    let turns = solve_leg(&now, target.ankle, hinge(input.skeleton, leg, &thigh));
    turn_in_world(input.skeleton, pose, leg.thigh, turns.thigh);
    turn_in_world(input.skeleton, pose, leg.shin, turns.shin * turns.thigh.inverse());
    if leg.has_foot_apart(input.skeleton) {
        put_in_world(input.skeleton, pose, leg.foot, now.turned(&turns).ankle, target.turn);
    } else {
        let after = turn_of(&pose.world_from_joint(input.skeleton, leg.foot));
        turn_in_world(input.skeleton, pose, leg.foot, target.turn * after.inverse());
    }
    turns.gap
}
