//! The character of a VRM animation.

use portamento_anim::{Model, Roles};

/// The character whose motion is written.
#[derive(Clone, Copy, Debug)]
pub struct Person<'a> {
    /// The model of the character.
    pub model: &'a Model,
    /// The roles of its joints.
    pub roles: &'a Roles,
    /// Length of the unit of its file in metres.
    pub metres_per_unit: f64,
}
