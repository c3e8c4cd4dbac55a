//! How a blend node computes blocks of four joints. The node's weights never change while it plays, so that the kind of formula
//! and the shares are worked out once per block.

use glam::Vec4;

use super::layer::PoseLayer;
use super::mix::{self, mean};
use super::soa_clip::Constants;
use super::soa_transform::{Lanes, SoaTransform, WIDTH};

/// A child's part in a block.
#[derive(Clone, Debug)]
pub(super) struct KernelInput {
    /// Index of the child's layer.
    pub layer: usize,
    /// W·BW of each joint, or its share of their sum.
    pub weights: Lanes,
}

/// The formula for a block.
#[derive(Clone, Debug)]
pub(super) enum BlendKernel {
    /// No input has a joint of the block: the rest pose.
    Rest,
    /// One layer, bit for bit.
    Copy(usize),
    /// Two layers, the second by its share.
    Pair { below: usize, above: KernelInput },
    /// The mean of three or more, by their shares.
    Mean(Vec<KernelInput>),
    /// Not the same children in every lane, or one of them about to leave: joint after joint, by weight.
    PerJoint(Vec<KernelInput>),
}

impl BlendKernel {
    /// The cheapest kernel that computes the mean of `inputs`.
    pub fn select(inputs: Vec<KernelInput>) -> Self {
        let in_all_lanes = |input: &KernelInput| input.weights.iter().all(|&weight| weight > 0.0);
        let in_any_lane = |input: &KernelInput| input.weights.iter().any(|&weight| weight > 0.0);
        let mut active: Vec<KernelInput> = inputs.into_iter().filter(in_any_lane).collect();
        let hands_over = |lane: usize| mix::hands_over(active.iter().map(|input| input.weights[lane]));
        if !active.iter().all(in_all_lanes) || active.len() > 2 && (0..WIDTH).any(hands_over) {
            return Self::PerJoint(active);
        }
        match &active[..] {
            [] => Self::Rest,
            [only] => Self::Copy(only.layer),
            [first, second] => {
                let share = |lane: usize| second.weights[lane] / (first.weights[lane] + second.weights[lane]);
                let weights: Lanes = std::array::from_fn(share);
                // A share that rounds to 1 must give exactly the second, which the wide formula does not.
                if weights.iter().all(|&share| share < 1.0) {
                    Self::Pair { below: first.layer, above: KernelInput { layer: second.layer, weights } }
                } else {
                    Self::PerJoint(active)
                }
            }
            _ => {
                let sums: Lanes = std::array::from_fn(|lane| active.iter().map(|input| input.weights[lane]).sum());
                active.iter_mut().for_each(|input| (0..WIDTH).for_each(|lane| input.weights[lane] /= sums[lane]));
                Self::Mean(active)
            }
        }
    }

    /// Computes `block` from the layers that are `done`.
    fn run(&self, done: &[PoseLayer], block: usize, rest: &SoaTransform) -> SoaTransform {
        match self {
            Self::Rest => *rest,
            Self::Copy(layer) => done[*layer].blocks[block],
            Self::Pair { below, above } => {
                let [from, to] = [*below, above.layer].map(|layer| &done[layer].blocks[block]);
                mix::mix_soa(from, to, Vec4::from(above.weights))
            }
            Self::Mean(inputs) | Self::PerJoint(inputs) => {
                let mut out = *rest;
                for lane in 0..WIDTH {
                    let part = |input: &KernelInput| (done[input.layer].blocks[block].get(lane), input.weights[lane]);
                    let rest = rest.get(lane);
                    out.set(lane, mean(inputs.iter().map(part), rest.rotation).unwrap_or(rest));
                }
                out
            }
        }
    }
}

/// How a blend node computes all blocks.
///
/// Means are summed child by child and channel by channel: runs of one short formula keep a processor busier than one long
/// formula per block. What never changes is summed beforehand.
#[derive(Clone, Debug, Default)]
pub(super) struct BlendKernels {
    /// Blocks that are not means, with their kernels.
    single: Vec<(usize, BlendKernel)>,
    means: Vec<MeanBlock>,
    sums: Vec<LayerSum>,
}

/// A block that is a mean.
#[derive(Clone, Debug)]
struct MeanBlock {
    block: usize,
    /// What the sums begin with: the constant channels, already summed, and 0 for the others.
    initial: SoaTransform,
}

