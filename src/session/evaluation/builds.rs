//! Builds of takes: immediate, or as background jobs.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::{JobKey, Jobs, OpenDocument};
use portamento_base::progress::{Cancelled, Progress};
use portamento_takes::document::{Document, Library, Loaded, StageKind, Take, TakeId, TakeSource};
use portamento_takes::evaluate::{BuildWork, BuiltTake, Lookup, TakeCache, TakeError};

/// The build cache and the running background builds.
#[derive(Debug, Default)]
pub(crate) struct Builds {
    cache: TakeCache,
    /// The shown take.
    shown: Option<Building>,
    /// The part of the shown take below a stage that fails.
    sound_part: Option<Building>,
    /// The take next to the shown one.
    companion: Option<Building>,
    /// The contents of the opened files at the last update. Weak pointers keep addresses from being reused.
    contents: Vec<Weak<Loaded>>,
}

/// The slot that a background build belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildSlot {
    /// The shown take.
    Shown,
    /// The part of the shown take below a stage that fails.
    SoundPart,
    /// The take next to the shown one.
    Companion,
}

/// A take that is being built in the background, or whose build failed.
#[derive(Debug)]
struct Building {
    take: TakeId,
    work: BuildWork,
    job: JobKey,
    /// The time at which the job was started.
    since: Instant,
    /// The reason why the build failed, if so.
    failure: Option<TakeError>,
}

/// The build status of a take.
#[derive(Debug)]
pub(crate) enum BuildStatus {
    /// The take is built.
    Built(Arc<BuiltTake>),
    /// A job is building it, or an earlier job is allowed to finish first.
    Waiting,
    /// A job was started for it in this call.
    Started,
}

/// Age up to which a job may finish before newer work replaces it, so that something is visible while a setting is
/// dragged. Tuned; no derivation recorded.
const REPLACE_JOB_AFTER: Duration = Duration::from_millis(400);

impl Builds {
    /// Returns a cache with the same takes and no background builds.
    pub fn with_same_takes(&self) -> Self {
        Self { cache: self.cache.clone(), ..Self::default() }
    }

    /// Builds `take`, or returns it from the cache. A slow build blocks the caller.
    pub fn take(&mut self, opened: OpenDocument, take: &Take) -> Result<Arc<BuiltTake>, TakeError> {
        self.take_within(opened, take, &Progress::new())
    }

    /// Builds `take`, or returns it from the cache; reports to `progress`. Returns `Err` also if cancelled.
    pub fn take_within(
        &mut self,
        opened: OpenDocument,
        take: &Take,
        progress: &Progress,
    ) -> Result<Arc<BuiltTake>, TakeError> {
        self.cache.take(opened.document, opened.library, take, progress)
    }

    /// Returns `take` from the cache, or the work that would build it.
    pub fn find(&mut self, opened: OpenDocument, take: &Take) -> Result<Lookup, TakeError> {
        self.cache.find(opened.document, opened.library, take)
    }

    /// Builds `take` if that is fast; `None` if it takes too long for the window thread. Returns `Err` if it cannot be
    /// built.
    pub fn quick(&mut self, opened: OpenDocument, take: &Take) -> Result<Option<Arc<BuiltTake>>, TakeError> {
        match self.find(opened, take)? {
            Lookup::Built(built) => Ok(Some(built)),
            Lookup::Missing(work) if work.is_slow() => Ok(None),
            Lookup::Missing(_) => self.take(opened, take).map(Some),
        }
    }

    /// Builds `take` up to its first slow stage; `None` if its source is slow. Returns `Err` if a part of it cannot be
    /// built.
    pub fn quick_start(&mut self, opened: OpenDocument, take: &Take) -> Result<Option<Arc<BuiltTake>>, TakeError> {
        for end in (0..=take.stages.len()).rev() {
            if let Some(built) = self.quick(opened, &take.before_stage(end))? {
                return Ok(Some(built));
            }
        }
        Ok(None)
    }

    /// Returns the status of `take` in `slot`. A fast build is done at once; a slow one starts a job.
    ///
    /// Returns `Err` if the take cannot be built, or if its job failed or was stopped: [`Builds::forget`] allows another
    /// attempt.
    pub fn wanted(
        &mut self,
        slot: BuildSlot,
        opened: OpenDocument,
        take: &Take,
        jobs: &mut Jobs,
    ) -> Result<BuildStatus, TakeError> {
        let work = match self.find(opened, take)? {
            Lookup::Built(built) => return Ok(BuildStatus::Built(built)),
            Lookup::Missing(work) if work.is_slow() => work,
            Lookup::Missing(_) => return self.take(opened, take).map(BuildStatus::Built),
        };
        let status = self.slot(slot).as_ref().and_then(|building| building.status_of(&work, jobs));
        if let Some(status) = status {
            return status.map(|()| BuildStatus::Waiting);
        }
        *self.slot(slot) = Some(Building::begin(take.id, work, job_key(take), jobs));
        Ok(BuildStatus::Started)
    }

