//! The curves of one joint.

use glam::{Quat, Vec3};

use super::Curve;

/// The curves of one joint; absent curves leave the joint as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointTracks {
    /// Offset from the parent, in the file's unit.
    pub translation: Option<Curve<Vec3>>,
    /// Rotation relative to the parent, unit quaternions.
    pub rotation: Option<Curve<Quat>>,
    /// Factor along each local axis, applied before the rotation.
    pub scale: Option<Curve<Vec3>>,
    /// Morph weights: per key (per tangent for cubic splines) one row of the joint's `morph_count` values.
    pub morphs: Option<Curve<f32>>,
    /// Keys of `rotation` that the file held at a length other than 1 within [`UNIT`], and that were read at length 1.
    pub not_unit: usize,
}

/// How far from 1 the length of a rotation may be: what eight bits per component hold.
pub const UNIT: f32 = 1e-2;

impl JointTracks {
    /// Whether no curve is present.
    pub fn is_empty(&self) -> bool {
        self.translation.is_none() && self.rotation.is_none() && self.scale.is_none() && self.morphs.is_none()
    }
}
