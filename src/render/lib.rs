//! Draws the viewport. Only this folder uses three-d.
//!
//! A [`Scene`] is plain data. [`Camera`] and [`pick`] are pure functions, so picking and dragging are tested without a GPU. The
//! [`Renderer`] draws into its own multisampled target and copies the result into the window, because the window has neither a
//! depth buffer nor multisampling.

mod ambient_occlusion;
pub mod camera;
mod creases;
mod drawn_model;
mod figures;
mod ghost;
mod gpu_shape;
mod gpu_texture;
mod influences;
pub mod land;
pub mod level_shape;
pub mod pick;
mod pass;
mod pose_table;
mod posing;
mod renderer;
pub mod scene;
mod shaders;
mod shadow;
mod skinned_vertices;
mod skinning;
mod solids;
mod still_ghosts;
pub mod strokes;
mod surface;
mod table;
pub mod wires;

pub use camera::{Camera, Ray, View};
pub use drawn_model::DrawnModel;
pub use land::Land;
pub use level_shape::{LevelPart, LevelShape, PlacedLevel};
pub use renderer::{Area, Renderer};
pub use scene::{Actor, Cloud, Dot, Joint, Line, Palette, Scene, Solid};
pub use skinning::Skinning;
