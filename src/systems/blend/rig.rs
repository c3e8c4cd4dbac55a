//! The skeleton and the clips that play on it, and the buffers a pose is made in.

use super::block::{Block, WIDTH};
use super::mix::mix;
use super::reel::Reel;
use super::transitions::within;
use crate::anim::{Clip, Pose, Skeleton};
use crate::math::Transform;

/// What a blend plays with; clips are copies of the untouched sources.
#[derive(Clone, Debug, Default)]
pub(super) struct Rig {
    pub skeleton: Skeleton,
    /// The rest pose.
    pub rest: Vec<Block>,
    pub clips: Vec<Clip>,
    /// The clips, laid out for playing.
    pub reels: Vec<Reel>,
    /// Per clip and joint: 1 where the clip has a track, else 0.
    pub has: Vec<Vec<f32>>,
}

/// One pose in the making and how much of each joint is spoken for, 0…1.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    pub blocks: Vec<Block>,
    pub morphs: Vec<f32>,
    pub cover: Vec<f32>,
}

impl Layer {
    /// The rest pose of `rig` that counts for nothing.
    pub fn of(rig: &Rig) -> Self {
        let (blocks, morphs) = (rig.rest.clone(), rig.skeleton.rest_morphs.clone());
        Self { blocks, morphs, cover: vec![0.0; rig.skeleton.len()] }
    }

    pub fn get(&self, joint: usize) -> Transform {
        self.blocks[joint / WIDTH].get(joint % WIDTH)
    }

    pub fn set(&mut self, joint: usize, local: Transform) {
        self.blocks[joint / WIDTH].set(joint % WIDTH, local);
    }
}

/// Working memory for sampling; keep one and reuse it, so that sampling allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) layers: Vec<Layer>,
}

impl Scratch {
    /// Makes room for `count` layers of `rig`; costs nothing when there is enough.
    pub(super) fn reserve(&mut self, count: usize, rig: &Rig) {
        let (joints, morphs) = (rig.skeleton.len(), rig.skeleton.rest_morphs.len());
        let fits = |layer: &Layer| layer.cover.len() == joints && layer.morphs.len() == morphs;
        if self.layers.len() < count || !self.layers.iter().all(fits) {
            self.layers = vec![Layer::of(rig); count];
        }
    }
}

impl Rig {
    /// A rig that plays nothing yet.
    pub fn of(skeleton: &Skeleton) -> Self {
        let rest = Block::of(skeleton.joints.iter().map(|joint| joint.rest));
        Self { skeleton: skeleton.clone(), rest, ..Self::default() }
    }

    /// Index of the clip of that name, taken in from `clips` on first use.
    pub fn take_in(&mut self, name: &str, clips: &[&Clip]) -> Option<usize> {
        if let Some(known) = self.clips.iter().position(|clip| clip.name == name) {
            return Some(known);
        }
        let clip = clips.iter().find(|clip| clip.name == name)?;
        self.clips.push((*clip).clone());
        self.reels.push(Reel::of(clip, &self.skeleton));
        self.has.push(clip.tracks.iter().map(|tracks| if tracks.is_empty() { 0.0 } else { 1.0 }).collect());
        Some(self.clips.len() - 1)
    }

    /// Writes what clip `clip` shows at unlooped clip time `time`, but not how much of each joint that speaks for.
    pub fn play(&self, clip: usize, time: f64, looping: bool, out: &mut Layer) {
        let source = &self.clips[clip];
        let time = within(time, source.duration, looping);
        self.reels[clip].sample(source, time, &mut out.blocks);
        out.morphs.copy_from_slice(&self.skeleton.rest_morphs);
        source.sample_morphs(&self.skeleton, time, &mut out.morphs);
    }

    /// Writes the rest pose, counted as a full pose.
    pub fn rest(&self, out: &mut Layer) {
        out.blocks.copy_from_slice(&self.rest);
        out.morphs.copy_from_slice(&self.skeleton.rest_morphs);
        out.cover.fill(1.0);
    }

    /// Copies the pose of `layer` out.
    pub fn copy_out(&self, layer: &Layer, out: &mut Pose) {
        out.locals.resize(self.skeleton.len(), Transform::IDENTITY);
        let (whole, part) = out.locals.as_chunks_mut();
        whole.iter_mut().zip(&layer.blocks).for_each(|(out, block)| *out = block.all());
        if let Some(last) = layer.blocks.last() {
            let count = part.len();
            part.copy_from_slice(&last.all()[..count]);
        }
        out.morphs.clone_from(&layer.morphs);
    }

    /// Copies the pose out and fills what nobody speaks for with the rest pose; `covers` tells how much of each joint is
    /// spoken for.
    pub fn finish(&self, layer: &Layer, covers: &[f32], out: &mut Pose) {
        self.copy_out(layer, out);
        for (joint, place) in self.skeleton.joints.iter().enumerate() {
            let cover = covers[joint];
            if cover < 1.0 {
                out.locals[joint] = mix(&place.rest, &out.locals[joint], cover, None);
                for i in place.first_morph..place.first_morph + place.morph_count {
                    let rest = self.skeleton.rest_morphs[i];
                    out.morphs[i] = rest + (out.morphs[i] - rest) * cover;
                }
            }
        }
    }
}
