//! Standing feet are held where they stand, and let go softly.
//!
//! All frames are known, so every stand is found first and given one place (as footskate is cleaned up by Kovar, Schreiner and
//! Gleicher 2002); between two stands the correction runs smoothly from one to the next, or fades where the swing is long.
//! The hips come down where a leg would be too short, well before and after, so that no knee pops.

use std::ops::Range;

use glam::{DAffine3, DVec3, Vec3};

use super::ankle_sweep::AnkleSweep;
use super::crouch::{BELOW_HIP, StandingLegs, beside_stands, on_its_way};
use super::foot_plant::{FootPlant, ReleaseLimits};
use super::foot_plants::{self, FootContacts, Reach};
use super::knee_swing::KneeSwing;
use super::near_ground::{self, Sight};
use super::step_time::StepTime;
use super::{Input, Settings};
use crate::anim::contacts::per_frame;
use crate::anim::foot_place::{self, CROUCH, FootPlace, STOOP, carry_feet_apart, drop_needed, evened, put_foot};
use crate::anim::ik::LegPlace;
use crate::anim::{Leg, Pose};
use crate::math::easing::Easing;

/// How far a step is raised at most, as a share of the leg: higher, the ankle comes to the hip, where no knee can be bent.
const HIGHEST: f64 = 0.35;

/// How fast a step is raised beside its stands at most, legs a second.
const RISE: f64 = 1.8;

/// How often stands are lengthened by what is seen beside them: each time the way between them becomes another.
const LOOKS: usize = 4;

/// From how far away a foot in the air comes nearer to the hip ever more slowly, as a share of how near a knee folds it.
const SOFT_FOLD: f64 = 1.25;

/// Seconds before and after an edge within which a foot in the air takes its height: without them it would fall off a stair in one frame.
const EDGE: f64 = 0.08;

