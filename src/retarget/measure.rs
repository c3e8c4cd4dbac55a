//! Measurements of the retargeted poses.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::Input;
use super::links::{Aim, Link};
use portamento_anim::quality::WorstFrame;
use portamento_anim::rig::chains::Limb;
use portamento_anim::{Pose, Skeleton};

/// Figures for panels and reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Travel of the character per unit of travel of the source.
    pub scale: f64,
    /// Number of mapped joints.
    pub linked: usize,
    /// Names of animated joints of the source that are not mapped.
    pub left_out: Vec<String>,
    /// The largest angle between a bone and its source bone, radians. Limbs changed by foot or hand contacts count as `bent`
    /// instead.
    pub direction: f64,
    /// The character's joint of that bone, by name.
    pub direction_joint: Option<String>,
    /// The frame of that angle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction_at: Option<WorstFrame>,
    /// The largest such angle of legs, and of arms with hand contacts, radians.
    pub bent: f64,
    /// Number of stances of the source's feet.
    pub stands: usize,
    /// Speed of the source's planted feet in the character's size, as [`FeetFigures::slide`].
    pub slide_of_source: f64,
    /// Foot figures before foot locking.
    pub feet_before: FeetFigures,
    /// Foot figures of the result.
    pub feet_after: FeetFigures,
    /// The largest lowering of the hips so that feet reach the ground, metres.
    pub hips_lowered: f64,
    /// The largest distance by which a planted foot misses its goal because the leg is too short, metres.
    pub short: f64,
    /// Number of hand contacts, if hands are locked.
    pub hand_contacts: usize,
    /// The largest distance of a hand from its contact before hand locking, metres.
    pub hands_before: f64,
    /// The largest distance of a hand from its contact because the arm is too short, metres.
    pub hands_after: f64,
}

/// Figures of planted feet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeetFigures {
    /// Mean speed along the ground during the stances of the source, metres per second, see
    /// [`foot_slide`](portamento_anim::foot_slide).
    pub slide: f64,
    /// The largest depth of a sole in the ground beyond that of the source, metres.
    pub sinking: f64,
    /// The fastest frame of the longest slide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slides_at: Option<WorstFrame>,
    /// The deepest sole, if it is deeper than in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinks_at: Option<WorstFrame>,
}

/// The poses to measure.
pub(super) struct MeasuredPoses<'a> {
    pub links: &'a [Link],
    pub facing: DQuat,
    pub sources: &'a [Pose],
    pub poses: &'a [Pose],
    /// Times of the poses, seconds.
    pub times: &'a [f64],
}

/// Rotation below which a joint is not animated, radians.
const ANIMATED_MIN_RADIANS: f64 = 1e-3;

/// Writes to `report` the largest deviation of bone directions, the number of mapped joints and the names of animated joints
/// that are not mapped.
pub(super) fn measure(input: &Input, measured: &MeasuredPoses, report: &mut Report) {
    report.linked = measured.links.len();
    for link in measured.links {
        // Chains of different lengths, and feet, are not expected to have equal directions.
        let is_foot =
            matches!(link.limb, Some(Limb::Foot(..) | Limb::Clavicle(_) | Limb::Spine | Limb::Neck | Limb::Tail));
        // A joint between the bone and its target may rotate independently.
        let is_rigid = |aim: &Aim| {
            let hangs = |skeleton: &Skeleton, joint: usize, on: usize| skeleton.joints[joint].parent == Some(on);
            hangs(input.source.skeleton, aim.source[1], link.to)
                && hangs(input.target.skeleton, aim.target[1], aim.target[0])
        };
        let Some(aim) = link.aim.filter(|aim| !is_foot && link.from == link.to && is_rigid(aim)) else { continue };
        let angle = |(source, pose): (&Pose, &Pose)| {
            let direction = |skeleton, pose: &Pose, [from, to]: [usize; 2]| -> DVec3 {
                let at = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
                (at(to) - at(from)).normalize_or_zero()
            };
            let wanted = measured.facing * direction(input.source.skeleton, source, aim.source);
            let own = direction(input.target.skeleton, pose, aim.target);
            wanted.cross(own).length().atan2(wanted.dot(own))
        };
        let angles = measured.sources.iter().zip(measured.poses).map(angle).zip(measured.times);
        let (worst, time) =
            angles.fold((0.0, 0.0), |worst, (angle, &at)| if angle > worst.0 { (angle, at) } else { worst });
        let has_contact = report.hand_contacts > 0 && matches!(link.limb, Some(Limb::Arm(_)));
        if has_contact || matches!(link.limb, Some(Limb::Leg(..))) {
            report.bent = report.bent.max(worst);
        } else if worst > report.direction {
            report.direction = worst;
            report.direction_joint = Some(input.target.skeleton.joints[link.joint].name.clone());
            report.direction_at = Some(WorstFrame { joint: link.joint, time });
        }
    }
    report.left_out = unmapped_joints(input, measured);
}

