//! What came out, measured on the poses themselves.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::Input;
use super::links::{Aim, Link};
use crate::anim::quality::WorstFrame;
use crate::anim::rig::chains::Limb;
use crate::anim::{Pose, Skeleton};

/// Numbers for panels and reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Character's units travelled for each of the source.
    pub scale: f64,
    /// Joints that follow the source.
    pub linked: usize,
    /// Joints of the source that turn while nothing follows them, by name.
    pub left_out: Vec<String>,
    /// The largest angle between a bone and that of the source that it follows, radians; limbs that feet and hands hold count as `bent`.
    pub direction: f64,
    /// The character's joint of that bone, by name.
    pub direction_joint: Option<String>,
    /// Where it turns off that far, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction_at: Option<WorstFrame>,
    /// The same for legs, and for arms where hands hold something.
    pub bent: f64,
    /// How often a foot of the source stands.
    pub stands: usize,
    /// How fast the source's own feet go while they stand, in the character's size, as [`FeetFigures::slide`].
    pub slide_of_source: f64,
    /// Feet as they came over.
    pub feet_before: FeetFigures,
    /// Feet as they are.
    pub feet_after: FeetFigures,
    /// How far the hips come down so that feet reach the ground, metres.
    pub hips_lowered: f64,
    /// The farthest that a standing foot stays from its place because the leg is too short, metres.
    pub short: f64,
    /// How often a hand holds the ground, a hold or the other hand, where hands are held.
    pub hand_contacts: usize,
    /// The farthest that a hand was from where it holds something, metres.
    pub hands_before: f64,
    /// The farthest that it is from there because the arm is too short, metres.
    pub hands_after: f64,
}

/// How well feet stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeetFigures {
    /// Speed along the ground that 95 % of all standing frames stay below, metres per second.
    pub slide: f64,
    /// How much deeper than in the source a sole is in the ground at most, metres.
    pub sinking: f64,
    /// Where a standing foot goes fastest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slides_at: Option<WorstFrame>,
    /// Where a sole is deepest, if it is deeper than in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinks_at: Option<WorstFrame>,
}

/// What is measured.
pub(super) struct MeasuredPoses<'a> {
    pub links: &'a [Link],
    pub facing: DQuat,
    pub sources: &'a [Pose],
    pub poses: &'a [Pose],
    pub times: &'a [f64],
}

/// Bones turned by less are still, radians.
const STILL: f64 = 1e-3;

/// Fills in what concerns joints.
pub(super) fn measure(input: &Input, made: &MeasuredPoses, report: &mut Report) {
    report.linked = made.links.len();
    for link in made.links {
        // Chains of other lengths and feet are not meant to point alike.
        let is_foot =
            matches!(link.limb, Some(Limb::Foot(..) | Limb::Clavicle(_) | Limb::Spine | Limb::Neck | Limb::Tail));
        // A joint between the bone and what it points to may turn on its own.
        let is_rigid = |aim: &Aim| {
            let hangs = |skeleton: &Skeleton, joint: usize, on: usize| skeleton.joints[joint].parent == Some(on);
            hangs(input.source.skeleton, aim.source[1], link.to)
                && hangs(input.target.skeleton, aim.target[1], aim.target[0])
        };
        let Some(aim) = link.aim.filter(|aim| !is_foot && link.from == link.to && is_rigid(aim)) else { continue };
        let angle = |(source, pose): (&Pose, &Pose)| {
            let way = |skeleton, pose: &Pose, [from, to]: [usize; 2]| -> DVec3 {
                let at = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
                (at(to) - at(from)).normalize_or_zero()
            };
            let wanted = made.facing * way(input.source.skeleton, source, aim.source);
            let own = way(input.target.skeleton, pose, aim.target);
            wanted.cross(own).length().atan2(wanted.dot(own))
        };
        let angles = made.sources.iter().zip(made.poses).map(angle).zip(made.times);
        let (worst, time) =
            angles.fold((0.0, 0.0), |worst, (angle, &at)| if angle > worst.0 { (angle, at) } else { worst });
        let is_held = report.hand_contacts > 0 && matches!(link.limb, Some(Limb::Arm(_)));
        if is_held || matches!(link.limb, Some(Limb::Leg(..))) {
            report.bent = report.bent.max(worst);
        } else if worst > report.direction {
            report.direction = worst;
            report.direction_joint = Some(input.target.skeleton.joints[link.joint].name.clone());
            report.direction_at = Some(WorstFrame { joint: link.joint, time });
        }
    }
    report.left_out = left_out(input, made);
}

/// Joints of the source that turn by themselves and that nothing follows, not even through a joint below them.
fn left_out(input: &Input, made: &MeasuredPoses) -> Vec<String> {
    let skeleton = input.source.skeleton;
    let followed =
        |joint: usize| made.links.iter().any(|link| skeleton.is_within(link.to, joint) || link.from == joint);
    let turns = |&joint: &usize| {
        let at = |pose: &Pose| pose.locals[joint].rotation.as_dquat();
        let first = made.sources.first().map_or(DQuat::IDENTITY, at);
        !followed(joint) && made.sources.iter().any(|pose| at(pose).angle_between(first) > STILL)
    };
    (0..skeleton.len()).filter(turns).map(|joint| skeleton.joints[joint].name.clone()).collect()
}

/// The value that `share` of `values` stay below; 0 without values.
pub(super) fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((share * last as f64).round() as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{Clip, Roles};
    use crate::systems::retarget::Body;
    use glam::Quat;

    const BONE: [(&str, Option<usize>); 2] = [("arm", None), ("hand", Some(0))];
    const TWISTED: [(&str, Option<usize>); 3] = [("arm", None), ("twist", Some(0)), ("hand", Some(1))];

    /// How far the bone of the one is told to be off that of the other, where `bent` of a joint are bent by half a radian.
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
        let made =
            MeasuredPoses { links: &links, facing: DQuat::IDENTITY, sources: &sources, poses: &poses, times: &[0.0] };
        let roles = Roles::default();
        let of = |skeleton| Body { skeleton, roles: &roles, chains: &[], soles: &[], metres_per_unit: 1.0 };
        let input = Input { source: of(&source), clip: &Clip::default(), target: of(&target), fps: 30.0 };
        let mut report = Report::default();
        measure(&input, &made, &mut report);
        report.direction
    }

    #[test]
    fn a_bone_with_a_joint_of_its_own_on_the_way_is_not_measured_in_either_rig() {
        assert!((off([&BONE, &BONE], [None, Some(0)]) - 0.5).abs() < 1e-6);
        assert_eq!(off([&BONE, &TWISTED], [None, Some(1)]), 0.0);
        assert_eq!(off([&TWISTED, &BONE], [Some(1), None]), 0.0);
    }
}
