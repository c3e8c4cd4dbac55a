//! Eight joints side by side, so that a loop over them becomes wide instructions.
//!
//! Such loops stand in functions that are not inlined: only a signature tells the compiler that nothing overlaps.

use glam::{Mat4, Quat, Vec3, Vec4};

use crate::math::Transform;

/// Joints in a block.
pub const WIDTH: usize = 8;

/// One number of each joint of a block.
pub type Lanes = [f32; WIDTH];

/// The local transforms of eight joints; lanes beyond the last joint hold the identity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// x, y, z.
    pub translation: [Lanes; 3],
    /// x, y, z, w.
    pub rotation: [Lanes; 4],
    /// x, y, z.
    pub scale: [Lanes; 3],
}

impl Block {
    const IDENTITY: Self = Self {
        translation: [[0.0; WIDTH]; 3],
        rotation: [[0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH], [1.0; WIDTH]],
        scale: [[1.0; WIDTH]; 3],
    };

    /// The blocks of joints in order.
    pub fn of(joints: impl ExactSizeIterator<Item = Transform>) -> Vec<Self> {
        let mut blocks = vec![Self::IDENTITY; joints.len().div_ceil(WIDTH)];
        joints.enumerate().for_each(|(joint, local)| blocks[joint / WIDTH].set(joint % WIDTH, local));
        blocks
    }

    /// The transform in one lane.
    pub fn get(&self, lane: usize) -> Transform {
        Transform {
            translation: Vec3::from_array(column(&self.translation, lane)),
            rotation: Quat::from_array(column(&self.rotation, lane)),
            scale: Vec3::from_array(column(&self.scale, lane)),
        }
    }

    /// Replaces the transform in one lane.
    pub fn set(&mut self, lane: usize, local: Transform) {
        put(&mut self.translation, lane, local.translation.to_array());
        put(&mut self.rotation, lane, local.rotation.to_array());
        put(&mut self.scale, lane, local.scale.to_array());
    }

    /// Writes the transforms of the first `out.len()` joints.
    pub fn write(&self, out: &mut [Transform]) {
        for (half, out) in out.chunks_mut(4).enumerate() {
            let rows = |lanes: &Lanes| Vec4::from_slice(&lanes[4 * half..]);
            let turned = |x, y, z, w| Mat4::from_cols(x, y, z, w).transpose();
            let [x, y, z] = self.translation.each_ref().map(rows);
            let places = turned(x, y, z, Vec4::ZERO);
            let [x, y, z, w] = self.rotation.each_ref().map(rows);
            let turns = turned(x, y, z, w);
            let [x, y, z] = self.scale.each_ref().map(rows);
            let sizes = turned(x, y, z, Vec4::ZERO);
            for (lane, out) in out.iter_mut().enumerate() {
                out.translation = places.col(lane).truncate();
                out.rotation = Quat::from_vec4(turns.col(lane));
                out.scale = sizes.col(lane).truncate();
            }
        }
    }
}

/// One joint's numbers.
#[inline(always)]
pub fn column<const N: usize>(lanes: &[Lanes; N], lane: usize) -> [f32; N] {
    std::array::from_fn(|i| lanes[i][lane])
}

/// Writes one joint's numbers.
#[inline(always)]
pub fn put<const N: usize>(lanes: &mut [Lanes; N], lane: usize, values: [f32; N]) {
    for i in 0..N {
        lanes[i][lane] = values[i];
    }
}
