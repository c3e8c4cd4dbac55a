//! Evaluating what is shown, when something changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::DVec3;

use super::dynamics::live;
use super::{DynamicsMode, OpenDocument, Session, Severity, Shown};
use crate::anim::{Footage, root_motion};
use crate::document::{Asset, FileId, Loaded, StageId, Take, TakeId, TakeSource};
use crate::evaluate::frame::{self, FrameBuffers};
use crate::evaluate::overlay::{self, Overlay};
use crate::evaluate::{BuildWork, BuiltTake, Lookup, Scenery, TakeError};
use crate::message::{Message, Tell, message};
use crate::progress::{Cancelled, Progress};
use crate::systems::dynamics::{DynamicsRig, Settings};

/// What the present frame was made from.
#[derive(Debug)]
pub(super) struct Evaluated {
    shown: Shown,
    stage: Option<StageId>,
    built: Arc<BuiltTake>,
    overlay: Arc<Overlay>,
    rig: Option<ShownRig>,
    time: f64,
    is_at_rest: bool,
}

/// Dynamic bones as they are drawn, and what they are made from.
#[derive(Debug)]
struct ShownRig {
    settings: Settings,
    rig: DynamicsRig,
}

/// A take that is being built in the background, or could not be.
#[derive(Debug)]
pub(super) struct Building {
    work: BuildWork,
    job: Message,
    since: Instant,
    failure: Option<TakeError>,
}

/// Work that is younger than this may end before newer work replaces it, so that something is seen while a setting is dragged.
const PATIENCE: Duration = Duration::from_millis(400);

impl Session {
    /// `take` built, from memory where its inputs are as before.
    pub fn built(&mut self, take: &Take) -> Result<Arc<BuiltTake>, TakeError> {
        self.cache.take(&self.document, &self.library, take, &Progress::new())
    }

    /// Whether `take` is still to be built and that may take longer than the window should wait.
    pub(super) fn is_slow_to_build(&mut self, take: &Take) -> bool {
        let found = self.cache.find(&self.document, &self.library, take);
        matches!(found, Ok(Lookup::Missing(work)) if work.is_slow())
    }

    /// Brings [`Session::frame`] up to date. What cannot be built leaves the last good frame on screen and says why once.
    pub(super) fn evaluate_shown(&mut self, seconds: f64) {
        let Some(take) = self.shown_take() else { return self.show_rest_pose() };
        if let Some(before) = self.before_open_stage(&take) {
            let outcome = self.show_take(&before, None);
            return self.fail_with(outcome.err().map(|error| about(&take.name, error.message())));
        }
        let active = self.swinging(&take).filter(|settings| !settings.chains.is_empty());
        let outcome = match (active, self.dynamics.mode) {
            (Some(_), DynamicsMode::Live) => self.show_live(&take, seconds),
            (Some(_), DynamicsMode::Off) => self.show_take(&live::before_dynamics(&take, self.selection.stage), None),
            (active, _) => self.show_take(&take, active),
        };
        match outcome {
            Ok(()) => self.fail_with(self.fault_of_shown(&take.name)),
            // While its file is still being read a take is not wrong, only not there yet.
            Err(TakeError::NotLoaded(_)) if self.jobs.running().next().is_some() => {}
            Err(error) => {
                self.play_on(&take);
                self.note_frame(true);
                self.fail_with(Some(about(&take.name, error.message())));
            }
        }
    }

    /// The settings of the dynamic bones at hand as they are at the playhead, without what is muted.
    pub(super) fn swinging(&self, take: &Take) -> Option<Settings> {
        let stage = take.dynamics_stage(self.selection.stage)?;
        stage
            .at(self.seconds_into(take, stage.id, self.playback.time))
            .kind
            .as_dynamics()
            .map(|dynamics| dynamics.active_settings())
    }

    /// Second of what comes into `stage` of `take`, which is shown, at `time` of what comes out.
    pub fn seconds_into(&self, take: &Take, stage: StageId, time: f64) -> f64 {
        let built = self.frame().and_then(|frame| frame.built.as_ref());
        built.map_or(time, |built| built.seconds_in(take.index_before(stage), time))
    }

