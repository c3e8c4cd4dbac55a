//! A clip that comes from or to a stand: how far it has to go by time, and when its feet stand.

use super::in_place_clip::{ClipRole, InPlaceClip, RootCarrier};
use super::{DistanceCurve, Input, Measure, WalkError};
use crate::anim::Clip;
use crate::anim::contacts::{ContactLimits, contacts, per_frame};

/// Radians from the front up to which a clip goes forwards.
pub(super) const FORWARDS: f64 = 0.5;

/// A clip that stands and runs off, or runs in and stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TransitionClip {
    pub source: InPlaceClip,
    pub curve: DistanceCurve,
}

impl TransitionClip {
    /// Measures `clip`; an error when it goes nowhere.
    pub fn new(input: &Input, carrier: &RootCarrier, clip: &Clip, role: ClipRole) -> Result<Self, WalkError> {
        let source = InPlaceClip::new(input, carrier, clip, role);
        let travel = source.travel();
        if travel < 0.1 {
            return Err(WalkError::NoTravel { clip: clip.name.clone(), travel });
        }
        let ahead = (source.way[source.way.len() - 1] - source.way[0]).normalize_or_zero();
        let straight: Vec<_> = source.way.iter().map(|p| ahead * (p.dot(ahead) * input.metres_per_unit)).collect();
        let curve = DistanceCurve::new(&straight, &source.times, Measure::Straight);
        Ok(Self { source, curve })
    }

    /// Speed with which the clip begins, m/s.
    pub(super) fn first_speed(&self) -> f64 {
        (self.curve.at(0.0) - self.curve.at(0.1)) / 0.1
    }

    /// Speed at a time of the clip, m/s, over a tenth of a second from there on.
    pub fn speed_at(&self, time: f64) -> f64 {
        (self.curve.at(time) - self.curve.at(time + 0.1)) / 0.1
    }

    /// Speed with which the clip ends, m/s.
    pub(super) fn last_speed(&self) -> f64 {
        self.curve.at(self.source.clip.duration - 0.1) / 0.1
    }

    /// Whether it goes straight ahead, by its own root.
    pub fn is_straight(&self) -> bool {
        self.source.off_front() < FORWARDS && self.curve.repaired < 0.05 && self.source.travels()
    }

    /// Looks for the stands of all legs on the clip's own way.
    pub fn standing(&self, metres_per_unit: f64) -> ContactTrack {
        let times = self.source.times.clone();
        let stands = |leg: usize| {
            let points: Vec<_> = times.iter().map(|&time| self.source.sole_once(leg, time)).collect();
            per_frame(&contacts(&points, &times, metres_per_unit, &ContactLimits::default()), times.len())
        };
        let legs = (0..self.source.soles()).map(stands).collect();
        ContactTrack { times, legs }
    }
}

/// When each leg stands in a clip.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ContactTrack {
    times: Vec<f64>,
    legs: Vec<Vec<bool>>,
}

impl ContactTrack {
    /// Per leg whether it stands at each of the `times` (seconds).
    pub fn new(times: Vec<f64>, legs: Vec<Vec<bool>>) -> Self {
        Self { times, legs }
    }

    /// Whether the leg stands at a clip time, seconds.
    pub fn at(&self, leg: usize, time: f64) -> bool {
        let i = self.times.partition_point(|&t| t <= time + 1e-9).saturating_sub(1);
        self.legs.get(leg).and_then(|row| row.get(i)).copied().unwrap_or(false)
    }
}