/// What a child adds to means: for each channel the blocks and its shares of them.
#[derive(Clone, Debug)]
struct LayerSum {
    layer: usize,
    rotations: Vec<(usize, Vec4)>,
    translations: Vec<(usize, Vec4)>,
    scales: Vec<(usize, Vec4)>,
}

impl BlendKernels {
    /// From the kernels of all blocks in order; `constants` answers for a layer and a block.
    pub fn new(kernels: impl Iterator<Item = BlendKernel>, constants: impl Fn(usize, usize) -> Constants) -> Self {
        let mut all = Self::default();
        for (block, kernel) in kernels.enumerate() {
            match kernel {
                BlendKernel::Mean(inputs) => all.add_mean(block, &inputs, |layer| constants(layer, block)),
                other => all.single.push((block, other)),
            }
        }
        all
    }

    fn add_mean(&mut self, block: usize, inputs: &[KernelInput], constants: impl Fn(usize) -> Constants) {
        let constant_sum = |channel: fn(Constants) -> Option<[Vec4; 3]>| {
            inputs.iter().try_fold([Vec4::ZERO; 3], |mut sum, input| {
                mix::accumulate_vector(&mut sum, channel(constants(input.layer))?, Vec4::from(input.weights));
                Some(sum)
            })
        };
        let (translation, scale) = (constant_sum(|known| known.translation), constant_sum(|known| known.scale));
        let mut next = 0;
        for input in inputs {
            // Every block adds its inputs in their own order, so that its bits do not depend on other blocks.
            let known = self.sums[next..].iter().position(|sum| sum.layer == input.layer);
            let at = known.map_or(next, |further| next + further);
            if known.is_none() {
                let (rotations, translations, scales) = Default::default();
                self.sums.insert(at, LayerSum { layer: input.layer, rotations, translations, scales });
            }
            let (sum, share) = (&mut self.sums[at], (block, Vec4::from(input.weights)));
            sum.rotations.push(share);
            sum.translations.extend(translation.is_none().then_some(share));
            sum.scales.extend(scale.is_none().then_some(share));
            next = at + 1;
        }
        let zero = [Vec4::ZERO; 3];
        let (translation, scale) = (translation.unwrap_or(zero), scale.unwrap_or(zero));
        self.means.push(MeanBlock { block, initial: SoaTransform { translation, rotation: [Vec4::ZERO; 4], scale } });
    }

    /// Computes every block from the layers that are `done`.
    pub fn run(&self, done: &[PoseLayer], rest: &[SoaTransform], out: &mut [SoaTransform]) {
        for (block, kernel) in &self.single {
            out[*block] = kernel.run(done, *block, &rest[*block]);
        }
        for MeanBlock { block, initial } in &self.means {
            out[*block] = *initial;
        }
        self.sums.iter().for_each(|sum| sum.add(&done[sum.layer].blocks, rest, out));
        for MeanBlock { block, .. } in &self.means {
            out[*block].rotation = mix::normalized_sum(out[*block].rotation, rest[*block].rotation);
        }
    }
}

