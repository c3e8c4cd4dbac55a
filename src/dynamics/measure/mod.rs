//! Measurements on the bones and on a recording, and test vectors for other implementations.

pub(super) mod deviation;
pub(super) mod measurements;
pub(super) mod report;
pub(super) mod test_vectors;
