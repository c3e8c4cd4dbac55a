//! Portamento: stretch, blend, swing, loop and walk game animation, live, without touching the source.
#![warn(missing_docs)]
#![deny(unsafe_code)]
#![warn(clippy::too_many_lines, clippy::excessive_nesting)]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::dbg_macro)]

pub mod progress;
pub mod math;
pub mod anim;
pub mod import;
pub mod systems;
pub mod export;
pub mod samples;
