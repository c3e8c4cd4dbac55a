//! The displayed frame: built after changes and posed at the playhead.
//!
//! If a build fails, the last good frame stays on screen and the error is reported once.

pub(super) mod builds;
mod figures;
mod frame_state;
mod moment;
mod posed;

use std::sync::Arc;

pub use figures::FiguresOfShown;
pub use frame_state::FrameState;

use builds::{BuildSlot, BuildStatus, Builds};
use figures::ShownFigures;
pub(super) use moment::Moment;
use moment::{View, Wanted};
use posed::Posed;

use super::notices::about;
use super::{Notices, OpenDocument, Selection, Severity, Shown};
use portamento_base::message::{Message, Tell, message};
use portamento_dynamics::Settings;
use portamento_takes::document::{Asset, Document, Library, Loaded, StageId, Take, TakeSource, Walk};
use portamento_takes::evaluate::frame;
use portamento_takes::evaluate::{BuiltTake, Frame, Scenery, TakeError};

/// The current frame and its inputs.
#[derive(Debug, Default)]
pub struct Evaluation {
    pub(super) builds: Builds,
    frame: Option<Frame>,
    state: FrameState,
    /// The inputs of the current frame; `None` during live simulation or if nothing is posed.
    posed: Option<Posed>,
    figures: ShownFigures,
    failure: Option<Message>,
    failed_stage: Option<FailedStage>,
    /// True if the shown motion is not that of the take, because the current settings could not be built.
    is_outdated: bool,
}

/// The stage that keeps a take from being built. The stages below it are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedStage {
    /// The stage.
    pub stage: StageId,
    /// The reason.
    pub reason: Message,
}

impl Evaluation {
    /// Returns the frame at the playhead, as of the last [`Session::update`](super::Session::update). `None` if nothing is
    /// shown.
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Returns the item that the current frame shows, and whether it is complete.
    pub fn frame_state(&self) -> &FrameState {
        &self.state
    }

    /// Returns the current frame if it shows `shown`, else `None`.
    pub fn frame_of(&self, shown: &Shown) -> Option<&Frame> {
        self.frame().filter(|_| self.state.shown == *shown)
    }

    /// Returns the built take for the figures of the open stage; `None` if that stage is off or the take is
    /// [outdated](Self::is_outdated).
    pub fn built_for_open_stage(&self, document: &Document, selection: &Selection) -> Option<Arc<BuiltTake>> {
        let built = self.frame_of(&selection.shown)?.built.clone().filter(|_| !self.is_outdated);
        let Shown::Take(id) = selection.shown else { return built };
        let open = selection.open_stage(document).and_then(|open| document.take(id)?.stage(open));
        built.filter(|_| open.is_none_or(|stage| stage.on))
    }

    /// Converts `time`, a time of the output of `take`, to the input time of `stage`, seconds. Returns `time` if nothing is
    /// built.
    pub fn seconds_into(&self, take: &Take, stage: StageId, time: f64) -> f64 {
        moment::seconds_into(self.frame(), take, stage, time)
    }

    /// Returns the reason why the shown item could not be built, if so.
    pub fn failure(&self) -> Option<&Message> {
        self.failure.as_ref()
    }

    /// Returns the stage of the shown take that could not be built, if so.
    pub fn failed_stage(&self) -> Option<&FailedStage> {
        self.failed_stage.as_ref()
    }

    /// True if the shown motion is the last good one or that of the stages below a failed one, because the current settings could
    /// not be built. Its figures say nothing about the take.
    pub fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Lets stopped and failed builds start again at the next update.
    pub fn build_again(&mut self) {
        self.builds.forget(BuildSlot::Shown);
        self.builds.forget(BuildSlot::SoundPart);
        self.builds.forget(BuildSlot::Companion);
    }

