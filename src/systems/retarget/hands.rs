//! Hands that keep what they hold: the ground or a hold while the body moves on, and each other.

use std::ops::Range;

use glam::{DQuat, DVec3};

use super::measure::Report;
use super::place::{PlaceMap, hips_path};
use super::{Body, Input};
use crate::anim::Pose;
use crate::anim::chain_ik::turn_in_world;
use crate::anim::contacts::{join_short_gaps, runs};
use crate::anim::ik::{LegPlace, solve_leg};
use crate::anim::rig::chains::{Chain, Limb, Side};
use crate::anim::root_motion::{rest_at, turn_of};
use crate::math::bridge::bridged;

/// Metres over the ground up to which a wrist may lie on it: a hand is that long where it stands on its fingers.
const LOW: f64 = 0.15;
/// Metres per second up to which a low hand is put down, and from which it lifts.
const PUT_DOWN: [f64; 2] = [0.3, 0.5];
/// The same for a hand above the ground, which only counts while the body goes by.
const HELD: [f64; 2] = [0.1, 0.15];
/// Metres per second from which a body goes by.
const GOES_BY: f64 = 0.3;
/// Wrists nearer to each other than this share of the arm, and that part or meet by less metres per second, hold the same.
const NEAR: f64 = 0.5;
const PARTING: [f64; 2] = [0.1, 0.2];
/// Seconds; what a hand touches for less it passes. The turning point of a swinging arm lasts half as long.
const SHORTEST: f64 = 0.2;
/// Seconds for which what is held may seem let go.
const GAP: f64 = 0.1;
/// Seconds over which a hand is led to what it holds, and away from it.
const LED: f64 = 0.25;

/// An arm that both have.
struct Arm<'a> {
    from: &'a Chain,
    to: &'a Chain,
    /// World places of the source's wrist, its unit.
    followed: Vec<DVec3>,
    /// World places of the character's wrist, as it came over.
    places: Vec<DVec3>,
    /// Where the wrist shall be while it holds something, the character's unit.
    wanted: Vec<Option<DVec3>>,
}

/// A motion whose hands are looked at.
pub(super) struct Hands<'a> {
    input: &'a Input<'a>,
    place: &'a PlaceMap<'a>,
    times: &'a [f64],
    arms: Vec<Arm<'a>>,
    /// How often a hand holds something.
    count: usize,
}

impl<'a> Hands<'a> {
    /// Reads off `sources` when hands hold something; `poses` are those of the character so far.
    pub fn new(
        input: &'a Input<'a>,
        place: &'a PlaceMap<'a>,
        times: &'a [f64],
        sources: &[Pose],
        poses: &[Pose],
    ) -> Self {
        let arm = |side| {
            let [from, to] = [arm_of(&input.source, side)?, arm_of(&input.target, side)?];
            let followed = path(&input.source, from.tip?, sources);
            let places = path(&input.target, to.tip?, poses);
            Some(Arm { from, to, followed, places, wanted: vec![None; times.len()] })
        };
        let arms = [Side::Left, Side::Right].into_iter().filter_map(arm).collect();
        let mut hands = Self { input, place, times, arms, count: 0 };
        hands.hold_each_other();
        // What is fixed in the world comes last: it cannot give way.
        hands.hold_the_world(&hips_path(&input.source, sources));
        hands
    }

    /// Bends the arms of `poses` so that hands are where they hold something, and measures both.
    pub fn hold(&self, poses: &mut [Pose], report: &mut Report) {
        let unit = self.input.target.metres_per_unit;
        report.hand_contacts = self.count;
        for arm in &self.arms {
            let known: Vec<Option<DVec3>> = (0..self.times.len()).map(|i| self.known_shift(arm, i)).collect();
            for ((i, pose), shift) in poses.iter_mut().enumerate().zip(bridged(&known, self.times)) {
                if shift != DVec3::ZERO {
                    put_hand(&self.input.target, arm.to, arm.places[i] + shift, pose);
                }
                let Some(wanted) = arm.wanted[i] else { continue };
                let off = |place: DVec3| place.distance(wanted) * unit;
                report.hands_before = report.hands_before.max(off(arm.places[i]));
                report.hands_after = report.hands_after.max(off(wrist(&self.input.target, arm.to, pose)));
            }
        }
    }

