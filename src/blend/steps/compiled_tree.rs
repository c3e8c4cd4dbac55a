//! A flattened drawn tree: nodes in computing order, each of which writes one layer.
//!
//! Events that change weights also change the coverage. Only steps affected by them (`driven`) look up weights and coverage in every frame.

use glam::Quat;
use serde::Serialize;

use super::additive_step::AdditiveStep;
use super::driven_blend::{DrivenBlend, DrivenInput};
use super::source_step::SourceStep;
use crate::Scratch;
use crate::clips::clip_bank::ClipBank;
use crate::clips::kernel::BlendKernels;
use crate::clips::layer::PoseLayer;
use crate::clips::mix::{coverage, disagreement};
use crate::space::space_step::SpaceStep;
use crate::standard::timeline::CompiledTimeline;
use portamento_anim::{Pose, Skeleton};

/// A compiled tree. Step `i` writes layer `i` and reads only layers of earlier steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompiledTree {
    steps: Vec<Step>,
    /// Node index of each step.
    nodes: Vec<usize>,
    /// Coverage per step and joint, 0…1; for driven steps in the default state.
    coverage: Vec<Vec<f32>>,
    /// True for steps whose coverage changes over time.
    driven: Vec<bool>,
}

/// A step of the compiled tree, which computes one layer.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Source(SourceStep),
    Blend {
        inputs: Vec<BlendInput>,
        kernels: BlendKernels,
    },
    /// A blend with weights that events change.
    Driven(DrivenBlend),
    Additive(AdditiveStep),
    /// Clips weighted by a parameter position.
    Space(Box<SpaceStep>),
    /// The standard tree with its events.
    Standard(Box<CompiledTimeline>),
}

/// An input of a blend.
#[derive(Clone, Debug)]
pub(crate) struct BlendInput {
    /// Index of the input's layer.
    pub layer: usize,
    /// Connection index in the node, muted ones included.
    pub slot: usize,
    /// W: weight of the input as set by the user.
    pub weight: f32,
    /// W·BW per joint, times the coverage of the input's layer.
    pub joint_weights: Vec<f32>,
}

/// Contribution of one connection of a drawn tree to the result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Wire {
    /// Index of the node that the connection leads to.
    pub node: usize,
    /// Connection index in that node.
    pub slot: usize,
    /// Share 0…1 for one joint, or the mean over all joints.
    pub share: f32,
}

/// A joint and a time in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointAt {
    pub joint: usize,
    pub time: f64,
}

/// A joint of a blend of three or more inputs for which the two rules to average rotations differ.
pub(crate) struct RuleDifference {
    /// Index of the blend node.
    pub node: usize,
    pub joint: usize,
    /// Angle between the two results, radians.
    pub angle: f64,
}

impl CompiledTree {
    /// Number of scratch layers in addition to the step layers; the largest number that any kind of step needs.
    const SPARE_LAYERS: usize = {
        let (space, standard) = (SpaceStep::SPARE_LAYERS, CompiledTimeline::SCRATCH_LAYERS);
        let larger = if space > standard { space } else { standard };
        if larger > SourceStep::SPARE_LAYERS { larger } else { SourceStep::SPARE_LAYERS }
    };

    /// Adds the step that computes `node` and returns its index.
    pub fn push(&mut self, bank: &ClipBank, node: usize, step: Step) -> usize {
        self.coverage.push(self.coverage_of(bank, &step));
        self.driven.push(match &step {
            Step::Driven(_) => true,
            Step::Additive(additive) => self.is_coverage_driven(additive),
            _ => false,
        });
        self.steps.push(step);
        self.nodes.push(node);
        self.steps.len() - 1
    }

    /// True if the coverage of a new additive step changes over time. The delta counts where the base covers a joint in part.
    fn is_coverage_driven(&self, additive: &AdditiveStep) -> bool {
        let is_partial =
            || self.coverage[additive.base].iter().zip(&additive.mask).any(|(&b, &mask)| b < 1.0 && mask > 0.0);
        let changes = self.driven[additive.delta] || additive.weight.is_animated();
        self.driven[additive.base] || changes && is_partial()
    }