    /// `take` up to the open stage, while that is what is looked at.
    fn before_open_stage(&self, take: &Take) -> Option<Take> {
        let open = self.open_stage().filter(|_| self.is_before_stage())?;
        take.stages.iter().position(|stage| stage.id == open).map(|index| take.before_stage(index))
    }

    /// What of the shown take is left out because it is wrong.
    fn fault_of_shown(&self, name: &str) -> Option<Message> {
        let blended = self.evaluated.as_ref()?.built.blended.as_ref()?;
        let lines = |first, next| message!("error.lines", "%{first}\n%{next}", first = first, next = next);
        let faults = blended.faults.iter().map(Tell::message).reduce(lines);
        faults.map(|faults| about(name, faults))
    }

    /// Says a failure once, as long as it stays the same, and when it is over.
    fn fail_with(&mut self, failure: Option<Message>) {
        if self.last_failure == failure {
            return;
        }
        if let Some(mended) = self.last_failure.take() {
            self.notices.end(mended);
        }
        if let Some(failure) = &failure {
            self.notices.say(Severity::Error, failure.clone());
        }
        self.last_failure = failure;
    }

    fn show_live(&mut self, take: &Take, seconds: f64) -> Result<(), TakeError> {
        let start = live::before_dynamics(take, self.selection.stage);
        let Some(before) = self.built_or_begun(&start)? else { return self.show_take(&start, None) };
        let frame = self.live_frame(take, before, seconds)?;
        self.frame = Some(frame);
        self.note_frame(true);
        self.evaluated = None;
        Ok(())
    }

    /// Shows `take`, whose dynamic bones have the settings `dynamics`; while it is being built, what there is of it.
    fn show_take(&mut self, take: &Take, dynamics: Option<Settings>) -> Result<(), TakeError> {
        self.stop_live();
        if let Some(built) = self.built_or_begun(take)? {
            self.show_built(built, dynamics);
            self.note_frame(true);
            return Ok(());
        }
        let last = self.evaluated.as_ref().filter(|last| last.shown == self.selection.shown);
        let built = match last.map(|last| last.built.clone()) {
            Some(built) => Some(built),
            None => self.quickly_built(take)?,
        };
        match built {
            Some(built) => self.show_built(built, dynamics),
            None => self.show_nothing_yet(take),
        }
        self.note_frame(false);
        Ok(())
    }

    /// `take` without its first step that takes long and what follows; nothing where its source does.
    fn quickly_built(&mut self, take: &Take) -> Result<Option<Arc<BuiltTake>>, TakeError> {
        for end in (0..=take.stages.len()).rev() {
            let start = take.before_stage(end);
            let found = self.cache.find(&self.document, &self.library, &start)?;
            if !matches!(&found, Lookup::Missing(work) if work.is_slow()) {
                return self.built(&start).map(Some);
            }
        }
        Ok(None)
    }

    /// Of a walk the level is seen while its ground is made.
    fn show_nothing_yet(&mut self, take: &Take) {
        self.evaluated = None;
        self.frame = take.walk().and_then(|walk| {
            let file = self.library.get(walk.level)?.clone();
            let metres_per_unit = self.document.file(walk.level)?.metres_per_unit;
            let nobody = Asset::new(Loaded::default());
            let character = self.library.get(take.character).unwrap_or(&nobody);
            Some(frame::scenery_frame(character, Scenery { file, up: walk.up, metres_per_unit }))
        });
    }

    /// `take` built, or nothing while a job builds it.
    pub(super) fn built_or_begun(&mut self, take: &Take) -> Result<Option<Arc<BuiltTake>>, TakeError> {
        let work = match self.cache.find(&self.document, &self.library, take)? {
            Lookup::Built(built) => return Ok(Some(built)),
            Lookup::Missing(work) => work,
        };
        if !work.is_slow() {
            return self.built(take).map(Some);
        }
        match self.begun(&work) {
            Some(outcome) => return outcome.map(|()| None),
            None => self.begin(work, work_name(take)),
        }
        self.poll();
        match self.cache.find(&self.document, &self.library, take)? {
            Lookup::Built(built) => Ok(Some(built)),
            Lookup::Missing(work) => self.begun(&work).unwrap_or(Ok(())).map(|()| None),
        }
    }

