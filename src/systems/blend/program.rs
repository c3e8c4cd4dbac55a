//! A tree made flat: nodes in the order they are computed, masks resolved, mistakes refused by the node's name.

use glam::Quat;

use super::block::WIDTH;
use super::mix::{cover, disagreement, mix};
use super::recipe::{Recipe, Recipes, Voice};
use super::rig::{Layer, Rig};
use super::travel::Owner;
use super::tree::{Additive, Link, NodeKind, Reference, Source, Tree};
use super::{BuildError, Input, Scratch};
use crate::anim::{Mask, MaskChoice, Pose, Skeleton};
use crate::math::Transform;

/// A compiled tree. Step i writes layer i; steps read only layers before their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    steps: Vec<Step>,
    /// Per step, the node of the tree it came from.
    nodes: Vec<usize>,
    /// Per step and joint, how much is spoken for, 0…1.
    covers: Vec<Vec<f32>>,
}

/// A source that carries the character.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rider {
    pub clip: usize,
    pub looping: bool,
    speed: f64,
    offset: f64,
}

impl Rider {
    /// Unlooped clip seconds at `time` (seconds).
    pub fn clip_time(&self, time: f64) -> f64 {
        self.offset + self.speed * time
    }
}

#[derive(Clone, Debug)]
enum Step {
    Source { clip: usize, speed: f64, looping: bool, offset: f64 },
    Blend { parts: Vec<Part>, recipes: Recipes },
    Additive { base: usize, delta: usize, reference: Vec<Transform>, weights: Vec<f32> },
}

/// A child of a blend: its layer, W, and W·BW per joint, 0 where it has no track.
#[derive(Clone, Debug)]
struct Part {
    layer: usize,
    /// Place among all connections of the node, heard or not.
    slot: usize,
    weight: f32,
    weights: Vec<f32>,
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Never,
    Open,
    Done(usize),
}

/// Checks and flattens `tree`, taking the clips it plays into `rig`.
pub(super) fn compile(tree: &Tree, input: &Input, rig: &mut Rig) -> Result<Program, BuildError> {
    let mut compiler =
        Compiler { tree, input, rig, visits: vec![Visit::Never; tree.nodes.len()], program: Program::default() };
    compiler.visit(tree.root, None)?;
    Ok(compiler.program)
}

struct Compiler<'a, 'b> {
    tree: &'a Tree,
    input: &'a Input<'b>,
    rig: &'a mut Rig,
    visits: Vec<Visit>,
    program: Program,
}

impl Compiler<'_, '_> {
    fn visit(&mut self, node: usize, from: Option<usize>) -> Result<usize, BuildError> {
        let tree = self.tree;
        let asking = from.map_or("Root", |from| &tree.nodes[from].name);
        match self.visits.get(node) {
            None => return Err(BuildError::NoSuchNode { node: asking.into(), child: node }),
            Some(Visit::Open) => return Err(BuildError::Cycle { node: self.name(node) }),
            Some(&Visit::Done(layer)) => return Ok(layer),
            Some(Visit::Never) => self.visits[node] = Visit::Open,
        }
        if self.visits.iter().filter(|&&visit| visit == Visit::Open).count() > Tree::DEEPEST {
            return Err(BuildError::TooDeep { node: self.name(node), most: Tree::DEEPEST });
        }
        let step = match &tree.nodes[node].kind {
            NodeKind::Source(source) => self.source(node, source)?,
            NodeKind::Blend(links) => self.blend(node, links)?,
            NodeKind::Additive(additive) => self.additive(node, additive)?,
        };
        self.program.covers.push(self.program.cover_of(self.rig, &step));
        self.program.steps.push(step);
        self.program.nodes.push(node);
        let layer = self.program.steps.len() - 1;
        self.visits[node] = Visit::Done(layer);
        Ok(layer)
    }

