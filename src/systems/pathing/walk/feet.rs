//! Standing feet are held where they stand, and let go softly.
//!
//! All frames are known, so every stand is found first and given one place (as footskate is cleaned up by Kovar, Schreiner and
//! Gleicher 2002); between two stands the correction runs smoothly from one to the next, or fades where the swing is long.
//! Where a foot would have to go from one stand straight into another, it takes a step in between, one foot after the other.
//! The hips come down where a leg would be too short, well before and after, so that no knee pops.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::{Input, Settings};
use crate::anim::chain_ik::turn_in_world;
use crate::anim::contacts::per_frame;
use crate::anim::ik::{LegPlace, hinge, solve_leg};
use crate::anim::root_motion::turn_of;
use crate::anim::{Leg, Pose};
use crate::math::easing::Easing;

/// What is known of the feet before they are held.
pub(super) struct Footing<'a> {
    /// Per leg and frame whether the playing clips let it stand.
    pub standing: &'a [Vec<bool>],
    /// Frames at which another clip's stand begins.
    pub breaks: &'a [usize],
    /// Height of the ground under a world point at a frame, and under the body; world units.
    pub ground: &'a dyn Fn(usize, DVec3) -> [f64; 2],
}

/// One foot standing in one place.
#[derive(Clone, Debug, PartialEq)]
struct Hold {
    frames: Range<usize>,
    place: DVec3,
    /// How high the foot is lifted on its way here, world units; 0 where its clip lifts it.
    lift: f64,
}

/// Seconds a step takes that no clip has.
const STEP: f64 = 0.3;
/// Metres between two stands up to which they are one.
const SAME: f64 = 0.03;

/// What came of holding the feet.
pub(super) struct Held {
    /// Per leg and frame whether the foot was held.
    pub standing: Vec<Vec<bool>>,
    /// Per frame the metres by which a leg fell short of its hold.
    pub gaps: Vec<f64>,
}

