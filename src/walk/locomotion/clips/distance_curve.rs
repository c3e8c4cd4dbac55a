//! Remaining travel of a clip over its time, so that distance instead of time drives a stop.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use portamento_anim::math::arc_length::cumulative_by;
use portamento_anim::math::displacement::{displace, rounding};

/// Definition of the remaining distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Length along the path.
    #[default]
    AlongPath,
    /// Straight line to the path's end.
    Straight,
}

/// Sign of the remaining distance in a file for an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// Counts down to 0.
    #[default]
    Positive,
    /// Counts up to 0, as Unreal Engine expects: increasing keys that can be searched.
    Negative,
}

/// Remaining distance over time. It never grows and ends with 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistanceCurve {
    /// Seconds into the clip, increasing.
    pub times: Vec<f64>,
    /// Metres left to travel at each of `times`.
    pub remaining: Vec<f64>,
    /// Metres of backward motion that were flattened so that the curve never grows.
    pub repaired: f64,
}

portamento_base::named!(Sign { Positive: "positive", Negative: "negative" });

impl DistanceCurve {
    /// Builds the curve of a body at `path` (metres; heights are ignored) at `times`. `times` are in seconds. A remaining
    /// distance below that of a later time is raised to it.
    pub fn new(path: &[DVec3], times: &[f64], measure: Measure) -> Self {
        let flat: Vec<DVec3> = path.iter().map(|point| point.with_y(0.0)).collect();
        let end = flat.last().copied().unwrap_or(DVec3::ZERO);
        let mut left = 0.0;
        let mut remaining = vec![0.0; flat.len().min(times.len())];
        let mut repaired: f64 = 0.0;
        let mut highest: f64 = 0.0;
        for i in (0..remaining.len()).rev() {
            left += flat.get(i + 1).map_or(0.0, |next| next.distance(flat[i]));
            let remaining_here = if measure == Measure::AlongPath { left } else { flat[i].distance(end) };
            highest = highest.max(remaining_here);
            repaired = repaired.max(highest - remaining_here);
            remaining[i] = highest;
        }
        Self { times: times[..remaining.len()].to_vec(), remaining, repaired }
    }

    /// Returns the distance between the first and the last frame, metres.
    pub fn length(&self) -> f64 {
        self.remaining.first().copied().unwrap_or(0.0)
    }

    /// Returns the curve scaled to a travel of `metres`. Each frame's share stays in proportion to its own motion, so
    /// pauses stay pauses and the end stays 0. A clip without travel is returned unchanged.
    pub fn stretched(&self, metres: f64) -> Self {
        let length = self.length();
        if metres == length {
            return self.clone();
        }
        let path: Vec<DVec3> = self.remaining.iter().map(|left| DVec3::Z * (length - left)).collect();
        let min_step = rounding(&path);
        let moved = |step: DVec3| if step.z > min_step { step.z } else { 0.0 };
        let stretched = displace(&path, &cumulative_by(&path, moved), DVec3::Z * metres);
        let end = stretched.last().map_or(0.0, |end| end.z);
        let remaining = stretched.iter().map(|point| end - point.z).collect();
        Self { times: self.times.clone(), remaining, repaired: self.repaired }
    }

    /// Returns the remaining distance in metres at `time` (seconds, clamped).
    pub fn at(&self, time: f64) -> f64 {
        let i = self.times.partition_point(|&t| t <= time);
        match (i.checked_sub(1), self.remaining.get(i)) {
            (Some(before), Some(&after)) => {
                let fraction = (time - self.times[before]) / (self.times[i] - self.times[before]);
                self.remaining[before] + (after - self.remaining[before]) * fraction
            }
            (None, first) => first.copied().unwrap_or(0.0),
            (Some(last), None) => self.remaining[last],
        }
    }

    /// Returns the clip time (seconds) at which `distance` metres are left.
    ///
    /// - Within a pause: the latest such time, so that a pause never stalls the match.
    /// - For 0: the earliest such time, so that what follows the last step plays on by time.
    /// - Beyond the clip's length: the first time. NaN counts as 0.
    pub fn time_for(&self, distance: f64) -> f64 {
        let Some(&first) = self.times.first() else { return 0.0 };
        if distance > self.length() {
            return first;
        }
        let i = if distance > 0.0 {
            self.remaining.partition_point(|&left| left >= distance)
        } else {
            self.remaining.partition_point(|&left| left > 0.0)
        };
        let (Some(&before), Some(&after)) =
            (i.checked_sub(1).and_then(|i| self.remaining.get(i)), self.remaining.get(i))
        else {
            return self.times[i.min(self.times.len() - 1)];
        };
        let fraction = (before - distance.max(0.0)) / (before - after);
        self.times[i - 1] + (self.times[i] - self.times[i - 1]) * fraction.clamp(0.0, 1.0)
    }

