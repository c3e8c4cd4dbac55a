//! Loop guarantees on corpus characters: every clip closes bit for bit with any painting, loops are found again, and
//! too long loops are refused.

use std::path::PathBuf;
use std::sync::Arc;

use portamento::anim::{Clip, Model, Pose, Roles, RootMotion};
use portamento::import;
use portamento::math::random::SplitMix64;
use portamento::media::VertexClip;
use portamento::progress::Progress;
use portamento::systems::looping::joint::{self, Input, frames_in};
use portamento::systems::looping::{BuildError, Fade, JointLoop, LoopTravel, Settings, vertex};

use super::corpus;

/// Number of clips per character, evenly spread.
const CLIPS_PER_CHARACTER: usize = 4;

fn characters() -> Vec<(PathBuf, Model)> {
    let folders = ["characters", "wild"].into_iter().filter_map(corpus);
    let mut paths: Vec<PathBuf> = folders
        .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "glb" || extension == "vrm"))
        .collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), import::import(&path).unwrap().model)).collect()
}

fn clips(model: &Model) -> impl Iterator<Item = &Clip> {
    let long: Vec<&Clip> = model.clips.iter().filter(|clip| frames_in(clip, 30.0) >= 9).collect();
    let every = long.len().div_ceil(CLIPS_PER_CHARACTER).max(1);
    long.into_iter().step_by(every)
}

fn painted(joints: usize, seed: u64) -> Fade {
    let mut random = SplitMix64::new(seed);
    let timing: Vec<f32> = (0..joints).map(|_| random.unit() as f32).collect();
    Fade { timing: timing.into(), softness: 0.6, reach: 1.0, ..Fade::default() }
}

fn built(model: &Model, clip: &Clip, settings: &Settings) -> Result<JointLoop, BuildError> {
    let root = RootMotion::find(&model.skeleton, clip, &Roles::default());
    joint::build(&Input { skeleton: &model.skeleton, clip, root, fps: 30.0 }, settings, &Progress::new())
}

/// True if all rotations are unit quaternions and all numbers finite.
fn is_sound(pose: &Pose) -> bool {
    let sound = |local: &portamento::math::Transform| {
        local.translation.is_finite() && local.scale.is_finite() && (local.rotation.length() - 1.0).abs() < 1e-5
    };
    pose.locals.iter().all(sound) && pose.morphs.iter().all(|weight| weight.is_finite())
}

#[test]
fn corpus_clips_close_for_any_painting_without_changing_their_source() {
    let mut count = 0;
    for (path, model) in characters() {
        for (seed, clip) in (0..).zip(clips(&model)) {
            let (before, frames) = (clip.clone(), frames_in(clip, 30.0));
            let length = (frames - 1) / 2;
            for travel in [LoopTravel::InPlace, LoopTravel::Onward] {
                let fade = painted(model.skeleton.len(), seed);
                let settings = Settings { length, fade, travel, ..Settings::default() };
                let looped = built(&model, clip, &settings).unwrap();
                let named = format!("{} {}", path.display(), clip.name);
                assert_eq!((looped.frames(), looped.report().value_gap), (length, 0.0), "{named}");
                assert!((0..=length).all(|k| is_sound(looped.cycle_frame(k))), "{named}");
                if travel == LoopTravel::InPlace {
                    assert_eq!(looped.cycle_frame(0), looped.cycle_frame(length), "{named}");
                }
                count += 1;
            }
            let longer = Settings { length: frames / 2 + frames % 2, ..Settings::default() };
            assert!(matches!(built(&model, clip, &longer), Err(BuildError::SourceTooShort { .. })));
            assert_eq!(*clip, before);
        }
    }
    println!("{count} loops of strangers' clips");
}

#[test]
fn corpus_loops_repeated_three_times_are_found_again() {
    for (path, model) in characters() {
        for (seed, clip) in (50..).zip(clips(&model)).take(2) {
            let length = (frames_in(clip, 30.0) - 1) / 2;
            let settings = Settings { length, travel: LoopTravel::InPlace, ..Settings::default() };
            let once = built(&model, clip, &settings).unwrap();
            let thrice = repeated(&once.to_clip(&model.skeleton, false), 3, length);
            let fade = painted(model.skeleton.len(), seed);
            let again = built(&model, &thrice, &Settings { fade, ..settings }).unwrap();
            for k in 0..length {
                let pairs = again.cycle_frame(k).locals.iter().zip(&once.cycle_frame(k).locals);
                let near = |a: &portamento::math::Transform, b: &portamento::math::Transform| {
                    let size = 1.0 + a.translation.length();
                    (a.translation - b.translation).length() <= 1e-5 * size
                        && portamento::math::mean::angle_between(a.rotation, b.rotation) < 1e-3
                };
                assert!(pairs.into_iter().all(|(a, b)| near(a, b)), "{} {} frame {k}", path.display(), clip.name);
            }
        }
    }
}

/// Returns `clip` with `length` keys per curve at 30 fps, repeated `times` times.
fn repeated(clip: &Clip, times: usize, length: usize) -> Clip {
    let mut clip = clip.clone();
    let keys: Vec<f32> = (0..times * length).map(|k| (k as f64 / 30.0) as f32).collect();
    for tracks in &mut clip.tracks {
        let again = |values: &[f32]| values.repeat(times);
        if let Some(curve) = &mut tracks.translation {
            (curve.times, curve.values) = (keys.clone().into(), curve.values.repeat(times).into());
        }
        if let Some(curve) = &mut tracks.rotation {
            (curve.times, curve.values) = (keys.clone().into(), curve.values.repeat(times).into());
        }
        if let Some(curve) = &mut tracks.scale {
            (curve.times, curve.values) = (keys.clone().into(), curve.values.repeat(times).into());
        }
        if let Some(curve) = &mut tracks.morphs {
            (curve.times, curve.values) = (keys.clone().into(), again(&curve.values).into());
        }
    }
    clip.duration = (times * length - 1) as f64 / 30.0;
    clip
}

#[test]
fn corpus_clips_looped_by_vertices_close_bit_for_bit() {
    for (path, model) in characters() {
        let Some(clip) = clips(&model).next() else { continue };
        let Ok(cache) = model.to_vertex_clip(clip, 10.0, &Progress::new()) else { continue };
        let cache: Arc<VertexClip> = Arc::new(cache);
        if cache.frames() < 3 {
            continue;
        }
        let settings = Settings { length: (cache.frames() - 1) / 2, keep_energy: true, ..Settings::default() };
        let built = vertex::build(&cache, &settings, &Progress::new()).unwrap();
        let closed = built.to_clip(true);
        assert_eq!(closed.frame(0), closed.frame(settings.length), "{}", path.display());
        assert_eq!(closed.frame(0), cache.frame(settings.length), "{}", path.display());
        assert!(closed.positions.iter().all(|point| point.is_finite()), "{}", path.display());
    }
}
