//! When a foot stands on the ground: low and slow, with hysteresis so that it does not flicker.
//!
//! A foot is put down when both its height and its speed fall below one pair of limits and lifts when either rises above a
//! larger pair, as contact labels are made for motion clean-up (Kovar, Schreiner and Gleicher 2002 and its successors).

use std::ops::Range;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Limits between standing and moving, in metres and seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContactLimits {
    /// Height above the foot's lowest point below which a foot may be put down, metres.
    pub height: f64,
    /// Speed below which a foot may be put down, metres per second.
    pub speed: f64,
    /// Height above which it lifts.
    pub release_height: f64,
    /// Speed above which it lifts.
    pub release_speed: f64,
    /// Contacts and gaps shorter than this are noise, seconds.
    pub shortest: f64,
}

impl Default for ContactLimits {
    fn default() -> Self {
        // 5 cm is the height limit of the common skating measure; 0.3 and 1 m/s are lock and unlock speeds that do not flicker
        // on captured walks; a walk's double support is about 0.1 s, so half of it is still a step.
        Self { height: 0.05, speed: 0.3, release_height: 0.08, release_speed: 1.0, shortest: 0.05 }
    }
}

/// Frames in which a foot at `points` (world, file's unit) stands, as half-open ranges in order. Heights count from the path's
/// own lowest point; `metres_per_unit` is the length of the file's unit. Not finite points never stand.
pub fn contacts(points: &[DVec3], times: &[f64], metres_per_unit: f64, limits: &ContactLimits) -> Vec<Range<usize>> {
    let ground = points.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
    let speeds = speeds(points, times);
    let mut stands = false;
    let standing: Vec<bool> = (0..points.len().min(times.len()))
        .map(|i| {
            let (height, speed) = ((points[i].y - ground) * metres_per_unit, speeds[i] * metres_per_unit);
            let (highest, fastest) =
                if stands { (limits.release_height, limits.release_speed) } else { (limits.height, limits.speed) };
            stands = height <= highest && speed <= fastest;
            stands
        })
        .collect();
    let ranges = join_short_gaps(runs(&standing), times, limits.shortest);
    let lasts = |range: &Range<usize>| times[range.end - 1] - times[range.start] >= limits.shortest;
    let whole = |range: &Range<usize>| range.start == 0 || range.end == points.len();
    ranges.into_iter().filter(|range| lasts(range) || whole(range)).collect()
}

/// The frames at which a foot comes down: the starts of `contacts`, without one that stood from the first frame on.
pub fn foot_downs(contacts: &[Range<usize>]) -> Vec<usize> {
    contacts.iter().map(|range| range.start).filter(|&start| start > 0).collect()
}

/// Whether each of `count` frames lies in a contact.
pub fn per_frame(contacts: &[Range<usize>], count: usize) -> Vec<bool> {
    let mut standing = vec![false; count];
    contacts.iter().flat_map(Clone::clone).filter(|&i| i < count).for_each(|i| standing[i] = true);
    standing
}

/// Speed at each frame over the neighbours on both sides, units per second.
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

/// Where `standing` holds, as half-open ranges in order.
pub(crate) fn runs(standing: &[bool]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (i, _) in standing.iter().enumerate().filter(|(_, stands)| **stands) {
        match ranges.last_mut() {
            Some(range) if range.end == i => range.end = i + 1,
            _ => ranges.push(i..i + 1),
        }
    }
    ranges
}

pub(crate) fn join_short_gaps(ranges: Vec<Range<usize>>, times: &[f64], shortest: f64) -> Vec<Range<usize>> {
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

    /// Steps of 0.4 s standing and 0.4 s swinging 0.8 m, at 60 frames per second, with `noise` metres of jitter.
    fn steps(noise: f64, unit: f64) -> (Vec<DVec3>, Vec<f64>) {
        let times: Vec<f64> = (0..160).map(|i| f64::from(i) / 60.0).collect();
        let place = |(i, &time): (usize, &f64)| {
            let cycle = (time / 0.8).floor();
            let swing = ((time - cycle * 0.8 - 0.4) / 0.4).clamp(0.0, 1.0);
            let jitter = DVec3::new((i * 7 % 5) as f64 - 2.0, (i * 3 % 4) as f64, (i * 11 % 7) as f64 - 3.0) * noise;
            let smooth = swing * swing * (3.0 - 2.0 * swing);
            (DVec3::new(0.0, 0.15 * (swing * std::f64::consts::PI).sin(), 0.8 * (cycle + smooth)) + jitter) / unit
        };
        (times.iter().enumerate().map(place).collect(), times)
    }

    #[test]
    fn a_walking_foot_stands_between_swings_in_any_unit_and_with_noise() {
        for (noise, unit) in [(0.0, 1.0), (0.0005, 1.0), (0.0005, 0.01)] {
            let (points, times) = steps(noise, unit);
            let found = contacts(&points, &times, unit, &ContactLimits::default());
            assert_eq!(found.len(), 4, "{noise} {unit} {found:?}");
            for (cycle, range) in found[..3].iter().enumerate() {
                assert!(range.start.abs_diff(cycle * 48) <= 6 && range.end.abs_diff(cycle * 48 + 25) <= 6, "{range:?}");
            }
            assert_eq!(foot_downs(&found), found[1..].iter().map(|range| range.start).collect::<Vec<_>>());
        }
    }

    #[test]
    fn one_quick_frame_does_not_end_a_contact() {
        let (mut points, times) = steps(0.0, 1.0);
        points[10].z += 0.01;
        assert_eq!(contacts(&points, &times, 1.0, &ContactLimits::default())[0].start, 0);
        assert!(contacts(&points, &times, 1.0, &ContactLimits::default())[0].contains(&12));
    }

    #[test]
    fn nothing_and_broken_points_never_stand() {
        let limits = ContactLimits::default();
        assert!(contacts(&[], &[], 1.0, &limits).is_empty());
        assert!(contacts(&[DVec3::NAN; 3], &[0.0, 0.1, 0.2], 1.0, &limits).is_empty());
        let alone = contacts(&[DVec3::ZERO], &[0.0], 1.0, &limits);
        assert!(alone.len() == 1 && alone[0] == (0..1));
        assert_eq!(per_frame(&[0..1, 2..9], 4), [true, false, true, true]);
    }
}
