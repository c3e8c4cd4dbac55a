//! New goals for the selected joint.

use glam::{DAffine3, DVec3, Mat4};

use super::{GoalKind, PoseSite};
use crate::{Session, Severity};
use portamento_anim::root_motion::{rest_at, turn_of};
use portamento_base::message::message;
use portamento_repair::pose::Goal;

/// Length of the span of a new goal, seconds.
const SPAN_SECONDS: f64 = 0.5;
/// Distance of the point that a new look is aimed at, metres.
const LOOK_DISTANCE_M: f64 = 2.0;

impl Session {
    /// Adds a goal of this `kind` for the selected joint at the playhead; for a look, the head if no joint is selected.
    /// Adds a notice instead if no pose stage is open or no joint is selected.
    pub(super) fn add_goal(&mut self, kind: GoalKind) {
        let Some(site) = self.pose_site_or_notice() else { return };
        let Some(goal) = self.goal_at(&site, kind) else {
            let message = message!(
                "notice.no_goal_joint",
                "No joint is selected. Click the joint in the viewport, then add the goal."
            );
            return self.notices.add(Severity::Info, message);
        };
        if let Some(settings) = self.pose_settings_mut(&site) {
            settings.goals.push(goal);
        }
    }

    /// Returns a goal that leaves the selected joint as it is shown; `None` without a joint or a built take.
    fn goal_at(&self, site: &PoseSite, kind: GoalKind) -> Option<Goal> {
        let frame = self.frame()?;
        let built = frame.built.as_ref()?;
        let skeleton = &frame.character.model.skeleton;
        let head = built.roles.head.filter(|_| kind == GoalKind::Look);
        let joint = self.selection.joint.or(head)?;
        let world = DAffine3::from_mat4(Mat4::from(*frame.world.get(joint)?).as_dmat4());
        let position = world.translation * built.metres_per_unit;
        let front = built.roles.front.unwrap_or_default().direction();
        let gaze: DVec3 = turn_of(&world) * turn_of(&rest_at(skeleton, joint)).inverse() * front;
        let target = match kind {
            GoalKind::Pin => position,
            GoalKind::Look => position + gaze * LOOK_DISTANCE_M,
        };
        let end = (site.time + SPAN_SECONDS).min(built.clip.duration.max(site.time));
        let name = skeleton.joints.get(joint)?.name.clone();
        Some(Goal { kind, joint: name, target: target.to_array(), start: site.time, end, ..Goal::default() })
    }
}
