//! The ground floor: messages to the user as data, memory budgets, progress of slow work, and careful reading of files.

pub mod message;
pub mod named;
pub mod budget;
pub mod progress;
pub mod system_reason;
pub mod regular_file;
pub mod fingerprint;
pub mod json;
