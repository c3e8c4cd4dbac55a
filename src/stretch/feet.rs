//! Keeps planted feet planted: the stretch formula on each foot's own path, then leg IK to that path.
//!
//! A foot moves only in frames in which both its ankle and its toe move; pivoting about either one counts as planted. A contact
//! gets no share of the correction, and a slide of the source in it moves to the next swing. The share of a swing follows its
//! length. A foot in the air follows the body, and so does one that its leg cannot reach. It is released over [`RELEASE_SECONDS`] after lift-off and taken up over the same time before touch-down, so
//! that legs are not bent while nothing holds them.

use glam::{DAffine3, DQuat, DVec3, Quat};

use super::keys::{rotation_curve, turned_in_world};
use super::path::{RigidCarry, WindowFrames};
use super::report::{Warning, WarningKind};
use super::settings::{FootPlants, Settings};
use super::{Input, formula};
use portamento_anim::contacts::{ContactLimits, contacts, per_frame};
use portamento_anim::ik::{LegPositions, hinge, solve_leg};
use portamento_anim::root_motion::{local_at, parent_at, path, world_at};
use portamento_anim::{Clip, Leg};

/// Release and take-up time of a foot in seconds: about half the swing of a walking step.
const RELEASE_SECONDS: f64 = 0.2;

/// Motion of the body, as input for the feet.
pub(super) struct BodyMotion<'a> {
    /// Time of each frame, seconds.
    pub times: &'a [f64],
    /// The windows in order of time.
    pub windows: &'a [WindowFrames],
    /// Rigid transform of the source before each window, and after the last one.
    pub carries: &'a [RigidCarry],
    /// Radians added to the source's heading.
    pub yaws: &'a [f64],
    /// Speed in units per second below which a foot counts as planted.
    pub dead_zone: f64,
    /// Contact intervals of the feet.
    pub plants: &'a [FootPlants],
}

/// Returns the contact intervals of the feet of `input`: set by hand or detected at `times` (seconds). `dead_zone` is in units per
/// second.
pub(super) fn plants(input: &Input, settings: &Settings, times: &[f64], dead_zone: f64) -> Vec<FootPlants> {
    let set_by_hand = |foot: usize| settings.plants.iter().find(|plants| plants.foot == foot).cloned();
    let detected = |leg: &Leg| {
        let ankles = path(input.skeleton, input.clip, leg.foot, times);
        let toes = leg.toe.map(|toe| path(input.skeleton, input.clip, toe, times));
        let lengths = foot_lengths(&ankles, toes.as_deref(), times, dead_zone);
        let is_planted = planted_frames(&ankles, &lengths, input.metres_per_unit, times);
        FootPlants::of_frames(leg.foot, &is_planted, times)
    };
    legs(input).map(|leg| set_by_hand(leg.foot).unwrap_or_else(|| detected(leg))).collect()
}

/// Returns the legs that can be bent. A foot that is not a descendant of its leg has its own keys, which leg IK does not move.
fn legs<'i>(input: &'i Input) -> impl Iterator<Item = &'i Leg> {
    let count = input.skeleton.len();
    let is_known = move |leg: &&Leg| {
        [leg.thigh, leg.shin, leg.foot].into_iter().chain(leg.toe).all(|joint| joint < count)
            && leg.is_chain(input.skeleton)
    };
    input.roles.legs.iter().filter(is_known)
}

/// Bends every leg of `clip` (the source with its root already moved) to its foot's path, and adds warnings about legs that cannot
/// follow.
pub(super) fn plant(input: &Input, body: &BodyMotion, clip: &mut Clip, warnings: &mut Vec<Warning>) {
    legs(input).for_each(|leg| plant_one(input, body, leg, clip, warnings));
}

