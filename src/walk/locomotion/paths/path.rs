//! The path to walk: points with speed limits, and the smooth paths through them.
//!
//! A body can neither turn in a corner nor follow every cell of a grid, so the path is smoothed in two steps:
//! 1. It is pulled smooth within a narrow band, which removes hooks and zigzags (an elastic band, Quinlan & Khatib,
//!    "Elastic Bands: Connecting Path Planning and Control", ICRA 1993).
//! 2. It is averaged over a window of twice the turning radius, which rounds a right angle to that radius.
//!
//! Band and window shrink to zero at both ends, so start and goal stay exact. A path that turns back within a step is
//! split there into segments, with a turn on the spot between them.

use glam::DVec3;

use super::smooth_path::{POINT_SPACING_M, SmoothPath, at, mix};
use crate::locomotion::WalkError;
use portamento_anim::math::arc_length::{cumulative, locate};

/// Points to pass in order, each with its speed limit. Between points the limit is linear.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkPath {
    /// Positions in world space, metres; at least two.
    pub points: Vec<DVec3>,
    /// Speed limits along the ground, m/s, one per point, > 0.
    pub speed_limits: Vec<f64>,
}

/// Largest distance by which smoothing may move the path off its points, metres. Tuned; no derivation recorded.
const BAND_M: f64 = 0.1;
/// Smallest window in which a change of direction counts as one corner, metres. Less than a step.
const CORNER_MIN_WINDOW_M: f64 = 0.5;
/// Shortest part into which corners split a path, metres. Tuned; no derivation recorded.
const PART_MIN_M: f64 = 0.3;

impl WalkPath {
    /// Longest path, metres. Chosen limit; no derivation recorded.
    pub(super) const MAX_LENGTH_M: f64 = 5_000.0;

    /// Returns the closed path of at least two points repeated `laps` times. The last point is replaced by the first.
    pub fn rounds(&self, laps: usize) -> Self {
        let lap = self.points.len() - 1;
        let index = |i: usize| if i == lap * laps { 0 } else { i % lap };
        let indices = || (0..=lap * laps).map(index);
        Self {
            points: indices().map(|i| self.points[i]).collect(),
            speed_limits: indices().map(|i| self.speed_limits[i]).collect(),
        }
    }

    /// Returns `Err` if:
    /// - the number of limits differs from the number of points;
    /// - a point is not finite or beyond 1000 km;
    /// - a limit is not between 0.001 and 1000 m/s, both exclusive;
    /// - the path is shorter than 5 cm or longer than 5 km.
    pub fn check(&self) -> Result<(), WalkError> {
        if self.points.len() != self.speed_limits.len() {
            return Err(WalkError::LimitCount { points: self.points.len(), limits: self.speed_limits.len() });
        }
        if let Some(point) = self.points.iter().position(|point| !point.is_finite() || point.abs().max_element() > 1e6)
        {
            return Err(WalkError::BadPoint { point });
        }
        let bad = |limit: &f64| !(*limit > 1e-3 && *limit < 1e3);
        if let Some(point) = self.speed_limits.iter().position(bad) {
            return Err(WalkError::BadSpeed { point, speed: self.speed_limits[point] });
        }
        let length = cumulative_flat(&self.points).last().copied().unwrap_or(0.0);
        if length < 0.05 {
            return Err(WalkError::ShortPath { length });
        }
        if length > Self::MAX_LENGTH_M {
            return Err(WalkError::LongPath { length, longest: Self::MAX_LENGTH_M });
        }
        Ok(())
    }

    /// Returns the smooth paths between corners that require a turn on the spot; at least one. `corner` in degrees,
    /// `turning_radius` in metres, ≥ 0. The path must pass [`WalkPath::check`].
    pub fn segments(&self, corner: f64, turning_radius: f64) -> Vec<SmoothPath> {
        let parts = self.parts(corner, turning_radius);
        parts.iter().map(|part| part.trimmed().smoothed(turning_radius)).collect()
    }

