//! From a plan to curves with a key on every frame.

use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};

use super::garments::garments;
use super::leg::leg;
use super::plan::Plan;
use super::posing::{Posing, hips_place};
use super::strand::{StrandDrive, simulate};
use crate::anim::{Clip, Curve, JointTracks, Skeleton};
use crate::samples::hero::rig;

/// Frames per second of every clip.
pub const FPS: f64 = 30.0;
/// Frames that hair and cape move before the first recorded one.
const WARM_UP: usize = 90;
/// Frames between two beats of flutter.
const BEAT: f64 = 10.0;

/// All joints at one frame.
#[derive(Clone, Debug, PartialEq)]
struct JointPoses {
    root: DVec3,
    hips: DVec3,
    /// Rotation of each joint relative to its parent.
    turns: Vec<DQuat>,
}

/// The clip of `plan` for the hero's `skeleton`: root and hips get translations, all moving joints rotations.
pub fn clip(plan: &Plan, skeleton: &Skeleton) -> Clip {
    let places = rig::places();
    let warm_up = if plan.cyclic { WARM_UP.next_multiple_of(plan.frames) } else { WARM_UP };
    let frame = |i: usize| i as f64 - warm_up as f64;
    let mut poses: Vec<JointPoses> = (0..=warm_up + plan.frames).map(|i| moment(plan, frame(i), &places)).collect();
    let worlds: Vec<Vec<DAffine3>> = poses.iter().map(|moment| world(moment, &places)).collect();
    poses.drain(..warm_up);
    // A whole number of beats in a cycle, so that flutter repeats with it.
    let beat = if plan.cyclic { plan.frames as f64 / (plan.frames as f64 / BEAT).round() } else { BEAT };
    for (strands, firsts) in garments() {
        let recorded = simulate(&strands, StrandDrive { places: &places, frames: &worlds, before: warm_up, beat });
        for ((moment, chains), world) in poses.iter_mut().zip(&recorded).zip(&worlds[warm_up..]) {
            for ((chain, rest), &first) in chains.iter().zip(&strands.rest).zip(&firsts) {
                aim(moment, first, [chain, rest], world[strands.anchor]);
            }
        }
    }
    if let (true, Some(mut first)) = (plan.cyclic, poses.first().cloned()) {
        // The seam is exact, not only as near as the springs came.
        first.root = poses[plan.frames].root;
        poses[plan.frames] = first;
    }
    tracks(plan.name, &poses, skeleton)
}

fn moment(plan: &Plan, frame: f64, places: &[DVec3]) -> JointPoses {
    let posing = plan.posing(frame);
    let ground = plan.ground(frame);
    let mut turns = vec![DQuat::IDENTITY; places.len()];
    posing.write(&mut turns);
    turns[rig::ROOT] = DQuat::from_rotation_y(ground.yaw.to_radians());
    let hips = hips_place(&posing, places[rig::HIPS]);
    (0..2).for_each(|side| stand(plan, [frame, side as f64], &posing, hips, places, &mut turns));
    JointPoses { root: ground.place, hips, turns }
}

/// Turns one leg so that its foot is where the steps want it.
fn stand(plan: &Plan, [frame, side]: [f64; 2], posing: &Posing, hips: DVec3, places: &[DVec3], turns: &mut [DQuat]) {
    let side = side as usize;
    let foot = plan.foot(side, frame);
    let pelvis = turns[rig::HIPS];
    let hip = hips + pelvis * (places[rig::THIGH[side]] - places[rig::HIPS]);
    let out = if side == 0 { 1.0 } else { -1.0 };
    let knees = DQuat::from_rotation_y((foot.yaw * 0.6 + out * posing.knees[side]).to_radians());
    let up = DVec3::new(0.0, (foot.pitch.to_radians()).sin().max(0.0) * 0.5, 0.0);
    let leg = leg(side, places, hip, foot.ankle, knees * DVec3::Z + up);
    turns[rig::THIGH[side]] = pelvis.inverse() * leg.thigh;
    turns[rig::SHIN[side]] = leg.thigh.inverse() * leg.shin;
    turns[rig::FOOT[side]] = leg.shin.inverse() * foot.turn();
    turns[rig::TOE[side]] = DQuat::from_rotation_x(-foot.toes.to_radians());
}

/// Where every joint is in the world.
fn world(moment: &JointPoses, places: &[DVec3]) -> Vec<DAffine3> {
    let mut world: Vec<DAffine3> = Vec::with_capacity(places.len());
    for (joint, (_, parent, place)) in rig::joints().iter().enumerate() {
        let offset = match joint {
            rig::ROOT => moment.root,
            rig::HIPS => moment.hips,
            _ => *place - parent.map_or(DVec3::ZERO, |parent| places[parent]),
        };
        let local = DAffine3::from_rotation_translation(moment.turns[joint], offset);
        world.push(parent.map_or(local, |parent| world[parent] * local));
    }
    world
}

/// Turns the joints of a chain so that its points come where `chain` has them.
fn aim(moment: &mut JointPoses, first: usize, [chain, rest]: [&Vec<DVec3>; 2], anchor: DAffine3) {
    let (_, mut parent, _) = anchor.to_scale_rotation_translation();
    for i in 0..chain.len() - 1 {
        let wanted = parent.inverse() * (chain[i + 1] - chain[i]);
        let turn = DQuat::from_rotation_arc((rest[i + 1] - rest[i]).normalize(), wanted.normalize());
        moment.turns[first + i] = turn;
        parent *= turn;
    }
}

fn tracks(name: &str, poses: &[JointPoses], skeleton: &Skeleton) -> Clip {
    let times: Vec<f32> = (0..poses.len()).map(|i| (i as f64 / FPS) as f32).collect();
    let mut tracks = vec![JointTracks::default(); skeleton.len()];
    let offsets = |of: fn(&JointPoses) -> DVec3| -> Option<Curve<Vec3>> {
        Some(Curve::linear(times.clone(), poses.iter().map(|moment| of(moment).as_vec3()).collect()))
    };
    tracks[rig::ROOT].translation = offsets(|moment| moment.root);
    tracks[rig::HIPS].translation = offsets(|moment| moment.hips);
    for (joint, track) in tracks.iter_mut().enumerate().take(poses.first().map_or(0, |first| first.turns.len())) {
        let mut last = Quat::IDENTITY;
        let turns = poses.iter().map(|moment| {
            let turn = moment.turns[joint].normalize().as_quat().normalize();
            last = crate::math::mean::aligned(turn, last);
            last
        });
        track.rotation = Some(Curve::linear(times.clone(), turns.collect()));
    }
    let duration = times.last().map_or(0.0, |&last| f64::from(last));
    Clip { name: name.into(), duration, tracks }
}
