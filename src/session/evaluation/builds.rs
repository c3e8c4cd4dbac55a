//! Takes that are built: at once, or in a job while something else is shown.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::document::{Take, TakeSource};
use crate::evaluate::{BuildWork, BuiltTake, Lookup, TakeCache, TakeError};
use crate::message::{Message, message};
use crate::progress::{Cancelled, Progress};
use crate::session::{Jobs, OpenDocument};

/// What was built lately, and what is being built for each place.
#[derive(Debug, Default)]
pub(in crate::session) struct Builds {
    cache: TakeCache,
    shown: Option<Building>,
    beside: Option<Building>,
}

/// Where a take is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Place {
    /// In the viewport.
    Shown,
    /// Beside what is shown.
    Beside,
}

/// A take that is being built in the background, or could not be.
#[derive(Debug)]
struct Building {
    work: BuildWork,
    job: Message,
    since: Instant,
    failure: Option<TakeError>,
}

/// How far a take is that is wanted.
#[derive(Debug)]
pub(in crate::session) enum Standing {
    /// It is there.
    Built(Arc<BuiltTake>),
    /// A job builds it, or is still to be waited for.
    Waiting,
    /// A job was started for it just now.
    Begun,
}

/// Work that is younger than this may end before newer work replaces it, so that something is seen while a setting is dragged.
const PATIENCE: Duration = Duration::from_millis(400);

impl Builds {
    /// `take` built, from memory where its inputs are as before.
    pub fn take(&mut self, opened: OpenDocument, take: &Take) -> Result<Arc<BuiltTake>, TakeError> {
        self.cache.take(opened.document, opened.library, take, &Progress::new())
    }

    /// `take` as it was built before, or what is to be done for it.
    pub fn find(&mut self, opened: OpenDocument, take: &Take) -> Result<Lookup, TakeError> {
        self.cache.find(opened.document, opened.library, take)
    }

    /// `take` built; `None` where that is still to be done and may take longer than the window should wait.
    pub fn quick(&mut self, opened: OpenDocument, take: &Take) -> Result<Option<Arc<BuiltTake>>, TakeError> {
        match self.find(opened, take)? {
            Lookup::Built(built) => Ok(Some(built)),
            Lookup::Missing(work) if work.is_slow() => Ok(None),
            Lookup::Missing(_) => self.take(opened, take).map(Some),
        }
    }

    /// `take` without its first step that takes long and what follows; nothing where its source does.
    pub fn quick_start(&mut self, opened: OpenDocument, take: &Take) -> Result<Option<Arc<BuiltTake>>, TakeError> {
        for end in (0..=take.stages.len()).rev() {
            if let Some(built) = self.quick(opened, &take.before_stage(end))? {
                return Ok(Some(built));
            }
        }
        Ok(None)
    }

    /// How far `take` is that is wanted at `place`; what takes long is begun as one of `jobs`.
    pub fn wanted(
        &mut self,
        place: Place,
        opened: OpenDocument,
        take: &Take,
        jobs: &mut Jobs,
    ) -> Result<Standing, TakeError> {
        let work = match self.find(opened, take)? {
            Lookup::Built(built) => return Ok(Standing::Built(built)),
            Lookup::Missing(work) if work.is_slow() => work,
            Lookup::Missing(_) => return self.take(opened, take).map(Standing::Built),
        };
        let begun = self.place(place).as_ref().and_then(|building| building.begun(&work, jobs));
        if let Some(begun) = begun {
            return begun.map(|()| Standing::Waiting);
        }
        *self.place(place) = Some(Building::begin(work, work_name(take), jobs));
        Ok(Standing::Begun)
    }

    /// Nothing was begun, stopped or failed at `place`.
    pub fn forget(&mut self, place: Place) {
        *self.place(place) = None;
    }

    fn place(&mut self, place: Place) -> &mut Option<Building> {
        match place {
            Place::Shown => &mut self.shown,
            Place::Beside => &mut self.beside,
        }
    }

    /// `work` could not be done, wherever it is waited for.
    fn fail(&mut self, work: &BuildWork, error: &TakeError) {
        let waiting = self.shown.iter_mut().chain(&mut self.beside);
        waiting.filter(|building| building.work == *work).for_each(|building| building.failure = Some(error.clone()));
    }
}

#[cfg(test)]
impl Builds {
    /// Nothing was built so far.
    pub fn forget_all(&mut self) {
        *self = Self::default();
    }
}

impl Building {
    fn begin(work: BuildWork, job: Message, jobs: &mut Jobs) -> Self {
        let (begun, key) = (work.clone(), work.clone());
        jobs.start(
            job.clone(),
            move |progress| begun.run(progress),
            move |session, outcome| match outcome {
                Ok(done) => session.evaluation.builds.cache.keep(done),
                Err(error) => session.evaluation.builds.fail(&key, &error),
            },
        );
        Self { work, job, since: Instant::now(), failure: None }
    }

    /// How `work` stands: under way or due to wait (`Ok`), failed, or not begun.
    fn begun(&self, work: &BuildWork, jobs: &Jobs) -> Option<Result<(), TakeError>> {
        let runs = jobs.running().any(|job| job.name == self.job);
        match &self.failure {
            Some(failure) if self.work == *work => Some(Err(failure.clone())),
            None if self.work == *work && !runs => Some(Err(Cancelled.into())),
            None if runs && (self.work == *work || self.since.elapsed() < PATIENCE) => Some(Ok(())),
            _ => None,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{FileId, Stage, StageKind, TakeId};

    #[test]
    fn a_job_is_called_by_what_takes_long() {
        let named = |source: TakeSource, stages: Vec<Stage>| {
            work_name(&Take { id: TakeId(0), name: "cape".into(), character: FileId(0), source, stages }).to_string()
        };
        let swing = Stage::numbered(vec![StageKind::Dynamics(Box::default())]);
        let cloth = || TakeSource::Cloth(Box::default());
        assert_eq!(named(cloth(), Vec::new()), "Simulate cape");
        assert_eq!(named(TakeSource::Rest { seconds: 1.0 }, Vec::new()), "Loop cape");
        assert_eq!(named(cloth(), swing), "Swing cape");
    }
}
