//! Inspectors of the stages of a take; systems with several panels have their own folder.

pub(super) mod cleanup;
pub(super) mod close;
pub(super) mod ground;
pub(crate) mod retime;
pub(super) mod mirror;
pub(super) mod root;
