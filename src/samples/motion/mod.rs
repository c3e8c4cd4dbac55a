//! Converts key poses and footsteps to clips.

pub mod spline;
pub mod posing;
pub mod feet;
pub mod leg;
pub mod strand;
pub mod garments;
pub mod plan;
pub mod bake;
