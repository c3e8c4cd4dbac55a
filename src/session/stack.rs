//! The stages of the shown take: added, moved, muted, removed.

use glam::DVec3;

use super::blend::propose;
use super::command::stage::{NewStage, StageCommand};
use super::command::{Command, CommandEntry, EditCommand};
use super::edit::longest_loop;
use super::notices::about;
use super::{OpenDocument, Session, Severity, Shown};
use crate::anim::{RootMotion, root_motion};
use crate::document::stage::{Dynamics, Layer, Stretch};
use crate::document::{FileId, Stage, StageId, StageKind, Take, TakeId};
use crate::evaluate::{BuiltTake, Content, Frame, TakeError};
use crate::message::{Message, Tell, message};
use crate::systems::blend::{Action, Event, LayerSettings};
use crate::systems::close;
use crate::systems::stretch::Target;

impl NewStage {
    /// Every kind, in the order menus show them.
    pub const ALL: [Self; 11] = [
        Self::Layer,
        Self::Stretch,
        Self::Cleanup,
        Self::Ground,
        Self::Retime,
        Self::Trim,
        Self::Mirror,
        Self::Root,
        Self::Dynamics,
        Self::Loop,
        Self::Close,
    ];

    /// The name of [`StageKind::name`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::Stretch => "stretch",
            Self::Dynamics => "dynamics",
            Self::Loop => "loop",
            Self::Close => "close",
            Self::Retime => "retime",
            Self::Trim => "trim",
            Self::Ground => "ground",
            Self::Mirror => "mirror",
            Self::Root => "root",
            Self::Cleanup => "cleanup",
        }
    }

    /// Why such a stage cannot follow what `frame` shows, if so.
    pub fn fits(self, frame: Option<&Frame>) -> Result<(), Message> {
        let Some(built) = frame.and_then(|frame| frame.built.as_ref()) else {
            return Err(message!(
                "notice.nothing_shown",
                "Nothing is shown. Choose a clip or a take in the outliner first."
            ));
        };
        let refused = |error: TakeError| Err(error.message());
        match (self, &built.content) {
            (Self::Loop, Content::Vertices(vertices)) if vertices.looped.is_some() => refused(TakeError::AlreadyLooped),
            (Self::Loop, Content::Images(images)) if images.looped.is_some() => refused(TakeError::AlreadyLooped),
            (Self::Loop, _) | (_, Content::Joints) => Ok(()),
            (kind, content) => refused(TakeError::NeedsJoints { stage: kind.name(), content: content.name() }),
        }
    }
}

/// The stages that the Edit menu leaves to the inspector, for whoever types their names.
pub(super) fn stage_entries() -> Vec<CommandEntry> {
    let entry = |name, stage| CommandEntry::new(name, Command::Edit(EditCommand::Stage(StageCommand::Add(stage))), &[]);
    vec![
        entry("stage_ground", NewStage::Ground),
        entry("stage_retime", NewStage::Retime),
        entry("stage_trim", NewStage::Trim),
        entry("stage_mirror", NewStage::Mirror),
        entry("stage_root", NewStage::Root),
        entry("stage_close", NewStage::Close),
        entry("stage_cleanup", NewStage::Cleanup),
    ]
}

impl Session {
    pub(super) fn perform_stage(&mut self, command: StageCommand) {
        match command {
            StageCommand::Add(kind) => self.add_stage(kind),
            StageCommand::Open(id) => self.selection.stage = Some(id),
            StageCommand::Duplicate(id) => self.change_stages(|take| {
                let at = place(take, id)?;
                let copy = take.add_stage(take.stages[at].kind.clone());
                let stage = Stage { id: take.stages.pop()?.id, ..take.stages[at].clone() };
                take.stages.insert(at + 1, stage);
                Some(copy)
            }),
            StageCommand::Remove(id) => self.change_stages(|take| {
                let at = place(take, id)?;
                take.stages.remove(at);
                take.stages.get(at).or(take.stages.last()).map(|stage| stage.id)
            }),
            StageCommand::Move(id, to) => self.change_stages(|take| {
                let stage = take.stages.remove(place(take, id)?);
                take.stages.insert(to.min(take.stages.len()), stage);
                Some(id)
            }),
            StageCommand::SetOn(id, on) => self.change_stages(|take| {
                take.stage_mut(id)?.on = on;
                Some(id)
            }),
        }
    }

    /// Changes the shown take; the stage that is given is then open.
    fn change_stages(&mut self, change: impl FnOnce(&mut Take) -> Option<StageId>) {
        let Shown::Take(id) = self.selection.shown else { return };
        let Some(take) = self.document.take_mut(id) else { return };
        self.selection.stage = change(take);
        (self.selection.chain, self.selection.collider, self.selection.event) = (None, None, None);
    }

