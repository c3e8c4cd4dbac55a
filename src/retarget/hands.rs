//! Hand contacts: hands keep contact with the ground or a hold while the body moves on, and with each other.

use std::ops::Range;

use glam::{DQuat, DVec3};

use super::body_position::{PositionMap, hips_path};
use super::measure::Report;
use super::{Body, Input};
use portamento_anim::Pose;
use portamento_anim::chain_ik::turn_in_world;
use portamento_anim::contacts::{join_short_gaps, runs};
use portamento_anim::ik::{LegPositions, solve_leg};
use portamento_anim::math::bridge::fill_gaps;
use portamento_anim::rig::chains::{Chain, Limb, Side};
use portamento_anim::root_motion::{rest_at, turn_of};

/// Maximum height of a wrist above the ground for a ground contact, metres: the length of a hand standing on its fingers.
const GROUND_CONTACT_MAX_HEIGHT_M: f64 = 0.15;
/// Speeds below which a low hand makes contact, and above which it loses contact, metres per second. Tuned; no derivation
/// recorded.
const GROUND_CONTACT_SPEEDS: [f64; 2] = [0.3, 0.5];
/// Speeds for a hand above the ground, which makes contact only while the body passes; limits as in [`GROUND_CONTACT_SPEEDS`].
const HOLD_SPEEDS: [f64; 2] = [0.1, 0.15];
/// Speed above which the body passes, metres per second. Tuned; no derivation recorded.
const BODY_PASSING_MIN_SPEED: f64 = 0.3;
/// Maximum distance of wrists that hold the same object, as a fraction of the arm length. Tuned; no derivation recorded.
const HANDS_TOGETHER_MAX_ARM_RATIO: f64 = 0.5;
/// Speeds of distance change below which two hands make contact with each other, and above which they lose it, metres per second.
const HANDS_TOGETHER_SPEEDS: [f64; 2] = [0.1, 0.2];
/// Minimum duration of a contact, seconds. The turning point of a swinging arm lasts half as long.
const MIN_CONTACT_SECONDS: f64 = 0.2;
/// Maximum gap in a contact, seconds. Tuned; no derivation recorded.
const MAX_GAP_SECONDS: f64 = 0.1;
/// Time over which a hand moves to its contact and away from it, seconds. Tuned; no derivation recorded.
const TRANSITION_SECONDS: f64 = 0.25;

/// An arm that both rigs have.
struct Arm<'a> {
    from: &'a Chain,
    to: &'a Chain,
    /// World positions of the source's wrist, in its unit.
    followed: Vec<DVec3>,
    /// World positions of the character's wrist before correction.
    positions: Vec<DVec3>,
    /// Goals of the wrist during contacts, in the character's unit.
    wanted: Vec<Option<DVec3>>,
}

/// The hand contacts of a motion.
pub(super) struct Hands<'a> {
    input: &'a Input<'a>,
    map: &'a PositionMap<'a>,
    /// Times of the poses, seconds.
    times: &'a [f64],
    arms: Vec<Arm<'a>>,
    /// Number of contacts.
    count: usize,
}

impl<'a> Hands<'a> {
    /// Detects the contacts in `sources`, and computes the goals from the character's `poses` so far. Where hands touch both
    /// each other and the world, the world has precedence. `times` are in seconds.
    pub fn new(
        input: &'a Input<'a>,
        map: &'a PositionMap<'a>,
        times: &'a [f64],
        sources: &[Pose],
        poses: &[Pose],
    ) -> Self {
        let arm = |side| {
            let [from, to] = [arm_of(&input.source, side)?, arm_of(&input.target, side)?];
            let followed = path(&input.source, from.tip?, sources);
            let positions = path(&input.target, to.tip?, poses);
            Some(Arm { from, to, followed, positions, wanted: vec![None; times.len()] })
        };
        let arms = [Side::Left, Side::Right].into_iter().filter_map(arm).collect();
        let mut hands = Self { input, map, times, arms, count: 0 };
        hands.lock_to_each_other();
        // World contacts come last, because they take precedence.
        hands.lock_to_world(&hips_path(&input.source, sources));
        hands
    }

