//! Camera control: turning, moving and fitting the view.

pub mod bounds;
mod following;
pub mod framing;
pub mod gizmo;
pub mod navigation;
