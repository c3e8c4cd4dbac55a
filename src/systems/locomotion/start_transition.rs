//! How a start clip sets the character going: what comes before its first move plays by time, the rest by the distance gone.

use super::DistanceCurve;
use super::active_clip::ActiveClip;
use super::segment::Segment;
use super::start_way::{lead, way};
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
