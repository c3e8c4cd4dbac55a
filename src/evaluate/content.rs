//! What a take is made of: joints, vertices or pixels.

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;

use super::TakeError;
use crate::anim::{Clip, Skeleton};
use crate::document::{Asset, Loaded};
use crate::geometry::Shading;
use crate::math::WeightMap;
use crate::media::image_clip::FrameError;
use crate::media::{ImageClip, ImageInfo, Pixels, VertexClip};
use crate::progress::Progress;
use crate::systems::looping::finder::{self, Found, Search};
use crate::systems::looping::{ImageLoop, VertexLoop, image, joint};

/// What a take is made of. Cloning shares the frames.
#[derive(Clone, Debug, Default)]
pub enum Content {
    /// Joints; the take's clip moves them.
    #[default]
    Joints,
    /// A mesh, vertex by vertex.
    Vertices(Vertices),
    /// Images.
    Images(Images),
}

/// A vertex cache, as it came or looped.
#[derive(Clone, Debug)]
pub struct Vertices {
    /// The frames before any loop.
    pub clip: Arc<VertexClip>,
    /// The loop of them.
    pub looped: Option<Arc<VertexLoop>>,
    /// Which of its vertices shade as one.
    pub shading: Arc<Shading>,
    /// What holds a cloth, 1 per held vertex; empty for what is none.
    pub pins: WeightMap,
}

/// An image sequence, as it came or looped.
#[derive(Clone, Debug)]
pub struct Images {
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
}

impl Vertices {
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

impl Images {
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

/// What a loop is made from: frames to be compared, and the searches done in them so far.
#[derive(Debug)]
pub struct LoopSource {
    frames: Frames,
    searches: Mutex<Vec<(Search, Arc<Found>)>>,
}

#[derive(Debug)]
enum Frames {
    Joints { character: Asset<Loaded>, clip: Arc<Clip>, fps: f64 },
    Vertices(Arc<VertexClip>),
    Images(ImageClip),
}

/// Pixels along each side of the small images that are compared.
const THUMBNAIL: usize = 32;

impl LoopSource {
    pub(super) fn new(content: &Content, character: &Asset<Loaded>, clip: &Arc<Clip>, fps: f64) -> Self {
        let frames = match content {
            Content::Joints => Frames::Joints { character: character.clone(), clip: clip.clone(), fps },
            Content::Vertices(vertices) => Frames::Vertices(vertices.clip.clone()),
            Content::Images(images) => Frames::Images(images.clip.clone()),
        };
        Self { frames, searches: Mutex::default() }
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        match &self.frames {
            Frames::Joints { clip, fps, .. } => joint::frames_in(clip, *fps),
            Frames::Vertices(clip) => clip.frames(),
            Frames::Images(clip) => clip.info.frames,
        }
    }

    /// What [`LoopSource::find`] found for `search`, if it was asked before.
    pub fn found(&self, search: &Search) -> Option<Arc<Found>> {
        let searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        searches.iter().find(|(known, _)| known == search).map(|(_, found)| found.clone())
    }

    /// Starts and lengths that make good loops, best first, with the distances between all frames; slow the first time.
    pub fn find(&self, search: &Search, progress: &Progress) -> Result<Arc<Found>, TakeError> {
        if let Some(found) = self.found(search) {
            return Ok(found);
        }
        let found = Arc::new(finder::find(&self.features(progress)?, search, progress)?);
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        searches.push((*search, found.clone()));
        Ok(found)
    }

    fn features(&self, progress: &Progress) -> Result<Vec<Vec<f32>>, TakeError> {
        Ok(match &self.frames {
            Frames::Joints { character, clip, fps } => {
                let frames = self.frames();
                let places = |frame: usize| places_at(&character.model.skeleton, clip, frame as f64 / fps);
                (0..frames)
                    .map(|frame| progress.step(frame, frames).map(|()| places(frame)))
                    .collect::<Result<_, _>>()?
            }
            Frames::Vertices(clip) => {
                let flat = |frame: usize| clip.frame(frame).iter().flat_map(|point| point.to_array()).collect();
                (0..clip.frames()).map(flat).collect()
            }
            Frames::Images(clip) => image::features(clip, THUMBNAIL, progress)?,
        })
    }
}

/// World places of all joints, the way along the ground taken out: where a character stands says nothing about a cycle.
fn places_at(skeleton: &Skeleton, clip: &Clip, time: f64) -> Vec<f32> {
    let mut world = Vec::new();
    clip.pose_at(skeleton, time).world_from_joints(skeleton, &mut world);
    let sum: glam::Vec3A = world.iter().map(|place| place.translation).sum();
    let middle = sum / world.len().max(1) as f32 * glam::Vec3A::new(1.0, 0.0, 1.0);
    world.iter().flat_map(|place| (place.translation - middle).to_array()).collect()
}
