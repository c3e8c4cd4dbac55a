//! Crossings: links over obstacles and gaps as further steps of a search.

use super::SearchError;
use crate::crossing::CrossingKind;
use crate::navigation::links::Link;

/// Smallest and largest factor of a preference.
const FACTOR_RANGE: std::ops::RangeInclusive<f64> = 0.1..=10.0;

/// Preference for one kind of crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkPreference {
    /// The kind of crossing.
    pub kind: CrossingKind,
    /// Effect on the search.
    pub rule: LinkRule,
}

/// Effect of a preference on the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkRule {
    /// Crossings of this kind are not used.
    Banned,
    /// The time of a crossing counts with this factor, 0.1…10; below 1 it is preferred.
    Factor(f64),
}

/// A link as a step of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub from: u32,
    pub to: u32,
    /// Travel time multiplied by the preference, seconds.
    pub cost: f64,
    /// Index of the link.
    pub link: u32,
}

/// The crossings of a search graph.
#[derive(Clone, Debug)]
pub(super) struct Crossings {
    /// Sorted by start, then landing, then cost.
    sorted: Vec<Crossing>,
    /// Largest ratio that preferences add to [`super::bound`], ≥ 1.
    pub spread: f64,
}

impl Default for Crossings {
    fn default() -> Self {
        Self { sorted: Vec::new(), spread: 1.0 }
    }
}

impl Crossings {
    /// Prepares `links`. Without a preference for its kind, a link counts with its time.
    ///
    /// Returns `Err` if a factor is outside 0.1…10.
    pub fn new(links: &[Link], preferences: &[LinkPreference]) -> Result<Self, SearchError> {
        let factors = preferences.iter().filter_map(|preference| match preference.rule {
            LinkRule::Banned => None,
            LinkRule::Factor(factor) => Some(factor),
        });
        if let Some(factor) = factors.clone().find(|factor| !FACTOR_RANGE.contains(factor)) {
            return Err(SearchError::BadLinkFactor { factor });
        }
        // Travel time of the cheapest path ≤ max(1, factors) / min(1, factors) · optimum.
        let (least, most) =
            factors.fold((1.0_f64, 1.0_f64), |(least, most), factor| (least.min(factor), most.max(factor)));
        let rule =
            |kind| preferences.iter().find(|preference| preference.kind == kind).map(|preference| preference.rule);
        let crossing = |(index, link): (usize, &Link)| {
            let factor = match rule(link.obstacle.kind) {
                Some(LinkRule::Banned) => return None,
                Some(LinkRule::Factor(factor)) => factor,
                None => 1.0,
            };
            let is_useful = link.from != link.to;
            is_useful.then_some(Crossing {
                from: link.from,
                to: link.to,
                cost: link.seconds * factor,
                link: index as u32,
            })
        };
        let mut sorted: Vec<Crossing> = links.iter().enumerate().filter_map(crossing).collect();
        let key = |crossing: &Crossing| (crossing.from, crossing.to);
        sorted.sort_by(|a, b| key(a).cmp(&key(b)).then(a.cost.total_cmp(&b.cost)));
        // Only the cheapest link between two cells can be part of a path.
        sorted.dedup_by_key(|crossing| (crossing.from, crossing.to));
        Ok(Self { sorted, spread: most / least })
    }

    /// Returns all crossings.
    pub fn all(&self) -> &[Crossing] {
        &self.sorted
    }

    /// Returns the crossings that start at a cell.
    pub fn from(&self, cell: u32) -> &[Crossing] {
        let range =
            [cell, cell.saturating_add(1)].map(|cell| self.sorted.partition_point(|crossing| crossing.from < cell));
        &self.sorted[range[0]..range[1]]
    }

    /// Returns the link between two cells.
    pub fn link(&self, from: u32, to: u32) -> Option<u32> {
        self.from(from).iter().find(|crossing| crossing.to == to).map(|crossing| crossing.link)
    }
}
