//! Detects the contacts of a single foot by height and speed, with hysteresis against flicker.
//!
//! Markers, figures and corrections of a motion use [`foot_contacts`](crate::foot_contacts), which compares all
//! feet with the body. Gait cycles, turns, transitions, foot sync and stretching use these contacts instead: they change
//! the travel of the body, so its speed in the clip is no measure for them.
//!
//! A foot comes down when both its height and its speed fall below one pair of limits, and lifts when either exceeds
//! a larger pair. Contact labels for motion clean-up are made in this way (Kovar, Schreiner and Gleicher 2002 and its
//! successors).

use std::ops::Range;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Limits between standing and moving.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContactLimits {
    /// Height above the foot's lowest point below which a foot may be put down, metres.
    pub height: f64,
    /// Speed below which a foot may be put down, metres per second.
    pub speed: f64,
    /// Height above which the foot lifts, metres.
    pub release_height: f64,
    /// Speed above which the foot lifts, metres per second.
    pub release_speed: f64,
    /// Minimum duration of contacts and gaps, seconds; shorter ones are noise.
    pub shortest: f64,
}

impl Default for ContactLimits {
    fn default() -> Self {
        // 5 cm is the height limit of the common skating measure. 0.3 and 1 m/s are lock and unlock speeds without
        // flicker on captured walks. A walk's double support is about 0.1 s, so half of it is still a step.
        Self { height: 0.05, speed: 0.3, release_height: 0.08, release_speed: 1.0, shortest: 0.05 }
    }
}

/// Returns the frames in which a foot at `points` (world, file's unit) stands, as half-open ranges in order.
///
/// Heights are measured from the lowest point of the path. `times` are the seconds of the frames, and `metres_per_unit` is the
/// length of the file's unit. Non-finite points are never contacts.
pub fn contacts(points: &[DVec3], times: &[f64], metres_per_unit: f64, limits: &ContactLimits) -> Vec<Range<usize>> {
    let ground = points.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
    let speeds = speeds(points, times);
    let count = points.len().min(times.len());
    stances(&times[..count], limits.shortest, |i, is_down| {
        let (highest, fastest) =
            if is_down { (limits.release_height, limits.release_speed) } else { (limits.height, limits.speed) };
        (points[i].y - ground) * metres_per_unit <= highest && speeds[i] * metres_per_unit <= fastest
    })
}

/// Returns the contact frames of a foot, as half-open ranges in order.
///
/// `times` are the seconds of the frames. `stays(i, is_down)` is true if the foot is down in frame `i`; `is_down` is true if it
/// was down in the previous one. Stances and gaps of less than `shortest` seconds are noise, except stances that the clip cuts.
pub fn stances(times: &[f64], shortest: f64, mut stays: impl FnMut(usize, bool) -> bool) -> Vec<Range<usize>> {
    let mut is_down = false;
    let next = |i| {
        is_down = stays(i, is_down);
        is_down
    };
    let standing: Vec<bool> = (0..times.len()).map(next).collect();
    let ranges = join_short_gaps(runs(&standing), times, shortest);
    let lasts = |range: &Range<usize>| times[range.end - 1] - times[range.start] >= shortest;
    let is_cut_by_clip = |range: &Range<usize>| range.start == 0 || range.end == times.len();
    ranges.into_iter().filter(|range| lasts(range) || is_cut_by_clip(range)).collect()
}

/// Returns the frames at which a foot comes down: the starts of `contacts`, except one that starts at the first
/// frame.
pub fn contact_starts(contacts: &[Range<usize>]) -> Vec<usize> {
    contacts.iter().map(|range| range.start).filter(|&start| start > 0).collect()
}

/// Returns for each of `count` frames whether it is within a contact.
pub fn per_frame(contacts: &[Range<usize>], count: usize) -> Vec<bool> {
    let mut standing = vec![false; count];
    contacts.iter().flat_map(Clone::clone).filter(|&i| i < count).for_each(|i| standing[i] = true);
    standing
}