    /// Shows `take`. Returns true if a job was started for it; nothing new is shown then. Reports a failure as a notice
    /// once.
    pub(super) fn show(&mut self, take: &Take, moment: &mut Moment) -> bool {
        let wanted = moment.wanted(take, self.frame());
        let standing = self.builds.wanted(BuildSlot::Shown, moment.opened, &wanted.take, moment.jobs);
        let built = match standing {
            Ok(BuildStatus::Started) => return true,
            Ok(BuildStatus::Built(built)) => Ok(Some(built)),
            Ok(BuildStatus::Waiting) => Ok(None),
            Err(error) => Err(error),
        };
        let is_before = matches!(wanted.view, View::BeforeStage);
        let failed_stage = self.failed_stage.take();
        self.is_outdated = false;
        let failure = match self.show_wanted(take, wanted, built, moment) {
            Ok(()) => self.fault().filter(|_| !is_before),
            Err(error) if is_before => Some(error.message()),
            // A missing file is no error while jobs may still be loading it.
            Err(TakeError::NotLoaded(_)) if moment.jobs.running().next().is_some() => return false,
            Err(TakeError::Cancelled(stopped)) => {
                self.failed_stage = failed_stage;
                self.show_last_good(take, moment);
                self.is_outdated = true;
                self.state.note(&moment.selection.shown, true);
                Some(TakeError::from(stopped).message())
            }
            Err(error) => {
                self.show_sound_part(take, &error, moment);
                self.is_outdated = true;
                self.state.note(&moment.selection.shown, true);
                Some(error.message())
            }
        };
        self.fail_with(failure.map(|failure| about(&take.name, failure)), moment.notices);
        false
    }

    /// Shows a file in its rest pose, or nothing.
    pub(super) fn show_rest(&mut self, moment: &mut Moment) {
        (self.posed, self.failed_stage, self.is_outdated) = (None, None, false);
        self.fail_with(None, moment.notices);
        self.frame = match moment.selection.shown {
            Shown::File(id) => moment.opened.library.get(id).map(frame::rest_frame),
            _ => None,
        };
        moment.show_seconds(0.0, moment.playback.fps);
        self.state.note(&moment.selection.shown, true);
    }

    /// Shows `built` in the wanted view, or the stages that are built already while it is `Ok(None)`. Returns `Err` if the take
    /// cannot be built or simulated.
    fn show_wanted(
        &mut self,
        take: &Take,
        wanted: Wanted,
        built: Result<Option<Arc<BuiltTake>>, TakeError>,
        moment: &mut Moment,
    ) -> Result<(), TakeError> {
        let is_live = matches!(wanted.view, View::Live);
        if !is_live || matches!(built, Ok(None)) {
            moment.dynamics.stop();
        }
        let dynamics = match wanted.view {
            View::Recorded(dynamics) => dynamics,
            View::BeforeStage | View::Live => None,
        };
        let built = built?;
        let is_whole = built.is_some();
        match built {
            Some(before) if is_live => self.show_live(take, before, moment)?,
            Some(built) => self.show_built(built, dynamics, moment),
            None => self.show_partial(&wanted.take, dynamics, moment)?,
        }
        self.state.note(&moment.selection.shown, is_whole);
        Ok(())
    }

    /// Shows the next frame of the live simulation over the motion `before`.
    fn show_live(&mut self, take: &Take, before: Arc<BuiltTake>, moment: &mut Moment) -> Result<(), TakeError> {
        moment.show_seconds(before.clip.duration, before.fps);
        let settings = moment.swinging(take, self.frame()).unwrap_or_default();
        self.frame = Some(moment.dynamics.frame(take.id, before, &settings, moment.playback, moment.passed)?);
        self.posed = None;
        Ok(())
    }

    /// Shows what is available of `take` while it is being built. That is the last build of the shown item, the part that
    /// builds fast, the level, or the rest pose, in this order.
    fn show_partial(&mut self, take: &Take, dynamics: Option<Settings>, moment: &mut Moment) -> Result<(), TakeError> {
        let built = match self.last_built(&moment.selection.shown) {
            Some(built) => Some(built),
            None => self.builds.quick_start(moment.opened, take)?,
        };
        match built {
            Some(built) => self.show_built(built, dynamics, moment),
            None => {
                self.posed = None;
                let OpenDocument { document, library } = moment.opened;
                let rest = || library.get(take.character).map(frame::rest_frame);
                self.frame = level_of(take, document, library).or_else(rest);
            }
        }
        Ok(())
    }

