//! Foot contacts, and the shape of feet.

pub mod contacts;
pub mod foot_shape;
pub mod foot_slide;
pub mod foot_contacts;
pub mod standing_rest;
