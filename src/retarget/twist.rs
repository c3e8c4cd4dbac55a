//! Twist joints: children of an arm or leg bone that distribute its twist over the skin.
//!
//! They are not mapped to the source. Each takes a fraction of the twist of the character's own limb. On a forearm or shin, that
//! is the twist of the hand or foot: full at the wrist, none at the elbow. On an upper arm or thigh, it is the twist of the bone
//! itself: full at the elbow, none at the shoulder. Twist joints inside a limb chain are handled by `links`.

use glam::{DQuat, DVec3};

use super::{Body, Link};
use portamento_anim::Pose;
use portamento_anim::rig::chains::{Chain, Limb};

/// Maximum distance of a twist joint from its bone, as a fraction of the bone length. Tuned; no derivation recorded.
const MAX_OFFSET_RATIO: f64 = 0.25;

/// The unmapped twist joints of a character.
pub(super) struct Twists {
    joints: Vec<TwistJoint>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct TwistJoint {
    joint: usize,
    /// The joint whose twist is distributed.
    driver: usize,
    /// The direction of the bone, in the space of the twist joint's parent.
    axis: DVec3,
    /// Position along the bone, 0…1.
    fraction: f64,
    /// True if the driving joint is the parent of the twist joint, which then rotates back by the rest of the twist.
    is_carried: bool,
}

impl Twists {
    /// Finds the twist joints of `body` that are not part of `links`.
    pub fn new(body: &Body, links: &[Link]) -> Self {
        let limbs = body.chains.iter().filter(|chain| matches!(chain.limb, Limb::Arm(_) | Limb::Leg(..)));
        let mut joints: Vec<TwistJoint> = limbs.flat_map(|chain| joints(body, chain)).collect();
        joints.retain(|twist| links.iter().all(|link| link.joint != twist.joint));
        Self { joints }
    }

    /// Rotates the twist joints of `pose` by their fractions of the twist, from rest on. All other joints must be final.
    pub fn spread(&self, body: &Body, pose: &mut Pose) {
        let rest = |joint: usize| body.skeleton.joints[joint].rest.rotation.as_dquat().normalize();
        for twist in &self.joints {
            let now = pose.locals[twist.driver].rotation.as_dquat().normalize();
            let turned =
                if twist.is_carried { rest(twist.driver).inverse() * now } else { now * rest(twist.driver).inverse() };
            let fraction = if twist.is_carried { twist.fraction - 1.0 } else { twist.fraction };
            pose.locals[twist.joint].rotation =
                (twist_about(turned, twist.axis, fraction) * rest(twist.joint)).normalize().as_quat();
        }
    }
}

/// Returns the twist joints on both bones of a limb.
fn joints(body: &Body, limb: &Chain) -> Vec<TwistJoint> {
    let skeleton = body.skeleton;
    let is_free = |joint: usize| {
        let name = skeleton.joints[joint].name.to_lowercase();
        (name.contains("twist") || name.contains("roll")) && skeleton.children(joint).next().is_none()
    };
    let ends = limb.bones.iter().skip(1).map(|bone| bone.joint).chain(limb.tip);
    let mut found = Vec::new();
    for (at, (bone, next)) in limb.bones.iter().zip(ends).enumerate() {
        // Joints between the two would rotate independently.
        if bone.joint != bone.end || skeleton.joints[next].parent != Some(bone.joint) {
            continue;
        }
        let offset = skeleton.joints[next].rest.translation.as_dvec3();
        let Some(axis) = offset.try_normalize() else { continue };
        let is_last = at + 1 == limb.bones.len();
        for joint in skeleton.children(bone.joint).filter(|&joint| joint != next && is_free(joint)) {
            let position = skeleton.joints[joint].rest.translation.as_dvec3();
            if position.reject_from(axis).length() <= MAX_OFFSET_RATIO * offset.length() {
                let fraction = (position.dot(axis) / offset.length()).clamp(0.0, 1.0);
                let driver = if is_last { next } else { bone.joint };
                found.push(TwistJoint { joint, driver, axis, fraction, is_carried: !is_last });
            }
        }
    }
    found
}

/// Returns the rotation by `fraction` of the twist of `turn` about `axis`.
fn twist_about(turn: DQuat, axis: DVec3, fraction: f64) -> DQuat {
    let along = DVec3::new(turn.x, turn.y, turn.z).dot(axis);
    let (sin, cos) = if turn.w < 0.0 { (-along, -turn.w) } else { (along, turn.w) };
    DQuat::from_axis_angle(axis, 2.0 * sin.atan2(cos) * fraction)
}
