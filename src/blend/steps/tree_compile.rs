//! Compiles a drawn tree to steps in computing order. Resolves masks and reports errors with the node name.

use super::additive_step::AdditiveStep;
use super::compiled_tree::{BlendInput, CompiledTree, JointAt, Step};
use super::driven_blend::{DrivenBlend, DrivenInput};
use super::source_step::SourceStep;
use super::weight_track::{StateTimeline, WeightTrack};
use crate::clips::clip_bank::ClipBank;
use crate::clips::kernel::{BlendKernel, BlendKernels, KernelInput};
use crate::clips::soa_clip::Constants;
use crate::clips::soa_transform::WIDTH;
use crate::fades::transitions::Ramp;
use crate::space::blend_space::{BlendSpace, SpaceSample};
use crate::space::parameter_track::ParameterTrack;
use crate::space::space_step::{SpaceClip, SpaceStep};
use crate::standard::timeline_compile;
use crate::trees::tree::{Additive, Link, NodeKind, Reference, Source, Tree};
use crate::{BuildError, Input, Scratch};
use portamento_anim::math::lanes::F32x8;
use portamento_anim::{Mask, MaskChoice};
use portamento_base::message::message;

/// Validates and flattens `tree`, and copies the clips it plays into `bank`. The clips of `input` must have passed
/// [`crate::check_clip`]. Returns `Err` for the reasons listed at [`crate::build`].
pub(crate) fn compile(tree: &Tree, input: &Input, bank: &mut ClipBank) -> Result<CompiledTree, BuildError> {
    let visits = vec![Visit::Never; tree.nodes.len()];
    let (timeline, compiled) = (StateTimeline::new(tree)?, CompiledTree::default());
    let mut compiler = Compiler { tree, input, bank, visits, timeline, compiled };
    compiler.visit(tree.root, None)?;
    compiler.add_restarts();
    compiler.record_arcs();
    Ok(compiler.compiled)
}

/// Compilation state of a node.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Never,
    /// Its inputs are being compiled.
    Open,
    /// Compiled to this step.
    Done(usize),
}

struct Compiler<'a, 'b> {
    tree: &'a Tree,
    input: &'a Input<'b>,
    bank: &'a mut ClipBank,
    visits: Vec<Visit>,
    timeline: StateTimeline,
    compiled: CompiledTree,
}

impl Compiler<'_, '_> {
    /// Compiles `node` and its inputs; returns its step. `parent` is the node that uses it, `None` for the root. Returns
    /// `Err` if a node does not exist, feeds itself, is too deep or cannot be used.
    fn visit(&mut self, node: usize, parent: Option<usize>) -> Result<usize, BuildError> {
        let tree = self.tree;
        let parent_name = parent.map_or("Root", |parent| &tree.nodes[parent].name);
        match self.visits.get(node) {
            None => return Err(BuildError::NoSuchNode { node: parent_name.into(), child: node }),
            Some(Visit::Open) => return Err(BuildError::Cycle { node: self.name(node) }),
            Some(&Visit::Done(step)) => return Ok(step),
            Some(Visit::Never) => self.visits[node] = Visit::Open,
        }
        if self.visits.iter().filter(|&&visit| visit == Visit::Open).count() > Tree::MAX_LEVELS {
            return Err(BuildError::TooDeep { node: self.name(node), most: Tree::MAX_LEVELS });
        }
        let step = match &tree.nodes[node].kind {
            NodeKind::Source(source) => self.source(node, source)?,
            NodeKind::Blend(links) => self.blend(node, links)?,
            NodeKind::Additive(additive) => self.additive(node, additive)?,
            NodeKind::Space(space) => self.space(node, space)?,
            NodeKind::Standard(scenario) => {
                Step::Standard(Box::new(timeline_compile::compile(scenario, self.input, self.bank)?))
            }
        };
        let index = self.compiled.push(self.bank, node, step);
        self.visits[node] = Visit::Done(index);
        Ok(index)
    }

    /// Compiles a source node. Returns `Err` if its clip is missing, or its speed or offset is not finite.
    fn source(&mut self, node: usize, source: &Source) -> Result<Step, BuildError> {
        for (what, value) in [
            (message!("setting.blend.speed", "speed"), source.speed),
            (message!("setting.blend.offset", "start offset"), source.offset),
        ] {
            if !value.is_finite() {
                return Err(BuildError::BadNumber { node: self.name(node), what, value });
            }
        }
        let found = self.bank.intern(&source.clip, self.input.clips);
        let clip = found.ok_or_else(|| BuildError::NoSuchClip { node: self.name(node), clip: source.clip.clone() })?;
        let Source { speed, looping, offset, .. } = *source;
        Ok(Step::Source(SourceStep { clip, speed, looping, offset, restarts: Vec::new() }))
    }