/// Bends one leg to its foot's path, as [`plant`] does. A leg that needs no correction keeps its curves.
fn plant_one(input: &Input, body: &BodyMotion, leg: &Leg, clip: &mut Clip, warnings: &mut Vec<Warning>) {
    let mut targets = foot_targets(input, body, leg, warnings);
    // All joints are read from one copy of the clip, since the loop writes to the original.
    let moved = clip.clone();
    let joints = [leg.thigh, leg.shin, leg.foot];
    let frames: Vec<LegFrame> = body
        .times
        .iter()
        .map(|&time| LegFrame { joints: joints.map(|joint| world_at(input.skeleton, &moved, joint, time)) })
        .collect();
    warnings.extend(release_beyond_reach(&frames, &mut targets, body.times).map(|warning| warning.of(leg.foot)));
    let mut turns: [Vec<Quat>; 3] = Default::default();
    let mut changed = false;
    for (i, (&time, foot_target)) in body.times.iter().zip(&targets).enumerate() {
        let now = frames[i].positions();
        let target = foot_target.map_or(now.ankle, |foot_target| foot_target.ankle);
        let twist = foot_target.map_or(0.0, |foot_target| foot_target.yaw - body.yaws[i]);
        let hold = foot_target.map_or(0.0, |foot_target| foot_target.hold);
        // Rounding of the root's f32 keys must not change a leg without a correction.
        let at_rest = hold == 0.0 || (target - now.ankle).length() <= 1e-6 * now.length() && twist == 0.0;
        let solved = (!at_rest).then(|| solve_leg(&now, target, hinge(input.skeleton, leg, &frames[i].joints[0])));
        let world = solved.map_or([DQuat::IDENTITY; 3], |s| {
            [s.thigh, s.thigh.inverse() * s.shin, s.shin.inverse() * DQuat::from_rotation_y(twist)]
        });
        changed |= !at_rest;
        for (k, joint) in joints.into_iter().enumerate() {
            let local = local_at(input.skeleton, &moved, joint, time).rotation;
            let parent = parent_at(input.skeleton, &moved, joint, time);
            // Interpolated joint by joint: a fading target would exceed the leg's reach and make the knee pop.
            let weighted = || local.slerp(turned_in_world(&parent, world[k], local), hold as f32);
            turns[k].push(if at_rest { local } else { weighted() });
        }
    }
    // A leg without changes keeps its tracks bit for bit.
    if changed {
        for (joint, values) in joints.into_iter().zip(turns) {
            clip.tracks[joint].rotation = Some(rotation_curve(&moved, joint, body.times, values));
        }
    }
}

/// World transforms of thigh, shin and foot at a frame.
struct LegFrame {
    joints: [DAffine3; 3],
}

impl LegFrame {
    fn positions(&self) -> LegPositions {
        let [hip, knee, ankle] = [0, 1, 2].map(|joint| self.joints[joint].translation);
        LegPositions { hip, knee, ankle }
    }
}

/// Gap between a leg and its target, as a fraction of the leg, beyond which the foot follows the body.
const RELEASE_GAP_FRACTION: f64 = 0.05;

/// Fades out the targets around frames in which they are beyond the leg's reach: a leg that is pulled straight turns by the jump
/// of its body. `times` are the seconds of the frames. Returns the warning about the largest gap, or `None` if every gap is
/// invisible.
fn release_beyond_reach(frames: &[LegFrame], targets: &mut [Option<FootTarget>], times: &[f64]) -> Option<Warning> {
    let gap = |i: usize| {
        let (now, target) = (frames[i].positions(), targets[i].filter(|target| target.hold == 1.0)?);
        Some(((target.ankle - now.hip).length() / now.length() - 1.0, now.length()))
    };
    let gaps: Vec<Option<(f64, f64)>> = (0..frames.len()).map(gap).collect();
    let is_beyond: Vec<bool> = gaps.iter().map(|gap| gap.is_some_and(|gap| gap.0 > RELEASE_GAP_FRACTION)).collect();
    if is_beyond.contains(&true) {
        for (target, release) in targets.iter_mut().zip(weights(&is_beyond, times)) {
            target.iter_mut().for_each(|target| target.hold *= 1.0 - release);
        }
    }
    // Below 0.5 % of the leg it is the designed effect of the soft limit and not reported.
    let short = gaps.iter().enumerate().filter_map(|(i, gap)| Some((i, gap.filter(|gap| gap.0 > 0.005)?)));
    let worst = short.max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    Some(Warning::new(WarningKind::LegTooShort, worst.0, worst.1.0 * worst.1.1))
}

