//! Foot locking: planted feet keep their positions and are released smoothly.
//!
//! All frames are known, so every stance is found first and gets one position (footskate cleanup, Kovar, Schreiner and
//! Gleicher 2002). Between two stances the correction blends from one to the next, or fades out where the swing is
//! long. Where a leg would be too short, the hips are lowered gradually, so that no knee pops.

use std::ops::Range;

use glam::{DAffine3, DVec3, Vec3};

use super::ankle_sweep::AnkleSweep;
use super::foot_plant::{FootPlant, ReleaseLimits};
use super::foot_plants::{self, FootContacts, Reach};
use super::knee_swing::KneeSwing;
use super::near_ground::{self, PerceivedContact};
use crate::locomotion::body::crouch::{ANKLE_MIN_DROP, StandingLegs, crouch_limits, frames_to_stance};
use crate::locomotion::gaits::step_time::StepTime;
use crate::locomotion::{Input, Settings};
use portamento_anim::contacts::per_frame;
use portamento_anim::foot_place::{
    self, FootTransform, SLOPE_MAX_DROP, STEP_MAX_DROP, drop_needed, move_foot_to, move_separate_feet, smoothed_maximum,
};
use portamento_anim::ik::LegPositions;
use portamento_anim::math::easing::Easing;
use portamento_anim::{Leg, Pose};

/// Largest height by which a step is raised, as a share of the leg. Higher up the ankle reaches the hip, where no knee
/// can bend.
const RAISE_MAX_LEGS: f64 = 0.35;

/// Largest speed at which a step is raised next to its stances, leg lengths per second. Tuned; no derivation recorded.
const RAISE_MAX_LEGS_PER_S: f64 = 1.8;

/// Passes in which stances are lengthened by perceived contact; each pass changes the path between them.
const LENGTHEN_PASSES: usize = 4;

/// Distance to the hip from which a foot in the air slows down as it approaches, relative to the fully folded leg.
/// Tuned; no derivation recorded.
const SOFT_FOLD: f64 = 1.25;

/// Time before and after a ground edge over which a foot in the air changes its height, seconds. Without it the foot
/// would drop off a stair in one frame.
const EDGE_SECONDS: f64 = 0.08;

/// Time next to a stance over which the hip clearance of a foot fades in, seconds; in stance it may be closer.
const CLEARANCE_FADE_SECONDS: f64 = 0.12;

/// Result of foot locking.
#[derive(Clone, Debug)]
pub(crate) struct LockedFeet {
    /// Per leg and frame, true if the foot was locked.
    pub standing: Vec<Vec<bool>>,
    /// Per frame, the distance by which a leg could not reach its plant, metres.
    pub gaps: Vec<f64>,
}

