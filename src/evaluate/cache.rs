//! Built takes, kept while what they were made from is equal.
//!
//! A take without its last step is kept like a take of its own, so that a change to a stage leaves the slow work before it
//! alone.

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
    newest_first: Vec<(Inputs, Arc<BuiltTake>)>,
    /// What takes depend on that others use, newest first.
    met: Vec<Arc<Inputs>>,
}

/// Takes and parts of takes kept: enough to flip between all takes of a usual project.
const CAPACITY: usize = 72;

/// A take as it was found.
#[derive(Debug)]
pub enum Lookup {
    /// Built before from equal inputs.
    Built(Arc<BuiltTake>),
    /// To be built.
    Missing(Work),
}

/// What is still to be built of a take, on whatever thread; equal work gives equal results.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Steps that are there already and followed by others here.
    known: Vec<(Inputs, Arc<BuiltTake>)>,
    /// What is to be built, in order: takes before those that use them.
    steps: Vec<Inputs>,
}

/// Steps that have been built, in order.
#[derive(Debug)]
pub struct Done(Vec<(Inputs, Arc<BuiltTake>)>);

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
                let built = done.0.last().map(|(_, built)| built.clone());
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
        let mut work = Work::default();
        self.plan(inputs, &mut work);
        Ok(Lookup::Missing(work))
    }

    /// Adds to `work` what is to be built up to `wanted`, and the takes it uses.
    fn plan(&mut self, wanted: Inputs, work: &mut Work) {
        let mut steps = Vec::new();
        let mut next = Some(wanted);
        while let Some(inputs) = next.filter(|inputs| !work.steps.contains(inputs)) {
            if let Some(known) = self.recall(&inputs) {
                work.known.push((inputs, known));
                break;
            }
            next = inputs.before();
            steps.push(inputs);
        }
        for step in steps.into_iter().rev() {
            for used in step.last_takes() {
                self.plan(Inputs::clone(&used.inputs), work);
            }
            work.steps.push(step);
        }
    }

    /// Keeps what was built.
    pub fn keep(&mut self, done: Done) {
        for step in done.0 {
            self.newest_first.retain(|(known, _)| *known != step.0);
            self.newest_first.insert(0, step);
        }
        self.newest_first.truncate(CAPACITY);
    }

    fn recall(&mut self, inputs: &Inputs) -> Option<Arc<BuiltTake>> {
        let at = self.newest_first.iter().position(|(known, _)| known == inputs)?;
        let entry = self.newest_first.remove(at);
        self.newest_first.insert(0, entry);
        Some(self.newest_first[0].1.clone())
    }
}

impl Lookup {
    /// The take, built now where it was not.
    pub fn built(self, progress: &Progress) -> Result<Arc<BuiltTake>, TakeError> {
        match self {
            Self::Built(built) => Ok(built),
            Self::Missing(work) => {
                let nothing = TakeError::NotLoaded(String::new());
                work.run(progress)?.0.pop().map(|(_, built)| built).ok_or(nothing)
            }
        }
    }
}

impl PartialEq for Work {
    fn eq(&self, other: &Self) -> bool {
        self.steps.last() == other.steps.last()
    }
}

impl Work {
    /// Whether it may take longer than a picture should wait: bones or cloth are simulated, many vertices or pixels mixed, ways
    /// searched.
    pub fn is_slow(&self) -> bool {
        self.steps.iter().any(is_slow)
    }

    /// Builds the steps in order; on an error or a cancel none of them is kept.
    pub fn run(self, progress: &Progress) -> Result<Done, TakeError> {
        let Self { known, steps } = self;
        let mut done: Vec<(Inputs, Arc<BuiltTake>)> = Vec::with_capacity(steps.len());
        for inputs in steps {
            let find = |wanted: &Inputs| {
                let newest_first = done.iter().rev().chain(&known);
                newest_first.into_iter().find(|(inputs, _)| inputs == wanted).map(|(_, built)| built.clone())
            };
            for used in inputs.last_takes() {
                let built = find(&used.inputs).ok_or_else(|| TakeError::NotLoaded(used.name.clone()))?;
                used.built.get_or_init(|| built);
            }
            let before = inputs.before().and_then(|before| find(&before));
            let built = match before {
                None => Arc::new(source(&inputs.source).build(&inputs, progress)?),
                Some(before) => last_step(&inputs, before, progress)?,
            };
            done.push((inputs, built));
        }
        Ok(Done(done))
    }
}

fn is_slow(step: &Inputs) -> bool {
    let has_joints = matches!(
        step.source,
        TakeSource::Clip { .. } | TakeSource::Rest { .. } | TakeSource::Scenario(_) | TakeSource::Walk(_)
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