/// Target of a foot at one frame.
#[derive(Clone, Copy)]
struct FootTarget {
    /// World position of the ankle.
    ankle: DVec3,
    /// Radians added to the source's heading.
    yaw: f64,
    /// Weight of the target, 0…1; the remainder follows the body.
    hold: f64,
}

/// Returns the target of the foot at each frame; `None` where the foot follows the body. Adds a warning for each window in which
/// it must follow because it never moves.
fn foot_targets(input: &Input, body: &BodyMotion, leg: &Leg, warnings: &mut Vec<Warning>) -> Vec<Option<FootTarget>> {
    let ankles = path(input.skeleton, input.clip, leg.foot, body.times);
    let toes = leg.toe.map(|toe| path(input.skeleton, input.clip, toe, body.times));
    let lengths = foot_lengths(&ankles, toes.as_deref(), body.times, body.dead_zone);
    let spans = body.plants.iter().find(|plants| plants.foot == leg.foot).map_or(&[][..], |plants| &plants.spans);
    let is_planted: Vec<bool> = body.times.iter().map(|&time| spans.iter().any(|span| span.holds(time))).collect();
    let weights = weights(&is_planted, body.times);
    let mut targets: Vec<Option<FootTarget>> = vec![None; ankles.len()];
    for (k, window) in body.windows.iter().enumerate() {
        let (before, after) = (&body.carries[k], &body.carries[k + 1]);
        let range = window.first..=window.last;
        let part = FootPart {
            ankles: &ankles[range.clone()],
            lengths: &lengths[range.clone()],
            is_planted: &is_planted[range.clone()],
        };
        let moved: Vec<DVec3> =
            part.without_slides(window.last + 1 < ankles.len()).into_iter().map(|ankle| before.apply(ankle)).collect();
        let end = moved[moved.len() - 1];
        let target = end + (after.apply(ankles[window.last]) - before.apply(ankles[window.last]));
        let gauge = window.edges.soften(&part.swing_lengths(), &body.times[range.clone()]);
        let total = gauge[gauge.len() - 1] - gauge[0];
        let missing = (target - end).length();
        // A foot that never moves cannot distribute a correction, so it follows the body.
        if total <= 0.0 && missing > 0.0 {
            warnings.push(Warning::new(WarningKind::FootCarried, window.first, missing).of(leg.foot));
            continue;
        }
        let points = formula::displacement(&moved, &gauge, target);
        for ((i, point), length) in range.zip(points).zip(&gauge) {
            let share = if total > 0.0 { (length - gauge[0]) / total } else { 0.0 };
            let yaw = before.yaw + (after.yaw - before.yaw) * share;
            targets[i] = Some(FootTarget { ankle: point, yaw, hold: weights[i] });
        }
    }
    targets
}

/// A foot within a window. All slices have the same length and contain at least one frame.
struct FootPart<'a> {
    /// World positions of the ankle, in the file's unit.
    ankles: &'a [DVec3],
    /// Length up to each frame; pivoting does not count.
    lengths: &'a [f64],
    is_planted: &'a [bool],
}

