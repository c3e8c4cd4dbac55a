//! A part of a motion: its keys inside the cuts, and the exact pose at both.

mod error;
mod settings;

pub use error::BuildError;
pub use settings::Settings;

use serde::{Deserialize, Serialize};

use crate::anim::curve_keys::{Keyed, is_whole, with_keys_at};
use crate::anim::{Clip, Curve, JointTracks, Skeleton};
use crate::progress::Progress;

/// What is cut.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The skeleton that the clip was made for.
    pub skeleton: &'a Skeleton,
    /// The incoming motion; never changed.
    pub clip: &'a Clip,
}

/// What was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Second of the incoming motion that is the first now.
    pub from: f64,
    /// Second of the incoming motion that is the last now.
    pub to: f64,
    /// Keys of all curves that came in.
    pub keys_before: usize,
    /// Keys of all curves that come out.
    pub keys_after: usize,
}

/// The part of a motion and what was cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The part, beginning at 0 s.
    pub clip: Clip,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// The least that is left, seconds.
const SHORTEST: f64 = 1e-3;

/// Cuts `input` as `settings` say.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    let clip = input.clip;
    clip.check_fits(input.skeleton)?;
    let length = clip.duration;
    let (from, to) = (settings.from, settings.to.unwrap_or(length));
    // Keys are f32, so an end within their rounding is the clip's own.
    let is_inside = from >= 0.0 && to <= length * (1.0 + 1e-6) && to - from >= SHORTEST;
    if !is_inside {
        return Err(BuildError::BadSpan { from, to, length });
    }
    let cuts = [from, to.min(length)].map(|time| time as f32);
    let mut tracks = Vec::with_capacity(clip.tracks.len());
    for (joint, before) in clip.tracks.iter().enumerate() {
        progress.step(joint, clip.tracks.len())?;
        let morphs = input.skeleton.joints[joint].morph_count;
        tracks.push(JointTracks {
            translation: before.translation.as_ref().map(|curve| between(curve, 1, cuts)),
            rotation: before.rotation.as_ref().map(|curve| between(curve, 1, cuts)),
            scale: before.scale.as_ref().map(|curve| between(curve, 1, cuts)),
            morphs: before.morphs.as_ref().map(|curve| between(curve, morphs, cuts)),
            ..JointTracks::default()
        });
    }
    let [from, to] = cuts.map(f64::from);
    let made = Clip { name: clip.name.clone(), duration: f64::from((to - from) as f32), tracks };
    let keys = |clip: &Clip| clip.key_times().map(<[f32]>::len).sum();
    let report = Report { from, to, keys_before: keys(clip), keys_after: keys(&made) };
    Ok(Built { clip: made, report })
}

/// The part of `curve` from one cut to the other, beginning at 0.
fn between<T: Keyed>(curve: &Curve<T>, width: usize, cuts: [f32; 2]) -> Curve<T> {
    // One key holds for ever, wherever it lies.
    if curve.times.len() < 2 || !is_whole(curve, width) {
        return Curve { times: curve.times.iter().map(|_| 0.0).collect(), ..curve.clone() };
    }
    let whole = with_keys_at(curve, width, &cuts);
    let first = whole.times.partition_point(|&time| time < cuts[0]);
    let last = whole.times.partition_point(|&time| time <= cuts[1]);
    let per_key = whole.values.len() / whole.times.len();
    let shifted = |&time: &f32| (f64::from(time) - f64::from(cuts[0])) as f32;
    Curve {
        interpolation: whole.interpolation,
        times: whole.times[first..last].iter().map(shifted).collect(),
        values: whole.values[first * per_key..last * per_key].to_vec(),
    }
}

#[cfg(test)]
mod tests;
