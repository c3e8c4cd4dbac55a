//! Document + time → [`Frame`]: the only place where systems meet.
//!
//! A take is built stage by stage: a source gives a clip, each modifier turns a clip into a clip; [`TakeCache`] keeps what was
//! built while its inputs are equal. What the viewport shows is sampled from the last stage's clip, which is also what export
//! writes: the two cannot differ.

pub mod bake;
mod built;
mod cache;
pub mod content;
pub mod dynamics_overlay;
mod error;
pub mod frame;
mod inputs;
mod report;
mod sources;
pub mod stages;

pub use built::BuiltTake;
pub use cache::{Lookup, TakeCache, Work};
pub use content::Content;
pub use dynamics_overlay::{Swing, SwingBody, SwingBone};
pub use error::TakeError;
pub use frame::{Frame, Ghost, GhostKind, Overlay, Shape, Trail, TrailKind, frame_at};
pub use sources::blend::Blended;
pub use sources::walk::{LevelGround, Scenery, Walked, Ways};
pub use stages::{Looped, Stage};
