//! The input of the close stage.

use portamento_anim::{Clip, Roles, RootMotion, Skeleton};

/// The motion to close.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// The incoming motion; not modified.
    pub clip: &'a Clip,
    /// The root motion, if the character has any.
    pub root: Option<RootMotion>,
    /// The roles of the joints, used for foot locking.
    pub roles: &'a Roles,
    /// Frames per second where keys are sparser, 1…1000.
    pub fps: f64,
    /// Metres per file unit.
    pub metres_per_unit: f64,
}
