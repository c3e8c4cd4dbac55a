//! Planted feet stay planted: the rule of the root on each foot's own path, then the leg bent to it.
//!
//! A foot moves only in frames where both its ankle and its toe move; pivoting about either counts as standing. Its share of
//! the body's correction follows that length, so a foot that stands in the source stands in the result, without labels.
//! A foot in the air belongs to the body again: it is let go over [`RELEASE`] after it lifts and taken up as long before it
//! comes down, so that legs are not bent where nothing holds them.

use glam::{DQuat, DVec3, Quat};

use super::keys::{rotation_curve, turn_seen_from};
use super::path::{RigidCarry, WindowFrames};
use super::report::{Warning, WarningKind};
use super::settings::{FootPlants, PlantSpan, Settings};
use super::{Input, formula};
use crate::anim::contacts::{ContactLimits, contacts, per_frame};
use crate::anim::ik::{LegPlace, hinge, solve_leg};
use crate::anim::root_motion::{local_at, parent_at, path, world_at};
use crate::anim::{Clip, Leg};

/// Seconds over which a foot is let go and taken up: about half the swing of a walking step.
const RELEASE: f64 = 0.2;

/// How the body was moved, as the feet need it.
pub(super) struct BodyMotion<'a> {
    pub times: &'a [f64],
    pub windows: &'a [WindowFrames],
    /// What carries the source before each window, and after the last one.
    pub carries: &'a [RigidCarry],
    /// Radians added to the source's heading.
    pub yaws: &'a [f64],
    /// Units per second below which a foot counts as standing.
    pub dead_zone: f64,
    /// When feet stand.
    pub plants: &'a [FootPlants],
    /// Those among them that were set by hand.
    pub by_hand: &'a [FootPlants],
}

/// When the feet of `input` stand at `times`: as set by hand, else as found. `dead_zone` in units per second.
pub(super) fn plants(input: &Input, settings: &Settings, times: &[f64], dead_zone: f64) -> Vec<FootPlants> {
    let by_hand = |foot: usize| settings.plants.iter().find(|plants| plants.foot == foot).cloned();
    let found = |leg: &Leg| {
        let ankles = path(input.skeleton, input.clip, leg.foot, times);
        let toes = leg.toe.map(|toe| path(input.skeleton, input.clip, toe, times));
        let lengths = standing_lengths(&ankles, toes.as_deref(), times, dead_zone);
        let stands = standing(&ankles, &lengths, input.metres_per_unit, times);
        FootPlants::of_frames(leg.foot, &stands, times)
    };
    legs(input).map(|leg| by_hand(leg.foot).unwrap_or_else(|| found(leg))).collect()
}

/// The legs that can be bent: a foot beside its leg has keys of its own, which no turn of the leg moves.
fn legs<'i>(input: &'i Input) -> impl Iterator<Item = &'i Leg> {
    let count = input.skeleton.len();
    let is_known = move |leg: &&Leg| {
        [leg.thigh, leg.shin, leg.foot].into_iter().chain(leg.toe).all(|joint| joint < count)
            && leg.is_chain(input.skeleton)
    };
    input.roles.legs.iter().filter(is_known)
}

/// Bends every leg of `clip` (the source with its root already moved) to its foot's own path.
pub(super) fn plant(input: &Input, body: &BodyMotion, clip: &mut Clip, warnings: &mut Vec<Warning>) {
    legs(input).for_each(|leg| plant_one(input, body, leg, clip, warnings));
}

