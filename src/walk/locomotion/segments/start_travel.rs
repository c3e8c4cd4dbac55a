//! Travel of a start clip along a path, and the speed profile with it.

use crate::locomotion::clips::clip_roles::ClipSet;
use crate::locomotion::clips::transition_clip::TransitionClip;
use crate::locomotion::paths::speed_profile::SpeedProfile;
use crate::locomotion::{Settings, SmoothPath};

/// Largest ratio between the path's speed at the start clip's end and the clip's own. Tuned; no derivation recorded.
const SPEED_MAX_RATIO: f64 = 1.25;

/// Range of factors by which a start clip's travel may be stretched to end at its own speed. Tuned; no derivation
/// recorded.
const STRETCH_RANGE: [f64; 2] = [0.6, 1.6];

/// Returns the speed profile along `path` between the speeds at both ends, m/s. If a start clip fits, motion begins when that
/// clip's root moves.
pub(crate) fn profile(path: &SmoothPath, settings: &Settings, clips: &ClipSet, ends: [f64; 2]) -> SpeedProfile {
    let profile = SpeedProfile::between(path, settings, ends, 0.0);
    let start = clips.start.as_ref().filter(|start| ends[0] == 0.0 && travel(start, &profile).is_some());
    let profile = match start {
        Some(start) => SpeedProfile::between(path, settings, ends, lead(start)),
        None => profile,
    };
    if ends[1] > 0.0 { profile.in_whole_frames(settings.fps) } else { profile }
}

/// Returns the time before the start clip moves, seconds.
pub(crate) fn lead(start: &TransitionClip) -> f64 {
    start.curve.time_for(start.curve.length())
}

/// True if the path's speed at the start clip's end is close to the clip's own.
fn fits(start: &TransitionClip, profile: &SpeedProfile) -> bool {
    let speed = profile.speed_at(start.curve.length()).unwrap_or(0.0);
    (start.last_speed() / SPEED_MAX_RATIO..=start.last_speed() * SPEED_MAX_RATIO).contains(&speed)
}

/// Returns the travel of the start clip, metres: its own if it ends at about its own speed, otherwise the distance at
/// which that speed is first reached. Returns `None` if that is too far or too near.
pub(crate) fn travel(start: &TransitionClip, profile: &SpeedProfile) -> Option<f64> {
    let own = start.curve.length();
    if fits(start, profile) {
        return Some(own);
    }
    let reached = profile.first_at_speed(start.last_speed())?;
    (STRETCH_RANGE[0]..=STRETCH_RANGE[1]).contains(&(reached / own)).then_some(reached)
}