/// Locks the planted feet of `poses`, then leans each body over the fixed feet and lowers the hips where a leg is too short.
/// `leans` leans the pose of a frame.
pub(crate) fn lock(
    input: &Input,
    settings: &Settings,
    contacts: &FootContacts,
    leans: &dyn Fn(usize, &mut Pose),
    poses: &mut [Pose],
) -> LockedFeet {
    let legs = input.legs();
    let unit = input.metres_per_unit;
    let body_height = near_ground::body_height(input);
    let mut steps: Vec<Range<usize>> = Vec::new();
    let mut feet: Vec<Vec<FootTransform>> = Vec::new();
    let mut standing: Vec<Vec<bool>> = Vec::new();
    let mut max_drop: Vec<Vec<f64>> = Vec::new();
    let mut grounds: Vec<Vec<f64>> = Vec::new();
    let soles: Vec<Vec<DVec3>> = legs.iter().map(|leg| soles(input, leg, poses)).collect();
    let find = |(k, soles): (usize, &Vec<DVec3>)| {
        foot_plants::find(contacts, k, soles, [unit, settings.fps, settings.release])
    };
    let mut found: Vec<Vec<FootPlant>> = soles.iter().enumerate().map(find).collect();
    found.iter_mut().for_each(|plants| foot_plants::insert_steps(plants, &mut steps, settings.fps));
    let standing_legs = StandingLegs { input, legs: &legs, poses, soles: &soles, plants: &found };
    for (k, leg) in legs.iter().enumerate() {
        let max_crouch = standing_legs.max_crouch(k);
        let frames = LegFrames { input, settings, leg, poses, soles: &soles[k], size: body_height, max_crouch };
        let (plants, offsets) = frames.locked_plants(contacts, found[k].clone());
        max_drop.push(frames.max_drop(&plants, contacts.anchors));
        let over_ground =
            |plant: &FootPlant| plant.position.y - (contacts.ground)(plant.frames.start, plant.position)[0];
        let height = plants.iter().map(over_ground).reduce(f64::min).unwrap_or(0.0);
        let frames: Vec<Range<usize>> = plants.iter().map(|plant| plant.frames.clone()).collect();
        standing.push(per_frame(&frames, poses.len()));
        let target = |(pose, offset): (&Pose, DVec3)| FootTransform::from_pose(input.skeleton, leg, pose).moved(offset);
        feet.push(poses.iter().zip(offsets).map(target).collect());
        let soles = feet[k].iter().map(|target| target.sole);
        let ground: Vec<f64> = soles.enumerate().map(|(i, sole)| (contacts.ground)(i, sole)[0] + height).collect();
        grounds.push(without_edges(&ground, (EDGE_SECONDS * settings.fps).round() as usize));
    }
    poses.iter_mut().enumerate().for_each(|(i, pose)| leans(i, pose));
    lower_hips(input, settings, &legs, &LockTargets { feet: &feet, standing: &standing, max_drop: &max_drop }, poses);
    for (k, leg) in legs.iter().enumerate() {
        // Other motions may join at both ends, also where the foot is in the air.
        let mut fixed = standing[k].clone();
        fixed.iter_mut().take(1).for_each(|end| *end = true);
        fixed.iter_mut().rev().take(1).for_each(|end| *end = true);
        let swings = Swings { poses, planted: &fixed, ground: &grounds[k], fps: settings.fps };
        adjust_swings(input, leg, &swings, &mut feet[k]);
    }
    let gaps = (0..poses.len())
        .map(|i| {
            let gaps = legs.iter().enumerate().map(|(k, leg)| {
                let gap = move_foot_to(input.skeleton, leg, &feet[k][i], &mut poses[i]);
                if standing[k][i] { gap * input.metres_per_unit } else { 0.0 }
            });
            gaps.fold(0.0, f64::max)
        })
        .collect();
    LockedFeet { standing, gaps }
}

/// One leg at every frame before locking.
struct LegFrames<'a> {
    input: &'a Input<'a>,
    settings: &'a Settings,
    leg: &'a Leg,
    poses: &'a [Pose],
    /// Sole position in each frame, world units.
    soles: &'a [DVec3],
    /// Height of the body, metres.
    size: f64,
    /// Largest crouch of the body at each frame for this foot, as a share of the leg.
    max_crouch: Vec<f64>,
}

