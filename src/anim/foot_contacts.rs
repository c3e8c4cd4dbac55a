//! When feet stand in a motion whose ground is not known: on a plane, uphill, and after something made the feet slide.
//!
//! A foot stands while it is near the lowest that any foot comes within about a step, as the body rises and falls, and goes much
//! slower than the body: a foot that swings goes faster than it, one that slides under a stretched walk still slower. Joints of feet are
//! not as high over the ground as each other: a fore foot's ends at the wrist, a hind foot's at the toes.

use std::ops::Range;

use glam::DVec3;

use super::contacts::{join_short_gaps, runs};

/// A body and its feet over time.
#[derive(Clone, Copy, Debug)]
pub struct Walker<'a> {
    /// World places of each foot's sole, one per time.
    pub soles: &'a [Vec<DVec3>],
    /// How high each of them is over the ground where it stands, in the file's unit; only how they differ counts.
    pub heights: &'a [f64],
    /// World places of what carries the body.
    pub body: &'a [DVec3],
    /// Seconds of the frames, rising.
    pub times: &'a [f64],
    /// Length of the file's unit in metres.
    pub metres_per_unit: f64,
}

/// Seconds on both sides within which a foot comes down at least once while somebody walks.
const STEP: f64 = 0.6;
/// Metres above the ground up to which a foot is put down, and from which it lifts.
const HEIGHT: [f64; 2] = [0.04, 0.07];
/// Metres per second up to which a foot is put down, and from which it lifts, while the body rests.
const SPEED: [f64; 2] = [0.3, 0.5];
/// The same in parts of the body's own speed.
const OF_BODY: [f64; 2] = [0.55, 0.7];
/// Seconds; shorter stands, and shorter gaps between two, are noise.
const SHORTEST: f64 = 0.05;

/// The indices at which each foot stands, as half-open ranges in order. Broken numbers never stand.
pub fn foot_contacts(walker: &Walker) -> Vec<Vec<Range<usize>>> {
    let Walker { times, body, metres_per_unit: unit, .. } = *walker;
    let count = times.len();
    let slopes: Vec<Slope> = around(times, STEP).map(|near| Slope::fit(&body[near], unit)).collect();
    let soles = || walker.soles.iter().zip(walker.heights);
    let over_slope: Vec<f64> = (0..count)
        .map(|i| soles().map(|(soles, height)| slopes[i].over(soles[i]) - height).fold(f64::INFINITY, f64::min))
        .collect();
    let lowest: Vec<f64> =
        around(times, STEP).map(|near| over_slope[near].iter().copied().fold(f64::INFINITY, f64::min)).collect();
    let bodies = speeds(body, times, 0.1);
    let foot = |(soles, own): (&Vec<DVec3>, &f64)| {
        let going = speeds(soles, times, 0.0);
        let mut stands = false;
        let standing: Vec<bool> = (0..count)
            .map(|i| {
                let limit = usize::from(stands);
                let fastest = SPEED[limit].max(OF_BODY[limit] * bodies[i] * unit);
                let height = (slopes[i].over(soles[i]) - own - lowest[i]) * unit;
                stands = height <= HEIGHT[limit] && going[i] * unit <= fastest;
                stands
            })
            .collect();
        let ranges = join_short_gaps(runs(&standing), times, SHORTEST);
        let lasts = |range: &Range<usize>| {
            times[range.end - 1] - times[range.start] >= SHORTEST || range.start == 0 || range.end == count
        };
        ranges.into_iter().filter(lasts).collect()
    };
    soles().map(foot).collect()
}

/// For each time the indices of those within `seconds` of it.
fn around(times: &[f64], seconds: f64) -> impl Iterator<Item = Range<usize>> + '_ {
    let (mut from, mut until) = (0, 0);
    times.iter().map(move |&time| {
        while times[from] < time - seconds {
            from += 1;
        }
        while times.get(until).is_some_and(|&next| next <= time + seconds) {
            until += 1;
        }
        from..until
    })
}

/// A plane through the middle of a body's way, tilted as the body climbs along it.
#[derive(Clone, Copy, Debug)]
struct Slope {
    middle: DVec3,
    /// Of the way along the ground, times how far it rises per length.
    rise: DVec3,
}

impl Slope {
    fn fit(way: &[DVec3], metres_per_unit: f64) -> Self {
        let middle = way.iter().sum::<DVec3>() / way.len().max(1) as f64;
        let gone = way.last().zip(way.first()).map_or(DVec3::ZERO, |(last, first)| *last - *first);
        let along = gone.with_y(0.0);
        // Who hardly moves shows no slope, but bobs.
        let is_going = along.length() * metres_per_unit > 0.2;
        Self { middle, rise: if is_going { along * gone.y / along.length_squared() } else { DVec3::ZERO } }
    }

