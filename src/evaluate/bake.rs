//! A built take as plain frames.

use glam::Vec3;

use super::{BuiltTake, memory};
use crate::anim::{Clip, Curve, Interpolation, JointTracks, Pose, Skeleton};

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

/// The take's clip: with the keys it has, or with linear keys on those `frames` for the joints it moves.
///
/// Unless frames are whole, the last key is the clip's end, also where that is between two of them. Of what was sampled frame by frame, curves that
/// never move have one key, or none where they hold what the joint rests at; keys of a file stay as they are.
pub fn clip(built: &BuiltTake, frames: Option<Frames>) -> Clip {
    let was_sampled = built.blended.is_some() || built.walked.is_some() || built.retargeted.is_some();
    let clip = match frames {
        None if !was_sampled => return Clip::clone(&built.clip),
        None => Clip::clone(&built.clip),
        Some(frames) => resampled(built, frames),
    };
    without_still_curves(clip, &built.character.model.skeleton)
}

/// `clip` with one key in curves that hold one value, and without those that hold what is there anyway.
fn without_still_curves(mut clip: Clip, skeleton: &Skeleton) -> Clip {
    let end = clip.duration as f32;
    let mut longest: Option<(usize, JointTracks)> = None;
    for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
        if longest.is_none() && last_key(tracks) == Some(end) {
            longest = Some((joint, tracks.clone()));
        }
        let rest = skeleton.joints[joint].rest;
        still(&mut tracks.translation, &[rest.translation], &same_vector);
        still(&mut tracks.rotation, &[rest.rotation], &|a, b| a == b);
        still(&mut tracks.scale, &[rest.scale], &same_vector);
        let node = &skeleton.joints[joint];
        let rest = &skeleton.rest_morphs[node.first_morph..node.first_morph + node.morph_count];
        still(&mut tracks.morphs, rest, &|a, b| a == b);
    }
    // A clip is as long as its last key: what stands still for a while keeps the keys that say for how long.
    if let Some((joint, tracks)) = longest.filter(|_| clip.key_times().flatten().all(|&time| time < end)) {
        clip.tracks[joint] = tracks;
    }
    clip
}

/// Seconds of the last key of all curves.
fn last_key(tracks: &JointTracks) -> Option<f32> {
    let times = [
        tracks.translation.as_ref().and_then(|curve| curve.times.last()),
        tracks.rotation.as_ref().and_then(|curve| curve.times.last()),
        tracks.scale.as_ref().and_then(|curve| curve.times.last()),
        tracks.morphs.as_ref().and_then(|curve| curve.times.last()),
    ];
    times.into_iter().flatten().copied().max_by(f32::total_cmp)
}

/// Whether two vectors differ in their last two binary digits at most: means of equal vectors do.
fn same_vector(a: Vec3, b: Vec3) -> bool {
    (a - b).abs().max_element() <= 4.0 * f32::EPSILON * b.length()
}

