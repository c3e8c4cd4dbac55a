//! Standing feet are held where they stand, and let go softly.
//!
//! All frames are known, so every stand is found first and given one place (as footskate is cleaned up by Kovar, Schreiner and
//! Gleicher 2002); between two stands the correction runs smoothly from one to the next, or fades where the swing is long.
//! The hips come down where a leg would be too short, well before and after, so that no knee pops.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::foot_plants::{self, FootContacts, ReleaseLimits};
use super::{Input, Settings};
use crate::anim::chain_ik::turn_in_world;
use crate::anim::contacts::per_frame;
use crate::anim::ik::{LegPlace, hinge, solve_leg};
use crate::anim::root_motion::turn_of;
use crate::anim::{Leg, Pose};

/// How far the hips come down at most, as a share of the leg.
const LOWEST: f64 = 0.15;

/// What came of holding the feet.
#[derive(Clone, Debug)]
pub(super) struct LockedFeet {
    /// Per leg and frame whether the foot was held.
    pub standing: Vec<Vec<bool>>,
    /// Per frame the metres by which a leg fell short of its plant.
    pub gaps: Vec<f64>,
}

/// Holds the standing feet of `poses`.
pub(super) fn lock(input: &Input, settings: &Settings, contacts: &FootContacts, poses: &mut [Pose]) -> LockedFeet {
    let legs = input.legs();
    let unit = input.metres_per_unit;
    let mut free_from = 0;
    let mut offsets: Vec<Vec<DVec3>> = Vec::new();
    let mut standing: Vec<Vec<bool>> = Vec::new();
    for (k, leg) in legs.iter().enumerate() {
        let soles = soles(input, leg, poses);
        let mut plants = foot_plants::find(contacts, k, &soles, unit, settings.fps);
        foot_plants::part(&mut plants, &mut free_from, settings.fps);
        let ankles = targets(input, leg, poses, &vec![DVec3::ZERO; poses.len()]);
        let within = |i: usize, place: DVec3| {
            drop_needed(&leg_place(input, leg, &poses[i]), ankles[i] + place - soles[i]).is_some()
        };
        foot_plants::keep_reachable(&mut plants, poses.len(), &within);
        let frames: Vec<Range<usize>> = plants.iter().map(|plant| plant.frames.clone()).collect();
        standing.push(per_frame(&frames, poses.len()));
        let release = (settings.release * settings.fps).max(1.0);
        offsets.push(foot_plants::offsets(&plants, &soles, contacts, ReleaseLimits { release, metres_per_unit: unit }));
    }
    let ankles: Vec<Vec<DVec3>> =
        legs.iter().zip(&offsets).map(|(leg, moves)| targets(input, leg, poses, moves)).collect();
    lower_hips(input, settings, &legs, &ankles, poses);
    let gaps = (0..poses.len())
        .map(|i| {
            let gaps = legs.iter().zip(&ankles).zip(&standing).map(|((leg, targets), standing)| {
                let gap = reach(input, leg, targets[i], &mut poses[i]);
                if standing[i] { gap * input.metres_per_unit } else { 0.0 }
            });
            gaps.fold(0.0, f64::max)
        })
        .collect();
    LockedFeet { standing, gaps }
}

/// World place of a leg's sole at every frame.
pub(super) fn soles(input: &Input, leg: &Leg, poses: &[Pose]) -> Vec<DVec3> {
    let joint = leg.toe.unwrap_or(leg.foot);
    poses.iter().map(|pose| pose.world_from_joint(input.skeleton, joint).translation).collect()
}

fn targets(input: &Input, leg: &Leg, poses: &[Pose], offsets: &[DVec3]) -> Vec<DVec3> {
    let ankle = |pose: &Pose| pose.world_from_joint(input.skeleton, leg.foot).translation;
    poses.iter().zip(offsets).map(|(pose, &offset)| ankle(pose) + offset).collect()
}

fn leg_place(input: &Input, leg: &Leg, pose: &Pose) -> LegPlace {
    let at = |joint: usize| pose.world_from_joint(input.skeleton, joint).translation;
    LegPlace { hip: at(leg.thigh), knee: at(leg.shin), ankle: at(leg.foot) }
}

/// Brings the hips down so that every target is within reach, evenly over a tenth of a second around each such frame.
fn lower_hips(input: &Input, settings: &Settings, legs: &[&Leg], ankles: &[Vec<DVec3>], poses: &mut [Pose]) {
    let Some(hips) = input.roles.hips.filter(|&hips| hips < input.skeleton.len()) else { return };
    let needs: Vec<f64> = (0..poses.len())
        .map(|i| {
            legs.iter()
                .zip(ankles)
                .filter_map(|(leg, targets)| drop_needed(&leg_place(input, leg, &poses[i]), targets[i]))
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

/// Bends the leg of `pose` so that its ankle is at `target`, the foot turned as it was; answers what is left, world units.
fn reach(input: &Input, leg: &Leg, target: DVec3, pose: &mut Pose) -> f64 {
    let now = leg_place(input, leg, pose);
    if (target - now.ankle).length() <= 1e-7 * now.length() {
        return 0.0;
    }
    let thigh = pose.world_from_joint(input.skeleton, leg.thigh);
    let before = turn_of(&pose.world_from_joint(input.skeleton, leg.foot));
    let turns = solve_leg(&now, target, hinge(input.skeleton, leg, &thigh));
    turn_in_world(input.skeleton, pose, leg.thigh, turns.thigh);
    turn_in_world(input.skeleton, pose, leg.shin, turns.shin * turns.thigh.inverse());
    let after = turn_of(&pose.world_from_joint(input.skeleton, leg.foot));
    turn_in_world(input.skeleton, pose, leg.foot, before * after.inverse());
    turns.gap
}
