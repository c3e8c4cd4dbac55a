//! The input of a crossing.

use portamento_anim::foot_shape::SolePart;
use portamento_anim::rig::chains::Chain;
use portamento_anim::{Clip, Roles, RootMotion, Skeleton};

/// A clip that crosses something, with its rig.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// The incoming motion; not modified.
    pub clip: &'a Clip,
    /// The roles of the joints: hips, hands and legs are used.
    pub roles: &'a Roles,
    /// Arms and legs of the rig; may be empty. Then the two joints above a hand count as its arm.
    pub limbs: &'a [Chain],
    /// The joint that carries the character.
    pub root: RootMotion,
    /// Frames per second where keys are sparser, 1…1000.
    pub fps: f64,
    /// Metres per file unit.
    pub metres_per_unit: f64,
    /// Per joint, true if the mesh is bound to it; empty without a mesh.
    pub mesh_joints: &'a [bool],
    /// Mesh points of trunk, limbs, hands and feet; empty without a mesh.
    pub body: &'a [SolePart],
}