impl LayerSum {
    // Not inlined: on their own the three loops keep their sums in registers.
    #[inline(never)]
    fn add(&self, parts: &[SoaTransform], rest: &[SoaTransform], out: &mut [SoaTransform]) {
        for &(block, share) in &self.rotations {
            mix::accumulate_rotation(&mut out[block].rotation, parts[block].rotation, share, rest[block].rotation);
        }
        for &(block, share) in &self.translations {
            mix::accumulate_vector(&mut out[block].translation, parts[block].translation, share);
        }
        for &(block, share) in &self.scales {
            mix::accumulate_vector(&mut out[block].scale, parts[block].scale, share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use glam::{Quat, Vec3};

    fn layer(seed: f32) -> PoseLayer {
        let local = |lane: usize| Transform {
            translation: Vec3::new(seed, lane as f32, seed * lane as f32),
            rotation: Quat::from_euler(glam::EulerRot::XYZ, seed * 2.1, lane as f32, seed * lane as f32),
            scale: Vec3::new(1.0 + 0.1 * seed, 1.0, 0.3 * lane as f32),
        };
        PoseLayer { blocks: SoaTransform::pack((0..WIDTH).map(local)), ..PoseLayer::default() }
    }

    fn computed(kernel: &BlendKernel, done: &[PoseLayer], rest: &SoaTransform) -> SoaTransform {
        let mut out = [*rest];
        BlendKernels::new([kernel.clone()].into_iter(), |_, _| Constants::default()).run(done, &[*rest], &mut out);
        out[0]
    }

    #[test]
    fn four_joints_at_once_are_the_same_bits_as_one_by_one() {
        let (done, rest) = ([0.3, 1.1, 2.7, 4.0].map(layer), layer(9.0).blocks[0]);
        for active in 0..16_u32 {
            let weight =
                |i: usize, lane: usize| if active >> i & 1 == 1 { 1.0 + 0.1 * (i * 3 + lane) as f32 } else { 0.0 };
            let input = |i: usize| KernelInput { layer: i, weights: std::array::from_fn(|lane| weight(i, lane)) };
            let kernel = BlendKernel::select((0..4).map(input).collect());
            assert!(!matches!(kernel, BlendKernel::PerJoint(_)), "{active}");
            let one_by_one = BlendKernel::PerJoint((0..4).map(input).collect());
            assert_eq!(computed(&kernel, &done, &rest), computed(&one_by_one, &done, &rest), "{active}");
        }
    }

    #[test]
    fn lanes_of_different_children_are_computed_one_by_one_and_only_children_are_copied() {
        let (done, rest) = ([0.3, 1.1].map(layer), layer(9.0).blocks[0]);
        let input = |i: usize| KernelInput {
            layer: i,
            weights: std::array::from_fn(|lane| f32::from(u8::from(lane % 2 == i))),
        };
        let block = computed(&BlendKernel::select(vec![input(0), input(1)]), &done, &rest);
        assert!((0..WIDTH).all(|lane| block.get(lane) == done[lane % 2].blocks[0].get(lane)));
    }

    /// Three inputs of a block, from these layers in this order, of decreasing weight.
    fn three(layers: [usize; 3]) -> BlendKernel {
        let input = |(i, layer): (usize, usize)| KernelInput { layer, weights: [0.5 - 0.17 * i as f32; WIDTH] };
        BlendKernel::select(layers.into_iter().enumerate().map(input).collect())
    }

    #[test]
    fn constant_channels_are_summed_beforehand_to_the_same_bits() {
        let (done, rest) = ([0.3, 1.1, 2.7].map(layer), layer(9.0).blocks[0]);
        let constants = |layer: usize, _| Constants { translation: None, scale: Some(done[layer].blocks[0].scale) };
        let (mut out, kernel) = ([rest], three([0, 1, 2]));
        let kernels = BlendKernels::new([kernel.clone()].into_iter(), constants);
        assert!(kernels.sums.iter().all(|sum| sum.scales.is_empty() && sum.translations.len() == 1));
        kernels.run(&done, &[rest], &mut out);
        assert_eq!(out[0], computed(&kernel, &done, &rest));
    }

    #[test]
    fn a_block_does_not_depend_on_the_inputs_of_other_blocks() {
        let twice = |layer: PoseLayer| PoseLayer { blocks: [&layer.blocks[..], &layer.blocks].concat(), ..layer };
        let (one, rest) = ([0.3, 1.1, 2.7, 4.0].map(layer), layer(9.0).blocks[0]);
        let two = one.clone().map(twice);
        for others in [[0, 2, 3], [1, 2, 3], [0, 0, 2], [2, 1, 0]] {
            let (kernels, mut out) = ([three(others), three([0, 1, 2])], [rest; 2]);
            BlendKernels::new(kernels.clone().into_iter(), |_, _| Constants::default()).run(&two, &[rest; 2], &mut out);
            assert_eq!(out, kernels.map(|kernel| computed(&kernel, &one, &rest)), "{others:?}");
        }
    }

    #[test]
    fn rotations_that_cancel_leave_the_rest_pose() {
        let third = |turn: Quat| {
            let local = Transform { rotation: turn, ..Transform::IDENTITY };
            PoseLayer { blocks: SoaTransform::pack((0..WIDTH).map(|_| local)), ..PoseLayer::default() }
        };
        // Half turns lie on the rim of every hemisphere of the rest pose: their signs stay as they are.
        let done = [third(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)), third(Quat::from_xyzw(-1.0, 0.0, 0.0, 0.0))];
        let inputs =
            [(0, 0.5), (1, 0.25), (1, 0.25)].map(|(layer, weight)| KernelInput { layer, weights: [weight; WIDTH] });
        let rest = SoaTransform::pack((0..WIDTH).map(|_| Transform::IDENTITY))[0];
        assert_eq!(computed(&BlendKernel::select(inputs.to_vec()), &done, &rest).rotation, rest.rotation);
    }
}
