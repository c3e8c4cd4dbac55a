//! Evaluation of a blend node in blocks of eight joints. The node's weights are constant, so the formula and the shares of each
//! block are computed once.

use super::layer::PoseLayer;
use super::mix::{self, mean};
use super::soa_clip::Constants;
use super::soa_transform::{SoaTransform, WIDTH, loaded, set_lane, stored};
use portamento_anim::math::lanes::{Eight, F32x8, LaneKernel, Vectors, dispatch_lanes};

/// An input of one block.
#[derive(Clone, Debug)]
pub(crate) struct KernelInput {
    /// Index of the input's layer.
    pub layer: usize,
    /// Weight of each joint: weight of the child times its joint weight (W·BW). In a pair it is the share of the second
    /// layer, in a mean the share of the input, both 0…1.
    pub weights: F32x8,
}

/// The formula that computes a block.
#[derive(Clone, Debug)]
pub(crate) enum BlendKernel {
    /// The rest pose: no input covers a joint of the block.
    Rest,
    /// A bit-exact copy of one layer.
    Copy(usize),
    /// Two layers, mixed by the share of the second.
    Pair { first: usize, second: KernelInput },
    /// The mean of three or more layers, by share.
    Mean(Vec<KernelInput>),
    /// The weighted mean, computed joint by joint. Used if the inputs differ between lanes or the third weight is in the handover
    /// range.
    PerJoint(Vec<KernelInput>),
}

impl BlendKernel {
    /// Returns the cheapest kernel that computes the mean of `inputs`. Inputs without weight in every lane are dropped.
    pub fn select(inputs: Vec<KernelInput>) -> Self {
        let in_all_lanes = |input: &KernelInput| input.weights.0.iter().all(|&weight| weight > 0.0);
        let in_any_lane = |input: &KernelInput| input.weights.0.iter().any(|&weight| weight > 0.0);
        let mut active: Vec<KernelInput> = inputs.into_iter().filter(in_any_lane).collect();
        let hands_over = |lane: usize| mix::hands_over(active.iter().map(|input| input.weights.0[lane]));
        if !active.iter().all(in_all_lanes) || active.len() > 2 && (0..WIDTH).any(hands_over) {
            return Self::PerJoint(active);
        }
        match &active[..] {
            [] => Self::Rest,
            [only] => Self::Copy(only.layer),
            [first, second] => {
                let share = |lane: usize| second.weights.0[lane] / (first.weights.0[lane] + second.weights.0[lane]);
                let weights = F32x8(std::array::from_fn(share));
                // A share that rounds to 1 must give exactly the second layer, which the wide formula does not.
                if weights.0.iter().all(|&share| share < 1.0) {
                    Self::Pair { first: first.layer, second: KernelInput { layer: second.layer, weights } }
                } else {
                    Self::PerJoint(active)
                }
            }
            _ => {
                let sums: [f32; WIDTH] =
                    std::array::from_fn(|lane| active.iter().map(|input| input.weights.0[lane]).sum());
                active.iter_mut().for_each(|input| (0..WIDTH).for_each(|lane| input.weights.0[lane] /= sums[lane]));
                Self::Mean(active)
            }
        }
    }

    /// Computes `block` from the finished layers `done`.
    #[inline(always)]
    fn run<V: Vectors>(&self, vectors: V, done: &[PoseLayer], block: usize, rest: &SoaTransform) -> SoaTransform {
        match self {
            Self::Rest => *rest,
            Self::Copy(layer) => done[*layer].blocks[block],
            Self::Pair { first, second } => {
                let [from, to] = [*first, second.layer].map(|layer| &done[layer].blocks[block]);
                mix::mix_soa(vectors, from, to, &second.weights)
            }
            Self::Mean(inputs) | Self::PerJoint(inputs) => per_joint_mean(inputs, done, block, rest),
        }
    }
}

/// Computes the mean of a block joint by joint. A joint without weight takes the transform in `rest`.
fn per_joint_mean(inputs: &[KernelInput], done: &[PoseLayer], block: usize, rest: &SoaTransform) -> SoaTransform {
    let mut out = *rest;
    for lane in 0..WIDTH {
        let part = |input: &KernelInput| (done[input.layer].blocks[block].get(lane), input.weights.0[lane]);
        let rest = rest.get(lane);
        out.set(lane, mean(inputs.iter().map(part), rest.rotation).unwrap_or(rest));
    }
    out
}

/// The kernels of all blocks of a blend node.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlendKernels {
    /// Blocks with fewer than three inputs or per-joint evaluation, with their kernels.
    single: Vec<(usize, BlendKernel)>,
    means: Vec<MeanBlock>,
}

