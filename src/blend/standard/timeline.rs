//! A compiled scenario. Between two events the active clips and the ramps of their weights are fixed, so that any time can be
//! sampled directly.
//!
//! Each of the two sides of the standard tree is a blend stack (as in Unreal): layers that fade in one over the other. A clip in
//! UpperBody covers the joints that it has tracks for; the others stay with WholeBody. A clip in WholeBody covers every joint:
//! joints without a track are at rest while it plays. A transition to such a joint therefore follows the weights instead of
//! jumping.

use glam::Quat;

use crate::Scratch;
use crate::clips::clip_bank::ClipBank;
use crate::clips::layer::PoseLayer;
use crate::clips::mix::mix;
use crate::fades::arc_track::ArcTrack;
use crate::fades::clock::PlaybackClock;
use crate::fades::inertialization::Inertialization;
use crate::fades::transitions::Ramp;
use portamento_anim::{Pose, Skeleton};

/// The compiled scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompiledTimeline {
    pub instances: Vec<ClipInstance>,
    /// Segments, rising by start.
    pub segments: Vec<TimelineSegment>,
    /// Upper-body share per joint, 0…1.
    pub upper_body: Vec<f32>,
}

/// A clip started by an event.
#[derive(Clone, Debug)]
pub(crate) struct ClipInstance {
    /// Index of the clip in the bank.
    pub clip: usize,
    pub looping: bool,
    pub side: TreeSide,
    pub clock: PlaybackClock,
    /// Inertialisation over this clip; `None` for the clip itself.
    pub inertialization: Option<Inertialization>,
}

/// One side of the standard tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeSide {
    WholeBody,
    UpperBody,
}

/// One layer of a blend stack. It covers the layers under it by its fade weight.
#[derive(Clone, Debug)]
pub(crate) struct FadeLayer {
    /// Index of the clip instance; `None` for the rest pose.
    pub instance: Option<usize>,
    pub fade: Ramp,
    /// Rotation arcs from the layers underneath to this layer.
    pub arcs: ArcTrack,
}

impl FadeLayer {
    /// Returns a layer without recorded arcs.
    pub fn new(instance: Option<usize>, fade: Ramp) -> Self {
        Self { instance, fade, arcs: ArcTrack::default() }
    }
}

/// The state of the standard tree from one event to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimelineSegment {
    /// Time of the event that starts the segment, seconds.
    pub start: f64,
    /// Index of that event in the scenario, or of the cast that ends with its clip.
    pub event: usize,
    /// Layers of WholeBody, oldest first.
    pub whole_body: Vec<FadeLayer>,
    /// Layers of UpperBody, oldest first.
    pub upper_body: Vec<FadeLayer>,
    /// Weight of UpperBody on both parts of the body; `None` before the first event.
    pub weight: Option<BodyParts<Ramp>>,
    /// Rotation arcs from WholeBody to UpperBody.
    pub arcs: ArcTrack,
    /// True while a skill is cast.
    pub casting: bool,
    /// True if the last body event was a run event.
    pub running: bool,
}

/// A value for upper-body joints and a value for lower-body joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BodyParts<T> {
    pub upper: T,
    pub lower: T,
}

impl<T> BodyParts<T> {
    /// Applies `change` to both values.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> BodyParts<U> {
        BodyParts { upper: change(self.upper), lower: change(self.lower) }
    }
}

impl BodyParts<f32> {
    pub const ZERO: Self = Self { upper: 0.0, lower: 0.0 };

    /// Returns the value for a joint whose upper-body share is `upper_body` (0…1).
    pub(crate) fn on_joint(self, upper_body: f32) -> f32 {
        // Equal values are returned exactly, independent of the mask.
        if self.upper == self.lower { self.upper } else { upper_body * self.upper + (1.0 - upper_body) * self.lower }
    }
}

impl TimelineSegment {
    /// Returns the weight of UpperBody at `time` (seconds); 0 before the first event.
    pub(crate) fn upper_body_weight(&self, time: f64) -> BodyParts<f32> {
        self.weight.map_or(BodyParts::ZERO, |ramps| ramps.map(|ramp| ramp.at(time)))
    }

    /// Returns every clip instance in the segment, without the rest pose.
    pub fn instances(&self) -> impl Iterator<Item = usize> {
        self.whole_body.iter().chain(&self.upper_body).filter_map(|layer| layer.instance)
    }
}

/// Returns the active layers of a stack at `time` (seconds): the topmost layer with full weight and those over it, or all
/// layers if none has full weight.
pub(crate) fn active_layers(layers: &[FadeLayer], time: f64) -> &[FadeLayer] {
    // A layer of full weight hides all layers under it.
    let first = layers.iter().rposition(|layer| layer.fade.at(time) >= 1.0).unwrap_or(0);
    &layers[first..]
}

