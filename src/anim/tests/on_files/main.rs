//! Rigs, soles and quality of whole characters. Their files are opened by a crate that stands above this one.
#![allow(clippy::unwrap_used, reason = "a test fails by that")]

mod body_plans;
mod planted_legs;
mod presets;
mod quality;
mod rig;
mod seam;
mod soles;
mod worst_frame;
