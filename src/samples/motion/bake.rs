//! Bakes a plan to curves with a key on every frame.

use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};

use super::garments::garments;
use super::grip;
use super::limb::leg;
use super::plan::Plan;
use super::posing::{Posing, hips_position};
use super::strand::{StrandDrive, simulate};
use crate::hero::rig;
use portamento_anim::{Clip, Curve, JointTracks, Skeleton};

/// Frame rate of every clip, frames per second.
pub const FPS: f64 = 30.0;
/// Frames of hair and cape simulation before the first recorded one.
const WARM_UP_FRAMES: usize = 90;
/// Frames per beat of flutter.
const BEAT_FRAMES: f64 = 10.0;

/// The local transforms of all joints in one frame.
#[derive(Clone, Debug, PartialEq)]
struct JointPoses {
    root: DVec3,
    hips: DVec3,
    /// Rotation of each joint relative to its parent.
    turns: Vec<DQuat>,
}

/// Bakes `plan` for the hero's `skeleton`: translations of root and hips, rotations of all moving joints.
pub fn clip(plan: &Plan, skeleton: &Skeleton) -> Clip {
    let positions = rig::positions();
    let warm_up = if plan.cyclic { WARM_UP_FRAMES.next_multiple_of(plan.frames) } else { WARM_UP_FRAMES };
    let frame = |i: usize| i as f64 - warm_up as f64;
    let mut poses: Vec<JointPoses> = (0..=warm_up + plan.frames).map(|i| moment(plan, frame(i), &positions)).collect();
    let worlds: Vec<Vec<DAffine3>> = poses.iter().map(|moment| world(moment, &positions)).collect();
    poses.drain(..warm_up);
    // A cycle has a whole number of beats, so that the flutter repeats.
    let beat = if plan.cyclic { plan.frames as f64 / (plan.frames as f64 / BEAT_FRAMES).round() } else { BEAT_FRAMES };
    for (strands, firsts) in garments() {
        let (frames, profile) = (&worlds, &plan.profile);
        let drive = StrandDrive { positions: &positions, frames, warm_up_frames: warm_up, beat, profile };
        let recorded = simulate(&strands, drive);
        for ((moment, chains), world) in poses.iter_mut().zip(&recorded).zip(&worlds[warm_up..]) {
            for ((chain, rest), &first) in chains.iter().zip(&strands.rest).zip(&firsts) {
                aim(moment, first, [chain, rest], world[strands.anchor]);
            }
        }
    }
    if let (true, Some(mut first)) = (plan.cyclic, poses.first().cloned()) {
        // Make the seam exact: the springs only converge towards it.
        first.root = poses[plan.frames].root;
        poses[plan.frames] = first;
    }
    tracks(plan.name, &poses, skeleton)
}

/// Returns the pose of `plan` at `frame`, which may be negative or between frames. Hair and cape are at rest.
fn moment(plan: &Plan, frame: f64, positions: &[DVec3]) -> JointPoses {
    let posing = plan.posing(frame);
    let ground = plan.ground(frame);
    let mut turns = vec![DQuat::IDENTITY; positions.len()];
    posing.write(&mut turns);
    turns[rig::ROOT] = DQuat::from_rotation_y(ground.yaw.to_radians());
    let hips = hips_position(&posing, positions[rig::HIPS]);
    (0..2).for_each(|side| pose_leg(plan, [frame, side as f64], &posing, hips, positions, &mut turns));
    let mut poses = JointPoses { root: ground.position, hips, turns };
    for side in 0..2 {
        if let Some((grip, part)) = grip::active(&plan.hands[side], frame) {
            let world = world(&poses, positions);
            grip.hold(side, part, positions, &world, &mut poses.turns);
        }
    }
    poses
}

/// Rotates one leg so that the foot reaches its planned position.
fn pose_leg(
    plan: &Plan,
    [frame, side]: [f64; 2],
    posing: &Posing,
    hips: DVec3,
    positions: &[DVec3],
    turns: &mut [DQuat],
) {
    let side = side as usize;
    let foot = plan.foot(side, frame);
    let pelvis = turns[rig::HIPS];
    let hip = hips + pelvis * (positions[rig::THIGH[side]] - positions[rig::HIPS]);
    let out = if side == 0 { 1.0 } else { -1.0 };
    let knees = DQuat::from_rotation_y((foot.yaw * 0.6 + out * posing.knees[side]).to_radians());
    let up = DVec3::new(0.0, (foot.pitch.to_radians()).sin().max(0.0) * 0.5, 0.0);
    let leg = leg(side, positions, hip, foot.ankle, knees * DVec3::Z + up);
    turns[rig::THIGH[side]] = pelvis.inverse() * leg.upper;
    turns[rig::SHIN[side]] = leg.upper.inverse() * leg.lower;
    turns[rig::FOOT[side]] = leg.lower.inverse() * foot.turn();
    turns[rig::TOE[side]] = DQuat::from_rotation_x(-foot.toes.to_radians());
}

/// Returns the world transform of every joint.
fn world(moment: &JointPoses, positions: &[DVec3]) -> Vec<DAffine3> {
    let mut world: Vec<DAffine3> = Vec::with_capacity(positions.len());
    for (joint, (_, parent, position)) in rig::joints().iter().enumerate() {
        let offset = match joint {
            rig::ROOT => moment.root,
            rig::HIPS => moment.hips,
            _ => *position - parent.map_or(DVec3::ZERO, |parent| positions[parent]),
        };
        let local = DAffine3::from_rotation_translation(moment.turns[joint], offset);
        world.push(parent.map_or(local, |parent| world[parent] * local));
    }
    world
}

/// Rotates the joints of a chain, from `first` on, so that its points match `chain`. `rest` are the points at rest.
fn aim(moment: &mut JointPoses, first: usize, [chain, rest]: [&Vec<DVec3>; 2], anchor: DAffine3) {
    let (_, mut parent, _) = anchor.to_scale_rotation_translation();
    for i in 0..chain.len() - 1 {
        let wanted = parent.inverse() * (chain[i + 1] - chain[i]);
        let turn = DQuat::from_rotation_arc((rest[i + 1] - rest[i]).normalize(), wanted.normalize());
        moment.turns[first + i] = turn;
        parent *= turn;
    }
}

/// Returns a clip with a key for each of `poses` at [`FPS`]: translations of root and hips, and the rotations of all joints.
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
            last = portamento_anim::math::mean::aligned(turn, last);
            last
        });
        track.rotation = Some(Curve::linear(times.clone(), turns.collect()));
    }
    let duration = times.last().map_or(0.0, |&last| f64::from(last));
    Clip { name: name.into(), duration, tracks }
}