    fn source(&mut self, node: usize, source: &Source) -> Result<Step, BuildError> {
        for (what, value) in [("speed", source.speed), ("start offset", source.offset)] {
            if !value.is_finite() {
                return Err(BuildError::BadNumber { node: self.name(node), what, value });
            }
        }
        let found = self.rig.take_in(&source.clip, self.input.clips);
        let clip = found.ok_or_else(|| BuildError::NoSuchClip { node: self.name(node), clip: source.clip.clone() })?;
        Ok(Step::Source { clip, speed: source.speed, looping: source.looping, offset: source.offset })
    }

    fn blend(&mut self, node: usize, links: &[Link]) -> Result<Step, BuildError> {
        let mut parts = Vec::new();
        for link in Tree::heard(links) {
            let slot = links.iter().position(|each| std::ptr::eq(each, link)).unwrap_or_default();
            let child = self.tree.nodes.get(link.child).map_or("?", |child| &child.name).to_owned();
            let weights = self.weights(&child, link.weight, &link.mask)?;
            let layer = self.visit(link.child, Some(node))?;
            parts.push(self.part(layer, slot, link.weight, weights));
        }
        Ok(self.blend_of(parts))
    }

    fn additive(&mut self, node: usize, additive: &Additive) -> Result<Step, BuildError> {
        let base = self.visit(additive.base, Some(node))?;
        if additive.muted {
            let only = self.part(base, 0, 1.0, vec![1.0; self.input.skeleton.len()]);
            return Ok(self.blend_of(vec![only]));
        }
        let weights = self.weights(&self.name(node), additive.weight, &additive.mask)?;
        let delta = self.visit(additive.delta, Some(node))?;
        let reference = match additive.reference {
            Reference::Rest => self.input.skeleton.joints.iter().map(|joint| joint.rest).collect(),
            Reference::FirstFrame => {
                let mut scratch = Scratch::default();
                self.program.run(self.rig, 0.0, &mut scratch);
                (0..self.input.skeleton.len()).map(|joint| scratch.layers[delta].get(joint)).collect()
            }
        };
        Ok(Step::Additive { base, delta, reference, weights })
    }

    /// A child that is heard where its layer has something to say.
    fn part(&self, layer: usize, slot: usize, weight: f32, mut weights: Vec<f32>) -> Part {
        weights.iter_mut().zip(&self.program.covers[layer]).for_each(|(weight, cover)| *weight *= cover);
        Part { layer, slot, weight, weights }
    }

    fn blend_of(&self, parts: Vec<Part>) -> Step {
        let joints = self.input.skeleton.len();
        let recipe = |b: usize| {
            // Lanes beyond the last joint go with it, so that the block stays of one kind.
            let lane = |part: &Part, lane: usize| part.weights[(b * WIDTH + lane).min(joints - 1)];
            let voice =
                |part: &Part| Voice { layer: part.layer, weights: std::array::from_fn(|each| lane(part, each)) };
            Recipe::of(parts.iter().map(voice).collect())
        };
        let still = |layer: usize, b: usize| match &self.program.steps[layer] {
            Step::Source { clip, .. } => self.rig.reels[*clip].still(b),
            _ => [None; 2],
        };
        Step::Blend { recipes: Recipes::of((0..joints.div_ceil(WIDTH)).map(recipe), still), parts }
    }

    /// W·BW per joint.
    fn weights(&self, node: &str, weight: f32, mask: &MaskChoice) -> Result<Vec<f32>, BuildError> {
        if !weight.is_finite() || weight < 0.0 {
            return Err(BuildError::BadNumber { node: node.into(), what: "weight", value: weight.into() });
        }
        let refused = |reason| BuildError::BadMask { node: node.into(), reason };
        let Mask { weights } = mask.resolve(self.input.skeleton, self.input.roles).map_err(refused)?;
        Ok(weights.iter().map(|each| each * weight).collect())
    }

    fn name(&self, node: usize) -> String {
        self.tree.nodes[node].name.clone()
    }
}

impl Program {
    /// How much of each joint `step` speaks for, 0…1.
    fn cover_of(&self, rig: &Rig, step: &Step) -> Vec<f32> {
        match step {
            Step::Source { clip, .. } => rig.has[*clip].clone(),
            Step::Additive { base, .. } => self.covers[*base].clone(),
            Step::Blend { parts, .. } => {
                let whole: f32 = parts.iter().map(|part| part.weight).sum();
                let sum = |joint: usize| parts.iter().map(|part| part.weights[joint]).sum();
                (0..rig.skeleton.len()).map(|joint| cover(sum(joint), whole)).collect()
            }
        }
    }

