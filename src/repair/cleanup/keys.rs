//! Resampling and reduction of keys.

use super::{Input, Settings};
use portamento_anim::Clip;
use portamento_anim::reduce::{self, KeyReduction, reduced};
use portamento_anim::resample::{ResampleGrid, resampled};
use portamento_anim::shell;
use portamento_anim::still_curves::without_redundant_keys;
use portamento_base::progress::{Cancelled, Progress};

/// Resamples and reduces the keys of `clip` as `settings` say, and removes redundant ones. Returns the key counts and the largest
/// error of any point around any joint, or `None` if the settings ask for neither. Returns `Err` if `progress` is cancelled.
pub(super) fn rebuild(
    input: &Input,
    settings: &Settings,
    clip: &mut Clip,
    progress: &Progress,
) -> Result<Option<KeyReduction>, Cancelled> {
    let Input { skeleton, metres_per_unit, .. } = *input;
    let before = clip.clone();
    if let Some(fps) = settings.rate {
        *clip = resampled(skeleton, clip, ResampleGrid { fps, end: clip.duration, pace: 1.0 });
    }
    if let Some(tolerance) = settings.reduce {
        let input = reduce::Input { skeleton, clip, untouched: &[], metres_per_unit };
        *clip = reduced(&input, tolerance, progress)?.clip;
    }
    if settings.rate.is_none() && settings.reduce.is_none() {
        return Ok(None);
    }
    *clip = without_redundant_keys(clip.clone(), skeleton).0;
    let errors = shell::errors(skeleton, [&before, clip], &shell::moments(&before), metres_per_unit, progress)?;
    let error_mm = 1000.0 * errors.into_iter().fold(0.0, f64::max);
    Ok(Some(KeyReduction { before: before.key_count(), after: clip.key_count(), error_mm }))
}