fn plant_one(input: &Input, body: &BodyMotion, leg: &Leg, clip: &mut Clip, warnings: &mut Vec<Warning>) {
    let places = foot_places(input, body, leg, warnings);
    // All three joints are read from one state of the clip, not from what this loop is about to write.
    let moved = clip.clone();
    let mut turns: [Vec<Quat>; 3] = Default::default();
    let joints = [leg.thigh, leg.shin, leg.foot];
    let mut worst: Option<(usize, f64)> = None;
    let mut changed = false;
    for (i, (&time, place)) in body.times.iter().zip(&places).enumerate() {
        let at = |joint: usize| world_at(input.skeleton, &moved, joint, time);
        let [thigh, shin, foot] = joints.map(at);
        let now = LegPlace { hip: thigh.translation, knee: shin.translation, ankle: foot.translation };
        let target = place.map_or(now.ankle, |place| place.ankle);
        let twist = place.map_or(0.0, |place| place.yaw - body.yaws[i]);
        let hold = place.map_or(0.0, |place| place.hold);
        // Rounding of the root's f32 keys must not touch a leg that has nothing to do.
        let at_rest = hold == 0.0 || (target - now.ankle).length() <= 1e-6 * now.length() && twist == 0.0;
        let solved = (!at_rest).then(|| solve_leg(&now, target, hinge(input.skeleton, leg, &thigh)));
        let world = solved.map_or([DQuat::IDENTITY; 3], |s| {
            [s.thigh, s.thigh.inverse() * s.shin, s.shin.inverse() * DQuat::from_rotation_y(twist)]
        });
        changed |= !at_rest;
        for (k, joint) in joints.into_iter().enumerate() {
            let local = local_at(input.skeleton, &moved, joint, time).rotation;
            let parent = parent_at(input.skeleton, &moved, joint, time);
            // Let go joint by joint: a target that fades would leave the reach of the leg and snap its knee.
            let held = || local.slerp(turn_seen_from(&parent, world[k], local), hold as f32);
            turns[k].push(if at_rest { local } else { held() });
        }
        let gap = solved.filter(|_| hold == 1.0).map_or(0.0, |solved| solved.gap);
        // Half a per cent of the leg: what the soft limit costs by design is not worth a word.
        if gap > 0.005 * now.length() && worst.is_none_or(|(_, largest)| gap > largest) {
            worst = Some((i, gap));
        }
    }
    // A leg with nothing to do keeps its tracks bit for bit.
    if changed {
        for (joint, values) in joints.into_iter().zip(turns) {
            clip.tracks[joint].rotation = Some(rotation_curve(&moved, joint, body.times, values));
        }
    }
    warnings.extend(worst.map(|(frame, gap)| Warning::new(WarningKind::LegTooShort, frame, gap).of(leg.foot)));
}

/// Where a foot shall stand.
#[derive(Clone, Copy)]
struct FootPlace {
    /// World position of the ankle.
    ankle: DVec3,
    /// Radians added to the source's heading.
    yaw: f64,
    /// How far the foot is held there, 0…1; the rest follows the body.
    hold: f64,
}

/// Where the foot shall be at each frame; `None` where it goes along with the body.
fn foot_places(input: &Input, body: &BodyMotion, leg: &Leg, warnings: &mut Vec<Warning>) -> Vec<Option<FootPlace>> {
    let ankles = path(input.skeleton, input.clip, leg.foot, body.times);
    let toes = leg.toe.map(|toe| path(input.skeleton, input.clip, toe, body.times));
    let lengths = standing_lengths(&ankles, toes.as_deref(), body.times, body.dead_zone);
    let of_leg = |all: &'_ [FootPlants]| all.iter().find(|plants| plants.foot == leg.foot).cloned();
    let spans = of_leg(body.plants).map_or(Vec::new(), |plants| plants.spans);
    let stands: Vec<bool> = body.times.iter().map(|&time| spans.iter().any(|span| span.holds(time))).collect();
    let holds = holds(&stands, body.times);
    let mut places: Vec<Option<FootPlace>> = vec![None; ankles.len()];
    for (k, window) in body.windows.iter().enumerate() {
        let (before, after) = (&body.carries[k], &body.carries[k + 1]);
        let range = window.first..=window.last;
        let carried: Vec<DVec3> = ankles[range.clone()].iter().map(|&ankle| before.apply(ankle)).collect();
        let target = after.apply(ankles[window.last]);
        let gauge = &lengths[range.clone()];
        let whole = gauge[gauge.len() - 1] - gauge[0];
        let missing = (target - carried[carried.len() - 1]).length();
        // A foot that stands throughout cannot get its share of a way that it never makes: it goes along.
        if whole <= 0.0 && missing > 0.0 {
            warnings.push(Warning::new(WarningKind::FootCarried, window.first, missing).of(leg.foot));
            continue;
        }
        let points = formula::displacement(&carried, gauge, target);
        for (i, point) in range.zip(points) {
            let share = if whole > 0.0 { (lengths[i] - gauge[0]) / whole } else { 0.0 };
            let yaw = before.yaw + (after.yaw - before.yaw) * share;
            places[i] = Some(FootPlace { ankle: point, yaw, hold: holds[i] });
        }
    }
    let by_hand = of_leg(body.by_hand).map_or(Vec::new(), |plants| plants.spans);
    by_hand.iter().for_each(|span| keep_still(&mut places, &lengths, span, body.times));
    places
}