/// Holds the standing feet of `poses`.
pub(super) fn hold(input: &Input, settings: &Settings, footing: &Footing, poses: &mut [Pose]) -> Held {
    let legs = input.legs();
    let mut free_from = 0;
    let mut offsets: Vec<Vec<DVec3>> = Vec::new();
    let mut standing: Vec<Vec<bool>> = Vec::new();
    for (k, leg) in legs.iter().enumerate() {
        let soles = soles(input, leg, poses);
        let mut holds = holds(footing, k, &soles, input.metres_per_unit, settings.fps);
        part(&mut holds, &mut free_from, input.metres_per_unit, settings.fps);
        let frames: Vec<Range<usize>> = holds.iter().map(|hold| hold.frames.clone()).collect();
        standing.push(per_frame(&frames, poses.len()));
        let release = (settings.release * settings.fps).max(1.0);
        offsets.push(offsets_of(&holds, &soles, release));
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
    Held { standing, gaps }
}

/// World place of a leg's sole at every frame.
pub(super) fn soles(input: &Input, leg: &Leg, poses: &[Pose]) -> Vec<DVec3> {
    let joint = leg.toe.unwrap_or(leg.foot);
    poses.iter().map(|pose| pose.world_from_joint(input.skeleton, joint).translation).collect()
}

/// The stands of leg `k` in order, each at its own place.
fn holds(footing: &Footing, k: usize, soles: &[DVec3], metres_per_unit: f64, fps: f64) -> Vec<Hold> {
    let standing = &footing.standing[k];
    let count = soles.len();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for i in (0..count).filter(|&i| standing[i]) {
        match ranges.last_mut() {
            Some(range) if range.end == i && !footing.breaks.contains(&i) => range.end = i + 1,
            _ => ranges.push(i..i + 1),
        }
    }
    let lasts = |range: &Range<usize>| range.len() as f64 >= 0.05 * fps || range.start == 0 || range.end == count;
    ranges.retain(lasts);
    let mut holds: Vec<Hold> = Vec::new();
    for frames in ranges {
        let place = stand(footing, &frames, soles);
        match holds.last_mut() {
            Some(last) if last.frames.end == frames.start && last.place.distance(place) * metres_per_unit <= SAME => {
                last.frames.end = frames.end;
                last.place = if last.frames.start == 0 { last.place } else { place };
            }
            _ => holds.push(Hold { frames, place, lift: 0.0 }),
        }
    }
    holds
}

/// Where a foot stands during `frames`: as at the first or last frame of all, else where it is on average, on the ground.
fn stand(footing: &Footing, frames: &Range<usize>, soles: &[DVec3]) -> DVec3 {
    let on_ground = |i: usize, place: DVec3| {
        let [under_foot, under_body] = (footing.ground)(i, place);
        place.with_y(under_foot + soles[i].y - under_body)
    };
    if frames.end == soles.len() {
        return on_ground(soles.len() - 1, soles[soles.len() - 1]);
    }
    if frames.start == 0 {
        return on_ground(0, soles[0]);
    }
    let mean = soles[frames.clone()].iter().sum::<DVec3>() / frames.len() as f64;
    let middle = frames.start + frames.len() / 2;
    let placed = frames.clone().map(|i| on_ground(i, mean).y).fold(f64::INFINITY, f64::min);
    on_ground(middle, mean).with_y(placed)
}

/// Makes room for a step where one stand follows another at once.
fn part(holds: &mut [Hold], free_from: &mut usize, metres_per_unit: f64, fps: f64) {
    let frames = (STEP * fps).ceil() as usize;
    for i in 1..holds.len() {
        if holds[i].frames.start > holds[i - 1].frames.end {
            continue;
        }
        let start = holds[i].frames.start.max(*free_from);
        let way = holds[i].place.distance(holds[i - 1].place);
        if start + frames < holds[i].frames.end {
            holds[i - 1].frames.end = start;
            holds[i].frames.start = start + frames;
            // As high as a careful step, never above 8 cm.
            holds[i].lift = (0.3 * way).min(0.08 / metres_per_unit);
            *free_from = start + frames;
        }
    }
}

/// What is added to the sole at each frame.
fn offsets_of(holds: &[Hold], soles: &[DVec3], release: f64) -> Vec<DVec3> {
    let mut offsets = vec![DVec3::ZERO; soles.len()];
    for hold in holds {
        hold.frames.clone().for_each(|i| offsets[i] = hold.place - soles[i]);
    }
    let ends = [None].into_iter().chain(holds.iter().map(Some));
    let starts = holds.iter().map(Some).chain([None]);
    for (before, after) in ends.zip(starts) {
        let from = before.map_or(0, |hold| hold.frames.end);
        let to = after.map_or(soles.len(), |hold| hold.frames.start);
        let leave = before.map_or(DVec3::ZERO, |hold| hold.place - soles[hold.frames.end - 1]);
        let arrive = after.map_or(DVec3::ZERO, |hold| hold.place - soles[hold.frames.start]);
        let gap = (to + 1).saturating_sub(from) as f64;
        let soft = if before.is_some() && after.is_some() { release.min(gap) } else { release };
        for (i, offset) in offsets.iter_mut().enumerate().take(to).skip(from) {
            let past = (i + 1 - from) as f64;
            let out = 1.0 - Easing::Smoothstep.at(past / soft);
            let into = Easing::Smoothstep.at(1.0 - (gap - past) / soft);
            let lift = after.map_or(0.0, |hold| hold.lift) * (std::f64::consts::PI * past / gap).sin();
            *offset = leave * out + arrive * into + DVec3::Y * lift;
        }
    }
    offsets
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
                .map(|(leg, targets)| drop_needed(&leg_place(input, leg, &poses[i]), targets[i]))
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

/// How far the hip has to come down so that the ankle reaches `target` without the leg getting straighter than it was.
fn drop_needed(leg: &LegPlace, target: DVec3) -> f64 {
    // 95 %: up to here the leg solver goes exactly where it is told.
    let reach = (leg.ankle - leg.hip).length().max(0.95 * leg.length()) - 1e-6 * leg.length();
    let flat = (target - leg.hip).with_y(0.0).length();
    let height = leg.hip.y - target.y;
    let highest = (reach * reach - flat * flat).max(0.0).sqrt();
    // Never more than a third of the leg: a target far out of reach is reported, not crouched for.
    (height - highest).clamp(0.0, 0.33 * leg.length())
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
