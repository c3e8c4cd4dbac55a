//! A scenario compiled: between two events, which clips are active and how each weight changes. Any time is looked up, none is
//! replayed.
//!
//! Each of the two sides of the standard tree is a blend stack (as Unreal has it): layers that fade in one over the other. A clip of
//! UpperBody has the joints that it has tracks for; the others stay with WholeBody. A clip of WholeBody has every joint: what it
//! has no track for is at rest while it plays alone, so that a transition leads to the rest pose by its weights and not at once.

use glam::Quat;

use super::Scratch;
use super::arc_track::ArcTrack;
use super::clip_bank::ClipBank;
use super::clock::PlaybackClock;
use super::inertialization::Inertialization;
use super::layer::PoseLayer;
use super::mix::mix;
use super::transitions::Ramp;
use crate::anim::{Pose, Skeleton};

/// The compiled scenario.
#[derive(Clone, Debug, Default)]
pub(super) struct CompiledTimeline {
    pub instances: Vec<ClipInstance>,
    /// Rising by their start.
    pub segments: Vec<TimelineSegment>,
    /// Per joint, how much of it belongs to the upper body, 0…1.
    pub upper_body: Vec<f32>,
}

/// A clip that an event started.
#[derive(Clone, Debug)]
pub(super) struct ClipInstance {
    pub clip: usize,
    pub looping: bool,
    pub side: TreeSide,
    pub clock: PlaybackClock,
    /// What decays in front of this clip; `None` plays the clip itself.
    pub inertialization: Option<Inertialization>,
}

/// Which side of the standard tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeSide {
    WholeBody,
    UpperBody,
}

/// One layer of a blend stack; covers the layers before it by its fade.
#[derive(Clone, Debug)]
pub(super) struct FadeLayer {
    /// Index of the clip instance; `None` is the rest pose.
    pub instance: Option<usize>,
    pub fade: Ramp,
    /// Which way round to this from what is below.
    pub arcs: ArcTrack,
}

impl FadeLayer {
    /// A layer whose arcs are not yet recorded.
    pub fn new(instance: Option<usize>, fade: Ramp) -> Self {
        Self { instance, fade, arcs: ArcTrack::default() }
    }
}

/// What holds from one event to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct TimelineSegment {
    /// When the first of the two events happens, seconds.
    pub start: f64,
    /// What WholeBody plays, oldest first.
    pub whole_body: Vec<FadeLayer>,
    /// What UpperBody plays, oldest first.
    pub upper_body: Vec<FadeLayer>,
    /// Weight of UpperBody on both parts of the body; `None` while it plays nothing.
    pub weight: Option<BodyParts<Ramp>>,
    /// Which way round from WholeBody to UpperBody.
    pub arcs: ArcTrack,
    pub casting: bool,
    pub running: bool,
}

/// One value for upper-body joints and one for lower-body joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BodyParts<T> {
    pub upper: T,
    pub lower: T,
}

impl<T> BodyParts<T> {
    /// Both values through `change`.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> BodyParts<U> {
        BodyParts { upper: change(self.upper), lower: change(self.lower) }
    }
}

impl BodyParts<f32> {
    pub const ZERO: Self = Self { upper: 0.0, lower: 0.0 };

    /// The value on a joint of which `upper_body` (0…1) belongs to the upper body.
    pub(super) fn on_joint(self, upper_body: f32) -> f32 {
        // Equal values must come out untouched, whatever the mask.
        if self.upper == self.lower { self.upper } else { upper_body * self.upper + (1.0 - upper_body) * self.lower }
    }
}

impl TimelineSegment {
    /// UpperBody's weight at `time`.
    pub(super) fn upper_body_weight(&self, time: f64) -> BodyParts<f32> {
        self.weight.map_or(BodyParts::ZERO, |ramps| ramps.map(|ramp| ramp.at(time)))
    }

    /// Every clip instance that may be active, the rest pose left out.
    pub fn instances(&self) -> impl Iterator<Item = usize> {
        self.whole_body.iter().chain(&self.upper_body).filter_map(|layer| layer.instance)
    }
}

/// The layers of a stack that are active at `time`: from the last one with full weight on.
pub(super) fn active(layers: &[FadeLayer], time: f64) -> &[FadeLayer] {
    // Below a layer of full weight nothing is seen.
    let first = layers.iter().rposition(|layer| layer.fade.at(time) >= 1.0).unwrap_or(0);
    &layers[first..]
}

impl CompiledTimeline {
    /// Layers of [`Scratch`] that sampling needs: WholeBody, UpperBody, and one clip.
    pub(super) const SCRATCH_LAYERS: usize = 3;

