//! Built takes, kept while what they were made from is equal.
//!
//! A take without its last step is kept like a take of its own, so that a change to a stage leaves the slow work before it
//! alone.

use std::collections::HashSet;
use std::sync::Arc;

use super::inputs::Inputs;
use super::named_clips::Resolver;
use super::sources::source;
use super::stages::{self, stage};
use super::{BuiltTake, TakeError};
use crate::anim::Clip;
use crate::document::{Document, Library, Take, TakeSource};
use crate::progress::Progress;

/// The takes built lately.
#[derive(Debug, Default)]
pub struct TakeCache {
    newest_first: Vec<Kept>,
    /// What takes depend on that others use, newest first.
    met: Vec<Arc<Inputs>>,
}

/// A take or a part of one with what it was built from.
#[derive(Clone, Debug)]
struct Kept {
    inputs: Inputs,
    built: Arc<BuiltTake>,
}

/// Takes and parts of takes kept: enough to flip between all takes of a usual project.
const CAPACITY: usize = 72;

/// Takes and parts of takes kept however large they are, so that a change to a last stage finds those before it.
const LEAST: usize = 12;

/// Bytes that those kept beyond [`LEAST`] may hold.
const MOST_BYTES: usize = 96 << 20;

/// A take as it was found.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// Built before from equal inputs.
    Built(Arc<BuiltTake>),
    /// To be built.
    Missing(BuildWork),
}

/// What is still to be built of a take, on whatever thread; equal work gives equal results.
#[derive(Clone, Debug, Default)]
pub struct BuildWork {
    /// What is there already and followed by steps here.
    known: Vec<Arc<BuiltTake>>,
    /// What is to be built, in order: takes before those that use them.
    steps: Vec<BuildStep>,
}

/// One step that is to be built.
#[derive(Clone, Debug)]
struct BuildStep {
    inputs: Inputs,
    /// What it follows; nothing begins a take. Found by its place in the list: a NaN is not even equal to itself.
    before: Option<Origin>,
    /// The takes it uses as clips, in the order of [`Inputs::last_takes`].
    takes: Vec<Option<Origin>>,
}

/// Where a built take is found while work goes on.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// Among what is known.
    Known(usize),
    /// What that step built.
    Step(usize),
}

/// Steps that have been built, in order.
#[derive(Debug)]
pub struct Done(Vec<Kept>);

impl TakeCache {
    /// `take` of `document` built, or as it was built before from equal inputs.
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

    /// `take` of `document` as it was built before, or what is to be done for it.
    pub fn find(&mut self, document: &Document, library: &Library, take: &Take) -> Result<Lookup, TakeError> {
        let inputs = Resolver::new(document, library, &mut self.met).inputs(take)?;
        if let Some(known) = self.recall(&inputs) {
            return Ok(Lookup::Built(known));
        }
        let mut work = BuildWork::default();
        self.plan(inputs, &mut work);
        Ok(Lookup::Missing(work))
    }

    /// Adds to `work` what is to be built up to `wanted`, and the takes it uses; answers where `wanted` will be.
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
            next = inputs.before();
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

    /// Keeps what was built.
    pub fn keep(&mut self, done: Done) {
        for step in done.0 {
            self.newest_first.retain(|known| known.inputs != step.inputs);
            self.newest_first.insert(0, step);
        }
        self.newest_first.truncate(places(&self.newest_first));
    }

    fn recall(&mut self, inputs: &Inputs) -> Option<Arc<BuiltTake>> {
        let at = self.newest_first.iter().position(|known| known.inputs == *inputs)?;
        let entry = self.newest_first.remove(at);
        self.newest_first.insert(0, entry);
        Some(self.newest_first[0].built.clone())
    }
}

impl Lookup {
    /// The take, built now where it was not.
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
    /// Whether it may take longer than a picture should wait: bones or cloth are simulated, many vertices or pixels mixed, ways
    /// searched.
    pub fn is_slow(&self) -> bool {
        self.steps.iter().any(|step| is_slow(&step.inputs))
    }

    /// Builds the steps in order; on an error or a cancel none of them is kept.
    pub fn run(self, progress: &Progress) -> Result<Done, TakeError> {
        let Self { known, steps } = self;
        let mut held = Vec::with_capacity(steps.len());
        let (count, mut done) = (steps.len(), Vec::<Kept>::with_capacity(steps.len()));
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
            held.push(progress.budget().reserve(bytes, &|| format!("“{}”", inputs.title()))?);
            let part = progress.one_of(count);
            let built = match before {
                None => Arc::new(source(&inputs.source).build(&inputs, &part)?),
                Some(before) => last_step(&inputs, before, &part)?,
            };
            part.finish()?;
            done.push(Kept { inputs, built });
        }
        Ok(Done(done))
    }
}

/// How many of `newest_first` are kept; what several of them share counts once.
fn places(newest_first: &[Kept]) -> usize {
    let (mut seen, mut bytes) = (HashSet::new(), 0_usize);
    let fits = |step: &&Kept| {
        let own = step.built.holdings().into_iter().filter(|held| seen.insert(held.address));
        bytes = own.fold(bytes, |sum, held| sum.saturating_add(held.bytes));
        bytes <= MOST_BYTES
    };
    newest_first.iter().take_while(fits).count().clamp(LEAST, CAPACITY)
}

/// Bytes that `step` takes after what was built before it.
fn bytes_of_step(step: &Inputs, before: Option<&BuiltTake>) -> u64 {
    match (before, &step.name, step.stages.last()) {
        (None, ..) => source(&step.source).bytes(step),
        (Some(before), None, Some(last)) => stage(&last.kind).map_or(0, |kind| kind.bytes(before)),
        _ => 0,
    }
}

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
