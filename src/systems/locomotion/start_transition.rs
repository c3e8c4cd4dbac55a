//! How a start clip sets the character going: what comes before its first move plays by time, the rest by the distance gone.

use super::clip_roles::ClipSet;
use super::plan::ActiveClip;
use super::segment::Segment;
use super::speed_profile::SpeedProfile;
use super::transition_clip::TransitionClip;
use super::{DistanceCurve, Settings, SmoothPath};
use crate::math::easing::Easing;

/// The start clip on the way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StartTransition {
    /// When the clip is over, seconds.
    pub ends: f64,
    /// The clip's distance curve, stretched where it would end at another speed than the character has there.
    curve: DistanceCurve,
    /// Metres by which it was stretched; below 0 shortened.
    pub stretched: f64,
}

/// Seconds in which the start clip goes over into the gaits.
const OVER: f64 = 0.15;
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
fn lead(start: &TransitionClip) -> f64 {
    start.curve.time_for(start.curve.length())
}

/// Whether the motion is about as fast as the start clip where that ends.
fn fits(start: &TransitionClip, profile: &SpeedProfile) -> bool {
    let speed = profile.speed_at(start.curve.length()).unwrap_or(0.0);
    (start.last_speed() / MEETS..=start.last_speed() * MEETS).contains(&speed)
}

/// Metres the start clip goes: its own way where that ends at about its own speed, else as far as that speed is first met; `None`
/// where that is too far or too near.
fn way(start: &TransitionClip, profile: &SpeedProfile) -> Option<f64> {
    let own = start.curve.length();
    if fits(start, profile) {
        return Some(own);
    }
    let reached = profile.first_at_speed(start.last_speed())?;
    (STRETCH[0]..=STRETCH[1]).contains(&(reached / own)).then_some(reached)
}

impl StartTransition {
    /// The start clip of a segment, where it fits.
    pub fn find(segment: &Segment) -> Option<Self> {
        let start = segment.clips.start.as_ref()?;
        let way = way(start, &segment.profile)?;
        let stretched = way - start.curve.length();
        Some(Self { ends: segment.profile.time_at(way)?, curve: start.curve.stretched(way), stretched })
    }

    /// What plays at `time` (seconds) before the end.
    pub fn play(&self, segment: &Segment, time: f64) -> ActiveClip {
        let Some(start) = &segment.clips.start else { return ActiveClip::Gait };
        let gone = segment.profile.at(time).0;
        let lead = lead(start);
        let matched = self.curve.time_for(self.curve.length() - gone);
        let clip = if time < lead { time } else { matched.max(lead) };
        ActiveClip::Start(clip, Easing::Smoothstep.at(1.0 - (self.ends - time) / OVER))
    }
}
