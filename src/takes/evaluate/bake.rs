//! Baking of a built take to frames.

use super::{BuiltTake, memory};
use portamento_anim::resample::{ResampleGrid, resampled};
use portamento_anim::still_curves::{RemovedKeys, without_redundant_keys};
use portamento_anim::{Clip, Curve};

/// The frames at which a take is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// Frames per second, 1…1000.
    pub fps: f64,
    /// True if the last key must fall on a frame. A looping take is then sped up or slowed down by up to half a frame in total.
    /// Other takes hold their last pose until the next frame.
    pub whole: bool,
}

impl Frames {
    /// Returns the duration of the sampled clip of `built`, seconds.
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

    /// Returns the ratio of written duration to built duration. It is 1 unless the motion is sped up, slowed down or cut to
    /// whole frames.
    pub fn pace(self, built: &BuiltTake) -> f64 {
        let duration = built.clip.duration;
        let end = self.end(built);
        if end < duration || (built.repeats() && duration > 0.0) { end / duration } else { 1.0 }
    }
}

/// The clip to write, with the constant curves that were removed from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Baked {
    /// The clip to write.
    pub clip: Clip,
    /// The constant values of curves that were removed or reduced to one key.
    pub still: RemovedKeys,
}

/// Returns the take's clip: with its own keys, or with linear keys at `frames` for the animated joints.
///
/// Unless [`Frames::whole`] is set, the last key is at the clip's end, even between two frames. In sampled motion, constant
/// curves have one key, or none if the value equals the rest pose. Keys from a file are unchanged.
pub fn clip(built: &BuiltTake, frames: Option<Frames>) -> Baked {
    let is_sampled = built.blended.is_some() || built.walked.is_some() || built.retargeted.is_some();
    let clip = match frames {
        None if !is_sampled => return Baked { clip: Clip::clone(&built.clip), still: RemovedKeys::default() },
        None => Clip::clone(&built.clip),
        Some(frames) => {
            let grid = ResampleGrid { fps: frames.fps, end: frames.end(built), pace: frames.pace(built) };
            resampled(&built.character.model.skeleton, &built.clip, grid)
        }
    };
    let (clip, still) = without_redundant_keys(clip, &built.character.model.skeleton);
    Baked { clip, still }
}

/// Removes the last keys of a closed loop, whose first frame follows its last. The duration becomes the time of the last
/// remaining key, seconds.
pub fn unclosed(mut clip: Clip) -> Clip {
    let end = clip.duration as f32;
    for tracks in &mut clip.tracks {
        remove_closing_key(&mut tracks.translation, end);
        remove_closing_key(&mut tracks.rotation, end);
        remove_closing_key(&mut tracks.scale, end);
        remove_closing_key(&mut tracks.morphs, end);
    }
    clip.duration = clip.key_times().flatten().fold(0.0, |last, &time| f64::from(time).max(last));
    clip
}

/// Removes the last key of a curve if it is at `end` or later and not the only one. `end` is in seconds.
fn remove_closing_key<T: Clone>(curve: &mut Option<Curve<T>>, end: f32) {
    let Some(curve) = curve else { return };
    let keys = curve.times.len();
    if keys > 1 && curve.times[keys - 1] >= end {
        let values_per_key = curve.values.len() / keys;
        curve.values.truncate(values_per_key * (keys - 1));
        curve.times.pop();
    }
}

/// Returns an estimate of the memory in bytes of the keys of [`clip`] at `fps` frames per second, or with its own keys.
pub fn bytes(built: &BuiltTake, fps: Option<f64>) -> u64 {
    match fps {
        Some(fps) => memory::of_poses(built.clip.duration, fps, built.clip.tracks.len()),
        None => built.clip.bytes() as u64,
    }
}
