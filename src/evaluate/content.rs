//! What a take is made of: joints, vertices or pixels.

use std::sync::Arc;

use glam::Vec3;

use crate::geometry::Shading;
use crate::math::WeightMap;
use crate::media::image_clip::FrameError;
use crate::media::{ImageClip, ImageInfo, Pixels, VertexClip};
use crate::systems::looping::{ImageLoop, VertexLoop};

/// What a take is made of. Cloning shares the frames.
#[derive(Clone, Debug, Default)]
pub enum Content {
    /// Joints; the take's clip moves them.
    #[default]
    Joints,
    /// A mesh, vertex by vertex.
    Vertices(VertexContent),
    /// An image sequence, pixel by pixel.
    Images(ImageContent),
}

/// A vertex cache, as it came or looped.
#[derive(Clone, Debug)]
pub struct VertexContent {
    /// The frames before any loop.
    pub clip: Arc<VertexClip>,
    /// The loop of them.
    pub looped: Option<Arc<VertexLoop>>,
    /// Which of its vertices shade as one.
    pub shading: Arc<Shading>,
    /// What holds a cloth, 1 per held vertex; empty for what is none.
    pub pins: WeightMap,
    /// A cloth before it falls, one frame; nothing for what is none.
    pub rest: Option<Arc<VertexClip>>,
}

/// An image sequence, as it came or looped.
#[derive(Clone, Debug)]
pub struct ImageContent {
    /// The frames before any loop.
    pub clip: ImageClip,
    /// The loop of them.
    pub looped: Option<Arc<ImageLoop>>,
}

impl Content {
    /// The word for it in sentences.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Joints => "joints",
            Self::Vertices(_) => "vertices",
            Self::Images(_) => "images",
        }
    }

    /// A cloth before it falls, one frame; nothing of anything else.
    pub fn rest(&self) -> Option<&Arc<VertexClip>> {
        match self {
            Self::Vertices(vertices) => vertices.rest.as_ref(),
            Self::Joints | Self::Images(_) => None,
        }
    }
}

impl VertexContent {
    /// The mesh at `time` seconds, straight between frames, to `out`; a loop repeats, a cache stands still at its ends.
    pub fn sample(&self, time: f64, out: &mut Vec<Vec3>) {
        if let Some(looped) = &self.looped {
            return looped.sample(time, &mut Vec::new(), out);
        }
        let place = (time * self.clip.fps).clamp(0.0, self.clip.frames().saturating_sub(1) as f64);
        let (frame, part) = (place.floor() as usize, (place - place.floor()) as f32);
        let here = self.clip.frame(frame);
        out.clear();
        out.extend_from_slice(here);
        if part > 1e-4 {
            out.iter_mut().zip(self.clip.frame(frame + 1)).for_each(|(out, next)| *out += (*next - *out) * part);
        }
    }

    /// All frames, without the closing one of a loop.
    pub fn to_clip(&self) -> Arc<VertexClip> {
        self.looped.as_ref().map_or_else(|| self.clip.clone(), |looped| Arc::new(looped.to_clip(false)))
    }
}

impl ImageContent {
    /// The image at `time` seconds; each is held until the next. Errors when it cannot be read.
    pub fn sample(&self, time: f64) -> Result<Arc<Pixels>, FrameError> {
        match &self.looped {
            Some(looped) => looped.sample(time),
            None => {
                let last = self.clip.info.frames.saturating_sub(1);
                self.clip.frame(((time * self.clip.info.fps + 1e-4).max(0.0) as usize).min(last))
            }
        }
    }

    /// Frame `index` of the loop, or of the sequence. Errors when it cannot be read.
    pub fn frame(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        self.looped.as_ref().map_or_else(|| self.clip.frame(index), |looped| looped.frame(index))
    }

    /// Size, depth, rate and number of frames of what comes out.
    pub fn info(&self) -> ImageInfo {
        self.looped.as_ref().map_or(self.clip.info, |looped| looped.info())
    }
}