    /// Returns time (seconds) and remaining distance (metres) of every key with the sign of an engine's convention.
    pub fn exported(&self, sign: Sign) -> impl Iterator<Item = (f64, f64)> + '_ {
        // Adding 0 turns the last −0 into 0.
        let signed = move |left: f64| if sign == Sign::Negative { -left + 0.0 } else { left };
        self.times.iter().zip(&self.remaining).map(move |(&time, &left)| (time, signed(left)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(position_at: impl Fn(f64) -> f64, frames: usize) -> DistanceCurve {
        let times: Vec<f64> = (0..=frames).map(|i| i as f64 / 30.0).collect();
        let path: Vec<DVec3> = times.iter().map(|&time| DVec3::new(0.0, time, position_at(time))).collect();
        DistanceCurve::new(&path, &times, Measure::AlongPath)
    }

    #[test]
    fn the_time_of_a_distance_inverts_the_curve() {
        let curve = curve(|t| 4.0 * t - 2.0 * t * t, 30);
        for (left, frame) in [(1.0, 8.787), (0.5, 15.0), (0.125, 22.5), (0.0, 30.0), (9.0, 0.0), (-1.0, 30.0)] {
            assert!((curve.time_for(left) * 30.0 - frame).abs() < 0.02, "{left}: {}", curve.time_for(left) * 30.0);
        }
        for i in 0..100 {
            let time = f64::from(i) * 0.0099;
            assert!((curve.time_for(curve.at(time)) - time).abs() < 1e-9);
        }
        assert!((curve.length() - 2.0).abs() < 1e-12 && curve.repaired == 0.0);
    }

    #[test]
    fn pauses_are_skipped_and_the_tail_begins_where_the_travel_ends() {
        let paused = curve(|t| if t < 0.5 { t } else { (t - 0.5).clamp(0.5, 1.0) }, 60);
        assert!((paused.time_for(0.5) - 1.0).abs() < 1e-9, "{}", paused.time_for(0.5));
        assert!((paused.time_for(0.0) - 1.5).abs() < 0.04, "{}", paused.time_for(0.0));
    }

    #[test]
    fn a_stretched_stop_keeps_its_pauses_and_ends_exactly() {
        let paused =
            curve(|t| if t < 0.5 { 2.0 * t } else { (t + 0.5).clamp(1.0, 1.0 + (t - 1.0).clamp(0.0, 0.5)) }, 60);
        for metres in [0.4, 1.9, 7.3] {
            let stretched = paused.stretched(metres);
            assert_eq!((stretched.length(), *stretched.remaining.last().unwrap()), (metres, 0.0));
            let ratio = metres / paused.length();
            for (old, new) in paused.remaining.windows(2).zip(stretched.remaining.windows(2)) {
                assert_eq!(old[0] == old[1], new[0] == new[1], "{old:?} {new:?}");
                assert!((new[0] - new[1] - ratio * (old[0] - old[1])).abs() < 1e-9);
            }
            let pauses = stretched.remaining.windows(2).filter(|pair| pair[0] == pair[1]).count();
            assert!(pauses > 20, "{pauses}");
        }
        assert_eq!(paused.stretched(paused.length()), paused);
    }

    #[test]
    fn a_step_back_is_flattened_and_reported() {
        let times: Vec<f64> = (0..4).map(f64::from).collect();
        let path = [0.0, 2.2, 2.0, 2.0].map(|z| DVec3::Z * z);
        let straight = DistanceCurve::new(&path, &times, Measure::Straight);
        assert!(straight.remaining.is_sorted_by(|a, b| a >= b) && straight.repaired == 0.0);
        let over = DistanceCurve::new(&[0.0, 1.9, 1.5, 2.0].map(|z| DVec3::Z * z), &times, Measure::Straight);
        assert!((over.repaired - 0.4).abs() < 1e-12 && over.remaining.is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn signs_follow_the_engine_and_an_empty_curve_is_zero() {
        let curve = curve(|t| t, 3);
        let negative: Vec<f64> = curve.exported(Sign::Negative).map(|key| key.1).collect();
        assert!(negative.is_sorted() && negative[3] == 0.0 && negative[3].is_sign_positive() && negative[0] < 0.0);
        assert!(curve.exported(Sign::Positive).all(|key| key.1 >= 0.0));
        let empty = DistanceCurve::default();
        assert_eq!((empty.at(1.0), empty.time_for(1.0), empty.length()), (0.0, 0.0, 0.0));
        let still = DistanceCurve::new(&[DVec3::X], &[0.0], Measure::Straight);
        assert_eq!((still.at(1.0), still.time_for(0.0), still.time_for(f64::NAN)), (0.0, 0.0, 0.0));
    }
}
