//! Twist joints that hang beside a limb: leaves on an arm or leg bone that spread its turn about itself over the skin.
//!
//! No joint of the source leads them, so they take a share of the turn that the character's own limb makes. On a forearm or shin that
//! is what the hand or foot turns about the bone: all of it at the wrist, none at the elbow. On an upper arm or thigh it is the bone's
//! own turn: all at the elbow, none at the shoulder. Twist joints that lie in the limb itself are parts of its bones (`links`).

use glam::{DQuat, DVec3};

use super::{Body, Link};
use crate::anim::Pose;
use crate::anim::rig::chains::{Chain, Limb};

/// How far beside its bone a twist joint may lie, as a share of the bone.
const BESIDE: f64 = 0.25;

/// The twist joints of a character that follow nothing else.
pub(super) struct Twists {
    leaves: Vec<Leaf>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Leaf {
    joint: usize,
    /// The joint whose turn about the bone is shared.
    turner: usize,
    /// The bone's direction, as the joint sees it on which the leaf hangs.
    axis: DVec3,
    /// How far along the bone it is, 0…1.
    share: f64,
    /// Whether the leaf hangs on the joint that turns: it then gives back what is not its share.
    is_carried: bool,
}

impl Twists {
    /// Those of `body` that none of `links` moves.
    pub fn new(body: &Body, links: &[Link]) -> Self {
        let limbs = body.chains.iter().filter(|chain| matches!(chain.limb, Limb::Arm(_) | Limb::Leg(..)));
        let mut leaves: Vec<Leaf> = limbs.flat_map(|chain| leaves(body, chain)).collect();
        leaves.retain(|leaf| links.iter().all(|link| link.joint != leaf.joint));
        Self { leaves }
    }

    /// Turns them in `pose`, whose limbs are where they shall be.
    pub fn spread(&self, body: &Body, pose: &mut Pose) {
        let rest = |joint: usize| body.skeleton.joints[joint].rest.rotation.as_dquat().normalize();
        for leaf in &self.leaves {
            let now = pose.locals[leaf.turner].rotation.as_dquat().normalize();
            let turned =
                if leaf.is_carried { rest(leaf.turner).inverse() * now } else { now * rest(leaf.turner).inverse() };
            let share = if leaf.is_carried { leaf.share - 1.0 } else { leaf.share };
            pose.locals[leaf.joint].rotation =
                (about(turned, leaf.axis, share) * rest(leaf.joint)).normalize().as_quat();
        }
    }
}

/// The twist joints on both bones of a limb.
fn leaves(body: &Body, limb: &Chain) -> Vec<Leaf> {
    let skeleton = body.skeleton;
    let is_free = |joint: usize| {
        let name = skeleton.joints[joint].name.to_lowercase();
        (name.contains("twist") || name.contains("roll")) && skeleton.children(joint).next().is_none()
    };
    let ends = limb.bones.iter().skip(1).map(|bone| bone.joint).chain(limb.tip);
    let mut found = Vec::new();
    for (at, (bone, next)) in limb.bones.iter().zip(ends).enumerate() {
        // Joints between the two would each turn on their own.
        if bone.joint != bone.end || skeleton.joints[next].parent != Some(bone.joint) {
            continue;
        }
        let way = skeleton.joints[next].rest.translation.as_dvec3();
        let Some(axis) = way.try_normalize() else { continue };
        let is_last = at + 1 == limb.bones.len();
        for joint in skeleton.children(bone.joint).filter(|&joint| joint != next && is_free(joint)) {
            let place = skeleton.joints[joint].rest.translation.as_dvec3();
            if place.reject_from(axis).length() <= BESIDE * way.length() {
                let share = (place.dot(axis) / way.length()).clamp(0.0, 1.0);
                let turner = if is_last { next } else { bone.joint };
                found.push(Leaf { joint, turner, axis, share, is_carried: !is_last });
            }
        }
    }
    found
}

/// The `share` of what `turn` turns about `axis`.
fn about(turn: DQuat, axis: DVec3, share: f64) -> DQuat {
    let along = DVec3::new(turn.x, turn.y, turn.z).dot(axis);
    let (sin, cos) = if turn.w < 0.0 { (-along, -turn.w) } else { (along, turn.w) };
    DQuat::from_axis_angle(axis, 2.0 * sin.atan2(cos) * share)
}
