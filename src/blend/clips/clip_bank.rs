//! The skeleton, the clips of a blend and the buffers for sampling.

use super::layer::PoseLayer;
use super::mix::mix;
use super::seam::OpenSeam;
use super::soa_clip::SoaClip;
use super::soa_transform::SoaTransform;
use crate::fades::clock::local_time;
use portamento_anim::math::Transform;
use portamento_anim::math::lanes::{LaneKernel, Vectors, dispatch_lanes};
use portamento_anim::{Clip, Pose, Skeleton};

/// The skeleton and copies of the clips that a blend plays.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClipBank {
    pub skeleton: Skeleton,
    /// The rest pose as local transforms, eight joints per block.
    pub rest: Vec<SoaTransform>,
    pub clips: Vec<Clip>,
    /// The clips in the layout for sampling.
    soa_clips: Vec<SoaClip>,
    /// Per clip, its seam if it does not close.
    seams: Vec<Option<OpenSeam>>,
    /// Per clip and joint, 1 if the clip has a track for the joint, otherwise 0.
    pub coverage: Vec<Vec<f32>>,
}

/// Scratch memory for sampling. Reuse one instance, so that sampling does not allocate.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) layers: Vec<PoseLayer>,
}

impl Scratch {
    /// Ensures at least `count` layers for the skeleton of `bank`. Does nothing if they already exist. Otherwise all layers
    /// are replaced by the rest pose.
    pub(crate) fn reserve(&mut self, count: usize, bank: &ClipBank) {
        let (joints, morphs) = (bank.skeleton.len(), bank.skeleton.rest_morphs.len());
        let fits = |layer: &PoseLayer| layer.coverage.len() == joints && layer.morphs.len() == morphs;
        if self.layers.len() < count || !self.layers.iter().all(fits) {
            self.layers = vec![bank.rest_layer(); count];
        }
    }
}

impl ClipBank {
    /// Returns a bank without clips.
    pub fn new(skeleton: &Skeleton) -> Self {
        let rest = SoaTransform::pack(skeleton.joints.iter().map(|joint| joint.rest));
        Self { skeleton: skeleton.clone(), rest, ..Self::default() }
    }

    /// Returns the index of the clip called `name`, copying it from `clips` on first use; `None` if `clips` does not contain it.
    /// The clips must have passed [`crate::check_clip`].
    pub(crate) fn intern(&mut self, name: &str, clips: &[&Clip]) -> Option<usize> {
        if let Some(known) = self.clips.iter().position(|clip| clip.name == name) {
            return Some(known);
        }
        let clip = clips.iter().find(|clip| clip.name == name)?;
        self.clips.push((*clip).clone());
        self.soa_clips.push(SoaClip::new(clip, &self.skeleton));
        self.seams.push(OpenSeam::find(clip, &self.skeleton));
        self.coverage.push(clip.tracks.iter().map(|tracks| if tracks.is_empty() { 0.0 } else { 1.0 }).collect());
        Some(self.clips.len() - 1)
    }

    /// Returns clip `clip` in the layout for sampling.
    pub(crate) fn soa_clip(&self, clip: usize) -> &SoaClip {
        &self.soa_clips[clip]
    }

    /// Writes the local pose of clip `clip` at unlooped clip time `time` (seconds). Without `looping` the time is clamped to
    /// the clip. Channels without a curve get the rest pose. The coverage of `out` is not changed.
    pub(crate) fn sample_clip(&self, clip: usize, time: f64, looping: bool, out: &mut PoseLayer) {
        let source = &self.clips[clip];
        let time = local_time(time, source.duration, looping);
        self.soa_clips[clip].sample(source, time, &mut out.blocks);
        out.morphs.copy_from_slice(&self.skeleton.rest_morphs);
        source.sample_morphs(&self.skeleton, time, &mut out.morphs);
    }

    /// Returns the seam of clip `clip`, or `None` if the clip closes.
    pub fn seam(&self, clip: usize) -> Option<&OpenSeam> {
        self.seams[clip].as_ref()
    }

    /// Returns a layer with the rest pose and coverage 0.
    pub(crate) fn rest_layer(&self) -> PoseLayer {
        let (blocks, morphs) = (self.rest.clone(), self.skeleton.rest_morphs.clone());
        PoseLayer { blocks, morphs, coverage: vec![0.0; self.skeleton.len()] }
    }

    /// Writes the rest pose with full coverage.
    pub(crate) fn write_rest(&self, out: &mut PoseLayer) {
        out.blocks.copy_from_slice(&self.rest);
        out.morphs.copy_from_slice(&self.skeleton.rest_morphs);
        out.coverage.fill(1.0);
    }

    /// Unpacks `layer` to a pose. The coverage is ignored.
    pub fn unpack(&self, layer: &PoseLayer, out: &mut Pose) {
        out.locals.resize(self.skeleton.len(), Transform::IDENTITY);
        dispatch_lanes(Unpack { blocks: &layer.blocks, locals: &mut out.locals });
        out.morphs.clone_from(&layer.morphs);
    }

    /// Unpacks `layer` to a pose and blends each joint and its morphs from the rest pose by `coverage`, 0…1 per joint.
    pub(crate) fn unpack_over_rest(&self, layer: &PoseLayer, coverage: &[f32], out: &mut Pose) {
        self.unpack(layer, out);
        // No early exit, so that the compiler can vectorise the check. Usually all joints are fully covered.
        if coverage.iter().fold(true, |all, &covered| all & (covered >= 1.0)) {
            return;
        }
        for (joint, row) in self.skeleton.joints.iter().enumerate() {
            let covered = coverage[joint];
            if covered < 1.0 {
                out.locals[joint] = mix(&row.rest, &out.locals[joint], covered, None);
                for i in row.first_morph..row.first_morph + row.morph_count {
                    let rest = self.skeleton.rest_morphs[i];
                    out.morphs[i] = rest + (out.morphs[i] - rest) * covered;
                }
            }
        }
    }
}

struct Unpack<'a> {
    blocks: &'a [SoaTransform],
    locals: &'a mut [Transform],
}

impl LaneKernel for Unpack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, _: V) {
        let (full_blocks, remainder) = self.locals.as_chunks_mut();
        full_blocks.iter_mut().zip(self.blocks).for_each(|(out, block)| *out = block.unpack());
        if let Some(last) = self.blocks.last() {
            let count = remainder.len();
            remainder.copy_from_slice(&last.unpack()[..count]);
        }
    }
}
