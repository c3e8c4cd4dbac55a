//! Detection of clips that engines should play as loops.

use super::cycle::{is_called_a_cycle, is_called_one_shot};
use super::frames::{Frames, frame_count};
use super::{Input, LoopGap};
use portamento_base::progress::{Cancelled, Progress};

/// Maximum number of local transforms that are sampled: 300 joints for 30 s at 60 fps take 26 MB. A motion beyond it is a
/// capture and not a cycle.
const MAX_TRANSFORMS: usize = 540_000;
/// Largest gap between end and start of a clip that ends in its first frame, as a fraction of the body's size: 2 cm of a person.
const MET_MAX_GAP: f64 = 0.012;
/// Largest rotation difference of a joint there, degrees; below it a seam is not seen.
const MET_MAX_DEGREES: f64 = 3.0;
/// Largest gap of a clip that is called a cycle, as a fraction of the body's size. Many packs leave out the last frame, which
/// equals the first: a foot of a run then is a frame's way off, at 5 m/s and 30 fps a tenth of the body.
const CALLED_MAX_GAP: f64 = 0.15;
/// Speed at the end, as a fraction of the mean speed, from which a motion goes on. A strike comes to rest in the stance from
/// which it began.
const GOES_ON_MIN_FRACTION: f64 = 0.5;

/// True if the clip ends as it began and goes on there, or `name` says that it is a cycle and it nearly ends so. False for a
/// clip that cannot be measured and for very long ones.
///
/// Returns `Err` if `progress` is cancelled.
pub fn loops(input: &Input, name: &str, progress: &Progress) -> Result<bool, Cancelled> {
    if frame_count(input.clip).saturating_mul(input.skeleton.len()) > MAX_TRANSFORMS {
        return Ok(false);
    }
    let Some(frames) = Frames::sample(input, &progress.part())? else { return Ok(false) };
    let gap = LoopGap::measure(input, &frames);
    let has_met = gap.place <= MET_MAX_GAP && gap.turn <= MET_MAX_DEGREES;
    let goes_on = gap.ends_at >= GOES_ON_MIN_FRACTION && !is_called_one_shot(name);
    Ok(has_met && goes_on || is_called_a_cycle(name, input.clip.duration) && gap.place <= CALLED_MAX_GAP)
}
