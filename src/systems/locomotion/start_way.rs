//! How far a start clip goes along a path, and how fast the path is walked with it.

use super::clip_roles::ClipSet;
use super::speed_profile::SpeedProfile;
use super::transition_clip::TransitionClip;
use super::{Settings, SmoothPath};

/// By how much the speed at the start clip's end may differ from its own, as a factor.
const MEETS: f64 = 1.25;

/// By how much the start clip's way may be stretched so that it ends at its own speed, as factors.
const STRETCH: [f64; 2] = [0.6, 1.6];

/// The speed along `path`: where a start clip fits, it begins when that clip's root does.
pub(super) fn profile(path: &SmoothPath, settings: &Settings, clips: &ClipSet) -> SpeedProfile {
    let profile = SpeedProfile::plan(path, settings, 0.0);
    match clips.start.as_ref().filter(|start| way(start, &profile).is_some()) {
        Some(start) => SpeedProfile::plan(path, settings, lead(start)),
        None => profile,
    }
}

/// Seconds of the start clip before it moves.
pub(super) fn lead(start: &TransitionClip) -> f64 {
    start.curve.time_for(start.curve.length())
}

/// Whether the motion is about as fast as the start clip where that ends.
fn fits(start: &TransitionClip, profile: &SpeedProfile) -> bool {
    let speed = profile.speed_at(start.curve.length()).unwrap_or(0.0);
    (start.last_speed() / MEETS..=start.last_speed() * MEETS).contains(&speed)
}

/// Metres the start clip goes: its own way where that ends at about its own speed, else as far as that speed is first met; `None`
/// where that is too far or too near.
pub(super) fn way(start: &TransitionClip, profile: &SpeedProfile) -> Option<f64> {
    let own = start.curve.length();
    if fits(start, profile) {
        return Some(own);
    }
    let reached = profile.first_at_speed(start.last_speed())?;
    (STRETCH[0]..=STRETCH[1]).contains(&(reached / own)).then_some(reached)
}
