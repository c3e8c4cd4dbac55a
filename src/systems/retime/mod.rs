//! A motion played faster and slower over its time: every key gets its own moment, exactly.
//!
//! Resampling a motion at other times loses its keys and makes pauses tremble. Here only the keys' times change ([`time_map`]),
//! and tangents of splines with them. Between two keys the playing program draws its own line, which is the exact motion where
//! the speed does not change in between; where it does and the values differ, keys are added until no curve is farther from the
//! exact motion than [`Report::bound`]. What stands still gets no keys: a shortened pause stays a pause to the last bit.

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

use crate::anim::curve_keys::Keyed;
use crate::anim::{Clip, Curve, JointTracks};
use crate::progress::Progress;

/// A motion at another speed and what was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion over the time that is played; curves without motion keep their values.
    pub clip: Clip,
    /// When each moment of the incoming motion is played, for events and contacts on it.
    pub map: TimeMap,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// The longest a motion may last, seconds: a day.
const LONGEST: f64 = 86_400.0;

/// Plays `input` as `settings` say.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    let mut settings = settings.clone();
    settings.knots.sort_by(|a, b| a.time.total_cmp(&b.time));
    check(input, &settings)?;
    let clip = input.clip;
    let map = TimeMap::new(&settings, clip.duration);
    let [slowest, fastest] = map.speeds(clip.duration);
    let bound = keys::BOUND;
    let mut report = Report { seconds_before: clip.duration, slowest, fastest, bound, ..Report::default() };
    let mut tracks = Vec::with_capacity(clip.tracks.len());
    for (joint, before) in clip.tracks.iter().enumerate() {
        progress.step(joint, clip.tracks.len())?;
        let morphs = input.skeleton.joints[joint].morph_count;
        tracks.push(JointTracks {
            translation: before.translation.as_ref().map(|curve| retimed(curve, 1, &map, &mut report)),
            rotation: before.rotation.as_ref().map(|curve| retimed(curve, 1, &map, &mut report)),
            scale: before.scale.as_ref().map(|curve| retimed(curve, 1, &map, &mut report)),
            morphs: before.morphs.as_ref().map(|curve| retimed(curve, morphs, &map, &mut report)),
            ..JointTracks::default()
        });
    }
    // Keys are f32: the clip ends where its last key can be.
    let duration = f64::from(map.at(clip.duration) as f32);
    if !(duration > 0.0 && duration <= LONGEST) {
        return Err(BuildError::BadLength { length: duration });
    }
    report.seconds_after = duration;
    Ok(Built { clip: Clip { name: clip.name.clone(), duration, tracks }, map, report })
}

fn retimed<T: Keyed>(curve: &Curve<T>, width: usize, map: &TimeMap, report: &mut Report) -> Curve<T> {
    let made = keys::retimed(curve, width, map);
    report.keys += curve.times.len();
    report.added_keys += made.added;
    report.deviation = report.deviation.max(made.deviation);
    made.curve
}

fn check(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    input.clip.check_fits(input.skeleton)?;
    let length = input.clip.duration;
    if !(length > 0.0 && length <= LONGEST) {
        return Err(BuildError::BadClip { length });
    }
    if let Some(length) = settings.length.filter(|&length| !(length > 0.0 && length <= LONGEST)) {
        return Err(BuildError::BadLength { length });
    }
    let speeds = Settings::SLOWEST..=Settings::FASTEST;
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