/// `rest` is one row of values, as wide as a key's; `same` tells values that are one.
fn still<T: Copy>(curve: &mut Option<Curve<T>>, rest: &[T], same: &dyn Fn(T, T) -> bool) {
    let Some(kept) = curve.as_mut().filter(|curve| curve.interpolation != Interpolation::CubicSpline) else { return };
    let width = rest.len();
    let Some(first) = kept.values.get(..width).filter(|row| !row.is_empty()) else { return };
    let all_are = |row: &[T]| kept.values.chunks(width).all(|each| each.iter().zip(row).all(|(a, b)| same(*a, *b)));
    if all_are(rest) {
        *curve = None;
    } else if all_are(first) {
        kept.times.truncate(1);
        kept.values.truncate(width);
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

fn resampled(built: &BuiltTake, frames: Frames) -> Clip {
    let skeleton = &built.character.model.skeleton;
    let clip = &built.clip;
    let (end, pace) = (frames.end(built), frames.pace(built));
    let times = frame_times(end, frames.fps);
    let mut pose = Pose::rest(skeleton);
    let mut tracks: Vec<JointTracks> = clip.tracks.iter().map(|tracks| empty_like(tracks, &times)).collect();
    for &time in &times {
        clip.sample(skeleton, (time / pace).min(clip.duration), &mut pose);
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
    Clip { name: clip.name.clone(), duration: end, tracks }
}

/// Empty linear curves at `times` where `tracks` has curves.
fn empty_like(tracks: &JointTracks, times: &[f64]) -> JointTracks {
    let times = || times.iter().map(|&time| time as f32).collect::<Vec<f32>>();
    JointTracks {
        translation: tracks.translation.as_ref().map(|_| Curve::linear(times(), Vec::new())),
        rotation: tracks.rotation.as_ref().map(|_| Curve::linear(times(), Vec::new())),
        scale: tracks.scale.as_ref().map(|_| Curve::linear(times(), Vec::new())),
        morphs: tracks.morphs.as_ref().map(|_| Curve { times: times(), ..Curve::default() }),
        ..JointTracks::default()
    }
}

fn push<T>(curve: &mut Option<Curve<T>>, value: T) {
    if let Some(curve) = curve {
        curve.values.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use glam::Quat;

    #[test]
    fn still_curves_have_one_key_or_none_and_the_clip_keeps_its_length() {
        let skeleton = skeleton_of(&[("root", None), ("hips", Some(0)), ("head", Some(1))]);
        let rest = skeleton.joints[0].rest;
        let held = |value: Vec3| Some(Curve::linear(vec![0.0, 0.5, 1.0], vec![value; 3]));
        let turns = [0.0, 0.3, 0.6].map(Quat::from_rotation_y).to_vec();
        let mut tracks = vec![JointTracks::default(); 3];
        tracks[0].translation = held(rest.translation);
        tracks[1].translation = held(2.0 * Vec3::X);
        tracks[1].rotation = Some(Curve::linear(vec![0.0, 0.5, 1.0], turns));
        let clip = Clip { name: "go".into(), duration: 1.0, tracks };
        let made = without_still_curves(clip.clone(), &skeleton);
        assert_eq!(made.tracks[0].translation, None);
        assert_eq!(made.tracks[1].translation.as_ref().unwrap().times, [0.0]);
        assert_eq!(made.tracks[1].rotation, clip.tracks[1].rotation);
        for time in [0.0, 0.3, 1.0] {
            assert_eq!(made.pose_at(&skeleton, time), clip.pose_at(&skeleton, time));
        }
        let mut shaped = clip.clone();
        let mut smiling = skeleton.clone();
        (smiling.rest_morphs, smiling.joints[2].morph_count) = (vec![0.0, 0.5], 2);
        let rows = |row: [f32; 2]| Some(Curve::linear(vec![0.0, 0.5, 1.0], [row; 3].concat()));
        for (row, keys) in [([0.0, 0.5], 0), ([1.0, 0.5], 1)] {
            shaped.tracks[2].morphs = rows(row);
            let made = without_still_curves(shaped.clone(), &smiling);
            assert_eq!(made.tracks[2].morphs.as_ref().map_or(0, |curve| curve.times.len()), keys);
            assert_eq!(made.pose_at(&smiling, 0.7), shaped.pose_at(&smiling, 0.7));
        }
        let mut standing = clip;
        standing.tracks[1].rotation = None;
        let made = without_still_curves(standing, &skeleton);
        assert!(made.key_times().flatten().any(|&time| time == 1.0), "it is as long as before");
    }

    #[test]
    fn what_means_of_equal_offsets_round_to_does_not_move() {
        let mut skeleton = skeleton_of(&[("root", None), ("hips", Some(0))]);
        let rest = Vec3::new(0.1, -0.45, 0.07);
        skeleton.joints[1].rest.translation = rest;
        let rounded = |value: Vec3| {
            let weights = (1..9).map(|i| i as f32 / 9.0);
            let values: Vec<Vec3> = weights.map(|weight| value * weight + value * (1.0 - weight)).collect();
            assert!(values.iter().any(|rounded| *rounded != value), "the mean rounds");
            Some(Curve::linear((0..8).map(|i| i as f32 / 7.0).collect(), values))
        };
        let made = |translation: Option<Curve<Vec3>>| {
            let tracks = vec![JointTracks::default(), JointTracks { translation, ..JointTracks::default() }];
            let made = without_still_curves(Clip { name: "go".into(), duration: 2.0, tracks }, &skeleton);
            made.tracks[1].translation.as_ref().map_or(0, |curve| curve.times.len())
        };
        assert_eq!(made(rounded(rest)), 0);
        assert_eq!(made(rounded(rest * 1.1)), 1);
        let mut moving = rounded(rest);
        moving.as_mut().unwrap().values[3].y += 1e-6;
        assert_eq!(made(moving), 8, "a thousandth of a millimetre is a motion");
    }
}