/// A foot that the source slides over the ground stands where it came down, where it was said to stand.
fn keep_still(places: &mut [Option<FootPlace>], lengths: &[f64], span: &PlantSpan, times: &[f64]) {
    let frames: Vec<usize> = (0..times.len()).filter(|&i| span.holds(times[i])).collect();
    let (Some(&first), Some(&last)) = (frames.first(), frames.last()) else { return };
    let Some(down) = places[first].filter(|_| lengths[last] > lengths[first]) else { return };
    for i in frames {
        if let Some(place) = &mut places[i] {
            (place.ankle.x, place.ankle.z) = (down.ankle.x, down.ankle.z);
        }
    }
}

/// The frames in which the foot stands: low and slow, or on either side of a step that counts as none.
fn standing(ankles: &[DVec3], lengths: &[f64], metres_per_unit: f64, times: &[f64]) -> Vec<bool> {
    let limits = ContactLimits::default();
    let mut stands = per_frame(&contacts(ankles, times, metres_per_unit, &limits), ankles.len());
    for i in (1..lengths.len()).filter(|&i| lengths[i] == lengths[i - 1]) {
        stands[i - 1] = true;
        stands[i] = true;
    }
    stands
}

/// How far a foot is held at each frame, 1 where it `stands`, falling to 0 within [`RELEASE`] on both sides.
fn holds(stands: &[bool], times: &[f64]) -> Vec<f64> {
    let mut gaps = vec![f64::INFINITY; stands.len()];
    let mut last = f64::NEG_INFINITY;
    for i in 0..stands.len() {
        last = if stands[i] { times[i] } else { last };
        gaps[i] = times[i] - last;
    }
    let mut next = f64::INFINITY;
    for i in (0..stands.len()).rev() {
        next = if stands[i] { times[i] } else { next };
        gaps[i] = gaps[i].min(next - times[i]);
    }
    gaps.into_iter().map(|gap| smooth(1.0 - gap / RELEASE)).collect()
}

/// Level at both ends of 0…1.
fn smooth(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Length up to each frame, a step counting as the smaller of the ankle's and the toe's.
fn standing_lengths(ankles: &[DVec3], toes: Option<&[DVec3]>, times: &[f64], dead_zone: f64) -> Vec<f64> {
    let of = |points: &[DVec3]| formula::lengths(points, times, super::LengthMeasure::Full, dead_zone);
    let ankle = of(ankles);
    let toe = toes.map(of);
    let step = |lengths: &[f64], i: usize| lengths[i] - lengths[i - 1];
    let mut sum = 0.0;
    (0..ankle.len())
        .map(|i| {
            if i > 0 {
                sum += toe.as_ref().map_or(step(&ankle, i), |toe| step(&ankle, i).min(step(toe, i)));
            }
            sum
        })
        .collect()
}