    /// Returns the coverage of each joint by `step`, 0…1.
    pub(crate) fn coverage(&self, step: usize) -> &[f32] {
        &self.coverage[step]
    }

    /// Returns `step` if it is a source.
    pub fn source(&self, step: usize) -> Option<&SourceStep> {
        match &self.steps[step] {
            Step::Source(source) => Some(source),
            _ => None,
        }
    }

    /// Returns the steps in computing order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the steps for editing, to record arcs and restarts.
    pub(super) fn steps_mut(&mut self) -> &mut [Step] {
        &mut self.steps
    }

    /// True if the coverage of `step` changes over time.
    pub(super) fn is_driven(&self, step: usize) -> bool {
        self.driven[step]
    }

    /// Returns the step of node `node`, or `None` if the node does not feed the result.
    pub fn step_of(&self, node: usize) -> Option<&Step> {
        self.nodes.iter().position(|&known| known == node).map(|step| &self.steps[step])
    }

    /// Returns the coverage of each joint by a new step, in the default state.
    fn coverage_of(&self, bank: &ClipBank, step: &Step) -> Vec<f32> {
        match step {
            Step::Source(source) => bank.coverage[source.clip].clone(),
            Step::Additive(additive) => {
                let [base, delta] = [additive.base, additive.delta].map(|layer| &self.coverage[layer]);
                let coverage = |joint: usize| additive.shares_on(joint, 0.0, base[joint], delta[joint]).coverage;
                (0..bank.skeleton.len()).map(coverage).collect()
            }
            Step::Space(space) => space.coverage(bank),
            Step::Standard(_) => vec![1.0; bank.skeleton.len()],
            Step::Blend { inputs, .. } => {
                let largest = inputs.iter().map(|input| input.weight).fold(0.0, f32::max);
                let sum = |joint: usize| inputs.iter().map(|input| input.joint_weights[joint]).sum();
                (0..bank.skeleton.len()).map(|joint| coverage(sum(joint), largest)).collect()
            }
            Step::Driven(blend) => {
                let coverage_at = |joint: usize| {
                    let weight = |input: &DrivenInput| input.weight_on(joint, 0.0, self.coverage[input.layer][joint]);
                    blend.coverage(blend.inputs.iter().map(weight).sum(), 0.0)
                };
                (0..bank.skeleton.len()).map(coverage_at).collect()
            }
        }
    }

    /// Returns the coverage of `joint` by each step at `time` (seconds), 0…1.
    fn coverage_at(&self, joint: usize, time: f64) -> Vec<f32> {
        let mut coverage_at: Vec<f32> = self.coverage.iter().map(|coverage| coverage[joint]).collect();
        for (i, step) in self.steps.iter().enumerate().filter(|(i, _)| self.driven[*i]) {
            coverage_at[i] = match step {
                Step::Driven(blend) => {
                    let weight = |input: &DrivenInput| input.weight_on(joint, time, coverage_at[input.layer]);
                    blend.coverage(blend.inputs.iter().map(weight).sum(), time)
                }
                Step::Additive(additive) => {
                    let [base, delta] = [additive.base, additive.delta].map(|layer| coverage_at[layer]);
                    additive.shares_on(joint, time, base, delta).coverage
                }
                _ => coverage_at[i],
            };
        }
        coverage_at
    }

    /// Writes the local pose at `time` (seconds) to `out`; the rest pose without steps.
    pub fn sample(&self, bank: &ClipBank, time: f64, scratch: &mut Scratch, out: &mut Pose) {
        self.run(bank, time, scratch);
        match scratch.layers.get(self.steps.len().wrapping_sub(1)) {
            Some(layer) => bank.unpack_over_rest(layer, &layer.coverage, out),
            None => out.set_rest(&bank.skeleton),
        }
    }