/// Returns the speed at each frame from both neighbours, in units of `points` per second. `times` are in seconds.
fn speeds(points: &[DVec3], times: &[f64]) -> Vec<f64> {
    let last = points.len().min(times.len()).saturating_sub(1);
    (0..=last)
        .take(points.len())
        .map(|i| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(last));
            let span = times[b] - times[a];
            if span > 0.0 { (points[b] - points[a]).length() / span } else { 0.0 }
        })
        .collect()
}

/// Returns the runs of true values in `standing`, as half-open ranges in order.
pub fn runs(standing: &[bool]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (i, _) in standing.iter().enumerate().filter(|(_, stands)| **stands) {
        match ranges.last_mut() {
            Some(range) if range.end == i => range.end = i + 1,
            _ => ranges.push(i..i + 1),
        }
    }
    ranges
}

/// Joins neighbouring frame ranges if the last frame of one is less than `shortest` seconds before the first of the next.
/// `ranges` are half-open and in order, `times` the seconds of the frames.
pub fn join_short_gaps(ranges: Vec<Range<usize>>, times: &[f64], shortest: f64) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if times[range.start] - times[last.end - 1] < shortest => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns steps of 0.4 s standing and 0.4 s swinging 0.8 m, at 60 frames per second, with `noise` metres of
    /// jitter.
    fn steps(noise: f64, unit: f64) -> (Vec<DVec3>, Vec<f64>) {
        let times: Vec<f64> = (0..160).map(|i| f64::from(i) / 60.0).collect();
        let position = |(i, &time): (usize, &f64)| {
            let cycle = (time / 0.8).floor();
            let swing = ((time - cycle * 0.8 - 0.4) / 0.4).clamp(0.0, 1.0);
            let jitter = DVec3::new((i * 7 % 5) as f64 - 2.0, (i * 3 % 4) as f64, (i * 11 % 7) as f64 - 3.0) * noise;
            let smooth = swing * swing * (3.0 - 2.0 * swing);
            (DVec3::new(0.0, 0.15 * (swing * std::f64::consts::PI).sin(), 0.8 * (cycle + smooth)) + jitter) / unit
        };
        (times.iter().enumerate().map(position).collect(), times)
    }

    #[test]
    fn contacts_of_a_walking_foot_are_found_in_any_unit_and_with_noise() {
        for (noise, unit) in [(0.0, 1.0), (0.0005, 1.0), (0.0005, 0.01)] {
            let (points, times) = steps(noise, unit);
            let found = contacts(&points, &times, unit, &ContactLimits::default());
            assert_eq!(found.len(), 4, "{noise} {unit} {found:?}");
            for (cycle, range) in found[..3].iter().enumerate() {
                assert!(range.start.abs_diff(cycle * 48) <= 6 && range.end.abs_diff(cycle * 48 + 25) <= 6, "{range:?}");
            }
            assert_eq!(contact_starts(&found), found[1..].iter().map(|range| range.start).collect::<Vec<_>>());
        }
    }

    #[test]
    fn one_fast_frame_does_not_end_a_contact() {
        let (mut points, times) = steps(0.0, 1.0);
        points[10].z += 0.01;
        assert_eq!(contacts(&points, &times, 1.0, &ContactLimits::default())[0].start, 0);
        assert!(contacts(&points, &times, 1.0, &ContactLimits::default())[0].contains(&12));
    }

    #[test]
    fn empty_and_non_finite_paths_have_no_contacts() {
        let limits = ContactLimits::default();
        assert!(contacts(&[], &[], 1.0, &limits).is_empty());
        assert!(contacts(&[DVec3::NAN; 3], &[0.0, 0.1, 0.2], 1.0, &limits).is_empty());
        let single = contacts(&[DVec3::ZERO], &[0.0], 1.0, &limits);
        assert!(single.len() == 1 && single[0] == (0..1));
        assert_eq!(per_frame(&[0..1, 2..9], 4), [true, false, true, true]);
    }
}
