//! Whose motion is written.

use crate::anim::{Model, Roles};

/// Whose motion is written.
#[derive(Clone, Copy, Debug)]
pub struct Person<'a> {
    /// The character that moves.
    pub model: &'a Model,
    /// Which of its joints is what.
    pub roles: &'a Roles,
    /// Length of its file's unit in metres.
    pub metres_per_unit: f64,
}