    /// Shows the stages below the first one that fails, and records that one. Until the part below is built, the last good state
    /// stays. Starts a job for a part that is slow to build.
    fn show_sound_part(&mut self, take: &Take, error: &TakeError, moment: &mut Moment) {
        let mut sound = None;
        for end in 0..take.stages.len() {
            let part = take.before_stage(end);
            match self.builds.wanted(BuildSlot::SoundPart, moment.opened, &part, moment.jobs) {
                Ok(BuildStatus::Built(built)) => sound = Some((end, built)),
                Ok(BuildStatus::Waiting | BuildStatus::Started) => return self.show_last_good(take, moment),
                Err(_) => break,
            }
        }
        let Some((end, built)) = sound else { return self.show_last_good(take, moment) };
        self.failed_stage = Some(FailedStage { stage: take.stages[end].id, reason: error.message() });
        moment.dynamics.stop();
        self.show_built(built, None, moment);
    }

    /// Keeps playing the last good state; without one, shows the character in its rest pose.
    fn show_last_good(&mut self, take: &Take, moment: &mut Moment) {
        if let Some(built) = self.last_built(&moment.selection.shown) {
            return self.show_built(built, None, moment);
        }
        self.posed = None;
        let has_rest_pose = matches!(
            take.source,
            TakeSource::Clip { .. } | TakeSource::Retarget(_) | TakeSource::Rest { .. } | TakeSource::Scenario(_)
        );
        let character = moment.opened.library.get(take.character).filter(|_| has_rest_pose);
        self.frame = character.map(frame::rest_frame);
    }

    /// Returns the build that was posed last if it belongs to `shown`.
    fn last_built(&self, shown: &Shown) -> Option<Arc<BuiltTake>> {
        self.posed.as_ref().filter(|last| last.shown == *shown).map(|last| last.built.clone())
    }

    /// Shows the pose of `built` at the playhead. Keeps the frame if neither the playhead nor the settings changed. Sets
    /// the playback length.
    fn show_built(&mut self, built: Arc<BuiltTake>, dynamics: Option<Settings>, moment: &mut Moment) {
        let seconds = moment.playback.seconds_of(built.clip.duration, built.repeats());
        moment.show_seconds(seconds, built.fps);
        let time = moment.playback.time_within(seconds);
        let last = self.posed.take().filter(|last| last.is_of(&built, moment.selection));
        if last.as_ref().is_some_and(|last| last.time == time && last.settings() == dynamics.as_ref())
            && self.frame.is_some()
        {
            self.posed = last;
            return;
        }
        let posed = Posed::after(last, built, dynamics, time, moment);
        self.frame = Some(posed.frame(self.frame.take()));
        self.posed = Some(posed);
    }

    /// Returns the faults that exclude parts of the shown blend, one per line; `None` if there are none.
    fn fault(&self) -> Option<Message> {
        let blended = self.posed.as_ref()?.built.blended.as_ref()?;
        let lines = |first, next| message!("error.lines", "%{first}\n%{next}", first = first, next = next);
        blended.faults.iter().map(Tell::message).reduce(lines)
    }

    /// Stores `failure`, or its end if `None`. Adds a notice for a new one and resolves that of the previous one.
    fn fail_with(&mut self, failure: Option<Message>, notices: &mut Notices) {
        if self.failure == failure {
            return;
        }
        if let Some(resolved) = self.failure.take() {
            notices.resolve(resolved);
        }
        if let Some(failure) = &failure {
            notices.add(Severity::Error, failure.clone());
        }
        self.failure = failure;
    }
}

/// Returns the level of a walk, which is shown while its navigation data is built; `None` for another take or a missing file.
fn level_of(take: &Take, document: &Document, library: &Library) -> Option<Frame> {
    let walk = take.walk()?;
    let is_flat = walk.level == Walk::FLAT_GROUND;
    let file = if is_flat { Asset::flat_ground() } else { library.get(walk.level)?.clone() };
    let metres_per_unit = if is_flat { 1.0 } else { document.file(walk.level)?.metres_per_unit };
    let no_character = Asset::new(Loaded::default());
    let character = library.get(take.character).unwrap_or(&no_character);
    Some(frame::scenery_frame(character, Scenery { file, up: walk.up, metres_per_unit }))
}
