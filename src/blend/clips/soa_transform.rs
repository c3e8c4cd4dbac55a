//! Transforms of eight joints as a structure of arrays, like ozz-animation's `SoaTransform`. One register holds the same
//! component of eight joints, so that one instruction processes all of them.

use glam::{Mat4, Quat, Vec3, Vec4};

use portamento_anim::math::Transform;
use portamento_anim::math::lanes::{Eight, F32x8, Vectors};

/// Number of joints in a [`SoaTransform`].
pub const WIDTH: usize = 8;

/// The local transforms of eight joints. Lanes past the last joint of a skeleton contain the identity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SoaTransform {
    /// x, y, z.
    pub translation: [F32x8; 3],
    /// x, y, z, w.
    pub rotation: [F32x8; 4],
    /// x, y, z.
    pub scale: [F32x8; 3],
}

impl SoaTransform {
    const IDENTITY: Self = Self {
        translation: [F32x8::ZERO; 3],
        rotation: [F32x8::ZERO, F32x8::ZERO, F32x8::ZERO, F32x8::ONE],
        scale: [F32x8::ONE; 3],
    };

    /// Packs transforms in order, [`WIDTH`] per block. The remaining lanes of the last block have the identity.
    pub fn pack(locals: impl ExactSizeIterator<Item = Transform>) -> Vec<Self> {
        let mut blocks = vec![Self::IDENTITY; locals.len().div_ceil(WIDTH)];
        locals.enumerate().for_each(|(joint, local)| blocks[joint / WIDTH].set(joint % WIDTH, local));
        blocks
    }

    /// Returns the transform in one lane.
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

    /// Returns the transforms of all lanes; faster than eight calls of [`SoaTransform::get`].
    #[inline(always)]
    pub(crate) fn unpack(&self) -> [Transform; WIDTH] {
        let (low, high) = (self.unpack_half::<0>(), self.unpack_half::<1>());
        std::array::from_fn(|lane| if lane < 4 { low[lane] } else { high[lane - 4] })
    }

    /// Returns the transforms of the first (`HALF` = 0) or last (`HALF` = 1) four lanes.
    #[inline(always)]
    fn unpack_half<const HALF: usize>(&self) -> [Transform; 4] {
        let half = |lanes: &F32x8| Vec4::from(lanes.0.as_chunks::<4>().0[HALF]);
        let transposed = |[x, y, z]: &[F32x8; 3], w: Vec4| Mat4::from_cols(half(x), half(y), half(z), w).transpose();
        let translations = transposed(&self.translation, Vec4::ZERO);
        let [x, y, z, w] = self.rotation;
        let rotations = transposed(&[x, y, z], half(&w));
        let scales = transposed(&self.scale, Vec4::ZERO);
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

/// Loads components from memory to registers.
#[inline(always)]
pub(super) fn loaded<V: Vectors, const N: usize>(vectors: V, components: &[F32x8; N]) -> [Eight<V>; N] {
    components.each_ref().map(|lanes| Eight::load(vectors, lanes))
}

/// Stores components from registers to memory.
#[inline(always)]
pub(super) fn stored<V: Vectors, const N: usize>(components: [Eight<V>; N]) -> [F32x8; N] {
    components.map(Eight::store)
}

/// Returns the components of one lane.
#[inline(always)]
fn get_lane<const N: usize>(components: &[F32x8; N], lane: usize) -> [f32; N] {
    std::array::from_fn(|i| components[i].0[lane])
}

/// Writes the components of one lane.
#[inline(always)]
pub(super) fn set_lane<const N: usize>(components: &mut [F32x8; N], lane: usize, values: [f32; N]) {
    for i in 0..N {
        components[i].0[lane] = values[i];
    }
}
