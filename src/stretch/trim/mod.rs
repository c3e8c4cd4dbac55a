//! Cuts a part out of a motion: keeps the keys between two cuts and adds exact keys at both.

mod error;
mod settings;

pub use error::BuildError;
pub use settings::Settings;

use serde::{Deserialize, Serialize};

use portamento_anim::curve_keys::{Keyed, is_whole, with_keys_at};
use portamento_anim::{Clip, Curve, Interpolation, JointTracks, Skeleton};
use portamento_base::progress::Progress;

/// The motion to cut, with its skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Skeleton of the clip.
    pub skeleton: &'a Skeleton,
    /// The incoming motion.
    pub clip: &'a Clip,
}

/// Report of a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Incoming time of the new start, seconds.
    pub from: f64,
    /// Incoming time of the new end, seconds.
    pub to: f64,
    /// Number of keys in all incoming curves.
    pub keys_before: usize,
    /// Number of keys in all resulting curves.
    pub keys_after: usize,
}

/// The cut motion with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The cut motion, starting at 0 s.
    pub clip: Clip,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// Shortest result, seconds.
const MIN_SECONDS: f64 = 1e-3;

/// Cuts the motion of `input` according to `settings`.
///
/// Returns `Err` if
/// - the clip does not fit the skeleton;
/// - the cuts are outside the motion or less than 0.001 s apart: two equal cuts give the pose at that time as a single key;
/// - `progress` is cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    let clip = input.clip;
    clip.check_fits(input.skeleton)?;
    let length = clip.duration;
    let (from, to) = (settings.from, settings.to.unwrap_or(length));
    // Keys are f32, so a cut within their rounding of the end is the end.
    let is_pose = settings.to == Some(from);
    let is_inside = from >= 0.0 && to <= length * (1.0 + 1e-6) && (is_pose || to - from >= MIN_SECONDS);
    if !is_inside {
        return Err(BuildError::BadSpan { from, to, length });
    }
    let cuts = [from, to.min(length)].map(|time| time as f32);
    let mut tracks = Vec::with_capacity(clip.tracks.len());
    for (joint, before) in clip.tracks.iter().enumerate() {
        progress.step(joint, clip.tracks.len())?;
        let morphs = input.skeleton.joints[joint].morph_count;
        tracks.push(JointTracks {
            translation: before.translation.as_ref().map(|curve| cut_curve(curve, 1, cuts)),
            rotation: before.rotation.as_ref().map(|curve| cut_curve(curve, 1, cuts)),
            scale: before.scale.as_ref().map(|curve| cut_curve(curve, 1, cuts)),
            morphs: before.morphs.as_ref().map(|curve| cut_curve(curve, morphs, cuts)),
            ..JointTracks::default()
        });
    }
    let [from, to] = cuts.map(f64::from);
    let cut_clip = Clip { name: clip.name.clone(), duration: f64::from((to - from) as f32), tracks };
    let keys = |clip: &Clip| clip.key_times().map(<[f32]>::len).sum();
    let report = Report { from, to, keys_before: keys(clip), keys_after: keys(&cut_clip) };
    Ok(Built { clip: cut_clip, report })
}

/// Returns the part of `curve` (with `width` values per key) between the two `cuts` in seconds, starting at 0, with keys at both.
/// Equal cuts give one key. A curve of one key stays, at time 0.
fn cut_curve<T: Keyed>(curve: &Curve<T>, width: usize, cuts: [f32; 2]) -> Curve<T> {
    // A single key is constant over time, at any position.
    if curve.times.len() < 2 || !is_whole(curve, width) {
        return Curve { times: curve.times.iter().map(|_| 0.0).collect(), ..curve.clone() };
    }
    let with_cut_keys = with_keys_at(curve, width, &cuts);
    let first = with_cut_keys.times.partition_point(|&time| time < cuts[0]);
    let last = with_cut_keys.times.partition_point(|&time| time <= cuts[1]);
    let per_key = with_cut_keys.values.len() / with_cut_keys.times.len();
    if cuts[0] == cuts[1] {
        // A spline key is its tangents around its value.
        let value = first * per_key + (per_key - width) / 2;
        let values = with_cut_keys.values[value..value + width].to_vec();
        return Curve { interpolation: Interpolation::Linear, times: vec![0.0].into(), values: values.into() };
    }
    let shifted = |&time: &f32| (f64::from(time) - f64::from(cuts[0])) as f32;
    Curve {
        interpolation: with_cut_keys.interpolation,
        times: with_cut_keys.times[first..last].iter().map(shifted).collect(),
        values: with_cut_keys.values[first * per_key..last * per_key].to_vec().into(),
    }
}

#[cfg(test)]
mod tests;
