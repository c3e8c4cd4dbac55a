//! Converts key poses and footsteps to clips.

pub mod spline;
pub mod posing;
pub mod feet;
pub mod limb;
pub mod grip;
pub mod flight;
pub mod profile;
pub mod strand;
pub mod garments;
pub mod plan;
pub mod bake;
