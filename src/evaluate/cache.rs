//! Built takes, kept while what they were made from is equal.
//!
//! A take without its last step is kept like a take of its own, so that a change to a modifier leaves the slow work before it
//! alone.

use std::sync::Arc;

use super::inputs::Inputs;
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
#[derive(Clone, Debug)]
pub struct Work {
    /// The last step that is there already.
    known: Option<Arc<BuiltTake>>,
    /// What follows it, in order.
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
        let mut steps = Vec::new();
        let mut next = Some(Inputs::from_take(document, library, take)?);
        while let Some(inputs) = next {
            if let Some(known) = self.recall(&inputs) {
                if steps.is_empty() {
                    return Ok(Lookup::Built(known));
                }
                steps.reverse();
                return Ok(Lookup::Missing(Work { known: Some(known), steps }));
            }
            next = inputs.before();
            steps.push(inputs);
        }
        steps.reverse();
        Ok(Lookup::Missing(Work { known: None, steps }))
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
        let mut before = self.known;
        let mut done = Vec::with_capacity(self.steps.len());
        for inputs in self.steps {
            let built = match before {
                None => Arc::new(source(&inputs.source).build(&inputs, progress)?),
                Some(before) => last_step(&inputs, before, progress)?,
            };
            before = Some(built.clone());
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
    match step.modifiers.last() {
        _ if step.name.is_some() => false,
        None => source(&step.source).is_slow(),
        Some(modifier) => stage(modifier).is_slow(has_joints),
    }
}

fn last_step(inputs: &Inputs, before: Arc<BuiltTake>, progress: &Progress) -> Result<Arc<BuiltTake>, TakeError> {
    match (&inputs.name, inputs.modifiers.last()) {
        (Some(name), _) if before.clip.name != *name => {
            let clip = Arc::new(Clip { name: name.clone(), ..Clip::clone(&before.clip) });
            Ok(Arc::new(BuiltTake { clip, ..BuiltTake::clone(&before) }))
        }
        (None, Some(modifier)) => {
            let mut built = BuiltTake::clone(&before);
            stages::apply(modifier, inputs, &mut built, progress)?;
            Ok(Arc::new(built))
        }
        (None, None) => source(&inputs.source).build_next(inputs, &before, progress).map(Arc::new),
        _ => Ok(before),
    }
}