    /// Compiles a blend space. Returns `Err` if its keys, a sample, a clip or the driving motion cannot be used.
    fn space(&mut self, node: usize, space: &BlendSpace) -> Result<Step, BuildError> {
        let name = self.name(node);
        space.check_keys(&name)?;
        if space.samples.is_empty() {
            return Err(BuildError::NoSamples { node: name });
        }
        let clip_of = |(index, sample): (usize, &SpaceSample)| {
            space.check_sample(&name, index)?;
            let missing = || BuildError::NoSuchClip { node: name.clone(), clip: sample.clip.clone() };
            let clip = self.bank.intern(&sample.clip, self.input.clips).ok_or_else(missing)?;
            let duration = self.bank.clips[clip].duration;
            let markers = self.input.markers_of(&sample.clip, duration).unwrap_or_default().to_vec();
            Ok(SpaceClip { clip, duration, markers })
        };
        let clips = space.samples.iter().enumerate().map(clip_of).collect::<Result<_, BuildError>>()?;
        let parameter = ParameterTrack::new(space, &name, self.input.travels, &self.timeline)?;
        Ok(Step::Space(Box::new(SpaceStep::new(space, parameter, clips))))
    }

    /// Compiles a blend node: with constant weights to fixed kernels, otherwise to a [`DrivenBlend`]. Also compiles the nodes
    /// behind its active connections. Returns `Err` if a mask, weight or such a node cannot be used.
    fn blend(&mut self, node: usize, links: &[Link]) -> Result<Step, BuildError> {
        let mut inputs = Vec::new();
        for (slot, link) in Tree::active_links(links) {
            let child = self.tree.nodes.get(link.child).map_or("?", |child| &child.name).to_owned();
            let mask = self.mask(&child, link.weight, &link.mask)?;
            link.in_states.iter().try_for_each(|own| self.check_weight(&child, own.weight))?;
            let layer = self.visit(link.child, Some(node))?;
            let weight = WeightTrack::new(link.weight, &link.in_states, &self.timeline);
            inputs.push(DrivenInput { layer, slot, weight, mask });
        }
        if inputs.iter().any(|input| input.weight.is_animated() || self.compiled.is_driven(input.layer)) {
            return Ok(Step::Driven(DrivenBlend { inputs, arcs: Vec::new() }));
        }
        let inputs = inputs.into_iter().map(|DrivenInput { layer, slot, weight, mask }| {
            let weight = weight.at(0.0);
            let joint_weights = mask.into_iter().map(|on_joint| on_joint * weight).collect();
            self.with_coverage(BlendInput { layer, slot, weight, joint_weights })
        });
        Ok(self.blend_step(inputs.collect()))
    }

    /// Compiles an additive node; a muted one becomes a blend of its base alone. Also compiles its base and, unless muted,
    /// its delta. Returns `Err` if a mask, weight or such a node cannot be used.
    fn additive(&mut self, node: usize, additive: &Additive) -> Result<Step, BuildError> {
        let joint_count = self.input.skeleton.len();
        let base = self.visit(additive.base, Some(node))?;
        if additive.muted {
            let only = BlendInput { layer: base, slot: 0, weight: 1.0, joint_weights: vec![1.0; joint_count] };
            if self.compiled.is_driven(base) {
                let weight = WeightTrack::constant(1.0);
                let inputs = vec![DrivenInput { layer: base, slot: 0, weight, mask: only.joint_weights }];
                return Ok(Step::Driven(DrivenBlend { inputs, arcs: Vec::new() }));
            }
            let only = self.with_coverage(only);
            return Ok(self.blend_step(vec![only]));
        }
        let name = self.name(node);
        let mask = self.mask(&name, additive.weight, &additive.mask)?;
        additive.in_states.iter().try_for_each(|own| self.check_weight(&name, own.weight))?;
        let weight = WeightTrack::new(additive.weight, &additive.in_states, &self.timeline);
        let delta = self.visit(additive.delta, Some(node))?;
        let reference = match additive.reference {
            Reference::Rest => self.input.skeleton.joints.iter().map(|joint| joint.rest).collect(),
            Reference::FirstFrame => {
                let mut scratch = Scratch::default();
                self.compiled.run(self.bank, 0.0, &mut scratch);
                (0..joint_count).map(|joint| scratch.layers[delta].get(joint)).collect()
            }
        };
        Ok(Step::Additive(AdditiveStep { base, delta, reference, weight, mask }))
    }

