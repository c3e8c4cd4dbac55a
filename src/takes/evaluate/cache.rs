//! A cache of built takes, keyed by their inputs.
//!
//! A take without its last step is cached like a separate take, so that a change to a stage reuses the slow work before it.

use std::collections::HashSet;
use std::sync::Arc;

use super::inputs::Inputs;
use super::named_clips::Resolver;
use super::other_rig::RigAnswers;
use super::sources::source;
use super::stages::{self, stage};
use super::{BuiltTake, TakeError};
use crate::document::{Document, Library, Take, TakeSource};
use portamento_anim::Clip;
use portamento_base::progress::Progress;

/// The recently built takes. A copy shares them.
#[derive(Clone, Debug, Default)]
pub struct TakeCache {
    newest_first: Vec<CachedTake>,
    /// Inputs of takes that other takes use, newest first. Interned so that equal inputs are the same allocation.
    interned: Vec<Arc<Inputs>>,
    rigs: RigAnswers,
}

/// A cached take, or a part of one, with its inputs.
#[derive(Clone, Debug)]
struct CachedTake {
    inputs: Inputs,
    built: Arc<BuiltTake>,
}

/// Maximum number of cached takes and parts: enough to switch between all takes of a usual project.
const MAX_CACHED: usize = 72;

/// Minimum number of cached takes and parts, whatever their size, so that a change to the last stage reuses the stages before it.
const MIN_CACHED: usize = 12;

/// Maximum memory in bytes of the cached takes beyond [`MIN_CACHED`].
const MAX_CACHE_BYTES: usize = 96 << 20;

/// Maximum size of a motion, bytes of keys, that is built between two displayed frames. A stage takes about 25 ms per
/// megabyte of keys, measured on captures of 42 joints.
const MAX_IMMEDIATE_BYTES: usize = 2 << 20;

/// The result of a cache lookup.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// The cached take with equal inputs.
    Built(Arc<BuiltTake>),
    /// The work to be done.
    Missing(BuildWork),
}

/// The work needed to build a take, runnable on any thread. Equal work gives equal results.
#[derive(Clone, Debug, Default)]
pub struct BuildWork {
    /// Cached takes that the steps use.
    known: Vec<Arc<BuiltTake>>,
    /// The steps to run, in order: a take comes before the takes that use it.
    steps: Vec<BuildStep>,
}

/// One build step.
#[derive(Clone, Debug)]
struct BuildStep {
    inputs: Inputs,
    /// The previous step; `None` for the first step of a take. Stored as an index because inputs with NaN are not equal to
    /// themselves.
    before: Option<Origin>,
    /// The takes it uses as clips, in the order of [`Inputs::last_takes`].
    takes: Vec<Option<Origin>>,
}

/// The location of a take during a build.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// Index into the cached takes.
    Known(usize),
    /// Index of the step that builds it.
    Step(usize),
}

/// The results of the steps, in order.
#[derive(Debug)]
pub struct BuildResults(Vec<CachedTake>);

impl TakeCache {
    /// Returns `take` of `document`, from the cache or newly built. Stores what it built, with its intermediate steps.
    /// Returns `Err` if a file or clip is missing, a stage fails, or the user cancels.
    pub fn take(
        &mut self,
        document: &Document,
        library: &Library,
        take: &Take,
        progress: &Progress,
    ) -> Result<Arc<BuiltTake>, TakeError> {
        match self.find(document, library, take)? {
            Lookup::Built(built) => Ok(built),
            Lookup::Missing(work) => {
                let done = work.run(progress)?;
                let built = done.0.last().map(|step| step.built.clone());
                self.keep(done);
                built.ok_or_else(|| TakeError::NotLoaded(take.name.clone()))
            }
        }
    }

    /// Returns `take` of `document` from the cache, or the work needed to build it. It builds nothing, but resolves all
    /// clip names. Returns `Err` if a file or clip is missing.
    pub fn find(&mut self, document: &Document, library: &Library, take: &Take) -> Result<Lookup, TakeError> {
        let inputs = Resolver::new(document, library, &mut self.interned, &mut self.rigs).inputs(take)?;
        if let Some(known) = self.recall(&inputs) {
            return Ok(Lookup::Built(known));
        }
        let mut work = BuildWork::default();
        self.plan(inputs, &mut work);
        Ok(Lookup::Missing(work))
    }