    /// Computes every layer at `time` (seconds).
    pub fn run(&self, bank: &ClipBank, time: f64, scratch: &mut Scratch) {
        self.run_to(self.steps.len(), bank, time, scratch);
    }

    /// Computes the first `count` layers at `time` (seconds).
    pub(super) fn run_to(&self, count: usize, bank: &ClipBank, time: f64, scratch: &mut Scratch) {
        scratch.reserve(self.steps.len() + Self::SPARE_LAYERS, bank);
        for (i, step) in self.steps.iter().enumerate().take(count) {
            let (done, rest) = scratch.layers.split_at_mut(i);
            let Some((out, rest)) = rest.split_first_mut() else { return };
            let spare = rest.len().saturating_sub(Self::SPARE_LAYERS);
            let spare = &mut rest[spare..];
            match step {
                Step::Source(source) => source.run(bank, time, spare, out),
                Step::Driven(blend) => blend.run(bank, time, done, out),
                Step::Blend { inputs, kernels } => {
                    kernels.run(done, &bank.rest, &mut out.blocks);
                    blend_morphs(&bank.skeleton, inputs, done, &mut out.morphs);
                }
                Step::Additive(additive) => {
                    additive.run(&bank.skeleton, done, time, out);
                }
                Step::Space(space) => space.run(bank, time, spare, out),
                Step::Standard(timeline) => match timeline.compute(bank, time, spare) {
                    Some(whole) => {
                        out.blocks.copy_from_slice(&whole.blocks);
                        out.morphs.copy_from_slice(&whole.morphs);
                    }
                    None => bank.write_rest(out),
                },
            }
            match step {
                Step::Driven(_) | Step::Additive(_) => {}
                _ => out.coverage.copy_from_slice(&self.coverage[i]),
            }
        }
    }

    /// Returns the factor of the difference of step `additive` on a joint in its layer.
    pub(crate) fn delta_share(&self, additive: &AdditiveStep, at: JointAt) -> f32 {
        let JointAt { joint, time } = at;
        let is_driven = self.driven[additive.base] || self.driven[additive.delta];
        let coverage_at = if is_driven { self.coverage_at(joint, time) } else { Vec::new() };
        let coverage = |step: usize| coverage_at.get(step).copied().unwrap_or(self.coverage[step][joint]);
        additive.shares_on(joint, time, coverage(additive.base), coverage(additive.delta)).delta
    }

    /// Returns each node's share of `joint` at `time` (seconds), 0…1, by node index. The rest pose has the remaining share.
    pub fn shares(&self, joint: usize, time: f64, node_count: usize) -> Vec<f32> {
        let mut shares = vec![0.0; node_count];
        let by_step = self.propagate_shares(JointAt { joint, time }, true, |_| {});
        self.nodes.iter().zip(by_step).for_each(|(&node, share)| shares[node] = share);
        shares
    }

    /// Propagates shares from the root to the sources. Reports the share of every connection in the joint and returns every
    /// step's share. Without `with_additive` the delta inputs of additive nodes are ignored.
    pub(crate) fn propagate_shares(&self, at: JointAt, with_additive: bool, report: impl FnMut(Wire)) -> Vec<f32> {
        match self.steps.len().checked_sub(1) {
            Some(last) => self.shares_below(last, at, with_additive, report),
            None => Vec::new(),
        }
    }