    /// Bends the arms of `poses` so that hands reach their contacts. Writes the number of contacts and the largest distances
    /// from them before and after to `report`, in metres.
    pub fn hold(&self, poses: &mut [Pose], report: &mut Report) {
        let unit = self.input.target.metres_per_unit;
        report.hand_contacts = self.count;
        for arm in &self.arms {
            let known: Vec<Option<DVec3>> = (0..self.times.len()).map(|i| self.known_shift(arm, i)).collect();
            for ((i, pose), shift) in poses.iter_mut().enumerate().zip(fill_gaps(&known, self.times)) {
                if shift != DVec3::ZERO {
                    put_hand(&self.input.target, arm.to, arm.positions[i] + shift, pose);
                }
                let Some(wanted) = arm.wanted[i] else { continue };
                let off = |position: DVec3| position.distance(wanted) * unit;
                report.hands_before = report.hands_before.max(off(arm.positions[i]));
                report.hands_after = report.hands_after.max(off(wrist(&self.input.target, arm.to, pose)));
            }
        }
    }

    /// Returns the displacement of the hand at frame `i`, world units: to its goal in a contact, and 0 far from contacts.
    /// `None` in a transition between the two.
    fn known_shift(&self, arm: &Arm, i: usize) -> Option<DVec3> {
        if let Some(wanted) = arm.wanted[i] {
            return Some(wanted - arm.positions[i]);
        }
        let is_near = |other: usize| (self.times[other] - self.times[i]).abs() < TRANSITION_SECONDS;
        let holds = |other: usize| arm.wanted[other].is_some();
        let before = (0..i).rev().take_while(|&other| is_near(other)).any(holds);
        let after = (i + 1..self.times.len()).take_while(|&other| is_near(other)).any(holds);
        (!before && !after).then_some(DVec3::ZERO)
    }

    /// Keeps the distance between two hands on one object as in the source, relative to the arm length.
    fn lock_to_each_other(&mut self) {
        let [left, right] = &self.arms[..] else { return };
        let unit = self.input.source.metres_per_unit;
        let [source_length, target_length] =
            [arm_length(&self.input.source, left.from), arm_length(&self.input.target, left.to)];
        let offsets: Vec<DVec3> =
            left.followed.iter().zip(&right.followed).map(|(left, right)| *right - *left).collect();
        let lengths: Vec<f64> = offsets.iter().map(|offset| offset.length()).collect();
        let contacts = self.spans(|i, in_contact| {
            let rate_of_change = rate(&lengths, self.times, i) * unit;
            lengths[i] <= HANDS_TOGETHER_MAX_ARM_RATIO * source_length
                && rate_of_change.abs() <= HANDS_TOGETHER_SPEEDS[usize::from(in_contact)]
        });
        let ratio = if source_length > 0.0 { target_length / source_length } else { 0.0 };
        let turned = |i: usize| self.map.facing * offsets[i] * ratio;
        let middle = |i: usize| (left.positions[i] + right.positions[i]) / 2.0;
        let wanted: Vec<(usize, [DVec3; 2])> = contacts
            .iter()
            .flat_map(Clone::clone)
            .map(|i| (i, [middle(i) - turned(i) / 2.0, middle(i) + turned(i) / 2.0]))
            .collect();
        self.count += 2 * contacts.len();
        for (i, positions) in wanted {
            self.arms.iter_mut().zip(positions).for_each(|(arm, position)| arm.wanted[i] = Some(position));
        }
    }

    /// Keeps hands on the ground and on holds fixed in the world. `body` is the path of the source's hips, in the unit of the
    /// source.
    fn lock_to_world(&mut self, body: &[DVec3]) {
        let unit = self.input.source.metres_per_unit;
        let mut arms = std::mem::take(&mut self.arms);
        for arm in &mut arms {
            let path = &arm.followed;
            let contacts = self.spans(|i, in_contact| {
                let speed = |path: &[DVec3]| velocity(path, self.times, i).length() * unit;
                let is_low = (path[i].y - self.map.source_ground) * unit <= GROUND_CONTACT_MAX_HEIGHT_M;
                let limit = usize::from(in_contact);
                let is_passing = speed(body) >= BODY_PASSING_MIN_SPEED;
                speed(path) <= if is_low { GROUND_CONTACT_SPEEDS[limit] } else { HOLD_SPEEDS[limit] }
                    && (is_low || is_passing)
            });
            for range in &contacts {
                let mean = |path: &[DVec3]| path[range.clone()].iter().sum::<DVec3>() / range.len() as f64;
                let (center, source_center) = (mean(&arm.positions), mean(path));
                for i in range.clone() {
                    let flat = center + self.map.displacement((path[i] - source_center).with_y(0.0));
                    let height = self.map.scale * (path[i].y - self.map.source_ground);
                    arm.wanted[i] = Some(flat.with_y(height));
                }
            }
            self.count += contacts.len();
        }
        self.arms = arms;
    }

