//! A pose in the making.

use super::soa_transform::{SoaTransform, WIDTH};
use crate::math::Transform;

/// One pose in the making, and its coverage: how much of each joint its sources have tracks for, 0…1.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseLayer {
    pub blocks: Vec<SoaTransform>,
    pub morphs: Vec<f32>,
    pub coverage: Vec<f32>,
}

impl PoseLayer {
    pub fn get(&self, joint: usize) -> Transform {
        self.blocks[joint / WIDTH].get(joint % WIDTH)
    }

    pub fn set(&mut self, joint: usize, local: Transform) {
        self.blocks[joint / WIDTH].set(joint % WIDTH, local);
    }
}
