//! The curves of one joint.

use glam::{Quat, Vec3};

use crate::Curve;

/// The curves of one joint; a missing curve leaves the joint unchanged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointTracks {
    /// Offset from the parent, in the file's unit.
    pub translation: Option<Curve<Vec3>>,
    /// Rotation relative to the parent, unit quaternions.
    pub rotation: Option<Curve<Quat>>,
    /// Factor along each local axis, applied before the rotation.
    pub scale: Option<Curve<Vec3>>,
    /// Morph weights: one row of the joint's `morph_count` values per key, or per tangent for cubic splines.
    pub morphs: Option<Curve<f32>>,
    /// Number of rotation keys whose length in the file differed from 1 by more than [`UNIT`]; they were normalized
    /// on import.
    pub not_unit: usize,
}

/// Tolerance for the length of a rotation: the precision of eight bits per component.
pub const UNIT: f32 = 1e-2;

impl JointTracks {
    /// True if there are no curves.
    pub fn is_empty(&self) -> bool {
        self.translation.is_none() && self.rotation.is_none() && self.scale.is_none() && self.morphs.is_none()
    }
}
