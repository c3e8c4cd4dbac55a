//! The standard tree: a scenario of events compiled to a timeline of blend stacks.

pub(super) mod instance_shares;
pub(super) mod scenario;
pub(super) mod timeline;
mod shares;
pub(super) mod timeline_compile;
