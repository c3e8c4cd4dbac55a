//! Intermediate pose buffer used while a blend is computed.

use super::soa_transform::{SoaTransform, WIDTH};
use portamento_anim::math::Transform;

/// An intermediate pose with the coverage of each joint: the fraction 0…1 of it that the sources have tracks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoseLayer {
    /// Local transforms, eight joints per block.
    pub blocks: Vec<SoaTransform>,
    /// Morph weights, in the order of the skeleton.
    pub morphs: Vec<f32>,
    /// Coverage of each joint, 0…1.
    pub coverage: Vec<f32>,
}

impl PoseLayer {
    /// Returns the local transform of `joint`.
    pub fn get(&self, joint: usize) -> Transform {
        self.blocks[joint / WIDTH].get(joint % WIDTH)
    }

    /// Sets the local transform of `joint`.
    pub fn set(&mut self, joint: usize, local: Transform) {
        self.blocks[joint / WIDTH].set(joint % WIDTH, local);
    }
}