    /// Returns the smooth path with corners rounded to `turning_radius` (metres, ≥ 0). The path must pass
    /// [`WalkPath::check`].
    pub(crate) fn smoothed(&self, turning_radius: f64) -> SmoothPath {
        let banded = self.banded(BAND_M.min(0.4 * turning_radius));
        let along = cumulative_flat(&banded.points);
        let length = along[along.len() - 1];
        let count = (length / POINT_SPACING_M).ceil().max(2.0) as usize;
        let sums = banded.sums(&along);
        let distances: Vec<f64> = (0..=count).map(|i| length * i as f64 / count as f64).collect();
        let point = |s: f64| at(&banded.points, &along, s);
        let window = |s: f64| turning_radius.min(s).min(length - s);
        let mut points: Vec<DVec3> =
            distances.iter().map(|&s| average(&point, &sums, &along, [s, window(s)])).collect();
        points[0] = self.points[0];
        points[count] = self.points[self.points.len() - 1];
        let limits = distances.iter().map(|&s| mix(&banded.speed_limits, &along, s)).collect();
        let lengths = cumulative_flat(&points);
        let headings = headings(&points);
        SmoothPath { points, lengths, limits, headings }
    }

    /// Returns the path pulled smooth within `band` metres, with points every [`POINT_SPACING_M`].
    fn banded(&self, band: f64) -> WalkPath {
        // Window and number of passes together flatten detail shorter than about a metre.
        const HALF_WINDOW_POINTS: usize = 12;
        const PASSES: usize = 16;
        let along = cumulative_flat(&self.points);
        let length = along[along.len() - 1];
        let count = (length / POINT_SPACING_M).ceil().max(2.0) as usize;
        let distances: Vec<f64> = (0..=count).map(|i| length * i as f64 / count as f64).collect();
        let given: Vec<DVec3> = distances.iter().map(|&s| at(&self.points, &along, s)).collect();
        let speed_limits = distances.iter().map(|&s| mix(&self.speed_limits, &along, s)).collect();
        let mut points = given.clone();
        if band > 0.0 {
            for _ in 0..PASSES {
                let means = means(&points, HALF_WINDOW_POINTS);
                for (point, (mean, given)) in points.iter_mut().zip(means.iter().zip(&given)) {
                    let shift = (*mean - *given).with_y(0.0).clamp_length_max(band);
                    *point = *given + shift;
                }
            }
        }
        WalkPath { points, speed_limits }
    }

    /// Returns the path without hooks at its ends. If it turns aside right after its start or before its goal, it goes
    /// straight there.
    fn trimmed(&self) -> WalkPath {
        // Length of a hook, metres: about half a step, too short for a bend.
        const HOOK_M: f64 = 0.4;
        const HOOK_MIN_RADIANS: f64 = 1.0;
        let flat = flat(&self.points);
        let along = cumulative(&flat);
        let length = along[along.len() - 1];
        let turning = |low: f64, high: f64| {
            let turns = turns(&flat);
            turns.iter().filter(|(i, _)| (low..=high).contains(&along[*i])).map(|(_, turn)| turn.abs()).sum::<f64>()
        };
        let from_start = if turning(0.0, HOOK_M) > HOOK_MIN_RADIANS { HOOK_M } else { 0.0 };
        let to_goal = if turning(length - HOOK_M, length) > HOOK_MIN_RADIANS { length - HOOK_M } else { length };
        if length < 3.0 * HOOK_M {
            return self.clone();
        }
        let last = along.len() - 1;
        let is_retained = |&i: &usize| i == 0 || i == last || (along[i] >= from_start && along[i] <= to_goal);
        let retained: Vec<usize> = (0..=last).filter(is_retained).collect();
        WalkPath {
            points: retained.iter().map(|&i| self.points[i]).collect(),
            speed_limits: retained.iter().map(|&i| self.speed_limits[i]).collect(),
        }
    }

