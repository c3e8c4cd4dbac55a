//! The joint that carries a character, its path, and root motion computed from foot contacts.

pub mod root_motion;
pub mod root_synthesis;
pub mod travelling;