    /// Drops what belongs to files that are no longer open, so that their memory is returned.
    pub fn retain_files_of(&mut self, library: &Library) {
        let contents: Vec<Weak<Loaded>> = library.contents().map(|content| Arc::downgrade(&content.0)).collect();
        let is_same = |(a, b): (&Weak<Loaded>, &Weak<Loaded>)| a.ptr_eq(b);
        if contents.len() == self.contents.len() && contents.iter().zip(&self.contents).all(is_same) {
            return;
        }
        self.contents = contents;
        self.cache.retain_files_of(library);
        for slot in [BuildSlot::Shown, BuildSlot::SoundPart, BuildSlot::Companion] {
            self.slot(slot).take_if(|building| !building.work.uses_only(library));
        }
    }

    /// Clears a slot: it no longer has a running, stopped or failed build. A running job continues.
    pub fn forget(&mut self, slot: BuildSlot) {
        *self.slot(slot) = None;
    }

    /// Stops the builds of takes that `document` no longer contains, for example after undo. Their slots become empty.
    pub fn stop_removed(&mut self, document: &Document, jobs: &mut Jobs) {
        for slot in [BuildSlot::Shown, BuildSlot::SoundPart, BuildSlot::Companion] {
            // Clips that are shown without a take have id 0.
            let is_gone = |building: &Building| building.take != TakeId(0) && document.take(building.take).is_none();
            if let Some(gone) = self.slot(slot).take_if(|building| is_gone(building)) {
                jobs.cancel(&gone.job);
            }
        }
    }

    /// Returns the build of `slot`, if any.
    fn slot(&mut self, slot: BuildSlot) -> &mut Option<Building> {
        match slot {
            BuildSlot::Shown => &mut self.shown,
            BuildSlot::SoundPart => &mut self.sound_part,
            BuildSlot::Companion => &mut self.companion,
        }
    }

    /// Records the failure of `work` in every slot that waits for it.
    fn fail(&mut self, work: &BuildWork, error: &TakeError) {
        let waiting = self.shown.iter_mut().chain(&mut self.sound_part).chain(&mut self.companion);
        waiting.filter(|building| building.work == *work).for_each(|building| building.failure = Some(error.clone()));
    }
}

#[cfg(test)]
impl Builds {
    /// Clears the cache and all slots. Running jobs continue.
    pub fn forget_all(&mut self) {
        *self = Self::default();
    }
}

impl Building {
    /// Starts the job `job` that runs `work` for `take`. The result goes into the cache, a failure into each slot with
    /// equal work.
    fn begin(take: TakeId, work: BuildWork, job: JobKey, jobs: &mut Jobs) -> Self {
        let (pending, key) = (work.clone(), work.clone());
        jobs.start(
            job.clone(),
            move |progress| pending.run_for_display(progress),
            move |session, outcome| match outcome {
                Ok(done) => session.evaluation.builds.cache.keep(done),
                Err(error) => session.evaluation.builds.fail(&key, &error),
            },
        );
        Self { take, work, job, since: Instant::now(), failure: None }
    }

    /// Returns `Ok` if `work` is running or waits for an earlier job, and `Err` if it failed or was stopped. `None` if it
    /// must be started.
    fn status_of(&self, work: &BuildWork, jobs: &Jobs) -> Option<Result<(), TakeError>> {
        let runs = jobs.is_running(&self.job);
        match &self.failure {
            Some(failure) if self.work == *work => Some(Err(failure.clone())),
            None if self.work == *work && !runs => Some(Err(Cancelled.into())),
            None if runs && (self.work == *work || self.since.elapsed() < REPLACE_JOB_AFTER) => Some(Ok(())),
            _ => None,
        }
    }
}

/// Returns the key of the job for the slow part of `take`. Takes with the same name and kind share a key.
pub(crate) fn job_key(take: &Take) -> JobKey {
    let key = match take.source {
        _ if take.dynamics(None).is_some() => JobKey::Dynamics,
        TakeSource::Cloth(_) => JobKey::Cloth,
        TakeSource::Walk(_) => JobKey::Walk,
        TakeSource::Retarget(_) => JobKey::Retarget,
        _ if take.stages.iter().any(|stage| matches!(stage.kind, StageKind::Loop(_))) => JobKey::Loop,
        _ => JobKey::Build,
    };
    key(take.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_takes::document::{FileId, Stage};

    #[test]
    fn a_job_is_named_after_its_slow_part() {
        let named = |source: TakeSource, stages: Vec<Stage>| {
            job_key(&Take { id: TakeId(0), name: "cape".into(), character: FileId(0), source, stages, loops: None })
                .to_string()
        };
        let swing = Stage::numbered(vec![StageKind::Dynamics(Box::default())]);
        let cloth = || TakeSource::Cloth(Box::default());
        assert_eq!(named(cloth(), Vec::new()), "Simulate cape");
        assert_eq!(named(TakeSource::Rest { seconds: 1.0 }, Vec::new()), "Build cape");
        assert_eq!(named(cloth(), swing), "Simulate bones of cape");
    }
}