    /// Splits the path at corners that turn by more than `corner` degrees within `radius` metres (≥ 0). Without such
    /// corners it returns the path itself. No part is shorter than [`PART_MIN_M`].
    fn parts(&self, corner: f64, radius: f64) -> Vec<WalkPath> {
        let along = cumulative_flat(&self.points);
        let last = along.len() - 1;
        let mut cuts = vec![0];
        for i in sharpest(&flat(&self.points), &along, corner.to_radians(), radius.max(CORNER_MIN_WINDOW_M)) {
            let from = cuts.last().map_or(0.0, |&cut: &usize| along[cut]);
            if along[i] - from >= PART_MIN_M && along[last] - along[i] >= PART_MIN_M {
                cuts.push(i);
            }
        }
        cuts.push(last);
        let part = |ends: &[usize]| WalkPath {
            points: self.points[ends[0]..=ends[1]].to_vec(),
            speed_limits: self.speed_limits[ends[0]..=ends[1]].to_vec(),
        };
        cuts.windows(2).map(part).collect()
    }

    /// Returns the integral of the position over the length, up to each point.
    fn sums(&self, along: &[f64]) -> Vec<DVec3> {
        let mut sum = DVec3::ZERO;
        let step = |i: usize| if i == 0 { 0.0 } else { along[i] - along[i - 1] };
        let middle = |i: usize| self.points[i].midpoint(self.points[i.saturating_sub(1)]);
        (0..along.len())
            .map(|i| {
                sum += middle(i) * step(i);
                sum
            })
            .collect()
    }
}

/// Returns the index of the sharpest point of each bend that turns by more than `corner` radians within `radius` metres.
fn sharpest(points: &[DVec3], along: &[f64], corner: f64, radius: f64) -> Vec<usize> {
    let turns = turns(points);
    let near = |i: usize, j: usize| (along[i] - along[j]).abs() <= 0.5 * radius;
    let about = |i: usize| turns.iter().filter(|(j, _)| near(i, *j)).map(|(_, turn)| turn).sum::<f64>();
    let mut found: Vec<(usize, f64)> = Vec::new();
    for &(i, turn) in turns.iter().filter(|(i, _)| about(*i).abs() > corner) {
        match found.last_mut().filter(|(before, _)| along[i] - along[*before] <= radius) {
            Some(before) if before.1.abs() < turn.abs() => *before = (i, turn),
            Some(_) => {}
            None => found.push((i, turn)),
        }
    }
    found.into_iter().map(|(i, _)| i).collect()
}

/// Returns the index of each point where the path changes direction, with the change in radians, positive to the left.
fn turns(points: &[DVec3]) -> Vec<(usize, f64)> {
    let bearing = |i: usize| {
        let step = points[i + 1] - points[i];
        (step.length() > 1e-9).then(|| step.x.atan2(step.z))
    };
    let mut turns: Vec<(usize, f64)> = Vec::new();
    let mut heading = None;
    for i in 0..points.len() - 1 {
        let Some(next) = bearing(i) else { continue };
        turns.extend(heading.map(|from: f64| (i, portamento_anim::root_motion::wrap(next - from))));
        heading = Some(next);
    }
    turns
}

/// Returns each point's mean with up to `half` neighbours on either side. The window shrinks towards both ends, which
/// stay unchanged.
fn means(points: &[DVec3], half: usize) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO];
    for point in points {
        sums.push(sums[sums.len() - 1] + *point);
    }
    let mean = |i: usize| {
        let half = half.min(i).min(points.len() - 1 - i);
        if half == 0 { points[i] } else { (sums[i + half + 1] - sums[i - half]) / (2 * half + 1) as f64 }
    };
    (0..points.len()).map(mean).collect()
}

/// Returns the ground-plane distance from the first point to each of `points`, metres.
pub(super) fn cumulative_flat(points: &[DVec3]) -> Vec<f64> {
    cumulative(&flat(points))
}
/// Returns the points with their heights set to 0.
fn flat(points: &[DVec3]) -> Vec<DVec3> {
    points.iter().map(|point| point.with_y(0.0)).collect()
}