    /// The pose at `time` (seconds).
    pub fn sample(&self, rig: &Rig, time: f64, scratch: &mut Scratch, out: &mut Pose) {
        self.run(rig, time, scratch);
        match scratch.layers.get(self.steps.len().wrapping_sub(1)) {
            Some(layer) => rig.finish(layer, &self.covers[self.steps.len() - 1], out),
            None => out.set_rest(&rig.skeleton),
        }
    }

    fn run(&self, rig: &Rig, time: f64, scratch: &mut Scratch) {
        scratch.reserve(self.steps.len(), rig);
        for (i, step) in self.steps.iter().enumerate() {
            let (done, rest) = scratch.layers.split_at_mut(i);
            let out = &mut rest[0];
            match step {
                Step::Source { clip, speed, looping, offset } => rig.play(*clip, offset + speed * time, *looping, out),
                Step::Blend { parts, recipes } => {
                    recipes.make(done, &rig.rest, &mut out.blocks);
                    blend_morphs(&rig.skeleton, parts, done, &mut out.morphs);
                }
                Step::Additive { base, delta, reference, weights } => {
                    let below = (&done[*base], &done[*delta], &self.covers[*delta][..]);
                    add(&rig.skeleton, below, reference, weights, out);
                }
            }
        }
    }

    /// Each node's effective share of `joint`, 0…1 (the rest pose has what is missing to 1), by node index.
    pub fn shares(&self, joint: usize, node_count: usize) -> Vec<f32> {
        let mut shares = vec![0.0; node_count];
        let by_step = self.flow(joint, true, |_, _, _| {});
        self.nodes.iter().zip(by_step).for_each(|(&node, share)| shares[node] = share);
        shares
    }

    /// The sources whose root motion `joint` follows, with their shares. What additive nodes add is the UpperBody of a drawn
    /// tree, what they are added to its WholeBody.
    pub fn riders(&self, joint: usize, owner: Owner) -> Vec<(Rider, f32)> {
        let mut shares = self.flow(joint, owner != Owner::WholeBody, |_, _, _| {});
        if owner == Owner::UpperBody {
            let below = self.flow(joint, false, |_, _, _| {});
            shares.iter_mut().zip(below).for_each(|(share, below)| *share -= below);
        }
        let rider = |(step, share): (&Step, f32)| match *step {
            Step::Source { clip, speed, looping, offset } => Some((Rider { clip, speed, looping, offset }, share)),
            _ => None,
        };
        self.steps.iter().zip(shares).filter(|each| each.1 > 0.0).filter_map(rider).collect()
    }

    /// Walks from the root to the sources: tells what every connection brings to `joint` (node, slot, share) and answers every
    /// step's share; without what additive nodes add unless `added`.
    pub fn flow(&self, joint: usize, added: bool, mut wire: impl FnMut(usize, usize, f32)) -> Vec<f32> {
        let mut by_step = vec![0.0; self.steps.len()];
        if let Some(last) = self.steps.len().checked_sub(1) {
            by_step[last] = self.covers[last][joint];
        }
        for (i, step) in self.steps.iter().enumerate().rev() {
            let share = by_step[i];
            let mut bring = |layer: usize, slot: usize, brought: f32| {
                by_step[layer] += brought;
                wire(self.nodes[i], slot, brought);
            };
            match step {
                Step::Source { .. } => {}
                Step::Blend { parts, .. } => {
                    let sum: f32 = parts.iter().map(|part| part.weights[joint]).sum();
                    let heard = parts.iter().filter(|_| sum > 0.0);
                    heard.for_each(|each| bring(each.layer, each.slot, share * each.weights[joint] / sum));
                }
                Step::Additive { base, delta, weights, .. } => {
                    bring(*base, 0, share);
                    if added {
                        bring(*delta, 1, share * weights[joint]);
                    }
                }
            }
        }
        by_step
    }

