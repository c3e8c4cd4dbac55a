//! A built take as plain frames.

use super::{BuiltTake, memory};
use crate::anim::{Clip, Curve, JointTracks, Pose};

/// The take's clip: with the keys it has, or with linear keys on every frame at `fps` for the joints it moves.
///
/// The last key is always the clip's end, also where that is between two frames.
pub fn clip(built: &BuiltTake, fps: Option<f64>) -> Clip {
    match fps {
        None => Clip::clone(&built.clip),
        Some(fps) => resampled(built, fps),
    }
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

/// The times of all frames at `fps` (1…1000) up to `duration` (seconds), which is always the last.
pub fn frame_times(duration: f64, fps: f64) -> Vec<f64> {
    let frames = (duration * fps + 1e-6).floor() as usize;
    let mut times: Vec<f64> = (0..=frames).map(|frame| (frame as f64 / fps).min(duration)).collect();
    times.dedup();
    // Frames closer to the end than a thousandth of a frame are the end.
    times.retain(|time| duration - time > 1e-3 / fps);
    times.push(duration);
    times
}

fn resampled(built: &BuiltTake, fps: f64) -> Clip {
    let skeleton = &built.character.model.skeleton;
    let clip = &built.clip;
    let times = frame_times(clip.duration, fps);
    let mut pose = Pose::rest(skeleton);
    let mut tracks: Vec<JointTracks> = clip.tracks.iter().map(|tracks| empty_like(tracks, &times)).collect();
    for &time in &times {
        clip.sample(skeleton, time, &mut pose);
        for (joint, tracks) in tracks.iter_mut().enumerate() {
            let local = pose.locals[joint];
            push(&mut tracks.translation, local.translation);
            push(&mut tracks.scale, local.scale);
            if let Some(curve) = &mut tracks.rotation {
                let aligned = curve.values.last().map(|&last| crate::math::mean::aligned(local.rotation, last));
                curve.values.push(aligned.unwrap_or(local.rotation));
            }
            if let Some(curve) = &mut tracks.morphs {
                let row = &skeleton.joints[joint];
                curve.values.extend_from_slice(&pose.morphs[row.first_morph..row.first_morph + row.morph_count]);
            }
        }
    }
    Clip { name: clip.name.clone(), duration: clip.duration, tracks }
}

/// Empty linear curves at `times` where `tracks` has curves.
fn empty_like(tracks: &JointTracks, times: &[f64]) -> JointTracks {
    let times = || times.iter().map(|&time| time as f32).collect::<Vec<f32>>();
    JointTracks {
        translation: tracks.translation.as_ref().map(|_| Curve::linear(times(), Vec::new())),
        rotation: tracks.rotation.as_ref().map(|_| Curve::linear(times(), Vec::new())),
        scale: tracks.scale.as_ref().map(|_| Curve::linear(times(), Vec::new())),
        morphs: tracks.morphs.as_ref().map(|_| Curve { times: times(), ..Curve::default() }),
    }
}

fn push<T>(curve: &mut Option<Curve<T>>, value: T) {
    if let Some(curve) = curve {
        curve.values.push(value);
    }
}
