//! Detects foot contacts in a motion with unknown ground: level, sloping, or with sliding feet.
//!
//! A foot stands while it is near the lowest height of any foot within about a step, measured along the slope of the
//! body's path, and moves much slower than the body. A swinging foot moves faster than the body; a foot that slides
//! under a stretched walk still moves slower.
//!
//! The joints of different feet have different heights above the ground: a fore foot's joint is at the wrist, a hind
//! foot's at the toes.

use std::ops::Range;

use glam::DVec3;

use super::contacts::stances;

/// The motion of a body and its feet.
#[derive(Clone, Copy, Debug)]
pub struct FootMotion<'a> {
    /// World positions of each foot's sole, one per time.
    pub soles: &'a [Vec<DVec3>],
    /// Height of each sole joint above the ground while it stands, in the file's unit; only differences matter.
    pub heights: &'a [f64],
    /// World positions of the joint that carries the body.
    pub body: &'a [DVec3],
    /// Frame times, seconds, ascending.
    pub times: &'a [f64],
    /// Length of the file's unit, metres.
    pub metres_per_unit: f64,
}

/// Seconds before and after a frame within which a walking foot comes down at least once. Tuned; no derivation
/// recorded.
const STEP_SECONDS: f64 = 0.6;
/// Height below which a foot comes down, and above which it lifts, metres.
const HEIGHT_LIMITS_M: [f64; 2] = [0.04, 0.07];
/// Speed below which a foot comes down, and above which it lifts, while the body rests, metres per second.
const SPEED_LIMITS_M_PER_SECOND: [f64; 2] = [0.3, 0.5];
/// Speed limits while the body moves, below and above which a foot comes down and lifts, as a fraction of its speed.
const BODY_SPEED_LIMITS: [f64; 2] = [0.55, 0.7];
/// Minimum duration of contacts, and of gaps between two contacts; shorter ones are noise.
const CONTACT_MIN_SECONDS: f64 = 0.05;

/// Returns the frames in which each foot stands, as half-open ranges in order. Frames with non-finite numbers are
/// never contacts.
pub fn foot_contacts(walker: &FootMotion) -> Vec<Vec<Range<usize>>> {
    let FootMotion { times, body, metres_per_unit: unit, .. } = *walker;
    let count = times.len();
    let slopes: Vec<Slope> = around(times, STEP_SECONDS).map(|window| Slope::fit(&body[window], unit)).collect();
    let soles = || walker.soles.iter().zip(walker.heights);
    let heights_above_slope: Vec<f64> = (0..count)
        .map(|i| soles().map(|(soles, height)| slopes[i].height(soles[i]) - height).fold(f64::INFINITY, f64::min))
        .collect();
    let lowest: Vec<f64> = around(times, STEP_SECONDS)
        .map(|window| heights_above_slope[window].iter().copied().fold(f64::INFINITY, f64::min))
        .collect();
    let body_speeds = speeds(body, times, 0.1);
    let foot = |(soles, rest_height): (&Vec<DVec3>, &f64)| {
        let foot_speeds = speeds(soles, times, 0.0);
        stances(times, CONTACT_MIN_SECONDS, |i, is_down| {
            let limit = usize::from(is_down);
            let fastest = SPEED_LIMITS_M_PER_SECOND[limit].max(BODY_SPEED_LIMITS[limit] * body_speeds[i] * unit);
            let height = (slopes[i].height(soles[i]) - rest_height - lowest[i]) * unit;
            height <= HEIGHT_LIMITS_M[limit] && foot_speeds[i] * unit <= fastest
        })
    };
    soles().map(foot).collect()
}

/// Returns, for each of the ascending `times`, the index range of the times within `seconds` of it.
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

/// A plane through the centre of a body's path, tilted as the body climbs along it.
#[derive(Clone, Copy, Debug)]
struct Slope {
    /// Centre of the path, world, in the file's unit.
    middle: DVec3,
    /// Direction of travel along the ground, scaled by its rise per unit length; zero for a level plane.
    rise: DVec3,
}

impl Slope {
    /// Fits the plane to `path` in the file's unit. The plane is level if the ends of the path are at most 0.2 m apart along
    /// the ground.
    fn fit(path: &[DVec3], metres_per_unit: f64) -> Self {
        let middle = path.iter().sum::<DVec3>() / path.len().max(1) as f64;
        let displacement = path.last().zip(path.first()).map_or(DVec3::ZERO, |(last, first)| *last - *first);
        let along = displacement.with_y(0.0);
        // A body that hardly travels only bobs, so it shows no slope.
        let is_travelling = along.length() * metres_per_unit > 0.2;
        Self { middle, rise: if is_travelling { along * displacement.y / along.length_squared() } else { DVec3::ZERO } }
    }

