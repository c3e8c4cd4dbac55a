//! The skeleton and the clips that play on it, and the buffers a pose is made in.

use super::transitions::within;
use crate::anim::{Clip, Pose, Skeleton};

/// What a blend plays with; clips are copies of the untouched sources.
#[derive(Clone, Debug, Default)]
pub(super) struct Rig {
    pub skeleton: Skeleton,
    pub clips: Vec<Clip>,
    /// Per clip and joint: 1 where the clip has a track, else 0.
    pub has: Vec<Vec<f32>>,
}

/// One pose in the making and how much of each joint is spoken for, 0…1.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    pub pose: Pose,
    pub cover: Vec<f32>,
}

/// Working memory for sampling; keep one and reuse it, so that sampling allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) layers: Vec<Layer>,
}

impl Scratch {
    /// Makes room for `count` layers of `rig`; costs nothing when there is enough.
    pub(super) fn reserve(&mut self, count: usize, rig: &Rig) {
        let joints = rig.skeleton.len();
        if self.layers.len() < count || self.layers.iter().any(|layer| layer.cover.len() != joints) {
            let layer = Layer { pose: Pose::rest(&rig.skeleton), cover: vec![0.0; joints] };
            self.layers = vec![layer; count];
        }
    }
}

impl Rig {
    /// Index of the clip of that name, taken in from `clips` on first use.
    pub fn take_in(&mut self, name: &str, clips: &[&Clip]) -> Option<usize> {
        if let Some(known) = self.clips.iter().position(|clip| clip.name == name) {
            return Some(known);
        }
        let clip = clips.iter().find(|clip| clip.name == name)?;
        self.clips.push((*clip).clone());
        self.has.push(clip.tracks.iter().map(|tracks| if tracks.is_empty() { 0.0 } else { 1.0 }).collect());
        Some(self.clips.len() - 1)
    }

    /// Writes clip `clip` at unlooped clip time `time`.
    pub fn play(&self, clip: usize, time: f64, looping: bool, out: &mut Layer) {
        let source = &self.clips[clip];
        out.pose.set_rest(&self.skeleton);
        source.sample(&self.skeleton, within(time, source.duration, looping), &mut out.pose);
        out.cover.copy_from_slice(&self.has[clip]);
    }

    /// Writes the rest pose, counted as a full pose.
    pub fn rest(&self, out: &mut Layer) {
        out.pose.set_rest(&self.skeleton);
        out.cover.fill(1.0);
    }

    /// Fills what nobody speaks for with the rest pose and copies the pose out.
    pub fn finish(&self, layer: &Layer, out: &mut Pose) {
        out.locals.clone_from(&layer.pose.locals);
        out.morphs.clone_from(&layer.pose.morphs);
        for (joint, place) in self.skeleton.joints.iter().enumerate() {
            let cover = layer.cover[joint];
            if cover < 1.0 {
                out.locals[joint] = super::mix::mix(&place.rest, &out.locals[joint], cover, None);
                for i in place.first_morph..place.first_morph + place.morph_count {
                    let rest = self.skeleton.rest_morphs[i];
                    out.morphs[i] = rest + (out.morphs[i] - rest) * cover;
                }
            }
        }
    }
}