    /// Adds restarts to clips at the events that request them, with a cross-fade if the clip is visible.
    fn add_restarts(&mut self) {
        for event in self.timeline.events() {
            let state = event.state.as_deref().unwrap_or_default();
            for (node, visit) in self.visits.iter().enumerate() {
                let (Visit::Done(step), NodeKind::Source(source)) = (*visit, &self.tree.nodes[node].kind) else {
                    continue;
                };
                if !source.restarts.iter().any(|own| own == state) {
                    continue;
                }
                let is_visible = (0..self.input.skeleton.len()).any(|joint| {
                    let at = JointAt { joint, time: event.time };
                    self.compiled.propagate_shares(at, true, |_| {})[step] > 0.0
                });
                let ramp = Ramp::of_event(event, 0.0, 1.0);
                let fade = if is_visible { ramp } else { Ramp { length: 0.0, ..ramp } };
                if let Step::Source(source) = &mut self.compiled.steps_mut()[step] {
                    source.restart(self.bank, fade);
                }
            }
        }
    }

    /// Records the rotation arcs of all blends with two inputs and changing weights.
    fn record_arcs(&mut self) {
        let mut scratch = Scratch::default();
        for step in 0..self.compiled.steps().len() {
            let Step::Driven(blend) = &self.compiled.steps()[step] else { continue };
            let [first, second] = &blend.inputs[..] else { continue };
            let (mut recorded, layers) = (blend.clone(), [first.layer, second.layer]);
            recorded.record_arcs(|time| {
                self.compiled.run_to(step, self.bank, time, &mut scratch);
                layers.map(|layer| scratch.layers[layer].clone())
            });
            self.compiled.steps_mut()[step] = Step::Driven(recorded);
        }
    }

    /// Multiplies the joint weights by the coverage of the input's layer.
    fn with_coverage(&self, mut input: BlendInput) -> BlendInput {
        let coverage = self.compiled.coverage(input.layer);
        input.joint_weights.iter_mut().zip(coverage).for_each(|(weight, coverage)| *weight *= coverage);
        input
    }

    /// Returns the step of a blend with constant weights.
    fn blend_step(&self, inputs: Vec<BlendInput>) -> Step {
        let joint_count = self.input.skeleton.len();
        let kernel = |block: usize| {
            // Lanes past the last joint repeat its weights, so that the block can use a single kernel.
            let weight =
                |input: &BlendInput, lane: usize| input.joint_weights[(block * WIDTH + lane).min(joint_count - 1)];
            let input = |input: &BlendInput| KernelInput {
                layer: input.layer,
                weights: F32x8(std::array::from_fn(|lane| weight(input, lane))),
            };
            BlendKernel::select(inputs.iter().map(input).collect())
        };
        let constants = |layer: usize, block: usize| match self.compiled.source(layer) {
            Some(source) => self.bank.soa_clip(source.clip).constants(block),
            None => Constants::default(),
        };
        // The weights are constant, so the kernels are chosen once and not per frame.
        let kernels = BlendKernels::new((0..joint_count.div_ceil(WIDTH)).map(kernel), constants);
        Step::Blend { kernels, inputs }
    }

    /// Returns the joint weights of `mask`. Returns `Err` with the name `node` if the mask does not fit the rig or `weight`
    /// is not a valid weight.
    fn mask(&self, node: &str, weight: f32, mask: &MaskChoice) -> Result<Vec<f32>, BuildError> {
        self.check_weight(node, weight)?;
        let refused = |reason| BuildError::BadMask { node: node.into(), reason };
        let Mask { weights } = mask.resolve(self.input.skeleton, self.input.roles).map_err(refused)?;
        Ok(weights)
    }

    /// Returns `Err` if `weight` is negative or not finite.
    fn check_weight(&self, node: &str, weight: f32) -> Result<(), BuildError> {
        let what = || message!("setting.blend.weight", "weight");
        let refused = || BuildError::BadNumber { node: node.into(), what: what(), value: weight.into() };
        if weight.is_finite() && weight >= 0.0 { Ok(()) } else { Err(refused()) }
    }

    /// Returns the name of `node`, for error messages.
    fn name(&self, node: usize) -> String {
        self.tree.nodes[node].name.clone()
    }
}