/// Returns the mean position within `half` metres before and after `s`. All are in metres; `sums` are those of
/// [`WalkPath::sums`].
fn average(point: &impl Fn(f64) -> DVec3, sums: &[DVec3], along: &[f64], [s, half]: [f64; 2]) -> DVec3 {
    if half < 1e-6 {
        return point(s);
    }
    let integral = |s: f64| {
        let (i, _) = locate(along, s).unwrap_or((0, 0.0));
        let start = along[i].min(s);
        sums[i] + point(start).midpoint(point(s)) * (s - start)
    };
    (integral(s + half) - integral(s - half)) / (2.0 * half)
}

/// Returns the unwrapped direction of travel at each point from its neighbours, radians about +Y from +Z towards +X. Where
/// they coincide, the previous direction is kept.
fn headings(points: &[DVec3]) -> Vec<f64> {
    let last = points.len() - 1;
    let mut heading = f64::NAN;
    let mut found: Vec<f64> = (0..=last)
        .map(|i| {
            let step = points[(i + 1).min(last)] - points[i.saturating_sub(1)];
            if step.x.hypot(step.z) > 1e-9 {
                let now = step.x.atan2(step.z);
                heading =
                    if heading.is_nan() { now } else { heading + portamento_anim::root_motion::wrap(now - heading) };
            }
            heading
        })
        .collect();
    let first = found.iter().copied().find(|heading| !heading.is_nan()).unwrap_or(0.0);
    found.iter_mut().take_while(|heading| heading.is_nan()).for_each(|heading| *heading = first);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> WalkPath {
        let points = vec![DVec3::ZERO, DVec3::Z * 3.0, DVec3::new(3.0, 0.0, 3.0)];
        WalkPath { speed_limits: vec![2.0; points.len()], points }
    }

    #[test]
    fn a_corner_is_rounded_to_the_radius_and_the_ends_stay() {
        let path = corner().smoothed(0.25);
        assert_eq!((path.points[0], *path.points.last().unwrap()), (DVec3::ZERO, DVec3::new(3.0, 0.0, 3.0)));
        let nearest = path.points.iter().map(|point| point.distance(DVec3::Z * 3.0)).fold(f64::INFINITY, f64::min);
        assert!(nearest > 0.05 && nearest < 0.2, "{nearest}");
        let turn = |i: usize| (path.headings[i + 1] - path.headings[i]) / (path.lengths[i + 1] - path.lengths[i]);
        let sharpest = (0..path.points.len() - 1).map(|i| turn(i).abs()).fold(0.0, f64::max);
        assert!(sharpest < 1.5 / 0.25, "{sharpest}");
        assert!((path.heading(path.length()) - std::f64::consts::FRAC_PI_2).abs() < 1e-9);
    }

    #[test]
    fn only_a_corner_too_sharp_to_round_splits_the_path() {
        assert_eq!(corner().parts(120.0, 0.25), [corner()]);
        let points = [[0.0, 0.0], [0.0, 3.0], [0.1, 3.0], [0.1, 0.5], [2.0, 0.5]].map(|[x, z]| DVec3::new(x, 0.0, z));
        let walk_path = WalkPath { points: points.to_vec(), speed_limits: vec![1.0, 2.0, 3.0, 4.0, 5.0] };
        let parts = walk_path.parts(120.0, 0.25);
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].points.last(), parts[1].points.first()), (Some(&points[1]), Some(&points[1])));
        assert_eq!(parts[1].speed_limits, [2.0, 3.0, 4.0, 5.0]);
        let back = WalkPath { points: vec![DVec3::ZERO, DVec3::Z, DVec3::ZERO], speed_limits: vec![1.0; 3] };
        assert_eq!(back.parts(120.0, 0.25).len(), 2);
        assert_eq!(back.parts(180.0, 0.25).len(), 1);
    }

    /// Returns the largest change of heading within `span` metres, degrees.
    fn sharpest_bend(path: &SmoothPath, span: f64) -> f64 {
        let turned = |i: usize| {
            let j = path.lengths.partition_point(|&length| length < path.lengths[i] + span).min(path.points.len() - 1);
            (path.headings[j] - path.headings[i]).abs().to_degrees()
        };
        (0..path.points.len()).map(turned).fold(0.0, f64::max)
    }

    #[test]
    fn hooks_at_the_ends_and_zigzags_between_are_straightened() {
        let hook = [[0.0, 0.0], [0.0, 3.0], [0.05, 3.0]];
        let overshoot = [[0.0, 0.0], [0.0, 3.1], [0.0, 2.9]];
        let aside = [[0.2, 0.0], [0.0, 0.0], [0.0, 3.0]];
        for corners in [hook, overshoot, aside] {
            let points: Vec<DVec3> = corners.map(|[x, z]| DVec3::new(x, 0.0, z)).to_vec();
            let original = WalkPath { speed_limits: vec![2.0; 3], points };
            let segments = original.segments(120.0, 0.25);
            assert_eq!(segments.len(), 1, "{corners:?}");
            assert!(sharpest_bend(&segments[0], 0.3) < 60.0, "{corners:?}: {}", sharpest_bend(&segments[0], 0.3));
            assert_eq!(
                (segments[0].points[0], segments[0].points.last()),
                (original.points[0], original.points.last())
            );
        }
        let points: Vec<DVec3> =
            (0..30).map(|i| DVec3::new(0.06 * f64::from(i % 2), 0.0, 0.2 * f64::from(i))).collect();
        let zigzag = &WalkPath { speed_limits: vec![2.0; 30], points }.segments(120.0, 0.25)[0];
        assert!(sharpest_bend(zigzag, 0.3) < 8.0, "{}", sharpest_bend(zigzag, 0.3));
    }

    #[test]
    fn a_straight_path_stays_unchanged() {
        let straight = WalkPath { points: vec![DVec3::X, DVec3::X * 4.0], speed_limits: vec![1.0, 2.0] };
        let path = straight.smoothed(0.5);
        assert!((path.length() - 3.0).abs() < 1e-9);
        assert!(path.position(1.5).abs_diff_eq(DVec3::X * 2.5, 1e-9));
        assert!((path.limits[path.limits.len() / 2] - 1.5).abs() < 0.02);
    }

    #[test]
    fn an_invalid_path_reports_the_reason() {
        let changed = |change: &dyn Fn(&mut WalkPath)| {
            let mut path = corner();
            change(&mut path);
            path.check()
        };
        assert_eq!(changed(&|_| ()), Ok(()));
        for value in [f64::NAN, f64::INFINITY, 1.1e6, -1.1e6] {
            assert_eq!(changed(&|path| path.points[1].y = value), Err(WalkError::BadPoint { point: 1 }), "{value}");
        }
        assert!(changed(&|path| path.points[1].y = f64::NAN).unwrap_err().to_string().contains("Point 2 of the route"));
        for value in [0.0, 0.001, 1000.0, -1.0, f64::NAN] {
            let refused = changed(&|path| path.speed_limits[0] = value);
            assert!(matches!(refused, Err(WalkError::BadSpeed { point: 0, .. })), "{value}");
        }
        assert_eq!(changed(&|path| path.speed_limits[0] = 999.0), Ok(()));
        let fewer = changed(&|path| path.speed_limits.truncate(1));
        assert!(matches!(fewer, Err(WalkError::LimitCount { .. })));
        assert!(matches!(WalkPath::default().check(), Err(WalkError::ShortPath { .. })));
        let along =
            |metres: f64| WalkPath { points: vec![DVec3::ZERO, DVec3::X * metres], speed_limits: vec![1.0; 2] }.check();
        assert_eq!([along(0.051), along(4_999.0)], [Ok(()), Ok(())]);
        assert!(matches!(along(0.049), Err(WalkError::ShortPath { .. })));
        assert!(matches!(along(5_001.0), Err(WalkError::LongPath { longest: 5_000.0, .. })));
    }
}
