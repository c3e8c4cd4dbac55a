//! Results of the current take: plots, changes, quality figures and warnings.

mod changes;
pub(super) mod figures;
pub(super) mod moment;
pub(crate) mod plots;
pub(super) mod verdict;
pub(crate) mod warnings;