    /// The segment that holds `time`; `None` before the first event.
    pub(super) fn segment_at(&self, time: f64) -> Option<&TimelineSegment> {
        let next = self.segments.partition_point(|segment| segment.start <= time);
        next.checked_sub(1).map(|i| &self.segments[i])
    }

    /// The pose at `time` (seconds).
    pub fn sample(&self, bank: &ClipBank, time: f64, scratch: &mut Scratch, out: &mut Pose) {
        scratch.reserve(Self::SCRATCH_LAYERS, bank);
        match self.compute(bank, time, &mut scratch.layers) {
            Some(whole) => bank.unpack(whole, out),
            None => out.set_rest(&bank.skeleton),
        }
    }

    /// The pose at `time` (seconds), in one of `layers`, of which it needs [`Self::SCRATCH_LAYERS`]; `None` before the first event.
    pub(super) fn compute<'l>(&self, bank: &ClipBank, time: f64, layers: &'l mut [PoseLayer]) -> Option<&'l PoseLayer> {
        let ([whole, upper, single, ..], Some(segment)) = (layers, self.segment_at(time)) else { return None };
        self.sample_stack(bank, &segment.whole_body, time, whole, single);
        let weight = segment.upper_body_weight(time);
        if !segment.upper_body.is_empty() && weight != BodyParts::ZERO {
            self.sample_stack(bank, &segment.upper_body, time, upper, single);
            let weight = |joint: usize| weight.on_joint(self.upper_body[joint]) * upper.coverage[joint];
            lay_over(&bank.skeleton, whole, upper, segment.arcs.at(time), |joint| LayWeights {
                below: 1.0 - weight(joint),
                above: weight(joint),
            });
        }
        Some(whole)
    }

    /// Writes what `instance` shows at `time` (seconds); `None` is the rest pose.
    pub(super) fn sample_instance(&self, bank: &ClipBank, instance: Option<usize>, time: f64, out: &mut PoseLayer) {
        let Some(instance) = instance.map(|instance| &self.instances[instance]) else {
            return bank.write_rest(out);
        };
        match &instance.inertialization {
            // The clip that follows plays already; what was interrupted is laid over it as offsets.
            Some(inertialization) => {
                self.sample_instance(bank, Some(inertialization.target), time, out);
                inertialization.apply(time, out);
            }
            None => {
                let clip_time = instance.clock.at(time);
                bank.sample_clip(instance.clip, clip_time, instance.looping, out);
                if let Some(seam) = bank.seam(instance.clip).filter(|_| instance.looping) {
                    seam.apply(clip_time, bank.clips[instance.clip].duration, out);
                }
                match instance.side {
                    TreeSide::WholeBody => out.coverage.fill(1.0),
                    TreeSide::UpperBody => out.coverage.copy_from_slice(&bank.coverage[instance.clip]),
                }
            }
        }
    }

    /// Writes what a blend stack shows at `time` (seconds); `single` is working memory.
    pub(super) fn sample_stack(
        &self,
        bank: &ClipBank,
        layers: &[FadeLayer],
        time: f64,
        out: &mut PoseLayer,
        single: &mut PoseLayer,
    ) {
        let Some((bottom, others)) = active(layers, time).split_first() else {
            return bank.write_rest(out);
        };
        self.sample_instance(bank, bottom.instance, time, out);
        for layer in others {
            let weight = layer.fade.at(time);
            if weight > 0.0 {
                self.sample_instance(bank, layer.instance, time, single);
                let single = &*single;
                lay_over(&bank.skeleton, out, single, layer.arcs.at(time), |joint| LayWeights {
                    below: 1.0 - weight,
                    above: weight * single.coverage[joint],
                });
            }
        }
    }
}

/// Weights on one joint of what is below (to be multiplied by its coverage) and of what comes over it.
struct LayWeights {
    below: f32,
    above: f32,
}

/// Mixes `over` into `out`, joint by joint on the side of `arcs`.
fn lay_over(
    skeleton: &Skeleton,
    out: &mut PoseLayer,
    over: &PoseLayer,
    arcs: &[Quat],
    weights: impl Fn(usize) -> LayWeights,
) {
    for (joint, row) in skeleton.joints.iter().enumerate() {
        let LayWeights { below, above } = weights(joint);
        let below = below * out.coverage[joint];
        if above > 0.0 {
            // Relative to what is there: where the lower side lacks a joint the upper one has it alone.
            let fraction = if below > 0.0 { above / (below + above) } else { 1.0 };
            let arc = arcs.get(joint).copied();
            out.set(joint, mix(&out.get(joint), &over.get(joint), fraction, arc));
            for i in row.first_morph..row.first_morph + row.morph_count {
                let (from, to) = (out.morphs[i], over.morphs[i]);
                out.morphs[i] = if fraction < 1.0 { from + (to - from) * fraction } else { to };
            }
        }
        out.coverage[joint] = below + above;
    }
}