impl FootPart<'_> {
    /// True if the foot is planted in the step from frame `i - 1` to `i`.
    fn is_contact(&self, i: usize) -> bool {
        self.is_planted[i - 1] && self.is_planted[i]
    }

    /// Returns the length up to each frame without the steps in contacts, so that a contact gets no part of the correction.
    /// Returns all lengths if the foot moves in contacts only.
    fn swing_lengths(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let swing: Vec<f64> = (0..self.lengths.len())
            .map(|i| {
                sum += if i == 0 || self.is_contact(i) { 0.0 } else { self.lengths[i] - self.lengths[i - 1] };
                sum
            })
            .collect();
        if sum > 0.0 { swing } else { self.lengths.to_vec() }
    }

    /// Returns the ankles with each contact at the position of its touch-down. The next swing makes up for the slide. `continues`
    /// is true if the clip has frames after the window; a contact at its end then keeps its slide.
    fn without_slides(&self, continues: bool) -> Vec<DVec3> {
        let last = self.ankles.len() - 1;
        let mut still = self.ankles.to_vec();
        let mut i = 1;
        while i <= last {
            let start = i - 1;
            while i <= last && self.is_contact(i) {
                i += 1;
            }
            let lift = i - 1;
            let mut slide = DVec3::ZERO;
            if lift < last || !continues {
                for (frame, ankle) in still.iter_mut().enumerate().take(lift + 1).skip(start + 1) {
                    slide += self.slide(frame);
                    *ankle -= slide;
                }
            }
            let swing_start = lift;
            while i <= last && !self.is_contact(i) {
                i += 1;
            }
            let down = i - 1;
            let swing = self.lengths[down] - self.lengths[swing_start];
            for (ankle, length) in still.iter_mut().zip(self.lengths).take(down + 1).skip(swing_start + 1) {
                let left = if swing > 0.0 { (self.lengths[down] - length) / swing } else { 0.0 };
                *ankle -= slide * left;
            }
        }
        still
    }

    /// Returns the horizontal movement in the step to `frame` without its part of a pivot, in the file's unit.
    fn slide(&self, frame: usize) -> DVec3 {
        let step = self.ankles[frame] - self.ankles[frame - 1];
        let length = step.length();
        let share =
            if length > 0.0 { ((self.lengths[frame] - self.lengths[frame - 1]) / length).min(1.0) } else { 0.0 };
        DVec3::new(step.x, 0.0, step.z) * share
    }
}

/// Returns for each frame whether the foot with its ankle at `ankles` is in contact: low and slow, or next to a step for which
/// its path length in `lengths` does not grow.
fn planted_frames(ankles: &[DVec3], lengths: &[f64], metres_per_unit: f64, times: &[f64]) -> Vec<bool> {
    let limits = ContactLimits::default();
    let mut is_planted = per_frame(&contacts(ankles, times, metres_per_unit, &limits), ankles.len());
    for i in (1..lengths.len()).filter(|&i| lengths[i] == lengths[i - 1]) {
        is_planted[i - 1] = true;
        is_planted[i] = true;
    }
    is_planted
}

/// Returns the weight of the foot target at each of `times` (seconds): 1 in contacts (`is_planted`), falling to 0 within
/// [`RELEASE_SECONDS`] on both sides.
fn weights(is_planted: &[bool], times: &[f64]) -> Vec<f64> {
    let mut gaps = vec![f64::INFINITY; is_planted.len()];
    let mut last = f64::NEG_INFINITY;
    for i in 0..is_planted.len() {
        last = if is_planted[i] { times[i] } else { last };
        gaps[i] = times[i] - last;
    }
    let mut next = f64::INFINITY;
    for i in (0..is_planted.len()).rev() {
        next = if is_planted[i] { times[i] } else { next };
        gaps[i] = gaps[i].min(next - times[i]);
    }
    gaps.into_iter().map(|gap| smooth(1.0 - gap / RELEASE_SECONDS)).collect()
}

/// Smoothstep on 0…1.
fn smooth(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Returns the path length of a foot up to each frame, in the unit of `ankles`. Each step counts as the smaller of the ankle's
/// and the toe's. Steps slower than `dead_zone` (units per second) count as 0.
fn foot_lengths(ankles: &[DVec3], toes: Option<&[DVec3]>, times: &[f64], dead_zone: f64) -> Vec<f64> {
    let lengths_of = |points: &[DVec3]| formula::lengths(points, times, super::LengthMeasure::Full, dead_zone);
    let ankle = lengths_of(ankles);
    let toe = toes.map(lengths_of);
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