    /// Removes the takes and answers that use files which are not in `library`, so that their memory is returned.
    pub fn retain_files_of(&mut self, library: &Library) {
        self.newest_first.retain(|cached| cached.inputs.uses_only(library));
        self.interned.retain(|inputs| inputs.uses_only(library));
        self.rigs.retain_files_of(library);
    }

    /// Adds the steps for `wanted`, and for the takes it uses, to `work`. Returns the location of the result. It is
    /// always `Some`.
    fn plan(&mut self, wanted: Inputs, work: &mut BuildWork) -> Option<Origin> {
        let (mut chain, mut origin) = (Vec::new(), None);
        let mut next = Some(wanted);
        while let Some(inputs) = next {
            if let Some(at) = work.steps.iter().position(|step| step.inputs == inputs) {
                origin = Some(Origin::Step(at));
                break;
            }
            if let Some(known) = self.recall(&inputs) {
                work.known.push(known);
                origin = Some(Origin::Known(work.known.len() - 1));
                break;
            }
            next = inputs.without_last_step();
            chain.push(inputs);
        }
        for inputs in chain.into_iter().rev() {
            let used: Vec<_> = inputs.last_takes().iter().map(|used| Inputs::clone(&used.inputs)).collect();
            let takes = used.into_iter().map(|used| self.plan(used, work)).collect();
            work.steps.push(BuildStep { inputs, before: origin, takes });
            origin = Some(Origin::Step(work.steps.len() - 1));
        }
        origin
    }

    /// Stores results in the cache. Drops the oldest entries beyond the limits.
    pub fn keep(&mut self, done: BuildResults) {
        for step in done.0 {
            self.newest_first.retain(|known| known.inputs != step.inputs);
            self.newest_first.insert(0, step);
        }
        self.newest_first.truncate(retained_count(&self.newest_first));
    }

    /// Returns the cached take with equal inputs, and makes it the newest. Inputs with NaN are never found. `None` if
    /// none is cached.
    fn recall(&mut self, inputs: &Inputs) -> Option<Arc<BuiltTake>> {
        let at = self.newest_first.iter().position(|known| known.inputs == *inputs)?;
        let entry = self.newest_first.remove(at);
        self.newest_first.insert(0, entry);
        Some(self.newest_first[0].built.clone())
    }
}

impl Lookup {
    /// Returns the take, and builds it if it was not cached. The result is not stored in the cache. Returns `Err` if
    /// a step fails or `progress` is cancelled.
    pub fn built(self, progress: &Progress) -> Result<Arc<BuiltTake>, TakeError> {
        match self {
            Self::Built(built) => Ok(built),
            Self::Missing(work) => {
                let nothing = TakeError::NotLoaded(String::new());
                work.run(progress)?.0.pop().map(|step| step.built).ok_or(nothing)
            }
        }
    }
}

impl PartialEq for BuildWork {
    fn eq(&self, other: &Self) -> bool {
        self.steps.last().map(|step| &step.inputs) == other.steps.last().map(|step| &step.inputs)
    }
}

impl BuildWork {
    /// True if the work may exceed the time of one frame: simulations, loops of vertices or images, route searches, and long
    /// captures.
    pub fn is_slow(&self) -> bool {
        let is_large = |clip: &Clip| clip.bytes() > MAX_IMMEDIATE_BYTES;
        let starts_large = |step: &BuildStep| {
            let of_files = step.inputs.source.clip_names().into_iter().filter_map(|name| step.inputs.clips.clip(name));
            step.before.is_none() && of_files.into_iter().any(|(_, clip)| is_large(clip))
        };
        self.known.iter().any(|built| is_large(&built.clip))
            || self.steps.iter().any(|step| is_slow(&step.inputs) || starts_large(step))
    }

    /// True if every file that it uses is in `library`, in use or set aside for undo.
    pub fn uses_only(&self, library: &Library) -> bool {
        self.steps.iter().all(|step| step.inputs.uses_only(library))
    }

    /// Runs the steps like [`BuildWork::run`], and computes the overlays of the result. Returns `Err` as that does.
    pub fn run_for_display(self, progress: &Progress) -> Result<BuildResults, TakeError> {
        let done = self.run(progress)?;
        if let Some(step) = done.0.last() {
            step.built.prepare_overlays();
        }
        Ok(done)
    }

