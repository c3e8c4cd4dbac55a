//! Feet as their meshes have them: the tip of a shoe is to be no deeper in the ground than that of the source.

use super::Body;
use crate::anim::foot_shape::{SolePart, lowest};
use crate::anim::{Pose, Skeleton};

/// The mesh of one foot.
pub(super) struct MeshSole<'a> {
    parts: &'a [SolePart],
    /// Height of its lowest point at rest, the character's unit.
    rest: f64,
}

impl<'a> MeshSole<'a> {
    /// That of the foot of `leg`; `None` where no mesh is.
    pub fn find(body: &Body<'a>, leg: usize) -> Option<Self> {
        let parts = body.soles.get(leg)?;
        Some(Self { parts, rest: lowest(body.skeleton, parts, &Pose::rest(body.skeleton))? })
    }

    /// How much deeper its lowest point is in `pose` than at rest; below 0 above that. The character's unit.
    pub fn depth(&self, skeleton: &Skeleton, pose: &Pose) -> f64 {
        lowest(skeleton, self.parts, pose).map_or(f64::NEG_INFINITY, |height| self.rest - height)
    }
}
