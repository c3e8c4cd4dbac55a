//! What is shown: built where something changed, and posed at the playhead.
//!
//! What cannot be built leaves the last good frame on screen and says why once.

pub(super) mod builds;
mod figures;
mod frame_state;
mod moment;
mod posed;

use std::sync::Arc;

pub use figures::FiguresOfShown;
pub use frame_state::FrameState;

use builds::{Builds, Place, Standing};
use figures::ShownFigures;
pub(super) use moment::Moment;
use moment::{View, Wanted};
use posed::Posed;

use super::notices::about;
use super::{Notices, Selection, Severity, Shown};
use crate::document::{Asset, Document, Library, Loaded, StageId, Take, TakeSource};
use crate::evaluate::frame;
use crate::evaluate::{BuiltTake, Frame, Scenery, TakeError};
use crate::message::{Message, Tell, message};
use crate::systems::dynamics::Settings;

/// The present frame and what it was made from.
#[derive(Debug, Default)]
pub struct Evaluation {
    pub(super) builds: Builds,
    frame: Option<Frame>,
    state: FrameState,
    /// What the present frame was posed from; nothing while bones swing live or nothing is posed.
    posed: Option<Posed>,
    figures: ShownFigures,
    failure: Option<Message>,
}

impl Evaluation {
    /// What is shown at the playhead, as of the last [`Session::update`](super::Session::update).
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Of what the present frame is, and whether of all of it.
    pub fn frame_state(&self) -> &FrameState {
        &self.state
    }

    /// The present frame, where it is of what is `shown`.
    pub fn frame_of(&self, shown: &Shown) -> Option<&Frame> {
        self.frame().filter(|_| self.state.shown == *shown)
    }

    /// What is shown, for the figures of the open stage; `None` while that is muted, since they would be those of another.
    pub fn built_for_open_stage(&self, document: &Document, selection: &Selection) -> Option<Arc<BuiltTake>> {
        let built = self.frame_of(&selection.shown)?.built.clone();
        let Shown::Take(id) = selection.shown else { return built };
        let open = selection.open_stage(document).and_then(|open| document.take(id)?.stage(open));
        built.filter(|_| open.is_none_or(|stage| stage.on))
    }

    /// Second of what comes into `stage` of `take`, which is shown, at `time` of what comes out.
    pub fn seconds_into(&self, take: &Take, stage: StageId, time: f64) -> f64 {
        moment::seconds_into(self.frame(), take, stage, time)
    }

    /// Why what is shown could not be built, if it could not.
    pub fn failure(&self) -> Option<&Message> {
        self.failure.as_ref()
    }

    /// Starts what was stopped once more.
    pub fn build_again(&mut self) {
        self.builds.forget(Place::Shown);
        self.builds.forget(Place::Beside);
    }

    /// Shows `take`; answers whether a job was begun for it, in which case nothing of it is shown yet.
    pub(super) fn show(&mut self, take: &Take, moment: &mut Moment) -> bool {
        let wanted = moment.wanted(take, self.frame());
        let standing = self.builds.wanted(Place::Shown, moment.opened, &wanted.take, moment.jobs);
        let built = match standing {
            Ok(Standing::Begun) => return true,
            Ok(Standing::Built(built)) => Ok(Some(built)),
            Ok(Standing::Waiting) => Ok(None),
            Err(error) => Err(error),
        };
        let is_before = matches!(wanted.view, View::BeforeStage);
        let failure = match self.show_wanted(take, wanted, built, moment) {
            Ok(()) => self.fault().filter(|_| !is_before),
            Err(error) if is_before => Some(error.message()),
            // While its file is still being read a take is not wrong, only not there yet.
            Err(TakeError::NotLoaded(_)) if moment.jobs.running().next().is_some() => return false,
            Err(error) => {
                self.play_on(take, moment);
                self.state.note(&moment.selection.shown, true);
                Some(error.message())
            }
        };
        self.fail_with(failure.map(|failure| about(&take.name, failure)), moment.notices);
        false
    }

