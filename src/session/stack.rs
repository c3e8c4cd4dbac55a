//! Editing the stage stack of the shown take: adding, moving, muting and removing stages.

pub mod clipboard;

use glam::DVec3;

use super::blend::propose;
use super::command::stage::{StageCommand, may_add};
use super::command::{Command, CommandEntry, EditCommand};
use super::{OpenDocument, Session, Severity, Shown};
use portamento_anim::{RootMotion, root_motion};
use portamento_base::message::message;
use portamento_blend::{Action, Event, LayerSettings};
use portamento_looping as looping;
use portamento_repair::close;
use portamento_stretch::Target;
use portamento_takes::document::stage::{Dynamics, Layer, Loop, Stretch};
use portamento_takes::document::{FileId, Stage, StageId, StageKind, StageType, Take, TakeId, original_name};
use portamento_takes::evaluate::{BuiltTake, Frame};

/// Returns palette entries for stages that are not in the Edit menu.
pub(super) fn stage_entries() -> Vec<CommandEntry> {
    use StageType::{Dynamics, Layer, Loop, Stretch};
    let is_in_menu = |kind: StageType| matches!(kind, Layer | Stretch | Dynamics | Loop);
    StageType::ALL.iter().filter(|kind| !is_in_menu(**kind)).map(|kind| stage_entry(*kind)).collect()
}

/// Returns the entry of the command that adds a stage of this `kind`.
pub(super) fn stage_entry(kind: StageType) -> CommandEntry {
    CommandEntry::new(kind.command_name(), Command::Edit(EditCommand::Stage(StageCommand::Add(kind))), &[])
}

impl Session {
    /// Edits the stages of the shown take, or of a new take of the shown clip.
    pub(super) fn perform_stage(&mut self, command: StageCommand) {
        match command {
            StageCommand::Add(kind) => self.add_stage(kind),
            StageCommand::Open(id) => self.selection.stage = Some(id),
            StageCommand::Copy(stage) => {
                if let Shown::Take(take) = self.selection.shown {
                    self.copy_stages(take, Some(stage));
                }
            }
            StageCommand::Paste => self.paste_stages(Vec::new()),
            StageCommand::Duplicate(id) => self.change_stages(|take| {
                let at = stage_position(take, id)?;
                let copy = take.add_stage(take.stages[at].kind.clone());
                let stage = Stage { id: take.stages.pop()?.id, ..take.stages[at].clone() };
                take.stages.insert(at + 1, stage);
                Some(copy)
            }),
            StageCommand::Remove(id) => self.change_stages(|take| {
                let at = stage_position(take, id)?;
                take.stages.remove(at);
                take.stages.get(at).or(take.stages.last()).map(|stage| stage.id)
            }),
            StageCommand::Move(id, to) => self.change_stages(|take| {
                let stage = take.stages.remove(stage_position(take, id)?);
                take.stages.insert(to.min(take.stages.len()), stage);
                Some(id)
            }),
            StageCommand::SetOn(id, on) => self.change_stages(|take| {
                take.stage_mut(id)?.on = on;
                Some(id)
            }),
        }
    }

    /// Changes the shown take and closes its chain, collider and event. `change` returns the stage to open, or `None` to close
    /// it. Does nothing if no take is shown.
    fn change_stages(&mut self, change: impl FnOnce(&mut Take) -> Option<StageId>) {
        let Shown::Take(id) = self.selection.shown else { return };
        let Some(take) = self.document.take_mut(id) else { return };
        self.selection.stage = change(take);
        (self.selection.chain, self.selection.collider, self.selection.event) = (None, None, None);
    }

    /// Returns the shown take with its built result, or that of the stages that can be built, if any; creates a take if a clip is
    /// shown. `None`, with a notice, if nothing is shown or the take is still being built.
    fn take_to_extend(&mut self) -> Option<(TakeId, Option<std::sync::Arc<BuiltTake>>)> {
        let Some(take) = self.shown_take() else {
            let message =
                message!("notice.nothing_shown", "No clip or take is shown. Select one in the outliner first.");
            self.notices.add(Severity::Info, message);
            return None;
        };
        let opened = OpenDocument { document: &self.document, library: &self.library };
        match self.evaluation.builds.quick(opened, &take) {
            // Building now would block the window.
            Ok(None) if self.evaluation.failure().is_none() => {
                let message = message!(
                    "notice.stage_waits",
                    "%{take} is still being built. Add the stage when it is shown.",
                    take = &take.name,
                );
                self.notices.add(Severity::Info, message);
                None
            }
            built => {
                // A stage that fails does not bar others, which may be its remedy.
                let sound = |frame: &Frame| frame.built.clone();
                let built = built.ok().flatten().or_else(|| self.frame().and_then(sound));
                if self.document.take(take.id).is_none() {
                    self.add_take(take);
                }
                let Shown::Take(id) = self.selection.shown else { return None };
                Some((id, built))
            }
        }
    }

