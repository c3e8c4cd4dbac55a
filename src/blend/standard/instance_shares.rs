//! Shares of the clip instances in a joint, without those that are 0.

use std::collections::BTreeSet;

/// The source of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShareSource {
    /// A clip instance of the timeline, by index.
    Instance(usize),
    /// The rest pose.
    Rest,
}

/// The shares that are not 0, in the order of their sources. A timeline with a thousand events has a few of them at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct InstanceShares(Vec<(ShareSource, f32)>);

impl InstanceShares {
    /// Returns a share of 1 for the rest pose.
    pub fn of_rest() -> Self {
        Self(vec![(ShareSource::Rest, 1.0)])
    }

    /// Returns the share of `source`; 0 if it has none.
    pub fn get(&self, source: ShareSource) -> f32 {
        self.0.binary_search_by_key(&source, |(known, _)| *known).map_or(0.0, |at| self.0[at].1)
    }

    /// Adds `share` to that of `source`.
    pub fn add(&mut self, source: ShareSource, share: f32) {
        match self.0.binary_search_by_key(&source, |(known, _)| *known) {
            Ok(at) => self.0[at].1 += share,
            Err(at) => self.0.insert(at, (source, share)),
        }
    }

    /// Removes and returns the share of `source`; 0 if it has none.
    pub fn take(&mut self, source: ShareSource) -> f32 {
        let found = self.0.binary_search_by_key(&source, |(known, _)| *known);
        found.map_or(0.0, |at| self.0.remove(at).1)
    }

    /// Multiplies all shares by `factor`.
    pub fn scale(&mut self, factor: f32) {
        self.0.iter_mut().for_each(|(_, share)| *share *= factor);
    }

    /// Iterates over the sources with their shares, in order.
    pub fn iter(&self) -> impl Iterator<Item = (ShareSource, f32)> {
        self.0.iter().copied()
    }

    /// Returns the sources of either of two lists, in order.
    pub fn sources_of_both(&self, other: &Self) -> Vec<ShareSource> {
        let sources: BTreeSet<ShareSource> = self.iter().chain(other.iter()).map(|(source, _)| source).collect();
        sources.into_iter().collect()
    }

    /// Returns the total share that moves from some sources to others until `new`, 0…1.
    pub fn change_to(&self, new: &Self) -> f64 {
        let change = |&source: &ShareSource| f64::from((new.get(source) - self.get(source)).abs());
        self.sources_of_both(new).iter().map(change).sum::<f64>() / 2.0
    }
}

impl FromIterator<(ShareSource, f32)> for InstanceShares {
    /// Collects shares whose sources are in order and occur once.
    fn from_iter<I: IntoIterator<Item = (ShareSource, f32)>>(shares: I) -> Self {
        Self(shares.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::ShareSource::{Instance, Rest};
    use super::*;

    #[test]
    fn shares_stay_in_order_and_change_by_what_moves() {
        let mut shares = InstanceShares::of_rest();
        shares.add(Instance(700), 0.5);
        shares.add(Instance(3), 0.25);
        shares.add(Instance(3), 0.25);
        shares.scale(0.5);
        assert_eq!(shares.iter().collect::<Vec<_>>(), [(Instance(3), 0.25), (Instance(700), 0.25), (Rest, 0.5)]);
        let mut later = shares.clone();
        assert_eq!((later.take(Instance(3)), later.take(Instance(4)), later.get(Instance(3))), (0.25, 0.0, 0.0));
        later.add(Instance(5), 0.25);
        assert_eq!(shares.change_to(&later), 0.25);
        assert_eq!(shares.sources_of_both(&later), [Instance(3), Instance(5), Instance(700), Rest]);
    }
}