/// A block that is the mean of three or more layers. Constant channels are summed in advance.
#[derive(Clone, Debug)]
struct MeanBlock {
    block: usize,
    inputs: Vec<KernelInput>,
    translation: Option<[F32x8; 3]>,
    scale: Option<[F32x8; 3]>,
}

impl BlendKernels {
    /// Returns the kernels of all blocks. `kernels` are in block order; `constants` returns the constant channels of a layer and
    /// block.
    pub fn new(kernels: impl Iterator<Item = BlendKernel>, constants: impl Fn(usize, usize) -> Constants) -> Self {
        let mut all = Self::default();
        for (block, kernel) in kernels.enumerate() {
            match kernel {
                BlendKernel::Mean(inputs) => {
                    all.means.push(MeanBlock::new(block, inputs, |layer| constants(layer, block)));
                }
                other => all.single.push((block, other)),
            }
        }
        all
    }

    /// Computes every block from the finished layers `done`.
    pub fn run(&self, done: &[PoseLayer], rest: &[SoaTransform], out: &mut [SoaTransform]) {
        dispatch_lanes(RunKernels { kernels: self, done, rest, out });
    }
}

struct RunKernels<'a> {
    kernels: &'a BlendKernels,
    done: &'a [PoseLayer],
    rest: &'a [SoaTransform],
    out: &'a mut [SoaTransform],
}

impl LaneKernel for RunKernels<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { kernels, done, rest, out } = self;
        for (block, kernel) in &kernels.single {
            out[*block] = kernel.run(vectors, done, *block, &rest[*block]);
        }
        for mean in &kernels.means {
            mean.run(vectors, done, &rest[mean.block], &mut out[mean.block]);
        }
    }
}

impl MeanBlock {
    /// Sums constant channels in advance. `constants` returns the constant channels of a layer.
    fn new(block: usize, inputs: Vec<KernelInput>, constants: impl Fn(usize) -> Constants) -> Self {
        let constant_sum = |channel: fn(Constants) -> Option<[F32x8; 3]>| {
            inputs.iter().try_fold([F32x8::ZERO; 3], |mut sum, input| {
                let parts = channel(constants(input.layer))?;
                for lane in 0..WIDTH {
                    let mut lanes = sum.map(|sum| sum.0[lane]);
                    mix::accumulate_vector(&mut lanes, parts.map(|part| part.0[lane]), input.weights.0[lane]);
                    set_lane(&mut sum, lane, lanes);
                }
                Some(sum)
            })
        };
        let (translation, scale) = (constant_sum(|known| known.translation), constant_sum(|known| known.scale));
        Self { block, inputs, translation, scale }
    }

    /// Computes the block from the finished layers `done`.
    #[inline(always)]
    fn run<V: Vectors>(&self, vectors: V, done: &[PoseLayer], rest: &SoaTransform, out: &mut SoaTransform) {
        let rest = loaded(vectors, &rest.rotation);
        let mut rotation = [Eight::splat(vectors, 0.0); 4];
        for input in &self.inputs {
            let part = loaded(vectors, &done[input.layer].blocks[self.block].rotation);
            mix::accumulate_rotation(&mut rotation, part, Eight::load(vectors, &input.weights), rest);
        }
        out.rotation = stored(mix::normalized_sum(rotation, rest));
        out.translation = match self.translation {
            Some(known) => known,
            None => self.sum(vectors, done, |block| &block.translation),
        };
        out.scale = match self.scale {
            Some(known) => known,
            None => self.sum(vectors, done, |block| &block.scale),
        };
    }