impl LegFrames<'_> {
    /// True if the leg reaches `position` with its sole at a frame while the body is lowered by at most `max_drop`
    /// (share of the leg).
    fn reaches(&self, frame: usize, position: DVec3, max_drop: f64) -> bool {
        let leg = leg_positions(self.input, self.leg, &self.poses[frame]);
        let ankle = leg.ankle + position - self.soles[frame];
        ankle.y <= leg.hip.y - ANKLE_MIN_DROP * leg.length() && drop_needed(&leg, ankle, max_drop).is_some()
    }

    /// Returns horizontal shifts (world units) from a plant's position to others that the clip's sole passes during the
    /// stance.
    fn along_clip(&self, plant: &FootPlant) -> Vec<DVec3> {
        let half = 0.5 * (self.soles[plant.frames.end - 1] - self.soles[plant.frames.start]).with_y(0.0);
        [0.25, -0.25, 0.5, -0.5, 0.75, -0.75].map(|share| half * share).to_vec()
    }

    /// Returns horizontal shifts (world units) from a plant's position to others closer to the hips. Feet far apart on a
    /// steep slope are out of reach.
    fn towards_body(&self, plant: &FootPlant) -> Vec<DVec3> {
        let frame = plant.frames.start + plant.frames.len() / 2;
        let (skeleton, pose) = (self.input.skeleton, &self.poses[frame]);
        let hips = self.input.roles.hips.filter(|&hips| hips < skeleton.len()).unwrap_or(self.leg.thigh);
        let ankle = leg_positions(self.input, self.leg, pose).ankle + plant.position - self.soles[frame];
        let to_body = (pose.world_from_joint(skeleton, hips).translation - ankle).with_y(0.0);
        [0.15, 0.3, 0.45, 0.6, 0.75, 0.9].map(|share| to_body * share).to_vec()
    }

    /// Returns the reachable part of `plants`, lengthened by perceived contact, and the sole offset at each frame in world
    /// units.
    fn locked_plants(&self, contacts: &FootContacts, mut plants: Vec<FootPlant>) -> (Vec<FootPlant>, Vec<DVec3>) {
        let (unit, fps, count) = (self.input.metres_per_unit, self.settings.fps, self.poses.len());
        let stooping = |frame: usize, position: DVec3| self.reaches(frame, position, STEP_MAX_DROP);
        let crouching = |frame: usize, position: DVec3| self.reaches(frame, position, self.max_crouch[frame]);
        let reaches = Reach { stooping: &stooping, crouching: &crouching };
        let is_fixed = |plant: &FootPlant| contacts.anchors.iter().any(|anchor| plant.frames.contains(anchor));
        for plant in &mut plants {
            let along = if is_fixed(plant) { Vec::new() } else { self.along_clip(plant) };
            // Feet apart across a steep slope are out of reach too.
            let shifts = along.into_iter().chain(self.towards_body(plant));
            plant.shift_within(shifts, &stooping, contacts.ground);
            let mut anchors = contacts.anchors.iter().filter(|anchor| plant.frames.contains(anchor));
            if anchors.any(|&anchor| !self.reaches(anchor, plant.position, STEP_MAX_DROP)) {
                // At anchors the body crouches rather than leaving a foot in the air.
                let nearer = self.towards_body(plant);
                plant.shift_within(nearer, &crouching, contacts.ground);
            }
        }
        foot_plants::keep_reachable(&mut plants, count, contacts.anchors, &reaches);
        let legs = self.poses.iter().map(|pose| leg_positions(self.input, self.leg, pose));
        let own: Vec<DVec3> = legs.map(|leg| leg.ankle - leg.hip).collect();
        let steps = StepTime { own: &own, soles: self.soles, fps };
        steps.make_room(&mut plants, contacts.anchors);
        let length = self.poses.first().map_or(0.0, |pose| leg_positions(self.input, self.leg, pose).length());
        let release = (self.settings.release * fps).max(1.0);
        let limits = ReleaseLimits {
            release,
            metres_per_unit: unit,
            highest: RAISE_MAX_LEGS * length,
            rise: RAISE_MAX_LEGS_PER_S * length / fps,
        };
        let mut offsets = self.offsets(&plants, contacts, limits);
        for pass in 0.. {
            let soles: Vec<DVec3> = self.soles.iter().zip(&offsets).map(|(sole, offset)| *sole + *offset).collect();
            let ground = contacts.ground;
            let perceived = PerceivedContact {
                soles: &soles,
                ground,
                speeds: contacts.speeds,
                metres_per_unit: unit,
                fps,
                size: self.size,
            };
            if pass == LENGTHEN_PASSES || !perceived.lengthen(&mut plants, &|before, after| steps.frames(before, after))
            {
                perceived.peel(&plants, &mut offsets);
                break;
            }
            foot_plants::keep_reachable(&mut plants, count, contacts.anchors, &reaches);
            offsets = self.offsets(&plants, contacts, limits);
        }
        (plants, offsets)
    }

    /// Returns the sole offset at each frame for `plants`, world units. Between stances it is reduced to what the leg
    /// reaches.
    fn offsets(&self, plants: &[FootPlant], contacts: &FootContacts, limits: ReleaseLimits) -> Vec<DVec3> {
        let mut offsets = foot_plants::offsets(plants, self.soles, contacts, limits);
        let max_drop = self.max_drop(plants, contacts.anchors);
        let is_locked = |frame: usize| plants.iter().any(|plant| plant.frames.contains(&frame));
        for (frame, offset) in offsets.iter_mut().enumerate() {
            let leg = leg_positions(self.input, self.leg, &self.poses[frame]);
            let reaches = |share: f64| drop_needed(&leg, leg.ankle + *offset * share, max_drop[frame]).is_some();
            if !is_locked(frame) && !reaches(1.0) {
                // The clip's own position is always within reach.
                let (mut reachable, mut unreachable) = (0.0, 1.0);
                for _ in 0..20 {
                    let middle = 0.5 * (reachable + unreachable);
                    if reaches(middle) { reachable = middle } else { unreachable = middle }
                }
                *offset *= reachable;
            }
        }
        offsets
    }

    /// Returns the largest lowering of the body at each frame for this foot, as a share of the leg:
    /// [`STEP_MAX_DROP`], or more in a stance that can only be reached with a crouch. The value fades in before that
    /// stance and out after it.
    fn max_drop(&self, plants: &[FootPlant], anchors: &[usize]) -> Vec<f64> {
        let crouches = |plant: &&FootPlant| {
            let mut anchors = anchors.iter().filter(|anchor| plant.frames.contains(anchor));
            anchors.any(|&anchor| !self.reaches(anchor, plant.position, STEP_MAX_DROP))
        };
        let crouching: Vec<Range<usize>> = plants.iter().filter(crouches).map(|plant| plant.frames.clone()).collect();
        crouch_limits(&crouching, &self.max_crouch, self.settings.fps)
    }
}