    /// Returns the contact intervals. `in_contact` gets the frame and the state of the previous frame. Short intervals are
    /// dropped.
    fn spans(&self, in_contact: impl Fn(usize, bool) -> bool) -> Vec<Range<usize>> {
        let mut before = false;
        let contacts: Vec<bool> = (0..self.times.len())
            .map(|i| {
                before = in_contact(i, before);
                before
            })
            .collect();
        let is_long_enough =
            |range: &Range<usize>| self.times[range.end - 1] - self.times[range.start] >= MIN_CONTACT_SECONDS;
        join_short_gaps(runs(&contacts), self.times, MAX_GAP_SECONDS).into_iter().filter(is_long_enough).collect()
    }
}

/// Returns the arm of a side, if it has two bones and a hand.
fn arm_of<'a>(body: &Body<'a>, side: Side) -> Option<&'a Chain> {
    body.chains.iter().find(|chain| chain.limb == Limb::Arm(side) && chain.bones.len() == 2 && chain.tip.is_some())
}

fn path(body: &Body, joint: usize, poses: &[Pose]) -> Vec<DVec3> {
    poses.iter().map(|pose| pose.world_from_joint(body.skeleton, joint).translation).collect()
}

/// Returns the world position of the hand, or of the elbow without one, in the unit of `body`.
fn wrist(body: &Body, arm: &Chain, pose: &Pose) -> DVec3 {
    let hand = arm.tip.unwrap_or(arm.bones[1].joint);
    pose.world_from_joint(body.skeleton, hand).translation
}

/// Returns the length of the arm from shoulder to hand at rest, world units.
fn arm_length(body: &Body, arm: &Chain) -> f64 {
    let hand = arm.tip.unwrap_or(arm.bones[1].joint);
    let [shoulder, elbow, wrist] =
        [arm.bones[0].joint, arm.bones[1].joint, hand].map(|joint| rest_at(body.skeleton, joint).translation);
    shoulder.distance(elbow) + elbow.distance(wrist)
}

/// Returns the neighbouring frames of `i` (or itself at the ends) and the time between them.
fn neighbours(times: &[f64], i: usize) -> (usize, usize, f64) {
    let (a, b) = (i.saturating_sub(1), (i + 1).min(times.len() - 1));
    (a, b, (times[b] - times[a]).max(f64::MIN_POSITIVE))
}

/// Returns the velocity at frame `i` between its neighbours, units per second.
fn velocity(path: &[DVec3], times: &[f64], i: usize) -> DVec3 {
    let (a, b, span) = neighbours(times, i);
    (path[b] - path[a]) / span
}

/// Returns the change of `values` per second at frame `i`, between its neighbours.
fn rate(values: &[f64], times: &[f64], i: usize) -> f64 {
    let (a, b, span) = neighbours(times, i);
    (values[b] - values[a]) / span
}

/// Bends `arm` of `pose` so that its wrist is at `position` (world units), as far as the arm reaches. The world rotation of
/// the hand is unchanged. Does nothing without a hand joint.
pub(super) fn put_hand(body: &Body, arm: &Chain, position: DVec3, pose: &mut Pose) {
    let Some(hand) = arm.tip else { return };
    let [upper, lower] = [arm.bones[0].joint, arm.bones[1].joint];
    let at = |joint: usize| pose.world_from_joint(body.skeleton, joint).translation;
    let arm_place = LegPositions { hip: at(upper), knee: at(lower), ankle: at(hand) };
    let turned = turn_of(&pose.world_from_joint(body.skeleton, hand));
    let turns = solve_leg(&arm_place, position, elbow_axis(body, arm, pose));
    turn_in_world(body.skeleton, pose, upper, turns.thigh);
    turn_in_world(body.skeleton, pose, lower, turns.shin * turns.thigh.inverse());
    let after = turn_of(&pose.world_from_joint(body.skeleton, hand));
    turn_in_world(body.skeleton, pose, hand, turned * after.inverse());
}

/// Returns the bend axis of the elbow (unit vector, world): that of the rest pose, or for a straight arm one that bends to the
/// front.
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