/// Seconds beside a stand in which a foot comes to where it is kept off the hip: in its stand it may be nearer.
const LIFTS: f64 = 0.12;

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
    let mut feet: Vec<Vec<FootPlace>> = Vec::new();
    let mut standing: Vec<Vec<bool>> = Vec::new();
    let mut most_down: Vec<Vec<f64>> = Vec::new();
    let mut grounds: Vec<Vec<f64>> = Vec::new();
    let soles: Vec<Vec<DVec3>> = legs.iter().map(|leg| soles(input, leg, poses)).collect();
    let find = |(k, soles): (usize, &Vec<DVec3>)| foot_plants::find(contacts, k, soles, unit, settings.fps);
    let mut found: Vec<Vec<FootPlant>> = soles.iter().enumerate().map(find).collect();
    found.iter_mut().for_each(|plants| foot_plants::part(plants, &mut steps, settings.fps));
    let standing_legs = StandingLegs { input, legs: &legs, poses, soles: &soles, plants: &found };
    for (k, leg) in legs.iter().enumerate() {
        let most_crouch = standing_legs.most_crouch(k);
        let frames = LegFrames { input, settings, leg, poses, soles: &soles[k], size, most_crouch };
        let (plants, offsets) = frames.held(contacts, found[k].clone());
        most_down.push(frames.most_down(&plants, contacts.anchors));
        let over_ground = |plant: &FootPlant| plant.place.y - (contacts.ground)(plant.frames.start, plant.place)[0];
        let height = plants.iter().map(over_ground).reduce(f64::min).unwrap_or(0.0);
        let frames: Vec<Range<usize>> = plants.iter().map(|plant| plant.frames.clone()).collect();
        standing.push(per_frame(&frames, poses.len()));
        let target = |(pose, offset): (&Pose, DVec3)| FootPlace::from_pose(input.skeleton, leg, pose).moved(offset);
        feet.push(poses.iter().zip(offsets).map(target).collect());
        let soles = feet[k].iter().map(|target| target.sole);
        let ground: Vec<f64> = soles.enumerate().map(|(i, sole)| (contacts.ground)(i, sole)[0] + height).collect();
        grounds.push(without_edges(&ground, (EDGE * settings.fps).round() as usize));
    }
    poses.iter_mut().enumerate().for_each(|(i, pose)| leans(i, pose));
    lower_hips(input, settings, &legs, &Held { feet: &feet, standing: &standing, most_down: &most_down }, poses);
    for (k, leg) in legs.iter().enumerate() {
        let swings = Swings { poses, stands: &standing[k], ground: &grounds[k], fps: settings.fps };
        in_the_air(input, leg, &swings, &mut feet[k]);
    }
    let gaps = (0..poses.len())
        .map(|i| {
            let gaps = legs.iter().enumerate().map(|(k, leg)| {
                let gap = put_foot(input.skeleton, leg, &feet[k][i], &mut poses[i]);
                if standing[k][i] { gap * input.metres_per_unit } else { 0.0 }
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
    soles: &'a [DVec3],
    /// Of the body, metres.
    size: f64,
    /// How far the body may crouch at each frame where this foot stays, as a share of the leg.
    most_crouch: Vec<f64>,
}

impl LegFrames<'_> {
    /// Whether the leg reaches a place for its sole at a frame where the body comes down by at most that share of it.
    fn within(&self, frame: usize, place: DVec3, most_down: f64) -> bool {
        let leg = leg_place(self.input, self.leg, &self.poses[frame]);
        let ankle = leg.ankle + place - self.soles[frame];
        ankle.y <= leg.hip.y - BELOW_HIP * leg.length() && drop_needed(&leg, ankle, most_down).is_some()
    }

    /// From a plant's place to others that the clip's sole passes over while it stands.
    fn along_clip(&self, plant: &FootPlant) -> Vec<DVec3> {
        let half = 0.5 * (self.soles[plant.frames.end - 1] - self.soles[plant.frames.start]).with_y(0.0);
        [0.25, -0.25, 0.5, -0.5, 0.75, -0.75].map(|share| half * share).to_vec()
    }

    /// From a plant's place to others nearer under the hips: feet apart up and down a steep slope are out of reach.
    fn towards_body(&self, plant: &FootPlant) -> Vec<DVec3> {
        let frame = plant.frames.start + plant.frames.len() / 2;
        let (skeleton, pose) = (self.input.skeleton, &self.poses[frame]);
        let hips = self.input.roles.hips.filter(|&hips| hips < skeleton.len()).unwrap_or(self.leg.thigh);
        let ankle = leg_place(self.input, self.leg, pose).ankle + plant.place - self.soles[frame];
        let way = (pose.world_from_joint(skeleton, hips).translation - ankle).with_y(0.0);
        [0.15, 0.3, 0.45, 0.6, 0.75, 0.9].map(|share| way * share).to_vec()
    }

    /// What is left of `plants` within reach, as long as each is seen to stand, and what is added to the sole at each frame.
    fn held(&self, contacts: &FootContacts, mut plants: Vec<FootPlant>) -> (Vec<FootPlant>, Vec<DVec3>) {
        let (unit, fps, count) = (self.input.metres_per_unit, self.settings.fps, self.poses.len());
        let stooping = |frame: usize, place: DVec3| self.within(frame, place, STOOP);
        let crouching = |frame: usize, place: DVec3| self.within(frame, place, self.most_crouch[frame]);
        let within = Reach { stooping: &stooping, crouching: &crouching };
        let is_fixed = |plant: &FootPlant| contacts.anchors.iter().any(|anchor| plant.frames.contains(anchor));
        for plant in &mut plants {
            let along = if is_fixed(plant) { Vec::new() } else { self.along_clip(plant) };
            // Feet apart across a steep slope are as much out of reach as those up and down it.
            let shifts = along.into_iter().chain(self.towards_body(plant));
            plant.shift_within(shifts, &stooping, contacts.ground);
            let mut anchors = contacts.anchors.iter().filter(|anchor| plant.frames.contains(anchor));
            if anchors.any(|&anchor| !self.within(anchor, plant.place, STOOP)) {
                // Where feet stay, the body crouches rather than let one hang in the air.
                let nearer = self.towards_body(plant);
                plant.shift_within(nearer, &crouching, contacts.ground);
            }
        }
        foot_plants::keep_reachable(&mut plants, count, contacts.anchors, &within);
        let legs = self.poses.iter().map(|pose| leg_place(self.input, self.leg, pose));
        let own: Vec<DVec3> = legs.map(|leg| leg.ankle - leg.hip).collect();
        let steps = StepTime { own: &own, soles: self.soles, fps };
        steps.make_room(&mut plants, contacts.anchors);
        let length = self.poses.first().map_or(0.0, |pose| leg_place(self.input, self.leg, pose).length());
        let release = (self.settings.release * fps).max(1.0);
        let limits =
            ReleaseLimits { release, metres_per_unit: unit, highest: HIGHEST * length, rise: RISE * length / fps };
        let mut offsets = self.offsets(&plants, contacts, limits);
        for look in 0.. {
            let soles: Vec<DVec3> = self.soles.iter().zip(&offsets).map(|(sole, offset)| *sole + *offset).collect();
            let ground = contacts.ground;
            let sight =
                Sight { soles: &soles, ground, speeds: contacts.speeds, metres_per_unit: unit, fps, size: self.size };
            if look == LOOKS || !sight.lengthen(&mut plants, &|before, after| steps.frames(before, after)) {
                sight.peel(&plants, &mut offsets);
                break;
            }
            foot_plants::keep_reachable(&mut plants, count, contacts.anchors, &within);
            offsets = self.offsets(&plants, contacts, limits);
        }
        (plants, offsets)
    }

    /// What is added to the sole at each frame for `plants`, on the way between them only as much of it as the leg reaches.
    fn offsets(&self, plants: &[FootPlant], contacts: &FootContacts, limits: ReleaseLimits) -> Vec<DVec3> {
        let mut offsets = foot_plants::offsets(plants, self.soles, contacts, limits);
        let most_down = self.most_down(plants, contacts.anchors);
        let is_held = |frame: usize| plants.iter().any(|plant| plant.frames.contains(&frame));
        for (frame, offset) in offsets.iter_mut().enumerate() {
            let leg = leg_place(self.input, self.leg, &self.poses[frame]);
            let reaches = |share: f64| drop_needed(&leg, leg.ankle + *offset * share, most_down[frame]).is_some();
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

    /// How far the body comes down at most at each frame for this foot, as a share of the leg: where it crouches for a stand, it is
    /// on its way there before and back after.
    fn most_down(&self, plants: &[FootPlant], anchors: &[usize]) -> Vec<f64> {
        let crouches = |plant: &&FootPlant| {
            let mut anchors = anchors.iter().filter(|anchor| plant.frames.contains(anchor));
            anchors.any(|&anchor| !self.within(anchor, plant.place, STOOP))
        };
        let crouching: Vec<Range<usize>> = plants.iter().filter(crouches).map(|plant| plant.frames.clone()).collect();
        on_its_way(&crouching, &self.most_crouch, self.settings.fps)
    }
}

/// Heights of the ground, one per frame, that nowhere are lower and change slowly: over `frames` before and after an edge.
fn without_edges(ground: &[f64], frames: usize) -> Vec<f64> {
    let lowest = ground.iter().copied().fold(f64::INFINITY, f64::min);
    let over_lowest: Vec<f64> = ground.iter().map(|height| height - lowest).collect();
    evened(&over_lowest, frames).into_iter().map(|height| lowest + height).collect()
}

/// One leg over bodies that are where they stay.
struct Swings<'a> {
    poses: &'a [Pose],
    /// Per frame whether the foot is held.
    stands: &'a [bool],
    /// Height on which its sole would stand, one per frame.
    ground: &'a [f64],
    fps: f64,
}

/// Brings the `feet` of `leg` that are in the air, one per frame, to where its knee can follow.
fn in_the_air(input: &Input, leg: &Leg, swings: &Swings, feet: &mut [FootPlace]) {
    let legs: Vec<LegPlace> = swings.poses.iter().map(|pose| leg_place(input, leg, pose)).collect();
    let edge = (LIFTS * swings.fps).round().max(1.0);
    for (i, beside) in beside_stands(swings.stands).into_iter().enumerate().filter(|(_, beside)| *beside > 0) {
        let low = below_hip(input, leg, &swings.poses[i], feet[i], swings.ground[i]);
        let led = off_hip(&legs[i], low);
        let share = Easing::Smoothstep.at(beside as f64 / edge);
        feet[i] = feet[i].moved((led.ankle - feet[i].ankle) * share);
    }
    let own: Vec<DVec3> = legs.iter().map(|leg| leg.ankle - leg.hip).collect();
    let before: Vec<DVec3> = feet.iter().zip(&legs).map(|(foot, leg)| foot.ankle - leg.hip).collect();
    let mut after = before.clone();
    let near = legs.first().map_or(0.0, |leg| SOFT_FOLD * leg.folded());
    AnkleSweep { own: &own, stands: swings.stands, near, fps: swings.fps }.slow(&mut after);
    KneeSwing { own: &legs, stands: swings.stands, fps: swings.fps }.slow(&mut after);
    for (foot, (after, before)) in feet.iter_mut().zip(after.into_iter().zip(before)) {
        *foot = if after == before { *foot } else { foot.moved(after - before) };
    }
}

/// Where a foot in the air goes that shall be at `target`: as low as it has to be under the hips of `pose`, which came down for the
/// foot that stands, and no lower than where its sole stands on the `ground`: one that just lifts would be pushed into it.
fn below_hip(input: &Input, leg: &Leg, pose: &Pose, target: FootPlace, ground: f64) -> FootPlace {
    let place = leg_place(input, leg, pose);
    let highest = (place.hip.y - BELOW_HIP * place.length()).max(place.ankle.y);
    let room = (target.sole.y - ground).max(0.0);
    target.moved(DVec3::Y * (highest - target.ankle.y).clamp(-room, 0.0))
}

/// Where a foot in the air goes that shall be at `target`: no nearer to the hip than a knee folds, unless its clip folds it so. A
/// knee folded all the way points wherever the ankle passes the hip, and turns over with it.
fn off_hip(leg: &LegPlace, target: FootPlace) -> FootPlace {
    let own = (leg.ankle - leg.hip).length();
    let (nearest, start) = (leg.folded().min(own), (SOFT_FOLD * leg.folded()).min(own));
    let wanted = target.ankle - leg.hip;
    let (distance, room) = (wanted.length(), start - nearest);
    if distance >= start || distance <= 0.0 {
        return target;
    }
    let kept = if room > 0.0 { nearest + room * ((distance - start) / room).exp() } else { nearest };
    target.moved(wanted * (kept / distance - 1.0))
}

/// World place of a leg's sole at every frame.
pub(super) fn soles(input: &Input, leg: &Leg, poses: &[Pose]) -> Vec<DVec3> {
    poses.iter().map(|pose| foot_place::sole(input.skeleton, leg, pose)).collect()
}

fn leg_place(input: &Input, leg: &Leg, pose: &Pose) -> LegPlace {
    foot_place::leg_place(input.skeleton, leg, pose)
}

/// Where the feet shall be, per leg and frame, and whether they stand there.
struct Held<'a> {
    feet: &'a [Vec<FootPlace>],
    standing: &'a [Vec<bool>],
    /// How far the body comes down at most for a foot on its way, as a share of its leg.
    most_down: &'a [Vec<f64>],
}

/// Brings the hips down so that every target is within reach, evenly over a tenth of a second around each such frame.
fn lower_hips(input: &Input, settings: &Settings, legs: &[&Leg], held: &Held, poses: &mut [Pose]) {
    let Some(hips) = input.roles.body(input.skeleton) else { return };
    let needs: Vec<f64> = (0..poses.len())
        .map(|i| {
            let need = |(k, leg): (usize, &&Leg)| {
                // What stands was found to be within reach.
                let most_down = if held.standing[k][i] { CROUCH } else { held.most_down[k][i] };
                drop_needed(&leg_place(input, leg, &poses[i]), held.feet[k][i].ankle, most_down)
            };
            legs.iter().enumerate().filter_map(need).fold(0.0, f64::max)
        })
        .collect();
    let width = (0.1 * settings.fps).ceil() as usize;
    let downs = evened(&needs, width);
    for (pose, &down) in poses.iter_mut().zip(&downs) {
        if down <= 0.0 {
            continue;
        }
        let parent = input.skeleton.joints[hips].parent.map(|parent| pose.world_from_joint(input.skeleton, parent));
        let moved = parent.map_or(DVec3::NEG_Y * down, |parent| parent.matrix3.inverse() * (DVec3::NEG_Y * down));
        if moved.is_finite() {
            pose.locals[hips].translation += Vec3::new(moved.x as f32, moved.y as f32, moved.z as f32);
            let shift = DAffine3::from_translation(DVec3::NEG_Y * down);
            carry_feet_apart(input.skeleton, &input.roles.legs, hips, &shift, pose);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::ik::solve_leg;
    use glam::DQuat;

    #[test]
    fn a_foot_in_the_air_comes_down_with_the_hips_and_one_that_is_low_stays() {
        let hero = crate::samples::hero();
        let roles = crate::anim::Roles::find(&hero.skeleton, &hero.clips);
        let (skeleton, clips) = (&hero.skeleton, &hero.clips[..]);
        let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: None };
        let leg = &roles.legs[0];
        let mut pose = Pose::rest(skeleton);
        let length = leg_place(&input, leg, &pose).length();
        let raised = FootPlace::from_pose(skeleton, leg, &pose).moved(DVec3::Y * (0.5 * length));
        let hips = roles.hips.unwrap();
        let over_foot = |pose: &Pose, foot: &FootPlace| leg_place(&input, leg, pose).hip.y - foot.ankle.y;
        let before = below_hip(&input, leg, &pose, raised, -9.0);
        assert!(before == raised, "{before:?} {raised:?}");
        pose.locals[hips].translation.y -= (0.2 * length) as f32;
        let lowered = below_hip(&input, leg, &pose, raised, -9.0);
        assert!(over_foot(&pose, &raised) < 0.35 * length, "{}", over_foot(&pose, &raised) / length);
        assert!((over_foot(&pose, &lowered) - BELOW_HIP * length).abs() < 1e-6, "{lowered:?}");
        let low = lowered.moved(DVec3::NEG_Y * 0.1);
        assert_eq!(below_hip(&input, leg, &pose, low, -9.0), low);
        // Ground 2 cm under the foot leaves 2 cm, and ground at the foot or above it nothing.
        let on_ground = below_hip(&input, leg, &pose, raised, raised.sole.y - 0.02);
        assert!((raised.sole.y - on_ground.sole.y - 0.02).abs() < 1e-9, "{on_ground:?}");
        assert_eq!(below_hip(&input, leg, &pose, raised, raised.sole.y + 0.1), raised);
    }

    #[test]
    fn frames_are_counted_from_the_nearest_stand() {
        let stands = [false, true, true, false, false, false, false, true, false];
        assert_eq!(beside_stands(&stands), [1, 0, 0, 1, 2, 2, 1, 0, 1]);
        assert!(beside_stands(&[false; 3]).iter().all(|&beside| beside > 1_000_000));
    }

    #[test]
    fn a_foot_over_an_edge_comes_down_over_many_frames() {
        let ground: Vec<f64> = (0..40).map(|i| if i < 20 { -1.0 } else { -1.15 }).collect();
        let soft = without_edges(&ground, 5);
        assert!(soft.iter().zip(&ground).all(|(soft, ground)| soft >= ground));
        assert!((soft[0] + 1.0).abs() < 1e-12 && (soft[39] + 1.15).abs() < 1e-12, "{soft:?}");
        assert!(soft.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.15 / 10.9), "{soft:?}");
    }

    #[test]
    fn a_knee_does_not_turn_over_where_an_ankle_passes_close_under_its_hip() {
        // A short shin, as cartoon characters have, and a foot that passes over rising ground while the hips come down.
        let leg = LegPlace { hip: DVec3::ZERO, knee: DVec3::new(0.0, -0.57, 0.2), ankle: DVec3::new(0.0, -0.9, 0.0) };
        let ahead = [-0.22, -0.18, -0.13, -0.07, 0.0, 0.07, 0.14];
        let below = [0.14, 0.13, 0.14, 0.16, 0.22, 0.27, 0.31];
        let targets = ahead.into_iter().zip(below).map(|(z, y)| DVec3::new(0.0, -y, z));
        let thighs = |moved: &dyn Fn(DVec3) -> DVec3| -> f64 {
            let knee = |target: DVec3| leg.turned(&solve_leg(&leg, moved(target), DVec3::X)).knee;
            let knees: Vec<DVec3> = targets.clone().map(knee).collect();
            knees.windows(2).map(|pair| pair[0].angle_between(pair[1]).to_degrees()).fold(0.0, f64::max)
        };
        let place = |ankle: DVec3| FootPlace { ankle, sole: ankle, turn: DQuat::IDENTITY };
        let led = |target: DVec3| off_hip(&leg, place(target)).ankle;
        assert!(thighs(&|target| target) > 35.0, "{}", thighs(&|target| target));
        assert!(thighs(&led) < 25.0, "{}", thighs(&led));
        assert!(targets.clone().all(|target| led(target).length() >= leg.folded() - 1e-9));
        // Where there is room, and where the clip itself folds as far, a foot goes where it is led.
        let far = DVec3::new(0.1, -0.8, 0.0);
        assert_eq!(led(far), far);
        let folded = LegPlace { knee: DVec3::new(0.0, -0.1, 0.59), ankle: DVec3::new(0.0, -0.2, 0.2), ..leg };
        let near = DVec3::new(0.0, -0.2, 0.21);
        assert_eq!(off_hip(&folded, place(near)).ankle, near);
    }
}