/// Returns the names of animated source joints that no joint follows, directly or through a descendant.
fn unmapped_joints(input: &Input, measured: &MeasuredPoses) -> Vec<String> {
    let skeleton = input.source.skeleton;
    let followed =
        |joint: usize| measured.links.iter().any(|link| skeleton.is_within(link.to, joint) || link.from == joint);
    let turns = |&joint: &usize| {
        let at = |pose: &Pose| pose.locals[joint].rotation.as_dquat();
        let first = measured.sources.first().map_or(DQuat::IDENTITY, at);
        !followed(joint) && measured.sources.iter().any(|pose| at(pose).angle_between(first) > ANIMATED_MIN_RADIANS)
    };
    (0..skeleton.len()).filter(turns).map(|joint| skeleton.joints[joint].name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;
    use glam::Quat;
    use portamento_anim::{Clip, Roles};
    use portamento_test_support::skeleton_of;

    const BONE: [(&str, Option<usize>); 2] = [("arm", None), ("hand", Some(0))];
    const TWISTED: [(&str, Option<usize>); 3] = [("arm", None), ("twist", Some(0)), ("hand", Some(1))];

    /// Returns the measured angle between two bones, with the joints `bent` rotated by 0.5 radians.
    fn off(rows: [&[(&str, Option<usize>)]; 2], bent: [Option<usize>; 2]) -> f64 {
        let [source, target] = rows.map(skeleton_of);
        let ends = |skeleton: &Skeleton| [0, skeleton.len() - 1];
        let aim = Some(Aim { source: ends(&source), target: ends(&target) });
        let links = [Link { joint: 0, limb: None, from: 0, to: 0, share: 0.0, aim }];
        let pose = |skeleton: &Skeleton, bent: Option<usize>| {
            let mut pose = Pose::rest(skeleton);
            bent.into_iter().for_each(|joint| pose.locals[joint].rotation = Quat::from_rotation_x(0.5));
            pose
        };
        let (sources, poses) = ([pose(&source, bent[0])], [pose(&target, bent[1])]);
        let measured =
            MeasuredPoses { links: &links, facing: DQuat::IDENTITY, sources: &sources, poses: &poses, times: &[0.0] };
        let roles = Roles::default();
        let of = |skeleton| Body { skeleton, roles: &roles, chains: &[], soles: &[], metres_per_unit: 1.0 };
        let input = Input { source: of(&source), clip: &Clip::default(), target: of(&target), fps: 30.0 };
        let mut report = Report::default();
        measure(&input, &measured, &mut report);
        report.direction
    }

    #[test]
    fn a_bone_with_an_intermediate_joint_is_not_measured() {
        assert!((off([&BONE, &BONE], [None, Some(0)]) - 0.5).abs() < 1e-6);
        assert_eq!(off([&BONE, &TWISTED], [None, Some(1)]), 0.0);
        assert_eq!(off([&TWISTED, &BONE], [Some(1), None]), 0.0);
    }
}
