//! What is read from whole characters: their files are opened by a crate above.

mod planted_legs;
mod presets;
mod quality;
mod rig;
mod seam;
mod soles;
mod worst_frame;
