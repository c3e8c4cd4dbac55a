//! Four joints side by side (structure of arrays, as ozz-animation's `SoaTransform`): one component of four joints fills a wide
//! register, so that four joints cost what one would.

use glam::{Mat4, Quat, Vec3, Vec4};

use crate::math::Transform;

/// Joints in a [`SoaTransform`].
pub const WIDTH: usize = 4;

/// One number for each joint of a [`SoaTransform`].
pub type Lanes = [f32; WIDTH];

/// The local transforms of four joints; lanes beyond the last joint of a skeleton hold the identity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoaTransform {
    /// x, y, z.
    pub translation: [Vec4; 3],
    /// x, y, z, w.
    pub rotation: [Vec4; 4],
    /// x, y, z.
    pub scale: [Vec4; 3],
}

impl SoaTransform {
    const IDENTITY: Self = Self {
        translation: [Vec4::ZERO; 3],
        rotation: [Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ONE],
        scale: [Vec4::ONE; 3],
    };

    /// Packs transforms in order, [`WIDTH`] to a block.
    pub fn pack(locals: impl ExactSizeIterator<Item = Transform>) -> Vec<Self> {
        let mut blocks = vec![Self::IDENTITY; locals.len().div_ceil(WIDTH)];
        locals.enumerate().for_each(|(joint, local)| blocks[joint / WIDTH].set(joint % WIDTH, local));
        blocks
    }

    /// The transform in one lane.
    pub fn get(&self, lane: usize) -> Transform {
        Transform {
            translation: Vec3::from_array(get_lane(&self.translation, lane)),
            rotation: Quat::from_array(get_lane(&self.rotation, lane)),
            scale: Vec3::from_array(get_lane(&self.scale, lane)),
        }
    }

    /// Replaces the transform in one lane.
    pub fn set(&mut self, lane: usize, local: Transform) {
        set_lane(&mut self.translation, lane, local.translation.to_array());
        set_lane(&mut self.rotation, lane, local.rotation.to_array());
        set_lane(&mut self.scale, lane, local.scale.to_array());
    }

    /// The transforms of all four lanes; faster than four times [`SoaTransform::get`].
    #[inline(always)]
    pub(super) fn unpack(&self) -> [Transform; WIDTH] {
        let transposed = |x, y, z, w| Mat4::from_cols(x, y, z, w).transpose();
        let [x, y, z] = self.translation;
        let translations = transposed(x, y, z, Vec4::ZERO);
        let [x, y, z, w] = self.rotation;
        let rotations = transposed(x, y, z, w);
        let [x, y, z] = self.scale;
        let scales = transposed(x, y, z, Vec4::ZERO);
        let local = |translation: Vec4, rotation: Vec4, scale: Vec4| Transform {
            translation: translation.truncate(),
            rotation: Quat::from_vec4(rotation),
            scale: scale.truncate(),
        };
        [
            local(translations.x_axis, rotations.x_axis, scales.x_axis),
            local(translations.y_axis, rotations.y_axis, scales.y_axis),
            local(translations.z_axis, rotations.z_axis, scales.z_axis),
            local(translations.w_axis, rotations.w_axis, scales.w_axis),
        ]
    }
}

/// The components of one lane.
#[inline(always)]
fn get_lane<const N: usize>(components: &[Vec4; N], lane: usize) -> [f32; N] {
    std::array::from_fn(|i| components[i][lane])
}

/// Writes the components of one lane.
#[inline(always)]
pub(super) fn set_lane<const N: usize>(components: &mut [Vec4; N], lane: usize, values: [f32; N]) {
    for i in 0..N {
        components[i][lane] = values[i];
    }
}