    /// How far `place` is above it.
    fn over(&self, place: DVec3) -> f64 {
        let from = place - self.middle;
        from.y - from.dot(self.rise)
    }
}

/// Units per second at each time, over `seconds` on both sides but at least over the neighbours.
fn speeds(points: &[DVec3], times: &[f64], seconds: f64) -> Vec<f64> {
    let last = times.len().saturating_sub(1);
    let speed = |(i, near): (usize, Range<usize>)| {
        let (a, b) = (near.start.min(i.saturating_sub(1)), (near.end - 1).max((i + 1).min(last)));
        let span = times[b] - times[a];
        if span > 0.0 { (points[b] - points[a]).length() / span } else { 0.0 }
    };
    around(times, seconds).enumerate().map(speed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two feet that step 0.8 m in turn, standing 0.4 s; all along a `slope`, of which the feet slide the part `slides` ahead.
    fn steps(slope: f64, slides: f64) -> (Vec<Vec<DVec3>>, Vec<DVec3>, Vec<f64>) {
        let times: Vec<f64> = (0..240).map(|i| f64::from(i) / 60.0).collect();
        let place = |time: f64, half: f64| {
            let cycle = ((time + half) / 0.8).floor();
            let swing = ((time + half - cycle * 0.8 - 0.4) / 0.4).clamp(0.0, 1.0);
            let z = 0.8 * (cycle + swing * swing * (3.0 - 2.0 * swing)) * (1.0 - slides) + time * slides;
            DVec3::new(0.0, 0.12 * (swing * std::f64::consts::PI).sin() + slope * z, z)
        };
        let soles = [0.0, 0.4].map(|half| times.iter().map(|&time| place(time, half)).collect()).to_vec();
        let body = times.iter().map(|&time| DVec3::new(0.0, 1.0 + slope * time, time)).collect();
        (soles, body, times)
    }

    #[test]
    fn feet_stand_between_swings_on_the_level_uphill_and_while_they_slide() {
        for (slope, slides) in [(0.0, 0.0), (0.25, 0.0), (-0.25, 0.0), (0.0, 0.3)] {
            let (soles, body, times) = steps(slope, slides);
            let found = foot_contacts(&Walker {
                soles: &soles,
                heights: &[0.0; 2],
                body: &body,
                times: &times,
                metres_per_unit: 1.0,
            });
            assert_eq!(found[0].len(), 5, "{slope} {slides}: {found:?}");
            for (cycle, range) in found[0].iter().enumerate() {
                let (start, end) = (cycle * 48, cycle * 48 + 25);
                assert!(
                    range.start.abs_diff(start) <= 6 && range.end.abs_diff(end) <= 6,
                    "{slope} {slides}: {range:?}"
                );
            }
        }
    }

    #[test]
    fn a_leg_held_up_does_not_stand_and_neither_do_feet_on_a_treadmill() {
        let times: Vec<f64> = (0..60).map(|i| f64::from(i) / 30.0).collect();
        let soles = [DVec3::ZERO, DVec3::Y * 0.4].map(|place| vec![place; 60]).to_vec();
        let body = vec![DVec3::Y; 60];
        let walker = Walker { soles: &soles, heights: &[0.0; 2], body: &body, times: &times, metres_per_unit: 1.0 };
        let found = foot_contacts(&walker);
        assert!(found[0].len() == 1 && found[0][0] == (0..60) && found[1].is_empty(), "{found:?}");
        let back: Vec<DVec3> = times.iter().map(|time| DVec3::NEG_Z * 1.2 * *time).collect();
        assert_eq!(foot_contacts(&Walker { soles: &[back], ..walker }), [Vec::<Range<usize>>::new()]);
    }

    #[test]
    fn feet_whose_joints_are_not_as_high_stand_on_one_ground() {
        let times: Vec<f64> = (0..30).map(|i| f64::from(i) / 30.0).collect();
        let soles = [0.01, 0.07].map(|height| vec![DVec3::Y * height; 30]);
        let standing = |heights: &[f64]| {
            let body = [DVec3::Y; 30];
            foot_contacts(&Walker { soles: &soles, heights, body: &body, times: &times, metres_per_unit: 1.0 })
        };
        let always = 0..30;
        let always = || vec![always.clone()];
        assert_eq!(standing(&[0.01, 0.07]), [always(), always()]);
        assert_eq!(standing(&[0.0, 0.0]), [always(), vec![]], "the other one is held up");
    }
}