    /// Joints of a blend of three or more where the two rules for rotations differ by more than `limit` radians at `time`:
    /// (node, joint, angle).
    pub fn disagreements(&self, rig: &Rig, time: f64, limit: f64) -> Vec<(usize, usize, f64)> {
        let mut scratch = Scratch::default();
        self.run(rig, time, &mut scratch);
        let mut found = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            let Step::Blend { parts, .. } = step else { continue };
            for (joint, place) in rig.skeleton.joints.iter().enumerate() {
                let turn = |part: &Part| (scratch.layers[part.layer].get(joint).rotation, part.weights[joint]);
                let turns: Vec<(Quat, f32)> = parts.iter().map(turn).filter(|turn| turn.1 > 0.0).collect();
                let angle = if turns.len() >= 3 { disagreement(&turns, place.rest.rotation) } else { 0.0 };
                if angle > limit {
                    found.push((self.nodes[i], joint, angle));
                }
            }
        }
        found
    }
}

/// Σ W·BW·M / Σ W·BW over the parts that have the joint, for morph weights.
fn blend_morphs(skeleton: &Skeleton, parts: &[Part], done: &[Layer], out: &mut [f32]) {
    if out.is_empty() {
        return;
    }
    for (joint, place) in skeleton.joints.iter().enumerate().filter(|(_, place)| place.morph_count > 0) {
        let sum: f32 = parts.iter().map(|part| part.weights[joint]).sum();
        for (i, out) in out.iter_mut().enumerate().skip(place.first_morph).take(place.morph_count) {
            let weighted = |part: &Part| (done[part.layer].morphs[i], part.weights[joint]);
            let mut present = parts.iter().map(weighted).filter(|part| part.1 > 0.0);
            *out = match (present.next(), present.next()) {
                (None, _) => skeleton.rest_morphs[i],
                (Some(only), None) => only.0,
                _ => parts.iter().map(weighted).map(|part| part.0 * (part.1 / sum)).sum(),
            };
        }
    }
}

/// The base with the weighted difference of `delta`, where it speaks for a joint, from `reference` after it.
fn add(
    skeleton: &Skeleton,
    (base, delta, cover): (&Layer, &Layer, &[f32]),
    reference: &[Transform],
    weights: &[f32],
    out: &mut Layer,
) {
    out.morphs.copy_from_slice(&base.morphs);
    for (joint, place) in skeleton.joints.iter().enumerate() {
        let weight = weights[joint] * cover[joint];
        let (below, above, from) = (base.get(joint), delta.get(joint), reference[joint]);
        out.set(joint, if weight > 0.0 { added(below, above, from, weight) } else { below });
        for i in place.first_morph..place.first_morph + place.morph_count {
            out.morphs[i] += weight * (delta.morphs[i] - skeleton.rest_morphs[i]);
        }
    }
}

fn added(base: Transform, delta: Transform, reference: Transform, weight: f32) -> Transform {
    let turn = Transform { rotation: reference.rotation.conjugate() * delta.rotation, ..Transform::IDENTITY };
    let turn = if weight < 1.0 {
        mix(&Transform::IDENTITY, &turn, weight, None).rotation
    } else {
        scaled(turn.rotation, weight)
    };
    let grown = |from: f32, to: f32| if from.abs() > f32::EPSILON { 1.0 + weight * (to / from - 1.0) } else { 1.0 };
    Transform {
        translation: base.translation + weight * (delta.translation - reference.translation),
        rotation: (base.rotation * turn).normalize(),
        scale: glam::Vec3::new(
            base.scale.x * grown(reference.scale.x, delta.scale.x),
            base.scale.y * grown(reference.scale.y, delta.scale.y),
            base.scale.z * grown(reference.scale.z, delta.scale.z),
        ),
    }
}

/// A turn made `factor` ≥ 1 times.
fn scaled(turn: Quat, factor: f32) -> Quat {
    if factor == 1.0 {
        return turn;
    }
    let turn = if turn.w < 0.0 { -turn } else { turn };
    Quat::from_scaled_axis(turn.to_scaled_axis() * factor)
}
