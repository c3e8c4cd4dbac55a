//! Draws the viewport. Only this folder uses three-d.
//!
//! A [`Scene`] is plain data. [`Camera`] and [`pick`] are pure functions, so picking and dragging are tested without a GPU. The
//! [`Renderer`] draws into its own multisampled target and copies the result into the window, because the window has neither a
//! depth buffer nor multisampling.

mod level;
pub mod camera;
mod characters;
mod gpu;
pub mod pick;
mod renderer;
pub mod scene;
mod shadow;
mod lines;

pub use camera::{Camera, Ray, View};
pub use characters::skinning::Skinning;
pub use gpu::gpu_shape::DrawnModel;
pub use level::land::LevelOverlay;
pub use level::level_shape::{LevelPart, LevelShape, PlacedLevel};
pub use level::{land, level_shape};
pub use lines::{strokes, wires};
pub use renderer::{Area, Renderer};
pub use scene::{Actor, Cloud, Dot, Joint, Line, Palette, Scene, Solid};