    /// How far the hand of `arm` has to go at frame `i`; none on the way to what it holds and away from it.
    fn known_shift(&self, arm: &Arm, i: usize) -> Option<DVec3> {
        if let Some(wanted) = arm.wanted[i] {
            return Some(wanted - arm.places[i]);
        }
        let is_near = |other: usize| (self.times[other] - self.times[i]).abs() < LED;
        let holds = |other: usize| arm.wanted[other].is_some();
        let before = (0..i).rev().take_while(|&other| is_near(other)).any(holds);
        let after = (i + 1..self.times.len()).take_while(|&other| is_near(other)).any(holds);
        (!before && !after).then_some(DVec3::ZERO)
    }

    /// Two hands on one thing stay as far apart as those of the source, in parts of the arm.
    fn hold_each_other(&mut self) {
        let [left, right] = &self.arms[..] else { return };
        let unit = self.input.source.metres_per_unit;
        let [long, here] = [arm_length(&self.input.source, left.from), arm_length(&self.input.target, left.to)];
        let apart: Vec<DVec3> = left.followed.iter().zip(&right.followed).map(|(left, right)| *right - *left).collect();
        let lengths: Vec<f64> = apart.iter().map(|apart| apart.length()).collect();
        let held = self.spans(|i, is_held| {
            let parting = rate(&lengths, self.times, i) * unit;
            lengths[i] <= NEAR * long && parting.abs() <= PARTING[usize::from(is_held)]
        });
        let ratio = if long > 0.0 { here / long } else { 0.0 };
        let turned = |i: usize| self.place.facing * apart[i] * ratio;
        let middle = |i: usize| (left.places[i] + right.places[i]) / 2.0;
        let wanted: Vec<(usize, [DVec3; 2])> = held
            .iter()
            .flat_map(Clone::clone)
            .map(|i| (i, [middle(i) - turned(i) / 2.0, middle(i) + turned(i) / 2.0]))
            .collect();
        self.count += 2 * held.len();
        for (i, places) in wanted {
            self.arms.iter_mut().zip(places).for_each(|(arm, place)| arm.wanted[i] = Some(place));
        }
    }

    /// Hands on the ground and on holds stay where they are in the world.
    fn hold_the_world(&mut self, body: &[DVec3]) {
        let unit = self.input.source.metres_per_unit;
        let mut arms = std::mem::take(&mut self.arms);
        for arm in &mut arms {
            let path = &arm.followed;
            let held = self.spans(|i, is_held| {
                let speed = |path: &[DVec3]| velocity(path, self.times, i).length() * unit;
                let is_low = (path[i].y - self.place.source_ground) * unit <= LOW;
                let limit = usize::from(is_held);
                let goes_by = speed(body) >= GOES_BY;
                speed(path) <= if is_low { PUT_DOWN[limit] } else { HELD[limit] } && (is_low || goes_by)
            });
            for range in &held {
                let mean = |path: &[DVec3]| path[range.clone()].iter().sum::<DVec3>() / range.len() as f64;
                let (here, there) = (mean(&arm.places), mean(path));
                for i in range.clone() {
                    let flat = here + self.place.way((path[i] - there).with_y(0.0));
                    let height = self.place.scale * (path[i].y - self.place.source_ground);
                    arm.wanted[i] = Some(flat.with_y(height));
                }
            }
            self.count += held.len();
        }
        self.arms = arms;
    }

    /// The spans in which `is_held` says so, given whether it did just before; those that are noise are left out.
    fn spans(&self, is_held: impl Fn(usize, bool) -> bool) -> Vec<Range<usize>> {
        let mut before = false;
        let held: Vec<bool> = (0..self.times.len())
            .map(|i| {
                before = is_held(i, before);
                before
            })
            .collect();
        let lasts = |range: &Range<usize>| self.times[range.end - 1] - self.times[range.start] >= SHORTEST;
        join_short_gaps(runs(&held), self.times, GAP).into_iter().filter(lasts).collect()
    }
}