    /// Adds a stage of type `kind` to the shown take, or to a new take of the shown clip. Adds a notice with the reason if that
    /// is not possible. Opens the stage. A stage of dynamic bones starts with the spring bones of the avatar, and with a
    /// chain at the highlighted joint.
    fn add_stage(&mut self, kind: StageType) {
        if let Err(reason) = may_add(kind, self.shown_take().as_ref(), self.frame()) {
            return self.notices.add(Severity::Info, reason);
        }
        let Some((id, built)) = self.take_to_extend() else { return };
        let built = built.as_deref();
        let kind = match kind {
            StageType::Layer => {
                let files = self.document.take(id).and_then(Take::blend).map(|blend| blend.files.clone());
                let time = self.playback.time;
                built.map_or_else(
                    || StageKind::Layer(Box::default()),
                    |built| new_layer(built, files.unwrap_or_default(), time),
                )
            }
            StageType::Stretch => built.map_or_else(|| StageKind::Stretch(Box::default()), new_stretch),
            // Bones keep swinging across the seam of a loop.
            StageType::Dynamics => {
                let looping = built.is_some_and(BuiltTake::repeats);
                let character = self.document.take(id).map(|take| take.character);
                // An avatar brings its own chains.
                let settings =
                    character.and_then(|character| self.opened().spring_bones(character)).unwrap_or_default();
                StageKind::Dynamics(Box::new(Dynamics { settings, looping, ..Dynamics::default() }))
            }
            StageType::Loop => StageKind::Loop(Box::new(longest_loop(built.map_or(0, BuiltTake::frames)))),
            StageType::Close => StageKind::Close(Box::new(
                built.map_or_else(close::Settings::default, |built| new_close(built.clip.duration)),
            )),
            kind => kind.default_kind(),
        };
        let is_dynamics = matches!(kind, StageKind::Dynamics(_));
        if matches!(kind, StageKind::Mirror(_)) {
            self.name_mirrored(id);
        }
        self.change_stages(|take| Some(take.add_stage(kind)));
        if let Some(joint) = self.selection.joint.filter(|_| is_dynamics) {
            self.make_dynamic(None, joint);
        }
    }
}

impl Session {
    /// Names a copy of another take, which becomes mirrored, by what it is. Does nothing for other names.
    fn name_mirrored(&mut self, id: TakeId) {
        let Some(name) = self.document.take(id).map(|take| take.name.clone()) else { return };
        let original = original_name(&name);
        if original != name {
            let name = self.document.free_take_name(&format!("{original} mirrored"));
            self.document.take_mut(id).into_iter().for_each(|take| take.name.clone_from(&name));
        }
    }
}

/// Returns a layer with a cast of the proposed skill at `time` seconds and an end event at the end of its clip. Both are
/// moved into the motion.
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

/// Returns a stretch to the current end of the motion, which has no effect until the target is moved.
fn new_stretch(built: &BuiltTake) -> StageKind {
    let mut stretch = Stretch::default();
    stretch.settings.target = end_of(built).map(Target::World);
    StageKind::Stretch(Box::new(stretch))
}

/// Returns the position of the root motion joint at the end of `built`, world space, file units; `None` without such a joint.
pub(super) fn end_of(built: &BuiltTake) -> Option<DVec3> {
    let skeleton = &built.character.model.skeleton;
    let at_end = |root: RootMotion| root_motion::world_at(skeleton, &built.clip, root.joint, built.clip.duration);
    built.root.map(|root| at_end(root).translation)
}

/// Returns a loop of the two longest cycles that fit into `frames` frames, at most 120 frames each.
pub(super) fn longest_loop(frames: usize) -> Loop {
    let length = (frames.saturating_sub(1) / 2).clamp(1, 120);
    Loop { settings: looping::Settings { length, ..looping::Settings::default() } }
}

/// Returns close settings for a motion of `duration` seconds. Its seam has the default length, or half the duration if that
/// is shorter.
fn new_close(duration: f64) -> close::Settings {
    let usual = close::Settings::default();
    close::Settings { seam: usual.seam.min(0.5 * duration), ..usual }
}

/// Returns the index of stage `id` in `take`; `None` if there is none.
fn stage_position(take: &Take, id: StageId) -> Option<usize> {
    take.stages.iter().position(|stage| stage.id == id)
}

#[cfg(test)]
mod tests;