    /// Runs the steps in order. On an error or a cancel, no result is kept.
    pub fn run(self, progress: &Progress) -> Result<BuildResults, TakeError> {
        let Self { known, steps } = self;
        let mut reservations = Vec::with_capacity(steps.len());
        let (count, mut done) = (steps.len(), Vec::<CachedTake>::with_capacity(steps.len()));
        for BuildStep { inputs, before, takes } in steps {
            let find = |origin: Origin| match origin {
                Origin::Known(at) => known.get(at).cloned(),
                Origin::Step(at) => done.get(at).map(|step| step.built.clone()),
            };
            for (used, origin) in inputs.last_takes().iter().zip(takes) {
                let built = origin.and_then(find).ok_or_else(|| TakeError::NotLoaded(used.name.clone()))?;
                used.built.get_or_init(|| built);
            }
            let before = before.and_then(find);
            let bytes = bytes_of_step(&inputs, before.as_deref());
            reservations.push(progress.budget().reserve(bytes, &|| format!("“{}”", inputs.title()))?);
            let part = progress.one_of(count);
            let built = match before {
                None => Arc::new(source(&inputs.source).build(&inputs, &part)?),
                Some(before) => last_step(&inputs, before, &part)?,
            };
            part.finish()?;
            // A stage may add keys beyond the estimate.
            let more = (built.clip.bytes() as u64).saturating_sub(bytes);
            reservations.push(progress.budget().reserve(more, &|| format!("“{}”", inputs.title()))?);
            done.push(CachedTake { inputs, built });
        }
        Ok(BuildResults(done))
    }
}

/// Returns the number of entries of `newest_first` to retain. Memory shared by several entries counts once.
fn retained_count(newest_first: &[CachedTake]) -> usize {
    let (mut seen, mut bytes) = (HashSet::new(), 0_usize);
    let fits = |step: &&CachedTake| {
        let own = step.built.holdings().into_iter().filter(|holding| seen.insert(holding.address));
        bytes = own.fold(bytes, |sum, holding| sum.saturating_add(holding.bytes));
        bytes <= MAX_CACHE_BYTES
    };
    newest_first.iter().take_while(fits).count().clamp(MIN_CACHED, MAX_CACHED)
}

/// Returns the memory in bytes that `step` needs on top of its previous step.
fn bytes_of_step(step: &Inputs, before: Option<&BuiltTake>) -> u64 {
    match (before, &step.name, step.stages.last()) {
        (None, ..) => source(&step.source).bytes(step),
        (Some(before), None, Some(last)) => stage(&last.kind).map_or(0, |kind| kind.bytes(before)),
        _ => 0,
    }
}

/// True if the last step of `step` may exceed the time of one frame.
fn is_slow(step: &Inputs) -> bool {
    let has_joints = matches!(
        step.source,
        TakeSource::Clip { .. }
            | TakeSource::Retarget(_)
            | TakeSource::Rest { .. }
            | TakeSource::Scenario(_)
            | TakeSource::Walk(_)
    );
    match step.stages.last() {
        _ if step.name.is_some() => false,
        None => source(&step.source).is_slow(),
        Some(last) => stage(&last.kind).is_some_and(|kind| kind.is_slow(has_joints)),
    }
}

/// Runs the last step of `inputs` on `before`: the name, the last stage, or the next part of the source. Without a
/// further part, returns `before`. Returns `Err` if the step fails or `progress` is cancelled.
fn last_step(inputs: &Inputs, before: Arc<BuiltTake>, progress: &Progress) -> Result<Arc<BuiltTake>, TakeError> {
    match (&inputs.name, inputs.stages.last()) {
        (Some(name), _) if before.clip.name != *name => {
            let clip = Arc::new(Clip { name: name.clone(), ..Clip::clone(&before.clip) });
            Ok(Arc::new(BuiltTake { clip, ..BuiltTake::clone(&before) }))
        }
        (None, Some(stage)) => {
            let mut built = BuiltTake::clone(&before);
            stages::apply(stage, inputs, &mut built, progress)?;
            Ok(Arc::new(built))
        }
        (None, None) => source(&inputs.source).build_next(inputs, &before, progress).map(Arc::new),
        _ => Ok(before),
    }
}
