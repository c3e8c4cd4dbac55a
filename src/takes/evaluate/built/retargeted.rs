//! A motion retargeted from another rig.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use crate::document::{Asset, Loaded};
use portamento_anim::Clip;
use portamento_retarget as retarget;

/// A motion retargeted from another rig.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// The retargeted motion with its report.
    pub built: retarget::Built,
    /// The file of the source rig.
    pub source: Asset<Loaded>,
    /// The source motion.
    pub clip: Arc<Clip>,
    /// Metres per unit of that file.
    pub metres_per_unit: f64,
}

impl Retargeted {
    /// Returns the world positions of the source's joints at `time` of the source motion (seconds), rotated and scaled to the
    /// character and in its unit.
    pub fn source_at(&self, time: f64) -> Vec<Vec3> {
        let skeleton = &self.source.model.skeleton;
        let mut world: Vec<Affine3A> = Vec::new();
        self.clip.pose_at(skeleton, time).world_from_joints(skeleton, &mut world);
        let (facing, scale) = (self.built.facing.as_quat(), self.built.report.scale as f32);
        world.iter().map(|joint| facing * Vec3::from(joint.translation) * scale).collect()
    }

    /// Returns the source joint that `joint` of the character follows. `None` if it follows none.
    pub fn followed(&self, joint: usize) -> Option<usize> {
        self.built.links.iter().find(|link| link.joint == joint).map(|link| link.to)
    }
}
