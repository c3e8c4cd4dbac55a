//! Posing by hand: the open pose stage, its key at the playhead and the corrections of joints in it.

mod goal;
mod stored_pose;
mod site;

pub use site::PoseSite;
pub use stored_pose::StoredPose;

use glam::DQuat;

use super::command::{Command, CommandEntry, EditCommand};
use super::{Session, Severity, Shown};
use portamento_anim::math::euler;
use portamento_base::message::message;
use portamento_repair::pose::{Correction, GoalKind, Mode, PoseKey, Settings};
use portamento_stretch::mirror::JointMirror;
use portamento_takes::document::stage::StageSettings;

/// The quantity that the handles of a joint change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoseTool {
    /// The rotation, by rings.
    #[default]
    Turn,
    /// The position, by arrows.
    Move,
}

/// The axes of the handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoseAxes {
    /// The axes of the joint.
    #[default]
    Local,
    /// The axes of its parent.
    Parent,
    /// The axes of the world.
    World,
}

/// A command that edits the pose stage of the shown take at the playhead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoseCommand {
    /// Adds a key that keeps the pose as it is there.
    AddKey,
    /// Removes the key.
    RemoveKey,
    /// Swaps left and right in the key.
    MirrorKey,
    /// Pins the selected joint where it is, from the playhead on.
    Pin,
    /// Lets the selected joint, or the head, look at a point in front of it, from the playhead on.
    Look,
    /// Keeps the shown pose of any clip or take, to be pasted.
    Keep,
    /// Pastes the kept pose as an absolute key.
    Paste,
    /// Pastes its mirror image.
    PasteMirrored,
}

/// Returns the entries for posing.
pub(super) fn pose_entries() -> Vec<CommandEntry> {
    let entry = |name, command| CommandEntry::new(name, Command::Edit(EditCommand::Pose(command)), &[]);
    vec![
        entry("pose_key", PoseCommand::AddKey),
        entry("pose_remove_key", PoseCommand::RemoveKey),
        entry("pose_mirror_key", PoseCommand::MirrorKey),
        entry("pose_pin", PoseCommand::Pin),
        entry("pose_look", PoseCommand::Look),
        entry("pose_keep", PoseCommand::Keep),
        entry("pose_paste", PoseCommand::Paste),
        entry("pose_paste_mirrored", PoseCommand::PasteMirrored),
    ]
}

impl Session {
    /// Performs a command on the open pose stage. Adds a notice if it needs a stage, key, joint or pose that is missing.
    pub(super) fn perform_pose(&mut self, command: PoseCommand) {
        match command {
            PoseCommand::AddKey => self.add_pose_key(),
            PoseCommand::RemoveKey => self.remove_pose_key(),
            PoseCommand::MirrorKey => self.mirror_pose_key(),
            PoseCommand::Pin => self.add_goal(GoalKind::Pin),
            PoseCommand::Look => self.add_goal(GoalKind::Look),
            PoseCommand::Keep => self.keep_pose(),
            PoseCommand::Paste => self.paste_pose(false),
            PoseCommand::PasteMirrored => self.paste_pose(true),
        }
    }

    /// Returns the settings of the stage of `site`. `None` if the take or the stage no longer exists.
    pub fn pose_settings(&self, site: &PoseSite) -> Option<&Settings> {
        StageSettings::of(&self.document.take(site.take)?.stage(site.stage)?.kind)
    }

    /// Returns the settings of the stage of `site` for changes. `None` if the take or the stage no longer exists.
    pub fn pose_settings_mut(&mut self, site: &PoseSite) -> Option<&mut Settings> {
        StageSettings::of_mut(&mut self.document.take_mut(site.take)?.stage_mut(site.stage)?.kind)
    }

    /// Writes `correction` into the key of `site`, and adds the key if there is none. Pauses playback.
    pub fn set_correction(&mut self, site: &PoseSite, correction: Correction) {
        self.playback.playing = false;
        if let Some(key) = self.key_or_new(site) {
            key.set(correction);
        }
    }

    /// Returns the key of `site`. If there is none, adds an additive key without corrections, with the fades of the key
    /// before it. `None` if the stage of `site` no longer exists.
    fn key_or_new(&mut self, site: &PoseSite) -> Option<&mut PoseKey> {
        let settings = self.pose_settings_mut(site)?;
        let at = settings.key_near(site.time, site.tolerance).unwrap_or_else(|| {
            let like = settings.keys.iter().rev().find(|key| key.time < site.time).cloned().unwrap_or_default();
            let new = PoseKey { time: site.time, mode: Mode::Additive, influence: 1.0, joints: Vec::new(), ..like };
            settings.insert(new)
        });
        settings.keys.get_mut(at)
    }

