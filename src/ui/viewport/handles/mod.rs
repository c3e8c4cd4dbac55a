//! What can be taken hold of in the view.

pub mod dynamics;
pub mod target;
