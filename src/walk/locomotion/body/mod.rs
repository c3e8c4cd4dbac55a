//! The body over its feet: position, lean, pitch, crouch, and continuity across clip switches.

pub(super) mod body_placement;
pub(super) mod crouch;
pub(super) mod inertialization;
pub(super) mod lean;
pub(super) mod pitch;