/// Returns ground heights with smoothed edges: nowhere lower, changing over `frames` before and after an edge.
fn without_edges(ground: &[f64], frames: usize) -> Vec<f64> {
    let lowest = ground.iter().copied().fold(f64::INFINITY, f64::min);
    let over_lowest: Vec<f64> = ground.iter().map(|height| height - lowest).collect();
    smoothed_maximum(&over_lowest, frames).into_iter().map(|height| lowest + height).collect()
}

/// One leg's swings over bodies in their final positions.
struct Swings<'a> {
    poses: &'a [Pose],
    /// Per frame, true if the foot stays where it is.
    planted: &'a [bool],
    /// Sole height of a stance at each frame.
    ground: &'a [f64],
    fps: f64,
}

/// Adjusts the airborne `feet` of `leg`, one per frame, so that its knee can follow.
fn adjust_swings(input: &Input, leg: &Leg, swings: &Swings, feet: &mut [FootTransform]) {
    let legs: Vec<LegPositions> = swings.poses.iter().map(|pose| leg_positions(input, leg, pose)).collect();
    let edge = (CLEARANCE_FADE_SECONDS * swings.fps).round().max(1.0);
    for (i, frames_away) in
        frames_to_stance(swings.planted).into_iter().enumerate().filter(|(_, frames_away)| *frames_away > 0)
    {
        let low = below_hip(input, leg, &swings.poses[i], feet[i], swings.ground[i]);
        let led = off_hip(&legs[i], low);
        let share = Easing::Smoothstep.at(frames_away as f64 / edge);
        feet[i] = feet[i].moved((led.ankle - feet[i].ankle) * share);
    }
    let own: Vec<DVec3> = legs.iter().map(|leg| leg.ankle - leg.hip).collect();
    let before: Vec<DVec3> = feet.iter().zip(&legs).map(|(foot, leg)| foot.ankle - leg.hip).collect();
    let mut after = before.clone();
    let slow_radius = legs.first().map_or(0.0, |leg| SOFT_FOLD * leg.folded());
    AnkleSweep { own: &own, planted: swings.planted, near: slow_radius, fps: swings.fps }.slow(&mut after);
    KneeSwing { own: &legs, planted: swings.planted, fps: swings.fps }.slow(&mut after);
    for (foot, (after, before)) in feet.iter_mut().zip(after.into_iter().zip(before)) {
        *foot = if after == before { *foot } else { foot.moved(after - before) };
    }
}

/// Lowers an airborne foot at `target` to keep it below the hips of `pose`, which were lowered for the other foot. It never
/// goes lower than its stance, whose sole is at the height `ground` (world units), as a foot that just lifts would be pushed
/// in.
fn below_hip(input: &Input, leg: &Leg, pose: &Pose, target: FootTransform, ground: f64) -> FootTransform {
    let leg_at = leg_positions(input, leg, pose);
    let highest = (leg_at.hip.y - ANKLE_MIN_DROP * leg_at.length()).max(leg_at.ankle.y);
    let room = (target.sole.y - ground).max(0.0);
    target.moved(DVec3::Y * (highest - target.ankle.y).clamp(-room, 0.0))
}

