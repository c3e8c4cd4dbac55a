//! Two-bone IK on a pose for the end of any limb: the hand of an arm, the foot of a leg, or another joint with two bones above it.

use glam::DVec3;

use super::chain_ik::turn_in_world;
use super::ik::{LegPositions, solve_limb};
use crate::rig::chains::{Chain, Limb};
use crate::root_motion::{rest_at, turn_of};
use crate::{Pose, Roles, Skeleton};

/// Number of corrections for the error of a limb whose bones are scaled; each leaves about a tenth of it.
const MAX_CORRECTIONS: usize = 4;

/// Two bones that bend to move the joint at their end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbBones {
    /// The joint that turns the first bone.
    pub upper: usize,
    /// The joint that turns the second bone: elbow or knee.
    pub lower: usize,
    /// The joint at the end.
    pub end: usize,
    /// The axis of the middle joint at rest in the axes of the first, a unit vector.
    pub hinge: DVec3,
}

impl LimbBones {
    /// Returns the two bones that end at `joint`: those of the arm or leg among `limbs` of which it is the end, else those of its
    /// parent and grandparent. Returns `None` if there are no two bones with a length.
    pub fn of(skeleton: &Skeleton, roles: &Roles, limbs: &[Chain], joint: usize) -> Option<Self> {
        let is_limb = |chain: &&Chain| {
            matches!(chain.limb, Limb::Arm(_) | Limb::Leg(..)) && chain.bones.len() == 2 && chain.tip == Some(joint)
        };
        let of_limb = limbs.iter().find(is_limb).map(|chain| [chain.bones[0].joint, chain.bones[1].joint]);
        let parent = |joint: usize| skeleton.joints[joint].parent;
        let of_parents = || {
            let lower = parent(joint)?;
            Some([parent(lower)?, lower])
        };
        let [upper, lower] = of_limb.or_else(of_parents)?;
        let [first, middle, end] = [upper, lower, joint].map(|joint| rest_at(skeleton, joint));
        let along = middle.translation - first.translation;
        let bent = along.normalize_or_zero().cross((end.translation - middle.translation).normalize_or_zero());
        if along.length() == 0.0 || end.translation == middle.translation {
            return None;
        }
        // A straight rest pose defines no axis. Then an elbow bends to the front and a knee to the back.
        let front = roles.front.unwrap_or_default().direction();
        let is_leg = roles.legs.iter().any(|leg| leg.foot == joint);
        let straight = along.cross(if is_leg { -front } else { front });
        let axis = if bent.length() > 0.02 { bent } else { straight };
        let hinge = turn_of(&first).inverse() * axis.normalize_or(DVec3::X);
        Some(Self { upper, lower, end: joint, hinge })
    }

    /// Bends the two bones of `pose` so that their end is at `target` (world, the file's unit) and keeps its direction. A target
    /// out of reach is approached with a straight limb.
    pub fn reach(&self, skeleton: &Skeleton, pose: &mut Pose, target: DVec3) {
        let before = turn_of(&pose.world_from_joint(skeleton, self.end));
        self.bend(skeleton, pose, target);
        let after = turn_of(&pose.world_from_joint(skeleton, self.end));
        turn_in_world(skeleton, pose, self.end, before * after.inverse());
    }

    /// Returns the world positions of the three joints in `pose`.
    pub fn positions(&self, skeleton: &Skeleton, pose: &Pose) -> LegPositions {
        let at = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
        LegPositions { hip: at(self.upper), knee: at(self.lower), ankle: at(self.end) }
    }

    /// Rotates the upper and the lower bone in `pose` so that the end reaches `target`, a world position. A target
    /// out of reach is approached as far as possible.
    fn bend(&self, skeleton: &Skeleton, pose: &mut Pose, target: DVec3) {
        let mut aim = target;
        for _ in 0..MAX_CORRECTIONS {
            let limb = self.positions(skeleton, pose);
            let hinge = turn_of(&pose.world_from_joint(skeleton, self.upper)) * self.hinge;
            let turns = solve_limb(&limb, aim, hinge.normalize_or(DVec3::X));
            turn_in_world(skeleton, pose, self.upper, turns.thigh);
            turn_in_world(skeleton, pose, self.lower, turns.shin * turns.thigh.inverse());
            // A bone that its clip scales shears its children, so the solved rotations miss the target.
            let error = target - pose.world_from_joint(skeleton, self.end).translation;
            if turns.gap > 1e-6 * limb.length() || error.length() <= 1e-6 * limb.length() {
                break;
            }
            aim += error;
        }
    }
}