impl CompiledTimeline {
    /// Number of [`Scratch`] layers used for sampling: WholeBody, UpperBody and one clip.
    pub(crate) const SCRATCH_LAYERS: usize = 3;

    /// Returns the segment at `time` (seconds); `None` before the first event.
    pub(crate) fn segment_at(&self, time: f64) -> Option<&TimelineSegment> {
        let next = self.segments.partition_point(|segment| segment.start <= time);
        next.checked_sub(1).map(|i| &self.segments[i])
    }

    /// Writes the local pose at `time` (seconds) to `out`; the rest pose before the first event.
    pub fn sample(&self, bank: &ClipBank, time: f64, scratch: &mut Scratch, out: &mut Pose) {
        scratch.reserve(Self::SCRATCH_LAYERS, bank);
        match self.compute(bank, time, &mut scratch.layers) {
            Some(layer) => bank.unpack(layer, out),
            None => out.set_rest(&bank.skeleton),
        }
    }

    /// Computes the pose at `time` (seconds) in one of `layers` and returns it; `None` before the first event. Needs
    /// [`Self::SCRATCH_LAYERS`] layers.
    pub(crate) fn compute<'l>(&self, bank: &ClipBank, time: f64, layers: &'l mut [PoseLayer]) -> Option<&'l PoseLayer> {
        let ([whole_body, upper_body, single, ..], Some(segment)) = (layers, self.segment_at(time)) else {
            return None;
        };
        self.sample_stack(bank, &segment.whole_body, time, whole_body, single);
        let weight = segment.upper_body_weight(time);
        if !segment.upper_body.is_empty() && weight != BodyParts::ZERO {
            self.sample_stack(bank, &segment.upper_body, time, upper_body, single);
            let weight = |joint: usize| weight.on_joint(self.upper_body[joint]) * upper_body.coverage[joint];
            blend_over(&bank.skeleton, whole_body, upper_body, segment.arcs.at(time), |joint| LayerWeights {
                lower: 1.0 - weight(joint),
                upper: weight(joint),
            });
        }
        Some(whole_body)
    }

    /// Writes the local pose and the coverage of `instance` at `time` (seconds); `None` is the rest pose.
    pub(crate) fn sample_instance(&self, bank: &ClipBank, instance: Option<usize>, time: f64, out: &mut PoseLayer) {
        let Some(instance) = instance.map(|instance| &self.instances[instance]) else {
            return bank.write_rest(out);
        };
        match &instance.inertialization {
            // The next clip already plays; the interrupted pose is added to it as offsets.
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

    /// Writes the local pose and the coverage of a blend stack at `time` (seconds). `single` is scratch memory.
    pub(crate) fn sample_stack(
        &self,
        bank: &ClipBank,
        layers: &[FadeLayer],
        time: f64,
        out: &mut PoseLayer,
        single: &mut PoseLayer,
    ) {
        let Some((bottom, others)) = active_layers(layers, time).split_first() else {
            return bank.write_rest(out);
        };
        self.sample_instance(bank, bottom.instance, time, out);
        for layer in others {
            let weight = layer.fade.at(time);
            if weight > 0.0 {
                self.sample_instance(bank, layer.instance, time, single);
                let single = &*single;
                blend_over(&bank.skeleton, out, single, layer.arcs.at(time), |joint| LayerWeights {
                    lower: 1.0 - weight,
                    upper: weight * single.coverage[joint],
                });
            }
        }
    }
}

/// Weights of one joint: of the layers underneath (to be multiplied by their coverage) and of the layer over them.
struct LayerWeights {
    lower: f32,
    upper: f32,
}

/// Blends `over` into `out`, joint by joint, along the side of `arcs`. `arcs` has a relative rotation per joint or is empty.
/// Also sets the coverage of `out`.
fn blend_over(
    skeleton: &Skeleton,
    out: &mut PoseLayer,
    over: &PoseLayer,
    arcs: &[Quat],
    weights: impl Fn(usize) -> LayerWeights,
) {
    for (joint, row) in skeleton.joints.iter().enumerate() {
        let LayerWeights { lower, upper } = weights(joint);
        let lower = lower * out.coverage[joint];
        if upper > 0.0 {
            // Relative to the coverage underneath: a joint that is not covered there belongs to the upper layer alone.
            let fraction = if lower > 0.0 { upper / (lower + upper) } else { 1.0 };
            let arc = arcs.get(joint).copied();
            out.set(joint, mix(&out.get(joint), &over.get(joint), fraction, arc));
            for i in row.first_morph..row.first_morph + row.morph_count {
                let (from, to) = (out.morphs[i], over.morphs[i]);
                out.morphs[i] = if fraction < 1.0 { from + (to - from) * fraction } else { to };
            }
        }
        out.coverage[joint] = lower + upper;
    }
}
