//! A pose of any clip or take, stored to be pasted as a key.

use crate::command::stage::StageCommand;
use crate::command::{Command, EditCommand};
use crate::{Session, Severity};
use portamento_anim::RootKind;
use portamento_anim::math::{Transform, euler};
use portamento_base::message::message;
use portamento_repair::pose::{Correction, Mode};
use portamento_stretch::mirror::JointMirror;
use portamento_takes::document::StageType;

/// A pose with the joints that it belongs to. It stays until a project is opened or begun.
#[derive(Clone, Debug)]
pub struct StoredPose {
    /// Names and local transforms of the joints.
    joints: Vec<(String, Transform)>,
}

impl Session {
    /// Stores the shown pose to be pasted, and adds a notice. Without a shown clip or take, the previous pose stays.
    pub(super) fn keep_pose(&mut self) {
        let Some(frame) = self.frame().filter(|frame| frame.built.is_some()) else {
            let message =
                message!("notice.nothing_shown", "No clip or take is shown. Select one in the outliner first.");
            return self.notices.add(Severity::Info, message);
        };
        let skeleton = &frame.character.model.skeleton;
        let named = skeleton.joints.iter().zip(&frame.pose.locals);
        let joints: Vec<(String, Transform)> = named.map(|(joint, local)| (joint.name.clone(), *local)).collect();
        let message = message!(
            "notice.pose_kept",
            "Kept the pose of %{count} %{count|joint|joints} at %{seconds} s. Paste it into a pose stage.",
            count = joints.len(),
            seconds = format!("{:.2}", frame.time)
        );
        self.stored_pose = Some(StoredPose { joints });
        self.notices.add(Severity::Done, message);
    }

    /// Pastes the stored pose, or its mirror image, as an absolute key at the playhead. Adds a pose stage if none is open.
    /// Replaces a key there. Adds a notice if no pose is stored or none of its joints exists.
    pub(super) fn paste_pose(&mut self, is_mirrored: bool) {
        let Some(stored) = self.stored_pose.clone() else {
            let message = message!(
                "notice.no_stored_pose",
                "No pose was kept. Show a clip or take, move to the pose and choose Keep this pose."
            );
            return self.notices.add(Severity::Info, message);
        };
        if self.pose_site().is_none() {
            self.perform(Command::Edit(EditCommand::Stage(StageCommand::Add(StageType::Pose))));
        }
        let Some(site) = self.pose_site() else { return };
        let joints = self.pasted_joints(&stored, is_mirrored).unwrap_or_default();
        if joints.is_empty() {
            let message = message!(
                "notice.pose_fits_no_joint",
                "The kept pose has no joint of this character. Keep a pose of a character with the same joint names."
            );
            return self.notices.add(Severity::Warning, message);
        }
        if let Some(key) = self.key_or_new(&site) {
            (key.mode, key.joints) = (Mode::Absolute, joints);
        }
    }

    /// Returns the absolute corrections of the shown character for a stored pose: the turns of all joints from the hips on, and the
    /// position of the hips if another joint carries the travel. `None` until the take is built.
    fn pasted_joints(&self, stored: &StoredPose, is_mirrored: bool) -> Option<Vec<Correction>> {
        let built = self.frame()?.built.as_ref()?;
        let roles = self.shown_roles()?;
        let skeleton = &built.character.model.skeleton;
        let body = roles.body(skeleton);
        let is_posed = |joint: usize| body.is_none_or(|body| skeleton.is_within(joint, body));
        let has_root = built.root.is_some_and(|root| root.kind == RootKind::Root && Some(root.joint) != body);
        let front = roles.front.unwrap_or_default();
        let of_joint = |(name, local): &(String, Transform)| {
            let joint = skeleton.find(name).filter(|&joint| is_posed(joint))?;
            let mirror = is_mirrored.then(|| JointMirror::new(skeleton, &roles.pairs, front, joint));
            let (rotation, translation) = (local.rotation.as_dquat(), local.translation.as_dvec3());
            let rotation = mirror.as_ref().map_or(rotation, |mirror| mirror.rotation(rotation));
            let translation = mirror.as_ref().map_or(translation, |mirror| mirror.translation(translation));
            let target = mirror.map_or(joint, |mirror| mirror.partner);
            Some(Correction {
                joint: skeleton.joints[target].name.clone(),
                turn: Some(euler::degrees(rotation.normalize())),
                translation: (has_root && Some(joint) == body).then(|| translation.to_array()),
            })
        };
        Some(stored.joints.iter().filter_map(of_joint).collect())
    }
}