    /// Propagates shares like [`Self::propagate_shares`], starting at step `top`. Its own share is less than 1 if the sources do
    /// not fully cover the joint.
    pub(crate) fn shares_below(
        &self,
        top: usize,
        at: JointAt,
        with_additive: bool,
        mut report: impl FnMut(Wire),
    ) -> Vec<f32> {
        let JointAt { joint, time } = at;
        let mut by_step = vec![0.0; self.steps.len()];
        let coverage_at = if self.driven.contains(&true) { self.coverage_at(joint, time) } else { Vec::new() };
        let coverage_at = |step: usize| coverage_at.get(step).copied().unwrap_or(self.coverage[step][joint]);
        by_step[top] = coverage_at(top);
        for (i, step) in self.steps.iter().enumerate().take(top + 1).rev() {
            let total = by_step[i];
            let mut add_share = |layer: usize, slot: usize, share: f32| {
                by_step[layer] += share;
                report(Wire { node: self.nodes[i], slot, share });
            };
            match step {
                Step::Source(_) | Step::Space(_) | Step::Standard(_) => {}
                Step::Blend { inputs, .. } => {
                    let sum: f32 = inputs.iter().map(|input| input.joint_weights[joint]).sum();
                    for input in inputs.iter().filter(|_| sum > 0.0) {
                        add_share(input.layer, input.slot, total * input.joint_weights[joint] / sum);
                    }
                }
                Step::Driven(blend) => {
                    let weight = |input: &DrivenInput| input.weight_on(joint, time, coverage_at(input.layer));
                    let sum: f32 = blend.inputs.iter().map(weight).sum();
                    for input in blend.inputs.iter().filter(|_| sum > 0.0) {
                        add_share(input.layer, input.slot, total * weight(input) / sum);
                    }
                }
                Step::Additive(additive) => {
                    let [base, delta] = [additive.base, additive.delta].map(coverage_at);
                    let shares = additive.shares_on(joint, time, base, delta);
                    add_share(additive.base, 0, total * shares.base);
                    if with_additive {
                        add_share(additive.delta, 1, total * shares.delta);
                    }
                }
            }
        }
        by_step
    }

    /// Returns the joints of blends of three or more inputs for which the rules to average rotations differ by more than `limit`
    /// radians at `time` (seconds).
    pub fn disagreements(&self, bank: &ClipBank, time: f64, limit: f64) -> Vec<RuleDifference> {
        let mut scratch = Scratch::default();
        self.run(bank, time, &mut scratch);
        let mut differences = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            for (joint, row) in bank.skeleton.joints.iter().enumerate() {
                let rotation = |layer: usize| scratch.layers[layer].get(joint).rotation;
                let coverage_at = |layer: usize| scratch.layers[layer].coverage[joint];
                let parts: Vec<(Quat, f32)> = match step {
                    Step::Blend { inputs, .. } => {
                        inputs.iter().map(|input| (rotation(input.layer), input.joint_weights[joint])).collect()
                    }
                    Step::Driven(blend) => {
                        let weight = |input: &DrivenInput| input.weight_on(joint, time, coverage_at(input.layer));
                        blend.inputs.iter().map(|input| (rotation(input.layer), weight(input))).collect()
                    }
                    _ => break,
                };
                let parts: Vec<(Quat, f32)> = parts.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
                let angle = if parts.len() >= 3 { disagreement(&parts, row.rest.rotation) } else { 0.0 };
                if angle > limit {
                    differences.push(RuleDifference { node: self.nodes[i], joint, angle });
                }
            }
        }
        differences
    }
}

/// Blends morph weights: Σ W·BW·M / Σ W·BW over the inputs that cover the joint.
fn blend_morphs(skeleton: &Skeleton, inputs: &[BlendInput], done: &[PoseLayer], out: &mut [f32]) {
    if out.is_empty() {
        return;
    }
    for (joint, row) in skeleton.joints.iter().enumerate().filter(|(_, row)| row.morph_count > 0) {
        let sum: f32 = inputs.iter().map(|input| input.joint_weights[joint]).sum();
        for (i, out) in out.iter_mut().enumerate().skip(row.first_morph).take(row.morph_count) {
            let weighted = |input: &BlendInput| (done[input.layer].morphs[i], input.joint_weights[joint]);
            let mut present = inputs.iter().map(weighted).filter(|(_, weight)| *weight > 0.0);
            *out = match (present.next(), present.next()) {
                (None, _) => skeleton.rest_morphs[i],
                // A single input is returned bit for bit.
                (Some((only, _)), None) => only,
                _ => inputs.iter().map(weighted).map(|(value, weight)| value * (weight / sum)).sum(),
            };
        }
    }
}
