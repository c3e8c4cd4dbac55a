//! Resamples a clip at the frames of a rate.

use crate::math::mean::aligned;
use crate::{Clip, Curve, Interpolation, JointTracks, Pose, SharedList, Skeleton};

/// Returns the times of all frames at `fps` (1…1000) up to `duration` (seconds), which is always the last.
pub fn frame_times(duration: f64, fps: f64) -> Vec<f64> {
    let frames = (duration * fps + 1e-6).floor() as usize;
    let mut times: Vec<f64> = (0..=frames).map(|frame| (frame as f64 / fps).min(duration)).collect();
    times.dedup();
    // Frames closer to the end than a thousandth of a frame are the end.
    times.retain(|time| duration - time > 1e-3 / fps);
    times.push(duration);
    times
}

/// The frames at which a clip is resampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResampleGrid {
    /// Frames per second, 1…1000.
    pub fps: f64,
    /// Length of the result, seconds; its last key is there.
    pub end: f64,
    /// Time stretch: seconds of the result per second of the clip.
    pub pace: f64,
}

/// Resamples the curves of `clip`, which animates `skeleton`, with linear keys at all frames of `grid`.
pub fn resampled(skeleton: &Skeleton, clip: &Clip, grid: ResampleGrid) -> Clip {
    let ResampleGrid { fps, end, pace } = grid;
    let times = frame_times(end, fps);
    let mut pose = Pose::rest(skeleton);
    let key_times: SharedList<f32> = times.iter().map(|&time| time as f32).collect();
    let mut tracks: Vec<JointTracks> = clip.tracks.iter().map(|tracks| empty_like(tracks, &key_times)).collect();
    for &time in &times {
        clip.sample(skeleton, (time / pace).min(clip.duration), &mut pose);
        for (joint, tracks) in tracks.iter_mut().enumerate() {
            let local = pose.locals[joint];
            push(&mut tracks.translation, local.translation);
            push(&mut tracks.scale, local.scale);
            if let Some(curve) = &mut tracks.rotation {
                let aligned = curve.values.last().map(|&last| aligned(local.rotation, last));
                curve.values.push(aligned.unwrap_or(local.rotation));
            }
            if let Some(curve) = &mut tracks.morphs {
                let row = &skeleton.joints[joint];
                curve.values.extend_from_slice(&pose.morphs[row.first_morph..row.first_morph + row.morph_count]);
            }
        }
    }
    Clip { name: clip.name.clone(), duration: end, tracks }
}

/// Returns empty linear curves at `times` for the curves in `tracks`.
fn empty_like(tracks: &JointTracks, times: &SharedList<f32>) -> JointTracks {
    JointTracks {
        translation: tracks.translation.as_ref().map(|_| empty(times)),
        rotation: tracks.rotation.as_ref().map(|_| empty(times)),
        scale: tracks.scale.as_ref().map(|_| empty(times)),
        morphs: tracks.morphs.as_ref().map(|_| empty(times)),
        ..JointTracks::default()
    }
}

/// Returns a linear curve at `times` without values.
fn empty<T>(times: &SharedList<f32>) -> Curve<T> {
    Curve { interpolation: Interpolation::Linear, times: times.clone(), values: SharedList::default() }
}

/// Appends a value to `curve`, if there is one.
fn push<T: Clone>(curve: &mut Option<Curve<T>>, value: T) {
    if let Some(curve) = curve {
        curve.values.push(value);
    }
}