    /// The shown take with what comes out of it, both made where a clip is shown; `None` says why.
    fn take_to_extend(&mut self) -> Option<(TakeId, std::sync::Arc<BuiltTake>)> {
        let Some(take) = self.shown_take() else {
            let message =
                message!("notice.nothing_shown", "Nothing is shown. Choose a clip or a take in the outliner first.");
            self.notices.say(Severity::Info, message);
            return None;
        };
        let opened = OpenDocument { document: &self.document, library: &self.library };
        match self.evaluation.builds.quick(opened, &take) {
            // Waiting for it would stop the window.
            Ok(None) => {
                let message = message!(
                    "notice.stage_waits",
                    "%{take} is still being made. Add the stage when it is shown.",
                    take = &take.name,
                );
                self.notices.say(Severity::Info, message);
                None
            }
            Ok(Some(built)) => {
                if self.document.take(take.id).is_none() {
                    self.add_take(take);
                }
                let Shown::Take(id) = self.selection.shown else { return None };
                Some((id, built))
            }
            Err(error) => {
                self.notices.say(Severity::Error, about(&take.name, error.message()));
                None
            }
        }
    }

    fn add_stage(&mut self, kind: NewStage) {
        if let Err(reason) = kind.fits(self.frame()) {
            return self.notices.say(Severity::Info, reason);
        }
        let Some((id, built)) = self.take_to_extend() else { return };
        let kind = match kind {
            NewStage::Layer => {
                let files = self.document.take(id).and_then(Take::blend).map(|blend| blend.files.clone());
                new_layer(&built, files.unwrap_or_default(), self.playback.time)
            }
            NewStage::Stretch => new_stretch(&built),
            // Over the seam of what repeats bones swing on.
            NewStage::Dynamics => {
                StageKind::Dynamics(Box::new(Dynamics { looping: built.repeats(), ..Dynamics::default() }))
            }
            NewStage::Loop => StageKind::Loop(Box::new(longest_loop(built.frames()))),
            NewStage::Close => StageKind::Close(Box::new(new_close(built.clip.duration))),
            NewStage::Retime => StageKind::Retime(Box::default()),
            NewStage::Trim => StageKind::Trim(Box::default()),
            NewStage::Ground => StageKind::Ground(Box::default()),
            NewStage::Mirror => StageKind::Mirror(Box::default()),
            NewStage::Root => StageKind::Root(Box::default()),
            NewStage::Cleanup => StageKind::Cleanup(Box::default()),
        };
        let swings = matches!(kind, StageKind::Dynamics(_));
        self.change_stages(|take| Some(take.add_stage(kind)));
        if let Some(joint) = self.selection.joint.filter(|_| swings) {
            self.make_dynamic(None, joint);
        }
    }
}

/// A cast at second `time` of what looks like a skill, from the character or `files`, and its end where the clip ends.
fn new_layer(built: &BuiltTake, files: Vec<FileId>, time: f64) -> StageKind {
    let model = &built.character.model;
    let skill = propose(model, &built.roles, built.metres_per_unit).skill;
    let event = |time, action| Event { time, action, ..Event::default() };
    let length = model.clip(&skill).map_or(1.0, |clip| clip.duration);
    let begin = time.min((built.clip.duration - length).max(0.0));
    let events = vec![event(begin, Action::Cast), event((begin + length).min(built.clip.duration), Action::End)];
    let settings = LayerSettings { skill, events, ..LayerSettings::default() };
    StageKind::Layer(Box::new(Layer { settings, files, span: None }))
}

/// Neutral until its target is dragged: where the motion ends as it is.
fn new_stretch(built: &BuiltTake) -> StageKind {
    let mut stretch = Stretch::default();
    stretch.settings.target = end_of(built).map(Target::World);
    StageKind::Stretch(Box::new(stretch))
}

/// Where what carries the character stands at the end of `built`, world space, in the file's unit.
pub(super) fn end_of(built: &BuiltTake) -> Option<DVec3> {
    let skeleton = &built.character.model.skeleton;
    let at_end = |root: RootMotion| root_motion::world_at(skeleton, &built.clip, root.joint, built.clip.duration);
    built.root.map(|root| at_end(root).translation)
}

/// The usual seam, or half of a motion that is shorter.
fn new_close(duration: f64) -> close::Settings {
    let usual = close::Settings::default();
    close::Settings { seam: usual.seam.min(0.5 * duration), ..usual }
}

fn place(take: &Take, id: StageId) -> Option<usize> {
    take.stages.iter().position(|stage| stage.id == id)
}

#[cfg(test)]
mod tests;