/// The arm of a side, down to its hand.
fn arm_of<'a>(body: &Body<'a>, side: Side) -> Option<&'a Chain> {
    body.chains.iter().find(|chain| chain.limb == Limb::Arm(side) && chain.bones.len() == 2 && chain.tip.is_some())
}

fn path(body: &Body, joint: usize, poses: &[Pose]) -> Vec<DVec3> {
    poses.iter().map(|pose| pose.world_from_joint(body.skeleton, joint).translation).collect()
}

fn wrist(body: &Body, arm: &Chain, pose: &Pose) -> DVec3 {
    let hand = arm.tip.unwrap_or(arm.bones[1].joint);
    pose.world_from_joint(body.skeleton, hand).translation
}

fn arm_length(body: &Body, arm: &Chain) -> f64 {
    let hand = arm.tip.unwrap_or(arm.bones[1].joint);
    let [shoulder, elbow, wrist] =
        [arm.bones[0].joint, arm.bones[1].joint, hand].map(|joint| rest_at(body.skeleton, joint).translation);
    shoulder.distance(elbow) + elbow.distance(wrist)
}

/// The frames beside `i`, or itself at the ends.
fn beside(times: &[f64], i: usize) -> (usize, usize, f64) {
    let (a, b) = (i.saturating_sub(1), (i + 1).min(times.len() - 1));
    (a, b, (times[b] - times[a]).max(f64::MIN_POSITIVE))
}

fn velocity(path: &[DVec3], times: &[f64], i: usize) -> DVec3 {
    let (a, b, span) = beside(times, i);
    (path[b] - path[a]) / span
}

fn rate(values: &[f64], times: &[f64], i: usize) -> f64 {
    let (a, b, span) = beside(times, i);
    (values[b] - values[a]) / span
}

/// Bends `arm` of `pose` so that its wrist is at `place`; the hand keeps its turn in the world.
pub(super) fn put_hand(body: &Body, arm: &Chain, place: DVec3, pose: &mut Pose) {
    let Some(hand) = arm.tip else { return };
    let [upper, lower] = [arm.bones[0].joint, arm.bones[1].joint];
    let at = |joint: usize| pose.world_from_joint(body.skeleton, joint).translation;
    let now = LegPlace { hip: at(upper), knee: at(lower), ankle: at(hand) };
    let turned = turn_of(&pose.world_from_joint(body.skeleton, hand));
    let turns = solve_leg(&now, place, elbow_axis(body, arm, pose));
    turn_in_world(body.skeleton, pose, upper, turns.thigh);
    turn_in_world(body.skeleton, pose, lower, turns.shin * turns.thigh.inverse());
    let after = turn_of(&pose.world_from_joint(body.skeleton, hand));
    turn_in_world(body.skeleton, pose, hand, turned * after.inverse());
}

/// The axis (unit, world) about which the elbow bends where the arm is straight: as the rest pose bends, else to the front.
fn elbow_axis(body: &Body, arm: &Chain, pose: &Pose) -> DVec3 {
    let [upper, lower] = [arm.bones[0].joint, arm.bones[1].joint];
    let [shoulder, elbow, hand] = [upper, lower, arm.tip.unwrap_or(lower)].map(|joint| rest_at(body.skeleton, joint));
    let along = (elbow.translation - shoulder.translation).normalize_or(DVec3::NEG_Y);
    let bend = along.cross((hand.translation - elbow.translation).normalize_or_zero());
    let front = body.roles.front.unwrap_or_default().direction();
    let at_rest = if bend.length() > 0.05 { bend } else { along.cross(front) };
    let turned: DQuat = turn_of(&pose.world_from_joint(body.skeleton, upper)) * turn_of(&shoulder).inverse();
    (turned * at_rest).normalize_or(DVec3::Y)
}
