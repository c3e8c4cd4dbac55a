//! Input of a stretch.

use portamento_anim::{Clip, Roles, RootMotion, Skeleton};

/// The clip to stretch, with its rig.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// The source clip.
    pub clip: &'a Clip,
    /// Joint roles; the legs are used to keep feet planted.
    pub roles: &'a Roles,
    /// The joint that carries the root motion: [`RootMotion::find`], or the user's choice.
    pub root: RootMotion,
    /// Frame rate between distant keys, 1 to 1000 frames per second.
    pub fps: f64,
    /// Metres per unit of the file. Speeds in the settings are in metres per second.
    pub metres_per_unit: f64,
    /// Per joint, true if the mesh is bound to it; empty without a mesh.
    pub mesh_joints: &'a [bool],
}
