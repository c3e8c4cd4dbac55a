//! How the view is turned, moved and fitted to what is shown.

pub mod bounds;
mod following;
pub mod framing;
pub mod gizmo;
pub mod navigation;
