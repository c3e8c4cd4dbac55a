//! A clip from or to a stand, with its remaining distance and its foot contacts over time.

use super::in_place_clip::{ClipRole, InPlaceClip, RootCarrier};
use crate::locomotion::{DistanceCurve, Input, Measure, WalkError};
use portamento_anim::Clip;
use portamento_anim::contacts::{ContactLimits, contacts, per_frame};

/// Largest angle between travel and front of a forward clip, radians. Tuned; no derivation recorded.
pub(super) const FORWARD_MAX_RADIANS: f64 = 0.5;

/// A start clip or a stop clip.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TransitionClip {
    pub source: InPlaceClip,
    pub curve: DistanceCurve,
}

impl TransitionClip {
    /// Measures `clip`. Returns `Err` if it travels less than 10 cm.
    pub fn new(input: &Input, carrier: &RootCarrier, clip: &Clip, role: ClipRole) -> Result<Self, WalkError> {
        let source = InPlaceClip::new(input, carrier, clip, role);
        let travel = source.travel();
        if travel < 0.1 {
            return Err(WalkError::NoTravel { clip: clip.name.clone(), travel });
        }
        let direction = (source.path[source.path.len() - 1] - source.path[0]).normalize_or_zero();
        let straight: Vec<_> =
            source.path.iter().map(|p| direction * (p.dot(direction) * input.metres_per_unit)).collect();
        let curve = DistanceCurve::new(&straight, &source.times, Measure::Straight);
        Ok(Self { source, curve })
    }

    /// Returns the speed at the clip's beginning, m/s.
    pub(super) fn first_speed(&self) -> f64 {
        (self.curve.at(0.0) - self.curve.at(0.1)) / 0.1
    }

    /// Returns the mean speed over the tenth of a second after `time`, m/s.
    pub fn speed_at(&self, time: f64) -> f64 {
        (self.curve.at(time) - self.curve.at(time + 0.1)) / 0.1
    }

    /// Returns the speed at the clip's end, m/s.
    pub(crate) fn last_speed(&self) -> f64 {
        self.curve.at(self.source.clip.duration - 0.1) / 0.1
    }

    /// True if the clip's own root moves forward, and backward by less than 5 cm.
    pub fn is_straight(&self) -> bool {
        self.source.off_front() < FORWARD_MAX_RADIANS && self.curve.repaired < 0.05 && self.source.travels()
    }

    /// Returns the contacts of all legs at the times of the path, while the clip travels along its own path.
    /// `metres_per_unit` is the length of a world unit in metres.
    pub fn standing(&self, metres_per_unit: f64) -> ContactTrack {
        let times = self.source.times.clone();
        let contact_row = |leg: usize| {
            let points: Vec<_> = times.iter().map(|&time| self.source.sole_once(leg, time)).collect();
            per_frame(&contacts(&points, &times, metres_per_unit, &ContactLimits::default()), times.len())
        };
        let legs = (0..self.source.leg_count()).map(contact_row).collect();
        ContactTrack { times, legs }
    }
}

/// Foot contacts of each leg over a clip's time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContactTrack {
    /// Clip times, seconds.
    times: Vec<f64>,
    /// Per leg and time, true if the foot is planted.
    legs: Vec<Vec<bool>>,
}

impl ContactTrack {
    /// Creates the track from `times` (seconds) and one row of contacts per leg.
    pub fn new(times: Vec<f64>, legs: Vec<Vec<bool>>) -> Self {
        Self { times, legs }
    }

    /// True if the leg is planted at a clip time, seconds. False for an unknown leg.
    pub fn at(&self, leg: usize, time: f64) -> bool {
        let i = self.times.partition_point(|&t| t <= time + 1e-9).saturating_sub(1);
        self.legs.get(leg).and_then(|row| row.get(i)).copied().unwrap_or(false)
    }
}
