//! The frames of a loop's source, and the search for good loops in them.

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3A;

use super::content::Content;
use super::{TakeError, memory};
use crate::document::{Asset, Loaded};
use portamento_anim::media::{ImageClip, VertexClip};
use portamento_anim::{Clip, Skeleton};
use portamento_base::progress::Progress;
use portamento_looping::finder::{self, FoundLoops, Search};
use portamento_looping::{image, joint};

/// The frames of a loop's source, with the cached results of searches in them.
#[derive(Debug)]
pub struct LoopSource {
    frames: Frames,
    searches: Mutex<Vec<(Search, Arc<FoundLoops>)>>,
}

/// The frames of a source.
#[derive(Debug)]
enum Frames {
    Joints { character: Asset<Loaded>, clip: Arc<Clip>, fps: f64 },
    Vertices(Arc<VertexClip>),
    Images(ImageClip),
}

/// Number of cached searches. Each stores the distances between all frames.
const MAX_CACHED_SEARCHES: usize = 2;

/// Side length in pixels of the thumbnails that are compared.
const THUMBNAIL_PIXELS: usize = 32;

impl LoopSource {
    /// Creates the source of the frames of `content`. For joints these are `clip` on `character` at `fps`; otherwise the other
    /// arguments are ignored.
    pub(super) fn new(content: &Content, character: &Asset<Loaded>, clip: &Arc<Clip>, fps: f64) -> Self {
        let frames = match content {
            Content::Joints => Frames::Joints { character: character.clone(), clip: clip.clone(), fps },
            Content::Vertices(vertices) => Frames::Vertices(vertices.clip.clone()),
            Content::Images(images) => Frames::Images(images.clip.clone()),
        };
        Self { frames, searches: Mutex::default() }
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        match &self.frames {
            Frames::Joints { clip, fps, .. } => joint::frames_in(clip, *fps),
            Frames::Vertices(clip) => clip.frames(),
            Frames::Images(clip) => clip.info.frames,
        }
    }

    /// Returns the cached result of [`LoopSource::find`] for `search`; `None` if it was not searched yet.
    pub fn found(&self, search: &Search) -> Option<Arc<FoundLoops>> {
        let searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        searches.iter().find(|(known, _)| known == search).map(|(_, found)| found.clone())
    }

    /// Returns good loop windows, best first, and the distances between all frames. Slow on the first call, cached
    /// afterwards. The two latest searches are cached. Returns `Err` if the memory does not suffice, an image cannot be
    /// read, or the user cancels.
    pub fn find(&self, search: &Search, progress: &Progress) -> Result<Arc<FoundLoops>, TakeError> {
        if let Some(found) = self.found(search) {
            return Ok(found);
        }
        let found = Arc::new(finder::find(&self.features(progress)?, search, progress)?);
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        // Each entry stores all distances between frames.
        while searches.len() >= MAX_CACHED_SEARCHES {
            searches.remove(0);
        }
        searches.push((*search, found.clone()));
        Ok(found)
    }

    /// Returns the numbers of every frame that [`finder::find`] compares: joint positions, vertex positions, or the pixels of
    /// thumbnails. Returns `Err` if the memory does not suffice or an image cannot be read.
    fn features(&self, progress: &Progress) -> Result<Vec<Vec<f32>>, TakeError> {
        let each = match &self.frames {
            Frames::Joints { character, .. } => character.model.skeleton.len(),
            Frames::Vertices(clip) => clip.vertices,
            Frames::Images(_) => THUMBNAIL_PIXELS * THUMBNAIL_PIXELS * 2,
        };
        let what = || "The comparison of all frames".to_owned();
        progress.budget().take(memory::of_points(self.frames() as u64, each), &what)?;
        Ok(match &self.frames {
            Frames::Joints { character, clip, fps } => {
                let frames = self.frames();
                let positions = |frame: usize| joint_positions(&character.model.skeleton, clip, frame as f64 / fps);
                let all: Vec<Vec<Vec3A>> = (0..frames)
                    .map(|frame| progress.step(frame, frames).map(|()| positions(frame)))
                    .collect::<Result<_, _>>()?;
                relative_to_center(&all)
            }
            Frames::Vertices(clip) => {
                let flat = |frame: usize| clip.frame(frame).iter().flat_map(|point| point.to_array()).collect();
                (0..clip.frames()).map(flat).collect()
            }
            Frames::Images(clip) => image::features(clip, THUMBNAIL_PIXELS, progress)?,
        })
    }
}

/// Returns the world positions of all joints at `time` (seconds), in the file's unit.
fn joint_positions(skeleton: &Skeleton, clip: &Clip, time: f64) -> Vec<Vec3A> {
    let mut world = Vec::new();
    clip.pose_at(skeleton, time).world_from_joints(skeleton, &mut world);
    world.iter().map(|joint| joint.translation).collect()
}

/// Returns joint positions, frame by frame, relative to their mean position on the ground, since a cycle does not depend on the
/// location. Joints that never move, such as a root above travelling hips, are excluded.
fn relative_to_center(frames: &[Vec<Vec3A>]) -> Vec<Vec<f32>> {
    let Some(first) = frames.first() else { return Vec::new() };
    let moves = |&joint: &usize| frames.iter().any(|frame| frame[joint] != first[joint]);
    let mut moving: Vec<usize> = (0..first.len()).filter(moves).collect();
    if moving.is_empty() {
        moving = (0..first.len()).collect();
    }
    let from_center = |frame: &Vec<Vec3A>| {
        let sum: Vec3A = moving.iter().map(|&joint| frame[joint]).sum();
        let center = sum / moving.len().max(1) as f32 * Vec3A::new(1.0, 0.0, 1.0);
        moving.iter().flat_map(|&joint| (frame[joint] - center).to_array()).collect()
    };
    frames.iter().map(from_center).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_a_walk_match_after_one_cycle_but_not_after_half() {
        let hero = portamento_test_support::hero();
        let walk = hero.clips.iter().find(|clip| clip.name == "walk").unwrap();
        let positions = [0.0, 0.5, 1.0].map(|share| joint_positions(&hero.skeleton, walk, share * walk.duration));
        let [start, middle, end] = &relative_to_center(&positions)[..] else { panic!("three frames") };
        let apart = |other: &[f32]| start.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(start.len() >= 3 * (hero.skeleton.len() - 1), "{}", start.len());
        assert!(apart(end) < 1e-3 && apart(middle) > 0.1, "{} {}", apart(end), apart(middle));
    }
}
