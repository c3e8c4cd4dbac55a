//! The viewport's picture: the only folder that names three-d.
//!
//! A [`Scene`] is plain data; [`Camera`] and [`pick`] are pure, so that what the user grabs can be tested without a GPU. The
//! [`Renderer`] draws into a multisampled target of its own and copies the result into the window, because the window
//! itself has neither depth nor samples.

mod bonds;
mod bound;
pub mod camera;
mod card;
mod creases;
mod figures;
mod ghost;
mod gpu_shape;
mod gpu_texture;
pub mod land;
pub mod level_shape;
pub mod pick;
mod nearness;
mod pass;
mod poses;
mod posing;
mod renderer;
pub mod scene;
mod shaders;
mod shadow;
mod solids;
pub mod strokes;
mod surface;
mod table;
pub mod wires;

pub use camera::{Camera, Ray, View};
pub use card::Skinning;
pub use land::Land;
pub use level_shape::{LevelPart, LevelShape, PlacedLevel};
pub use renderer::{Area, Renderer};
pub use scene::{Actor, Cloud, Dot, DrawnModel, Joint, Line, Palette, Scene, Solid};
