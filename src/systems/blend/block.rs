//! Four joints side by side: each of their numbers fills a wide register, so that a block costs what a joint would.

use glam::{Mat4, Quat, Vec3, Vec4};

use crate::math::Transform;

/// Joints in a block.
pub const WIDTH: usize = 4;

/// One number of each joint of a block.
pub type Lanes = [f32; WIDTH];

/// The local transforms of four joints; lanes beyond the last joint hold the identity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// x, y, z.
    pub translation: [Vec4; 3],
    /// x, y, z, w.
    pub rotation: [Vec4; 4],
    /// x, y, z.
    pub scale: [Vec4; 3],
}

impl Block {
    const IDENTITY: Self = Self {
        translation: [Vec4::ZERO; 3],
        rotation: [Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ONE],
        scale: [Vec4::ONE; 3],
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

    /// The transforms in all lanes.
    #[inline(always)]
    pub fn all(&self) -> [Transform; WIDTH] {
        let turned = |x, y, z, w| Mat4::from_cols(x, y, z, w).transpose();
        let [x, y, z] = self.translation;
        let places = turned(x, y, z, Vec4::ZERO);
        let [x, y, z, w] = self.rotation;
        let turns = turned(x, y, z, w);
        let [x, y, z] = self.scale;
        let sizes = turned(x, y, z, Vec4::ZERO);
        let one = |place: Vec4, turn: Vec4, size: Vec4| Transform {
            translation: place.truncate(),
            rotation: Quat::from_vec4(turn),
            scale: size.truncate(),
        };
        [
            one(places.x_axis, turns.x_axis, sizes.x_axis),
            one(places.y_axis, turns.y_axis, sizes.y_axis),
            one(places.z_axis, turns.z_axis, sizes.z_axis),
            one(places.w_axis, turns.w_axis, sizes.w_axis),
        ]
    }
}

/// One joint's numbers.
#[inline(always)]
pub fn column<const N: usize>(rows: &[Vec4; N], lane: usize) -> [f32; N] {
    std::array::from_fn(|i| rows[i][lane])
}

/// Writes one joint's numbers.
#[inline(always)]
pub fn put<const N: usize>(rows: &mut [Vec4; N], lane: usize, values: [f32; N]) {
    for i in 0..N {
        rows[i][lane] = values[i];
    }
}
