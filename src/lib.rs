//! Portamento: stretch, blend, swing, loop and walk game animation, live, without touching the source.
//!
//! ```text
//! files ──import──▶ assets (Arc, immutable) ─┐
//!                                            ▼
//!            panels edit ──▶   Document (takes, settings)   ◀── undo / redo: snapshots
//!                                            │
//!                                systems::*::build            pure; kept while inputs are equal
//!                                            │
//!                                            ▼
//!       playback time ──▶  evaluate::frame_at(take, t) ──▶ Frame ──▶ render ──▶ viewport
//!                                                            ├──▶ timeline, plots, panels
//!                                                            └──▶ export, command line
//! ```
//!
//! What always holds:
//! - A result is a recipe over an untouched source; the same recipe gives the same bits on any machine and thread count.
//! - The value at a time never depends on the way the playhead got there.
//! - [`session::Session`] is the whole application; the window, the command line and the tests are its clients.
//! - What is shown is what is exported: both are sampled from the same clip.
//! - A system knows no window, file, clock or sibling; systems meet in [`evaluate`] only.
//! - Every limit or fallback is reported as data; no input panics.
//!
//! The modules below are in reading order; each may use those above it. `render` alone names three-d, `ui` alone egui.
#![warn(missing_docs)]
#![deny(unsafe_code)]
#![warn(clippy::too_many_lines, clippy::excessive_nesting)]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::dbg_macro)]

pub mod message;
pub mod progress;
pub mod math;
pub mod geometry;
pub mod media;
pub mod anim;
pub mod import;
pub mod systems;
pub mod document;
pub mod evaluate;
pub mod export;
pub mod session;
pub mod cli;
pub mod samples;
#[cfg(feature = "gui")]
pub mod render;
#[cfg(feature = "gui")]
pub mod ui;

#[cfg(test)]
#[path = "tests/support/mod.rs"]
mod support;
