//! Document + time → [`Frame`]: the only place where systems meet.
//!
//! A take is built stage by stage: a source gives a clip, each modifier turns a clip into a clip; [`Memo`] keeps what was
//! built while its inputs are equal. What the viewport shows is sampled from the last stage's clip, which is also what export
//! writes: the two cannot differ.

pub mod bake;
mod built;
pub mod content;
mod error;
mod footage;
pub mod frame;
mod inputs;
pub mod memo;
mod report;
pub mod scenario;
mod source;
pub mod stages;
pub mod swing;
mod walk_source;
pub mod walking;

pub use built::BuiltTake;
pub use content::Content;
pub use error::TakeError;
pub use frame::{Frame, Ghost, GhostKind, Overlay, Shape, Trail, TrailKind, frame_at};
pub use memo::{Lookup, Memo, Work};
pub use scenario::Blended;
pub use stages::{Looped, Stage};
pub use swing::{BoneView, ColliderView, DynamicsView};
pub use walk_source::{LevelGround, Scenery, Walked};
pub use walking::LevelRoutes;
