//! The input of the ground stage.

use glam::DVec3;

use portamento_anim::foot_shape::SolePart;
use portamento_anim::{Clip, Roles, RootMotion, Skeleton};

/// Returns the ground height in metres at a world position (metres), or `None` if there is no ground. The height of the position
/// selects between floors.
pub type GroundHeight<'a> = dyn Fn(DVec3) -> Option<f64> + 'a;

/// Returns height 0 everywhere: the ground is the plane y = 0.
pub fn level(_: DVec3) -> Option<f64> {
    Some(0.0)
}

/// A motion and the ground below it.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// The incoming motion; not modified.
    pub clip: &'a Clip,
    /// The root motion of the character.
    pub root: RootMotion,
    /// The roles of hips and legs.
    pub roles: &'a Roles,
    /// The underside of each leg's foot mesh; empty for rigs without a mesh.
    pub soles: &'a [Vec<SolePart>],
    /// Frames per second where keys are sparser, 1…1000.
    pub fps: f64,
    /// Metres per file unit.
    pub metres_per_unit: f64,
    /// Time range in seconds; stances outside are ignored.
    pub within: [f64; 2],
    /// The ground; [`level`] if there is no level.
    pub ground: &'a GroundHeight<'a>,
}