    /// Returns the height of `position` above the plane, along the world's y axis, in the file's unit.
    fn height(&self, position: DVec3) -> f64 {
        let offset = position - self.middle;
        offset.y - offset.dot(self.rise)
    }
}

/// Returns the speed of `points` at each of `times` (seconds) in units per second, over `seconds` on both sides and at least to
/// the neighbours.
fn speeds(points: &[DVec3], times: &[f64], seconds: f64) -> Vec<f64> {
    let last = times.len().saturating_sub(1);
    let speed = |(i, window): (usize, Range<usize>)| {
        let (a, b) = (window.start.min(i.saturating_sub(1)), (window.end - 1).max((i + 1).min(last)));
        let span = times[b] - times[a];
        if span > 0.0 { (points[b] - points[a]).length() / span } else { 0.0 }
    };
    around(times, seconds).enumerate().map(speed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns two feet that step 0.8 m in turn and stand 0.4 s, along `slope`; a standing foot slides forward by the
    /// fraction `slides`.
    fn steps(slope: f64, slides: f64) -> (Vec<Vec<DVec3>>, Vec<DVec3>, Vec<f64>) {
        let times: Vec<f64> = (0..240).map(|i| f64::from(i) / 60.0).collect();
        let position = |time: f64, half: f64| {
            let cycle = ((time + half) / 0.8).floor();
            let swing = ((time + half - cycle * 0.8 - 0.4) / 0.4).clamp(0.0, 1.0);
            let z = 0.8 * (cycle + swing * swing * (3.0 - 2.0 * swing)) * (1.0 - slides) + time * slides;
            DVec3::new(0.0, 0.12 * (swing * std::f64::consts::PI).sin() + slope * z, z)
        };
        let soles = [0.0, 0.4].map(|half| times.iter().map(|&time| position(time, half)).collect()).to_vec();
        let body = times.iter().map(|&time| DVec3::new(0.0, 1.0 + slope * time, time)).collect();
        (soles, body, times)
    }

    #[test]
    fn contacts_are_found_on_level_and_sloping_ground_and_while_feet_slide() {
        for (slope, slides) in [(0.0, 0.0), (0.25, 0.0), (-0.25, 0.0), (0.0, 0.3)] {
            let (soles, body, times) = steps(slope, slides);
            let found = foot_contacts(&FootMotion {
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
    fn a_raised_leg_and_feet_on_a_treadmill_have_no_contacts() {
        let times: Vec<f64> = (0..60).map(|i| f64::from(i) / 30.0).collect();
        let soles = [DVec3::ZERO, DVec3::Y * 0.4].map(|position| vec![position; 60]).to_vec();
        let body = vec![DVec3::Y; 60];
        let walker = FootMotion { soles: &soles, heights: &[0.0; 2], body: &body, times: &times, metres_per_unit: 1.0 };
        let found = foot_contacts(&walker);
        assert!(found[0].len() == 1 && found[0][0] == (0..60) && found[1].is_empty(), "{found:?}");
        let back: Vec<DVec3> = times.iter().map(|time| DVec3::NEG_Z * 1.2 * *time).collect();
        assert_eq!(foot_contacts(&FootMotion { soles: &[back], ..walker }), [Vec::<Range<usize>>::new()]);
    }

    #[test]
    fn feet_with_joints_at_different_heights_share_one_ground() {
        let times: Vec<f64> = (0..30).map(|i| f64::from(i) / 30.0).collect();
        let soles = [0.01, 0.07].map(|height| vec![DVec3::Y * height; 30]);
        let standing = |heights: &[f64]| {
            let body = [DVec3::Y; 30];
            foot_contacts(&FootMotion { soles: &soles, heights, body: &body, times: &times, metres_per_unit: 1.0 })
        };
        let all_frames = 0..30;
        let all_frames = || vec![all_frames.clone()];
        assert_eq!(standing(&[0.01, 0.07]), [all_frames(), all_frames()]);
        assert_eq!(standing(&[0.0, 0.0]), [all_frames(), vec![]], "the other one is raised");
    }
}