/// Moves an airborne foot at `target` away from the hip to where the knee still folds, unless its clip folds it as
/// far. A fully folded knee points wherever the ankle passes the hip, and flips with it.
fn off_hip(leg: &LegPositions, target: FootTransform) -> FootTransform {
    let own = (leg.ankle - leg.hip).length();
    let (nearest, start) = (leg.folded().min(own), (SOFT_FOLD * leg.folded()).min(own));
    let wanted = target.ankle - leg.hip;
    let (distance, room) = (wanted.length(), start - nearest);
    if distance >= start || distance <= 0.0 {
        return target;
    }
    let clamped = if room > 0.0 { nearest + room * ((distance - start) / room).exp() } else { nearest };
    target.moved(wanted * (clamped / distance - 1.0))
}

/// Returns the position of a leg's sole at every frame, world units.
pub(crate) fn soles(input: &Input, leg: &Leg, poses: &[Pose]) -> Vec<DVec3> {
    poses.iter().map(|pose| foot_place::sole(input.skeleton, leg, pose)).collect()
}

fn leg_positions(input: &Input, leg: &Leg, pose: &Pose) -> LegPositions {
    foot_place::leg_positions(input.skeleton, leg, pose)
}

/// Foot targets per leg and frame, and whether they are locked.
struct LockTargets<'a> {
    feet: &'a [Vec<FootTransform>],
    standing: &'a [Vec<bool>],
    /// Largest lowering of the body for a foot between stances, as a share of its leg.
    max_drop: &'a [Vec<f64>],
}

