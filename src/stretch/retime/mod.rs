//! Changes the playback speed of a motion over time: every key moves exactly to its new time.
//!
//! Resampling a motion at other times would lose its keys and make pauses jitter. Here only the times of the keys change
//! ([`time_map`]), together with the tangents of splines. If the speed is constant between two keys, the interpolation between
//! them is exact. If the speed changes and the values differ, keys are added until no curve deviates from the exact motion by
//! more than [`Report::bound`]. Constant parts get no new keys, so a shortened pause stays a pause bit for bit.

mod error;
mod input;
mod keys;
mod report;
mod settings;
mod time_map;

pub use error::BuildError;
pub use input::Input;
pub use report::Report;
pub use settings::{Settings, SpeedEase, SpeedKnot};
pub use time_map::TimeMap;

use portamento_anim::curve_keys::Keyed;
use portamento_anim::{Clip, Curve, JointTracks, Skeleton};
use portamento_base::progress::Progress;

/// A retimed motion with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The retimed motion. Constant curves keep their values.
    pub clip: Clip,
    /// The map from incoming to played time, for events and contacts.
    pub map: TimeMap,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// Longest motion, seconds: one day.
const MAX_SECONDS: f64 = 86_400.0;

/// Retimes the motion of `input` according to `settings`.
///
/// Returns `Err` if
/// - the clip does not fit the skeleton, or its length is not within 0 s to 1 day;
/// - a knot has a negative time, or a speed outside [`Settings::MIN_SPEED`] to [`Settings::MAX_SPEED`];
/// - two knots have the same time;
/// - the target duration or the resulting one is not within 0 s to 1 day;
/// - `progress` is cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    let mut settings = settings.clone();
    settings.knots.sort_by(|a, b| a.time.total_cmp(&b.time));
    check(input, &settings)?;
    let clip = input.clip;
    let map = TimeMap::new(&settings, clip.duration);
    let [slowest, fastest] = map.speeds(clip.duration);
    let bound = keys::MAX_DEVIATION;
    let mut report = Report { seconds_before: clip.duration, slowest, fastest, bound, ..Report::default() };
    let duration = played_duration(clip, &map);
    if !(duration > 0.0 && duration <= MAX_SECONDS) {
        return Err(BuildError::BadLength { length: duration });
    }
    let mut tracks = Vec::with_capacity(clip.tracks.len());
    for joint in 0..clip.tracks.len() {
        progress.step(joint, clip.tracks.len())?;
        tracks.push(played_tracks(input.skeleton, clip, joint, &map, &mut report));
    }
    report.seconds_after = duration;
    Ok(Built { clip: Clip { name: clip.name.clone(), duration, tracks }, map, report })
}

/// Returns `clip`, which fits `skeleton`, with its keys moved from incoming to played time by `map`.
pub(super) fn retimed_clip(skeleton: &Skeleton, clip: &Clip, map: &TimeMap) -> Clip {
    let tracks = (0..clip.tracks.len()).map(|joint| played_tracks(skeleton, clip, joint, map, &mut Report::default()));
    Clip { name: clip.name.clone(), duration: played_duration(clip, map), tracks: tracks.collect() }
}

/// Returns the duration of the retimed clip. Keys are f32, so the clip ends at the f32 time of its last key.
fn played_duration(clip: &Clip, map: &TimeMap) -> f64 {
    f64::from(map.at(clip.duration) as f32)
}

/// Returns the retimed curves of `joint` and adds their numbers to `report`.
fn played_tracks(skeleton: &Skeleton, clip: &Clip, joint: usize, map: &TimeMap, report: &mut Report) -> JointTracks {
    let (before, morphs) = (&clip.tracks[joint], skeleton.joints[joint].morph_count);
    JointTracks {
        translation: before.translation.as_ref().map(|curve| retimed(curve, 1, map, report)),
        rotation: before.rotation.as_ref().map(|curve| retimed(curve, 1, map, report)),
        scale: before.scale.as_ref().map(|curve| retimed(curve, 1, map, report)),
        morphs: before.morphs.as_ref().map(|curve| retimed(curve, morphs, map, report)),
        ..JointTracks::default()
    }
}

/// Retimes one curve and adds its numbers to `report`.
fn retimed<T: Keyed>(curve: &Curve<T>, width: usize, map: &TimeMap, report: &mut Report) -> Curve<T> {
    let result = keys::retimed(curve, width, map);
    report.keys += curve.times.len();
    report.added_keys += result.added;
    report.deviation = report.deviation.max(result.deviation);
    result.curve
}

/// Returns `Err` if the clip, the target duration or a knot is invalid.
fn check(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    input.clip.check_fits(input.skeleton)?;
    let length = input.clip.duration;
    if !(length > 0.0 && length <= MAX_SECONDS) {
        return Err(BuildError::BadClip { length });
    }
    if let Some(length) = settings.length.filter(|&length| !(length > 0.0 && length <= MAX_SECONDS)) {
        return Err(BuildError::BadLength { length });
    }
    let speeds = Settings::MIN_SPEED..=Settings::MAX_SPEED;
    let is_bad = |knot: &&SpeedKnot| !(knot.time >= 0.0 && knot.time.is_finite() && speeds.contains(&knot.speed));
    if let Some(&SpeedKnot { time, speed, .. }) = settings.knots.iter().find(is_bad) {
        return Err(BuildError::BadKnot { time, speed });
    }
    match settings.knots.windows(2).find(|pair| pair[0].time >= pair[1].time) {
        Some(pair) => Err(BuildError::SameTime { time: pair[1].time }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