    /// Shows what is no take: a file in its rest pose, or nothing.
    pub(super) fn show_rest(&mut self, moment: &mut Moment) {
        self.posed = None;
        self.fail_with(None, moment.notices);
        self.frame = match moment.selection.shown {
            Shown::File(id) => moment.opened.library.get(id).map(frame::rest_frame),
            _ => None,
        };
        moment.show_seconds(0.0, moment.playback.fps);
        self.state.note(&moment.selection.shown, true);
    }

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
            None => self.show_meanwhile(&wanted.take, dynamics, moment)?,
        }
        self.state.note(&moment.selection.shown, is_whole);
        Ok(())
    }

    fn show_live(&mut self, take: &Take, before: Arc<BuiltTake>, moment: &mut Moment) -> Result<(), TakeError> {
        moment.show_seconds(before.clip.duration, before.fps);
        let settings = moment.swinging(take, self.frame()).unwrap_or_default();
        self.frame = Some(moment.dynamics.frame(take.id, before, &settings, moment.playback, moment.passed)?);
        self.posed = None;
        Ok(())
    }

    /// While `take` is being built, what there is of it.
    fn show_meanwhile(
        &mut self,
        take: &Take,
        dynamics: Option<Settings>,
        moment: &mut Moment,
    ) -> Result<(), TakeError> {
        let built = match self.last_built(&moment.selection.shown) {
            Some(built) => Some(built),
            None => self.builds.quick_start(moment.opened, take)?,
        };
        match built {
            Some(built) => self.show_built(built, dynamics, moment),
            None => {
                self.posed = None;
                self.frame = level_of(take, moment.opened.document, moment.opened.library);
            }
        }
        Ok(())
    }

    /// The last good state of what is shown goes on playing; where there was none, the character stands in its rest pose.
    fn play_on(&mut self, take: &Take, moment: &mut Moment) {
        if let Some(built) = self.last_built(&moment.selection.shown) {
            return self.show_built(built, None, moment);
        }
        self.posed = None;
        let stands = matches!(
            take.source,
            TakeSource::Clip { .. } | TakeSource::Retarget(_) | TakeSource::Rest { .. } | TakeSource::Scenario(_)
        );
        let character = moment.opened.library.get(take.character).filter(|_| stands);
        self.frame = character.map(frame::rest_frame);
    }

    fn last_built(&self, shown: &Shown) -> Option<Arc<BuiltTake>> {
        self.posed.as_ref().filter(|last| last.shown == *shown).map(|last| last.built.clone())
    }

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

    /// What of the shown take is left out because it is wrong.
    fn fault(&self) -> Option<Message> {
        let blended = self.posed.as_ref()?.built.blended.as_ref()?;
        let lines = |first, next| message!("error.lines", "%{first}\n%{next}", first = first, next = next);
        blended.faults.iter().map(Tell::message).reduce(lines)
    }

    /// Says a failure once, as long as it stays the same, and when it is over.
    fn fail_with(&mut self, failure: Option<Message>, notices: &mut Notices) {
        if self.failure == failure {
            return;
        }
        if let Some(mended) = self.failure.take() {
            notices.end(mended);
        }
        if let Some(failure) = &failure {
            notices.say(Severity::Error, failure.clone());
        }
        self.failure = failure;
    }
}

/// Of a walk the level, which is seen while its ground is made.
fn level_of(take: &Take, document: &Document, library: &Library) -> Option<Frame> {
    let walk = take.walk()?;
    let file = library.get(walk.level)?.clone();
    let metres_per_unit = document.file(walk.level)?.metres_per_unit;
    let nobody = Asset::new(Loaded::default());
    let character = library.get(take.character).unwrap_or(&nobody);
    Some(frame::scenery_frame(character, Scenery { file, up: walk.up, metres_per_unit }))
}