/// Lowers the hips so that every target is within reach, spread over a tenth of a second around each such frame.
fn lower_hips(input: &Input, settings: &Settings, legs: &[&Leg], targets: &LockTargets, poses: &mut [Pose]) {
    let Some(hips) = input.roles.body(input.skeleton) else { return };
    let needs: Vec<f64> = (0..poses.len())
        .map(|i| {
            let need = |(k, leg): (usize, &&Leg)| {
                // A stance was already found to be within reach.
                let max_drop = if targets.standing[k][i] { SLOPE_MAX_DROP } else { targets.max_drop[k][i] };
                drop_needed(&leg_positions(input, leg, &poses[i]), targets.feet[k][i].ankle, max_drop)
            };
            legs.iter().enumerate().filter_map(need).fold(0.0, f64::max)
        })
        .collect();
    let width = (0.1 * settings.fps).ceil() as usize;
    let downs = smoothed_maximum(&needs, width);
    for (pose, &down) in poses.iter_mut().zip(&downs) {
        if down <= 0.0 {
            continue;
        }
        let parent = input.skeleton.joints[hips].parent.map(|parent| pose.world_from_joint(input.skeleton, parent));
        let moved = parent.map_or(DVec3::NEG_Y * down, |parent| parent.matrix3.inverse() * (DVec3::NEG_Y * down));
        if moved.is_finite() {
            pose.locals[hips].translation += Vec3::new(moved.x as f32, moved.y as f32, moved.z as f32);
            let shift = DAffine3::from_translation(DVec3::NEG_Y * down);
            move_separate_feet(input.skeleton, &input.roles.legs, hips, &shift, pose);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use portamento_anim::ik::solve_leg;

    #[test]
    fn an_airborne_foot_is_lowered_with_the_hips_and_a_low_one_stays() {
        let hero = portamento_test_support::hero();
        let roles = portamento_anim::Roles::find(&hero.skeleton, &hero.clips);
        let (skeleton, clips) = (&hero.skeleton, &hero.clips[..]);
        let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: None };
        let leg = &roles.legs[0];
        let mut pose = Pose::rest(skeleton);
        let length = leg_positions(&input, leg, &pose).length();
        let raised = FootTransform::from_pose(skeleton, leg, &pose).moved(DVec3::Y * (0.5 * length));
        let hips = roles.hips.unwrap();
        let over_foot = |pose: &Pose, foot: &FootTransform| leg_positions(&input, leg, pose).hip.y - foot.ankle.y;
        let before = below_hip(&input, leg, &pose, raised, -9.0);
        assert!(before == raised, "{before:?} {raised:?}");
        pose.locals[hips].translation.y -= (0.2 * length) as f32;
        let lowered = below_hip(&input, leg, &pose, raised, -9.0);
        assert!(over_foot(&pose, &raised) < 0.35 * length, "{}", over_foot(&pose, &raised) / length);
        assert!((over_foot(&pose, &lowered) - ANKLE_MIN_DROP * length).abs() < 1e-6, "{lowered:?}");
        let low = lowered.moved(DVec3::NEG_Y * 0.1);
        assert_eq!(below_hip(&input, leg, &pose, low, -9.0), low);
        // Ground 2 cm under the foot leaves 2 cm; ground at or above the foot leaves nothing.
        let on_ground = below_hip(&input, leg, &pose, raised, raised.sole.y - 0.02);
        assert!((raised.sole.y - on_ground.sole.y - 0.02).abs() < 1e-9, "{on_ground:?}");
        assert_eq!(below_hip(&input, leg, &pose, raised, raised.sole.y + 0.1), raised);
    }

    #[test]
    fn frames_are_counted_from_the_nearest_stand() {
        let planted = [false, true, true, false, false, false, false, true, false];
        assert_eq!(frames_to_stance(&planted), [1, 0, 0, 1, 2, 2, 1, 0, 1]);
        assert!(frames_to_stance(&[false; 3]).iter().all(|&frames_away| frames_away > 1_000_000));
    }

    #[test]
    fn a_foot_over_an_edge_is_lowered_over_many_frames() {
        let ground: Vec<f64> = (0..40).map(|i| if i < 20 { -1.0 } else { -1.15 }).collect();
        let soft = without_edges(&ground, 5);
        assert!(soft.iter().zip(&ground).all(|(soft, ground)| soft >= ground));
        assert!((soft[0] + 1.0).abs() < 1e-12 && (soft[39] + 1.15).abs() < 1e-12, "{soft:?}");
        assert!(soft.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.15 / 10.9), "{soft:?}");
    }

    #[test]
    fn a_knee_does_not_flip_when_an_ankle_passes_close_under_its_hip() {
        // A short shin, as cartoon characters have, and a foot that passes over rising ground while the hips are
        // lowered.
        let leg =
            LegPositions { hip: DVec3::ZERO, knee: DVec3::new(0.0, -0.57, 0.2), ankle: DVec3::new(0.0, -0.9, 0.0) };
        let ahead = [-0.22, -0.18, -0.13, -0.07, 0.0, 0.07, 0.14];
        let depths = [0.14, 0.13, 0.14, 0.16, 0.22, 0.27, 0.31];
        let targets = ahead.into_iter().zip(depths).map(|(z, y)| DVec3::new(0.0, -y, z));
        let thighs = |moved: &dyn Fn(DVec3) -> DVec3| -> f64 {
            let knee = |target: DVec3| leg.turned(&solve_leg(&leg, moved(target), DVec3::X)).knee;
            let knees: Vec<DVec3> = targets.clone().map(knee).collect();
            knees.windows(2).map(|pair| pair[0].angle_between(pair[1]).to_degrees()).fold(0.0, f64::max)
        };
        let foot_at = |ankle: DVec3| FootTransform { ankle, sole: ankle, turn: DQuat::IDENTITY };
        let led = |target: DVec3| off_hip(&leg, foot_at(target)).ankle;
        assert!(thighs(&|target| target) > 35.0, "{}", thighs(&|target| target));
        assert!(thighs(&led) < 25.0, "{}", thighs(&led));
        assert!(targets.clone().all(|target| led(target).length() >= leg.folded() - 1e-9));
        // The foot stays on its target if there is room, or if the clip folds as far.
        let far = DVec3::new(0.1, -0.8, 0.0);
        assert_eq!(led(far), far);
        let folded = LegPositions { knee: DVec3::new(0.0, -0.1, 0.59), ankle: DVec3::new(0.0, -0.2, 0.2), ..leg };
        let near = DVec3::new(0.0, -0.2, 0.21);
        assert_eq!(off_hip(&folded, foot_at(near)).ankle, near);
    }
}
