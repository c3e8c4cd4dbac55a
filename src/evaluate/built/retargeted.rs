//! A motion of another rig, put on the character.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use crate::anim::Clip;
use crate::document::{Asset, Loaded};
use crate::systems::retarget;

/// A motion of another rig, put on the character.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// The motion with its numbers.
    pub built: retarget::Built,
    /// The file whose rig it was made for.
    pub source: Asset<Loaded>,
    /// The motion as it came in.
    pub clip: Arc<Clip>,
    /// Metres per unit of that file.
    pub metres_per_unit: f64,
}

impl Retargeted {
    /// World places of the source's joints at `time` (seconds), turned and sized as the character.
    pub fn source_at(&self, time: f64) -> Vec<Vec3> {
        let skeleton = &self.source.model.skeleton;
        let mut world: Vec<Affine3A> = Vec::new();
        self.clip.pose_at(skeleton, time).world_from_joints(skeleton, &mut world);
        let (facing, scale) = (self.built.facing.as_quat(), self.built.report.scale as f32);
        world.iter().map(|joint| facing * Vec3::from(joint.translation) * scale).collect()
    }

    /// The joint of the source that `joint` of the character follows.
    pub fn followed(&self, joint: usize) -> Option<usize> {
        self.built.links.iter().find(|link| link.joint == joint).map(|link| link.to)
    }
}
