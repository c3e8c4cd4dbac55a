//! The viewport's picture: the only folder that names three-d.
//!
//! A [`Scene`] is plain data; [`Camera`] and [`pick`] are pure, so that what the user grabs can be tested without a GPU. The
//! [`Renderer`] draws into a multisampled target of its own and copies the result into the window, because the window
//! itself has neither depth nor samples.

pub mod camera;
mod ghost;
mod gpu_shape;
pub mod land;
pub mod pick;
mod renderer;
pub mod scene;
mod shaders;
mod shadow;
mod solids;
pub mod strokes;
pub mod wires;

pub use camera::{Camera, Ray, View};
pub use land::{Land, PlacedLand};
pub use renderer::{Area, Renderer};
pub use scene::{Actor, Cloud, Dot, DrawnModel, Joint, Line, Palette, Scene, Solid};