    /// Returns the weighted sum of a channel over all inputs.
    #[inline(always)]
    fn sum<V: Vectors>(
        &self,
        vectors: V,
        done: &[PoseLayer],
        channel: impl Fn(&SoaTransform) -> &[F32x8; 3],
    ) -> [F32x8; 3] {
        let mut sum = [Eight::splat(vectors, 0.0); 3];
        for input in &self.inputs {
            let part = loaded(vectors, channel(&done[input.layer].blocks[self.block]));
            mix::accumulate_vector(&mut sum, part, Eight::load(vectors, &input.weights));
        }
        stored(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};
    use portamento_anim::math::Transform;

    fn layer(seed: f32) -> PoseLayer {
        let local = |lane: usize| Transform {
            translation: Vec3::new(seed, lane as f32, seed * lane as f32),
            rotation: Quat::from_euler(glam::EulerRot::XYZ, seed * 2.1, lane as f32, seed * lane as f32),
            scale: Vec3::new(1.0 + 0.1 * seed, 1.0, 0.3 * lane as f32),
        };
        PoseLayer { blocks: SoaTransform::pack((0..WIDTH).map(local)), ..PoseLayer::default() }
    }

    fn run_kernel(kernel: &BlendKernel, done: &[PoseLayer], rest: &SoaTransform) -> SoaTransform {
        let mut out = [*rest];
        BlendKernels::new([kernel.clone()].into_iter(), |_, _| Constants::default()).run(done, &[*rest], &mut out);
        out[0]
    }

    #[test]
    fn wide_kernels_give_the_same_bits_as_the_per_joint_mean() {
        let (done, rest) = ([0.3, 1.1, 2.7, 4.0].map(layer), layer(9.0).blocks[0]);
        for active in 0..16_u32 {
            let weight =
                |i: usize, lane: usize| if active >> i & 1 == 1 { 1.0 + 0.1 * (i * 3 + lane) as f32 } else { 0.0 };
            let input =
                |i: usize| KernelInput { layer: i, weights: F32x8(std::array::from_fn(|lane| weight(i, lane))) };
            let kernel = BlendKernel::select((0..4).map(input).collect());
            assert!(!matches!(kernel, BlendKernel::PerJoint(_)), "{active}");
            let per_joint_mean = BlendKernel::PerJoint((0..4).map(input).collect());
            assert_eq!(run_kernel(&kernel, &done, &rest), run_kernel(&per_joint_mean, &done, &rest), "{active}");
        }
    }

    #[test]
    fn lanes_of_different_children_are_computed_one_by_one_and_only_children_are_copied() {
        let (done, rest) = ([0.3, 1.1].map(layer), layer(9.0).blocks[0]);
        let input = |i: usize| KernelInput {
            layer: i,
            weights: F32x8(std::array::from_fn(|lane| f32::from(u8::from(lane % 2 == i)))),
        };
        let block = run_kernel(&BlendKernel::select(vec![input(0), input(1)]), &done, &rest);
        assert!((0..WIDTH).all(|lane| block.get(lane) == done[lane % 2].blocks[0].get(lane)));
    }

    /// Returns the kernel of a block with three inputs of decreasing weight from these layers.
    fn three(layers: [usize; 3]) -> BlendKernel {
        let input = |(i, layer): (usize, usize)| KernelInput { layer, weights: F32x8([0.5 - 0.17 * i as f32; WIDTH]) };
        BlendKernel::select(layers.into_iter().enumerate().map(input).collect())
    }

    #[test]
    fn constant_channels_are_summed_beforehand_to_the_same_bits() {
        let (done, rest) = ([0.3, 1.1, 2.7].map(layer), layer(9.0).blocks[0]);
        let constants = |layer: usize, _| Constants { translation: None, scale: Some(done[layer].blocks[0].scale) };
        let (mut out, kernel) = ([rest], three([0, 1, 2]));
        let kernels = BlendKernels::new([kernel.clone()].into_iter(), constants);
        assert!(kernels.means.iter().all(|mean| mean.scale.is_some() && mean.translation.is_none()));
        kernels.run(&done, &[rest], &mut out);
        assert_eq!(out[0], run_kernel(&kernel, &done, &rest));
    }

    #[test]
    fn a_block_does_not_depend_on_the_inputs_of_other_blocks() {
        let twice = |layer: PoseLayer| PoseLayer { blocks: [&layer.blocks[..], &layer.blocks].concat(), ..layer };
        let (one, rest) = ([0.3, 1.1, 2.7, 4.0].map(layer), layer(9.0).blocks[0]);
        let two = one.clone().map(twice);
        for others in [[0, 2, 3], [1, 2, 3], [0, 0, 2], [2, 1, 0]] {
            let (kernels, mut out) = ([three(others), three([0, 1, 2])], [rest; 2]);
            BlendKernels::new(kernels.clone().into_iter(), |_, _| Constants::default()).run(&two, &[rest; 2], &mut out);
            assert_eq!(out, kernels.map(|kernel| run_kernel(&kernel, &one, &rest)), "{others:?}");
        }
    }

    #[test]
    fn rotations_that_cancel_leave_the_rest_pose() {
        let third = |turn: Quat| {
            let local = Transform { rotation: turn, ..Transform::IDENTITY };
            PoseLayer { blocks: SoaTransform::pack((0..WIDTH).map(|_| local)), ..PoseLayer::default() }
        };
        // Half turns are on the boundary of every hemisphere of the rest pose, so their signs do not change.
        let done = [third(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)), third(Quat::from_xyzw(-1.0, 0.0, 0.0, 0.0))];
        let inputs = [(0, 0.5), (1, 0.25), (1, 0.25)]
            .map(|(layer, weight)| KernelInput { layer, weights: F32x8([weight; WIDTH]) });
        let rest = SoaTransform::pack((0..WIDTH).map(|_| Transform::IDENTITY))[0];
        assert_eq!(run_kernel(&BlendKernel::select(inputs.to_vec()), &done, &rest).rotation, rest.rotation);
    }
}