    /// How `work` stands: under way or due to wait (`Ok`), failed, or not begun.
    fn begun(&self, work: &BuildWork) -> Option<Result<(), TakeError>> {
        let building = self.building.as_ref()?;
        let runs = self.jobs.running().any(|job| job.name == building.job);
        match &building.failure {
            Some(failure) if building.work == *work => Some(Err(failure.clone())),
            None if building.work == *work && !runs => Some(Err(Cancelled.into())),
            None if runs && (building.work == *work || building.since.elapsed() < PATIENCE) => Some(Ok(())),
            _ => None,
        }
    }

    fn begin(&mut self, work: BuildWork, job: Message) {
        let key = work.clone();
        self.building = Some(Building { work: key.clone(), job: job.clone(), since: Instant::now(), failure: None });
        self.jobs.start(
            job,
            move |progress| work.run(progress),
            move |session, outcome| match outcome {
                Ok(done) => session.cache.keep(done),
                Err(error) => {
                    let beside = session.pair.as_mut().and_then(|pair| pair.building.as_mut());
                    let waiting = session.building.iter_mut().chain(beside);
                    waiting.filter(|building| building.work == key).for_each(|building| {
                        building.failure = Some(error.clone());
                    });
                }
            },
        );
    }

    /// Starts what was stopped once more.
    pub fn build_again(&mut self) {
        self.building = None;
        if let Some(pair) = &mut self.pair {
            pair.building = None;
        }
    }

    /// The last good state of what is shown goes on playing; where there was none, the character stands in its rest pose.
    fn play_on(&mut self, take: &Take) {
        let last = self.evaluated.as_ref().filter(|last| last.shown == self.selection.shown);
        match last.map(|last| last.built.clone()) {
            Some(built) => self.show_built(built, None),
            None => {
                self.evaluated = None;
                let stands = matches!(
                    take.source,
                    TakeSource::Clip { .. }
                        | TakeSource::Retarget(_)
                        | TakeSource::Rest { .. }
                        | TakeSource::Scenario(_)
                );
                let character = self.library.get(take.character).filter(|_| stands);
                self.frame = character.map(frame::rest_frame);
            }
        }
    }

    /// Why what is shown could not be built, if it could not.
    pub fn failure(&self) -> Option<&Message> {
        self.last_failure.as_ref()
    }

    /// The recipe of what plays: the selected take, or the selected clip, cache or images as a take without stages.
    pub fn shown_take(&self) -> Option<Take> {
        self.opened().take_of(&self.selection.shown)
    }

    /// Where the character stands at the end of `clip`, world space, in the file's unit.
    pub(super) fn source_end(&mut self, character: FileId, file: FileId, clip: &str) -> Option<DVec3> {
        let built = self.built(&plain(character, file, clip)).ok()?;
        let joint = built.root?.joint;
        let skeleton = &built.character.model.skeleton;
        Some(root_motion::world_at(skeleton, &built.clip, joint, built.clip.duration).translation)
    }

