//! Start clip of a segment: its still lead plays by time, the rest by distance travelled.

use super::segment::{ActiveClip, Segment};
use super::start_travel::{lead, travel};
use crate::locomotion::DistanceCurve;
use portamento_anim::math::easing::Easing;

/// A start clip fitted to a segment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StartTransition {
    /// End of the clip, seconds.
    pub ends: f64,
    /// The clip's distance curve, stretched if it would end at another speed than the character's.
    curve: DistanceCurve,
    /// Metres by which it was stretched; negative if shortened.
    pub stretched: f64,
}

/// Cross-fade time from the start clip to the gaits, seconds. Tuned; no derivation recorded.
const FADE_SECONDS: f64 = 0.15;

impl StartTransition {
    /// Finds the start clip of a segment, if it fits.
    pub fn find(segment: &Segment) -> Option<Self> {
        let start = segment.clips.start.as_ref().filter(|_| segment.joints[0].is_none())?;
        let distance = travel(start, &segment.profile)?;
        let stretched = distance - start.curve.length();
        Some(Self { ends: segment.profile.time_at(distance)?, curve: start.curve.stretched(distance), stretched })
    }

    /// Returns the active clip at `time` (seconds) before the end.
    pub fn play(&self, segment: &Segment, time: f64) -> ActiveClip {
        let Some(start) = &segment.clips.start else { return ActiveClip::Gait };
        let gone = segment.profile.at(time).0;
        let lead = lead(start);
        let matched = self.curve.time_for(self.curve.length() - gone);
        let clip = if time < lead { time } else { matched.max(lead) };
        ActiveClip::Start(clip, Easing::Smoothstep.at(1.0 - (self.ends - time) / FADE_SECONDS))
    }
}
