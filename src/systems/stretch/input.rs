//! What a stretch begins with.

use crate::anim::{Clip, Roles, RootMotion, Skeleton};

/// What is stretched.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The rig.
    pub skeleton: &'a Skeleton,
    /// The source; never changed.
    pub clip: &'a Clip,
    /// Legs, for feet that stay planted.
    pub roles: &'a Roles,
    /// What carries the character: [`RootMotion::find`], or the user's choice.
    pub root: RootMotion,
    /// Frames per second where keys are further apart, 1 to 1000.
    pub fps: f64,
    /// Length of the file's unit in metres; speeds in the settings are metres per second.
    pub metres_per_unit: f64,
    /// Which joints the mesh hangs on, one entry per joint; empty where there is no mesh.
    pub mesh_joints: &'a [bool],
}