    fn show_built(&mut self, built: Arc<BuiltTake>, dynamics: Option<Settings>) {
        let seconds = self.playback.seconds_of(built.clip.duration, built.repeats());
        self.show_seconds(seconds, built.fps);
        let time = self.playback.time_within(seconds);
        let last = self.evaluated.take();
        let last = last.filter(|last| Arc::ptr_eq(&last.built, &built) && last.shown == self.selection.shown);
        let is_at_rest = self.selection.painting.is_on_pins();
        let last = last.filter(|last| last.stage == self.selection.stage && last.is_at_rest == is_at_rest);
        let (overlay, rig) = match last {
            Some(last) if last.time == time && self.frame.is_some() && last.settings() == dynamics.as_ref() => {
                self.evaluated = Some(last);
                return;
            }
            Some(last) => (last.overlay, last.rig),
            None => (Arc::new(overlay::overlay(&built, self.stage_index())), None),
        };
        let rig = rig_of(rig, dynamics, &built);
        let buffers = self.frame.take().map_or_else(FrameBuffers::default, FrameBuffers::from);
        let mut frame = frame::next_frame(buffers, &built, &overlay, time);
        if let Some(ShownRig { rig, .. }) = &rig {
            frame.add_dynamics(rig, &built.source.pose_at(&built.character.model.skeleton, time));
        }
        if is_at_rest {
            frame.show_rest();
        }
        self.frame = Some(frame);
        self.evaluated = Some(Evaluated {
            shown: self.selection.shown.clone(),
            stage: self.selection.stage,
            built,
            overlay,
            rig,
            time,
            is_at_rest,
        });
    }

    fn show_rest_pose(&mut self) {
        self.evaluated = None;
        self.last_failure = None;
        self.frame = match self.selection.shown {
            Shown::File(id) => self.library.get(id).map(frame::rest_frame),
            _ => None,
        };
        self.show_seconds(0.0, self.playback.fps);
        self.note_frame(true);
    }

    /// Lets the playhead go through `seconds`, or through what stands beside where that is longer.
    pub(super) fn show_seconds(&mut self, seconds: f64, fps: f64) {
        self.playback.show(seconds.max(self.pair_seconds()), fps);
    }
}

impl<'a> OpenDocument<'a> {
    /// The same of anything that can be shown.
    pub(super) fn take_of(self, shown: &Shown) -> Option<Take> {
        match shown {
            Shown::Take(id) => self.document.take(*id).cloned(),
            Shown::Clip { character, file, clip } => Some(plain(*character, *file, clip)),
            Shown::File(id) => self.library.get(*id)?.footage.as_ref().map(|footage| self.playing(*id, footage)),
            Shown::Nothing => None,
        }
    }

    /// The frames of file `id` as a take without stages.
    fn playing(self, id: FileId, footage: &Footage) -> Take {
        let name = match footage {
            Footage::Vertices(clip) => clip.name.clone(),
            Footage::Images(clip) => clip.name.clone(),
        };
        Take { id: TakeId(0), name, character: id, source: self.source_of(id, footage), stages: Vec::new() }
    }
}

impl Evaluated {
    fn settings(&self) -> Option<&Settings> {
        self.rig.as_ref().map(|shown| &shown.settings)
    }
}

/// The rig for `dynamics`: the one there is where nothing changed; none where the settings are refused, which the build says.
fn rig_of(known: Option<ShownRig>, dynamics: Option<Settings>, built: &BuiltTake) -> Option<ShownRig> {
    let settings = dynamics?;
    if let Some(known) = known.filter(|known| known.settings == settings) {
        return Some(known);
    }
    let rig = DynamicsRig::new(&built.character.model.skeleton, &settings, built.metres_per_unit).ok()?;
    Some(ShownRig { settings, rig })
}

/// What takes long about `take`, for its job.
fn work_name(take: &Take) -> Message {
    let name = &take.name;
    match take.source {
        _ if take.dynamics(None).is_some() => message!("job.dynamics", "Swing %{take}", take = name),
        TakeSource::Cloth(_) => message!("job.simulate", "Simulate %{take}", take = name),
        TakeSource::Walk(_) => message!("job.plan", "Plan %{take}", take = name),
        TakeSource::Retarget(_) => message!("job.retarget", "Retarget %{take}", take = name),
        _ => message!("job.loop", "Loop %{take}", take = name),
    }
}

pub(super) fn about(take: &str, error: Message) -> Message {
    message!("error.of_take", "%{take}: %{error}", take = take, error = error)
}

/// A clip as a take without stages.
fn plain(character: FileId, file: FileId, clip: &str) -> Take {
    let source = TakeSource::Clip { file, clip: clip.to_owned() };
    Take { id: TakeId(0), name: clip.to_owned(), character, source, stages: Vec::new() }
}
