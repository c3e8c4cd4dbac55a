//! The parts of a job; one machine processes one part at a time.

use std::collections::BTreeSet;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::OpenDocument;
use crate::evaluation::builds::Builds;
use portamento_takes::document::{Take, TakeId};

/// The parts of a job: take ids of a project, or files of a clip library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parts<T> {
    /// The items of each part.
    pub parts: Vec<Vec<T>>,
}

/// The size of one part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Chunks {
    /// A maximum number of items.
    Count(usize),
    /// A maximum estimated duration in seconds.
    Seconds(f64),
}

impl<T> Parts<T> {
    /// Splits `costs`, in order, into parts of at most the size `chunks`. An item that is larger is a part alone.
    pub fn split(costs: impl IntoIterator<Item = Cost<T>>, chunks: Chunks) -> Self {
        let (mut parts, mut seconds): (Vec<Vec<T>>, f64) = (Vec::new(), 0.0);
        for cost in costs {
            let is_full = |part: &Vec<T>| match chunks {
                Chunks::Count(most) => part.len() >= most.max(1),
                Chunks::Seconds(most) => seconds + cost.seconds > most,
            };
            if parts.last().is_none_or(is_full) {
                parts.push(Vec::new());
                seconds = 0.0;
            }
            seconds += cost.seconds;
            if let Some(part) = parts.last_mut() {
                part.push(cost.of);
            }
        }
        Self { parts }
    }

    /// Removes every item that the same or an earlier part has already.
    pub(super) fn without_repetitions(mut self) -> Self
    where
        T: Ord + Clone,
    {
        let mut seen = BTreeSet::new();
        self.parts.iter_mut().for_each(|part| part.retain(|item| seen.insert(item.clone())));
        self
    }

    /// Iterates over the items of all parts, in order.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.parts.iter().flatten()
    }
}

/// The estimated duration of one item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost<T> {
    /// The item.
    pub of: T,
    /// Duration on this machine, seconds.
    pub seconds: f64,
}

/// Measures the build time of each of `takes`. Takes that differ only in settings share the time of the first one
/// built. A take that cannot be built costs 0 s. Takes that are gone are left out. The result is in the order of `takes`.
pub(super) fn costs(takes: &[TakeId], opened: OpenDocument, builds: &mut Builds) -> Vec<Cost<TakeId>> {
    let mut measured: Vec<(&Take, f64)> = Vec::new();
    let mut costs = Vec::new();
    for take in takes.iter().filter_map(|&id| opened.document.take(id)) {
        let known = measured.iter().find(|(other, _)| is_alike(other, take)).map(|(_, seconds)| *seconds);
        let seconds = known.unwrap_or_else(|| {
            let begun = Instant::now();
            let is_built = builds.take(opened, take).is_ok();
            if is_built { begun.elapsed().as_secs_f64() } else { 0.0 }
        });
        if known.is_none() {
            measured.push((take, seconds));
        }
        costs.push(Cost { of: take.id, seconds });
    }
    costs
}

/// True if both takes use the same files, clips and kinds of stages.
fn is_alike(a: &Take, b: &Take) -> bool {
    let kinds = |take: &Take| take.stages.iter().map(|stage| (stage.on, stage.kind.name())).collect::<Vec<_>>();
    let names = |take: &Take| take.source.clip_names().into_iter().map(str::to_owned).collect::<Vec<_>>();
    a.character == b.character
        && std::mem::discriminant(&a.source) == std::mem::discriminant(&b.source)
        && a.source.files(a.character) == b.source.files(b.character)
        && names(a) == names(b)
        && kinds(a) == kinds(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(seconds: &[f64]) -> Vec<Cost<TakeId>> {
        seconds.iter().enumerate().map(|(at, &seconds)| Cost { of: TakeId(at as u32), seconds }).collect()
    }

    #[test]
    fn parts_contain_every_take_once_and_stay_within_the_limit() {
        let costs = costs(&[1.0, 2.0, 9.0, 0.5, 0.5, 0.5, 4.0]);
        let lengths = |chunks| Parts::split(costs.clone(), chunks).parts.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(lengths(Chunks::Seconds(4.0)), [2, 1, 3, 1]);
        assert_eq!(lengths(Chunks::Count(3)), [3, 3, 1]);
        assert_eq!(lengths(Chunks::Count(0)), [1; 7]);
        let all: Vec<TakeId> = costs.iter().map(|cost| cost.of).collect();
        assert!(Parts::split(costs, Chunks::Seconds(1.0)).all().eq(&all));
        assert!(Parts::<TakeId>::split([], Chunks::Seconds(1.0)).parts.is_empty());
    }
}
