//! A built take as plain frames.

use super::{BuiltTake, memory};
use crate::anim::resample::{ResampleGrid, resampled};
use crate::anim::still_curves::{StillCurves, without_still_curves};
use crate::anim::{Clip, Curve};

/// On which frames a take is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// Per second, 1…1000.
    pub fps: f64,
    /// Whether the last key stands on a frame too: what repeats is played a little faster or slower for it, up to half a frame in
    /// all; what does not holds its last pose until the next frame.
    pub whole: bool,
}

impl Frames {
    /// Seconds that the clip of `built` gets.
    fn end(self, built: &BuiltTake) -> f64 {
        let duration = built.clip.duration;
        let count = duration * self.fps;
        let nearest = count.round().max(1.0);
        if !self.whole || duration <= 0.0 {
            duration
        } else if built.repeats() || (count - nearest).abs() <= 1e-3 {
            nearest / self.fps
        } else {
            count.ceil() / self.fps
        }
    }

    /// Seconds of the written clip for each of `built`.
    pub fn pace(self, built: &BuiltTake) -> f64 {
        let duration = built.clip.duration;
        let end = self.end(built);
        if end < duration || (built.repeats() && duration > 0.0) { end / duration } else { 1.0 }
    }
}

/// A take's clip as it is written, and the curves that never move as they would be.
#[derive(Clone, Debug, PartialEq)]
pub struct Baked {
    /// What is written.
    pub clip: Clip,
    /// Of what was sampled frame by frame, the keys of curves that never move.
    pub still: StillCurves,
}

/// The take's clip: with the keys it has, or with linear keys on those `frames` for the joints it moves.
///
/// Unless frames are whole, the last key is the clip's end, also where that is between two of them. Of what was sampled frame by frame, curves that
/// never move have one key, or none where they hold what the joint rests at; keys of a file stay as they are.
pub fn clip(built: &BuiltTake, frames: Option<Frames>) -> Baked {
    let was_sampled = built.blended.is_some() || built.walked.is_some() || built.retargeted.is_some();
    let clip = match frames {
        None if !was_sampled => return Baked { clip: Clip::clone(&built.clip), still: StillCurves::default() },
        None => Clip::clone(&built.clip),
        Some(frames) => {
            let grid = ResampleGrid { fps: frames.fps, end: frames.end(built), pace: frames.pace(built) };
            resampled(&built.character.model.skeleton, &built.clip, grid)
        }
    };
    let (clip, still) = without_still_curves(clip, &built.character.model.skeleton);
    Baked { clip, still }
}

/// A closed loop without its last keys: its first frame follows its last.
pub fn unclosed(mut clip: Clip) -> Clip {
    let end = clip.duration as f32;
    for tracks in &mut clip.tracks {
        open(&mut tracks.translation, end);
        open(&mut tracks.rotation, end);
        open(&mut tracks.scale, end);
        open(&mut tracks.morphs, end);
    }
    clip.duration = clip.key_times().flatten().fold(0.0, |last, &time| f64::from(time).max(last));
    clip
}

/// Takes the key at `end` or later out of a curve that has others.
fn open<T>(curve: &mut Option<Curve<T>>, end: f32) {
    let Some(curve) = curve else { return };
    let keys = curve.times.len();
    if keys > 1 && curve.times[keys - 1] >= end {
        curve.values.truncate(curve.values.len() / keys * (keys - 1));
        curve.times.pop();
    }
}

/// Bytes that the keys of [`clip`] take.
pub fn bytes(built: &BuiltTake, fps: Option<f64>) -> u64 {
    memory::of_poses(built.clip.duration, fps.unwrap_or(built.fps), built.clip.tracks.len())
}
