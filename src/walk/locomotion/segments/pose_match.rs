//! Match of the moving pose to the entry pose of a stop clip.
//!
//! Damped Jacobian iterations move hands and feet to their positions in the entry pose, relative to the hips. The
//! remaining difference (hips, spine, twist of limbs) is kept as an offset and fades.

use glam::{DVec3, Quat, Vec3};

use crate::locomotion::Input;
use portamento_anim::Pose;
use portamento_anim::chain_ik::{Limb, step_limb_towards};

/// The match from the moving pose to the entry pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PoseMatch {
    /// Per iteration and joint, the rotation and translation from the entry pose to the pose of that iteration.
    steps: Vec<Vec<(Quat, Vec3)>>,
    /// Mean distance of hands and feet from their targets before each iteration, metres.
    pub distances: Vec<f64>,
}

/// Returns the legs and arms that IK can move.
pub(crate) fn limbs(input: &Input) -> Vec<Limb> {
    let legs = input.legs();
    let legs = legs
        .iter()
        .filter(|leg| leg.is_chain(input.skeleton))
        .map(|leg| Limb { joints: vec![leg.thigh, leg.shin], tip: leg.foot });
    let arm = |&hand: &usize| {
        let lower = input.skeleton.joints.get(hand)?.parent?;
        let upper = input.skeleton.joints[lower].parent?;
        Some(Limb { joints: vec![upper, lower], tip: hand })
    };
    legs.chain(input.roles.hands.iter().filter_map(arm)).collect()
}

/// Returns the mean distance between the limbs' tips in two poses relative to the hips, metres.
pub(crate) fn pose_distance(input: &Input, limbs: &[Limb], from: &Pose, to: &Pose) -> f64 {
    let targets = targets(input, limbs, from, to);
    let left = |(limb, target): (&Limb, &DVec3)| {
        from.world_from_joint(input.skeleton, limb.tip).translation.distance(*target) * input.metres_per_unit
    };
    limbs.iter().zip(&targets).map(left).sum::<f64>() / limbs.len().max(1) as f64
}

/// Returns the tip positions of `entry` with its hips moved onto those of `moving`, world units.
fn targets(input: &Input, limbs: &[Limb], moving: &Pose, entry: &Pose) -> Vec<DVec3> {
    let hips = input.roles.hips.filter(|&hips| hips < input.skeleton.len()).unwrap_or(0);
    let there = entry.world_from_joint(input.skeleton, hips).inverse();
    let here = moving.world_from_joint(input.skeleton, hips);
    let tip = |limb: &Limb| entry.world_from_joint(input.skeleton, limb.tip).translation;
    limbs.iter().map(|limb| (here * there).transform_point3(tip(limb))).collect()
}

impl PoseMatch {
    /// Matches `moving` to `entry` in at most `iterations` iterations.
    pub fn new(input: &Input, moving: &Pose, entry: &Pose, iterations: usize) -> Self {
        // A millimetre is invisible, and below the accuracy of the stop.
        const TOLERANCE_M: f64 = 1e-3;
        let limbs = limbs(input);
        let targets = targets(input, &limbs, moving, entry);
        let mut pose = moving.clone();
        let mut found = Self { steps: vec![offsets(&pose, entry)], distances: Vec::new() };
        for _ in 0..iterations {
            let lead_limb = |(limb, &target): (&Limb, &DVec3)| {
                step_limb_towards(input.skeleton, &mut pose, limb, target, input.metres_per_unit)
            };
            let left: Vec<f64> = limbs.iter().zip(&targets).map(lead_limb).collect();
            found.distances.push(left.iter().sum::<f64>() / left.len().max(1) as f64);
            if left.iter().all(|&left| left < TOLERANCE_M) {
                break;
            }
            found.steps.push(offsets(&pose, entry));
        }
        found.distances.push(pose_distance(input, &limbs, &pose, entry));
        found
    }

    /// Adds the faded offset to `pose` (the stop clip's) at `share` (0…1) of the match time.
    pub fn apply(&self, share: f64, pose: &mut Pose) {
        let last = self.steps.len().saturating_sub(1);
        // The first iterations are the longest; easing in keeps limbs from starting at full speed.
        let step = portamento_anim::math::easing::Easing::Smoothstep.at(share) * last as f64;
        let (before, after) = (step.floor() as usize, step.ceil() as usize);
        let fade = (1.0 - portamento_anim::math::easing::Easing::Smoothstep.at(share)) as f32;
        let (Some(from), Some(to)) = (self.steps.get(before), self.steps.get(after)) else { return };
        if fade <= 0.0 {
            return;
        }
        let between = (step - before as f64) as f32;
        for (local, (a, b)) in pose.locals.iter_mut().zip(from.iter().zip(to)) {
            let turn = portamento_anim::math::mean::slerp(a.0, b.0, between);
            let turn = portamento_anim::math::mean::slerp(Quat::IDENTITY, turn, fade);
            local.rotation = (turn * local.rotation).normalize();
            local.translation += a.1.lerp(b.1, between) * fade;
        }
    }
}

/// Returns per joint the rotation and translation from `entry` to `pose`, both in the space of the parent.
fn offsets(pose: &Pose, entry: &Pose) -> Vec<(Quat, Vec3)> {
    let offset = |(a, b): (&portamento_anim::math::Transform, &portamento_anim::math::Transform)| {
        let turn = (a.rotation * b.rotation.conjugate()).normalize();
        (if turn.w < 0.0 { -turn } else { turn }, a.translation - b.translation)
    };
    pose.locals.iter().zip(&entry.locals).map(offset).collect()
}
