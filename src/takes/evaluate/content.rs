//! The content of a take: joints, vertices or pixels.

use std::sync::Arc;

use glam::Vec3;

use portamento_anim::geometry::Shading;
use portamento_anim::math::WeightMap;
use portamento_anim::media::image_clip::FrameError;
use portamento_anim::media::{ImageClip, ImageInfo, Pixels, VertexClip};
use portamento_looping::{ImageLoop, VertexLoop};

/// The content of a take. Cloning shares the frames.
#[derive(Clone, Debug, Default)]
pub enum Content {
    /// Joints, animated by the take's clip.
    #[default]
    Joints,
    /// A mesh animated per vertex.
    Vertices(VertexContent),
    /// An image sequence.
    Images(ImageContent),
}

/// A vertex cache and its loop, if looped.
#[derive(Clone, Debug)]
pub struct VertexContent {
    /// The frames before looping.
    pub clip: Arc<VertexClip>,
    /// The loop of these frames.
    pub looped: Option<Arc<VertexLoop>>,
    /// Groups of vertices with a common normal.
    pub shading: Arc<Shading>,
    /// Pin weights of a cloth, 1 for pinned vertices; empty for other caches.
    pub pins: WeightMap,
    /// The initial shape of a cloth, one frame; `None` for other caches.
    pub rest: Option<Arc<VertexClip>>,
}

/// An image sequence and its loop, if looped.
#[derive(Clone, Debug)]
pub struct ImageContent {
    /// The frames before looping.
    pub clip: ImageClip,
    /// The loop of these frames.
    pub looped: Option<Arc<ImageLoop>>,
}

impl Content {
    /// Returns the kind of content as used in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Joints => "joints",
            Self::Vertices(_) => "vertices",
            Self::Images(_) => "images",
        }
    }

    /// Returns the initial shape of a cloth, one frame; `None` for other content.
    pub fn rest(&self) -> Option<&Arc<VertexClip>> {
        match self {
            Self::Vertices(vertices) => vertices.rest.as_ref(),
            Self::Joints | Self::Images(_) => None,
        }
    }
}

impl VertexContent {
    /// Samples the mesh at `time` seconds into `out`, linear between frames. A loop repeats; a cache is clamped to its
    /// ends. Replaces the content of `out`. Positions are in the unit of the clip.
    pub fn sample(&self, time: f64, out: &mut Vec<Vec3>) {
        if let Some(looped) = &self.looped {
            return looped.sample(time, &mut Vec::new(), out);
        }
        let position = (time * self.clip.fps).clamp(0.0, self.clip.frames().saturating_sub(1) as f64);
        let (frame, part) = (position.floor() as usize, (position - position.floor()) as f32);
        let positions = self.clip.frame(frame);
        out.clear();
        out.extend_from_slice(positions);
        if part > 1e-4 {
            out.iter_mut().zip(self.clip.frame(frame + 1)).for_each(|(out, next)| *out += (*next - *out) * part);
        }
    }

    /// Returns all frames, without the closing frame of a loop.
    pub fn to_clip(&self) -> Arc<VertexClip> {
        self.looped.as_ref().map_or_else(|| self.clip.clone(), |looped| Arc::new(looped.to_clip(false)))
    }
}

impl ImageContent {
    /// Returns the image at `time` seconds. An image is shown until the next one. A loop repeats; a sequence is clamped to
    /// its ends. Returns `Err` if it cannot be read.
    pub fn sample(&self, time: f64) -> Result<Arc<Pixels>, FrameError> {
        match &self.looped {
            Some(looped) => looped.sample(time),
            None => {
                let last = self.clip.info.frames.saturating_sub(1);
                self.clip.frame(((time * self.clip.info.fps + 1e-4).max(0.0) as usize).min(last))
            }
        }
    }

    /// Returns frame `index` of the loop or the sequence. Returns `Err` if it cannot be read.
    pub fn frame(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        self.looped.as_ref().map_or_else(|| self.clip.frame(index), |looped| looped.frame(index))
    }

    /// Returns size, bit depth, rate and number of frames of the output.
    pub fn info(&self) -> ImageInfo {
        self.looped.as_ref().map_or(self.clip.info, |looped| looped.info())
    }
}