    /// Adds a key at the playhead that keeps the pose there: of the selected joint and of all joints of other keys. Adds a
    /// notice if no pose stage is open.
    fn add_pose_key(&mut self) {
        let Some(site) = self.pose_site_or_notice() else { return };
        let Some(settings) = self.pose_settings(&site) else { return };
        let corrections = settings.keys.iter().flat_map(|key| &key.joints);
        let mut names: Vec<String> = corrections.map(|correction| correction.joint.clone()).collect();
        names.extend(self.selected_joint_name());
        names.sort_unstable();
        names.dedup();
        let current: Vec<Correction> = names.iter().filter_map(|name| self.correction_at(&site, name)).collect();
        if let Some(key) = self.key_or_new(&site) {
            current.into_iter().for_each(|correction| key.set(correction));
        }
    }

    /// Removes the key at the playhead; adds a notice if there is none.
    fn remove_pose_key(&mut self) {
        let Some(site) = self.pose_site_or_notice() else { return };
        let removed = site.key.filter(|&key| self.pose_settings(&site).is_some_and(|all| key < all.keys.len()));
        let Some(key) = removed else { return self.notice_no_key() };
        if let Some(settings) = self.pose_settings_mut(&site) {
            settings.keys.remove(key);
        }
    }

    /// Swaps left and right in the key at the playhead; adds a notice if there is none.
    fn mirror_pose_key(&mut self) {
        let Some(site) = self.pose_site_or_notice() else { return };
        let Some(key) = self.pose_settings(&site).zip(site.key).and_then(|(all, key)| all.keys.get(key)).cloned()
        else {
            return self.notice_no_key();
        };
        let joints =
            key.joints.iter().map(|joint| self.mirrored(joint, key.mode).unwrap_or_else(|| joint.clone())).collect();
        if let Some(key) = self.key_or_new(&site) {
            key.joints = joints;
        }
    }

    /// Gives the joint on the other side the mirror image of the correction that `joint` has in the key of `site`. Pauses
    /// playback. Does nothing if `joint` has no correction there.
    pub fn mirror_correction(&mut self, site: &PoseSite, joint: &str) {
        let mode = site.key.and_then(|key| self.pose_settings(site)?.keys.get(key)).map(|key| key.mode);
        let keyed = self.keyed_correction(site, joint).zip(mode);
        if let Some(mirrored) = keyed.and_then(|(correction, mode)| self.mirrored(&correction, mode)) {
            self.set_correction(site, mirrored);
        }
    }

    /// Returns the correction that `joint` has in the key of `site`. `None` if there is no key or no correction in it.
    pub fn keyed_correction(&self, site: &PoseSite, joint: &str) -> Option<Correction> {
        self.pose_settings(site)?.keys.get(site.key?)?.correction(joint).cloned()
    }

    /// Returns the mirror image of a correction, for the joint on the other side. `None` until the take is built, or if the
    /// joint does not exist.
    fn mirrored(&self, correction: &Correction, mode: Mode) -> Option<Correction> {
        let (built, roles) = (self.frame()?.built.as_ref()?, self.shown_roles()?);
        let skeleton = &built.character.model.skeleton;
        let joint = skeleton.find(&correction.joint)?;
        let mirror = JointMirror::new(skeleton, &roles.pairs, roles.front.unwrap_or_default(), joint);
        let turn = |turn: DQuat| match mode {
            Mode::Additive => mirror.turn(turn),
            Mode::Absolute => mirror.rotation(turn),
        };
        let offset = match mode {
            Mode::Additive => mirror.displacement(correction.offset()),
            Mode::Absolute => mirror.translation(correction.offset()),
        };
        Some(Correction {
            joint: skeleton.joints[mirror.partner].name.clone(),
            turn: correction.turn.map(|_| euler::degrees(turn(correction.rotation()))),
            translation: correction.translation.map(|_| offset.to_array()),
        })
    }

    /// Returns the open pose stage; `None` with a notice if none is open.
    fn pose_site_or_notice(&mut self) -> Option<PoseSite> {
        let site = self.pose_site();
        if site.is_none() {
            let message = message!(
                "notice.no_pose_stage",
                "No pose stage is open. Add one to the take, or select it in the inspector."
            );
            self.notices.add(Severity::Info, message);
        }
        site
    }

    /// Adds the notice that there is no key at the playhead.
    fn notice_no_key(&mut self) {
        let message = message!("notice.no_pose_key", "The pose stage has no key at the playhead. Move to a key first.");
        self.notices.add(Severity::Info, message);
    }

    /// Returns the joint roles of the shown character; `None` if there is none.
    fn shown_roles(&self) -> Option<&portamento_anim::Roles> {
        let character = self.selection.shown.character(&self.document)?;
        self.document.character(character).map(|character| &character.roles)
    }

    /// Returns the name of the selected joint. `None` if none is selected or shown.
    pub fn selected_joint_name(&self) -> Option<String> {
        let joint = self.selection.joint?;
        self.frame()?.character.model.skeleton.joints.get(joint).map(|joint| joint.name.clone())
    }
}

#[cfg(test)]
mod tests;
