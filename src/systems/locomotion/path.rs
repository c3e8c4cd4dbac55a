//! The way to walk: points with speed limits, and the smooth course a body takes along it.
//!
//! A body cannot turn in a corner. The course is the way averaged over a window of twice the turning radius along its length,
//! which rounds a right angle to just that radius, and whose direction is that of the chord across the window. Towards both
//! ends the window narrows, so that the course begins and ends exactly where the way does.

use glam::DVec3;

use super::WalkError;
use crate::math::arc_length::{cumulative, locate};

/// Points to pass in order, each with the highest speed there; between points the limit goes evenly from one to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkPath {
    /// Metres.
    pub points: Vec<DVec3>,
    /// Metres per second, one per point, > 0.
    pub speed_limits: Vec<f64>,
}

/// The smooth path along a walk path, by the length travelled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SmoothPath {
    /// Metres, a few centimetres apart; the first and last are the way's.
    pub points: Vec<DVec3>,
    /// Metres from the start, horizontal: slopes are walked at the speed seen from above.
    pub lengths: Vec<f64>,
    /// Highest speed at each point, m/s.
    pub limits: Vec<f64>,
    /// Heading at each point: radians about +Y from +Z towards +X, unwrapped.
    pub headings: Vec<f64>,
}

/// Metres between points of a path.
const STEP: f64 = 0.02;
/// Longest way, metres.
const LONGEST: f64 = 5_000.0;

impl WalkPath {
    /// Why this way cannot be walked, if so.
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
        let length = cumulative(&flat(&self.points)).last().copied().unwrap_or(0.0);
        if length < 0.05 {
            return Err(WalkError::ShortWay { length });
        }
        if length > LONGEST { Err(WalkError::LongWay { length, longest: LONGEST }) } else { Ok(()) }
    }

    /// The smooth path along one that passes [`WalkPath::check`], with corners rounded to `turning_radius` (metres, ≥ 0).
    pub fn smoothed(&self, turning_radius: f64) -> SmoothPath {
        let along = cumulative(&flat(&self.points));
        let whole = along[along.len() - 1];
        let count = (whole / STEP).ceil().max(2.0) as usize;
        let sums = self.sums(&along);
        let places: Vec<f64> = (0..=count).map(|i| whole * i as f64 / count as f64).collect();
        let point = |s: f64| at(&self.points, &along, s);
        let window = |s: f64| turning_radius.min(s).min(whole - s);
        let mut points: Vec<DVec3> = places.iter().map(|&s| average(&point, &sums, &along, [s, window(s)])).collect();
        points[0] = self.points[0];
        points[count] = self.points[self.points.len() - 1];
        let limits = places.iter().map(|&s| mix(&self.speed_limits, &along, s)).collect();
        let lengths = cumulative(&flat(&points));
        let headings = headings(&points);
        SmoothPath { points, lengths, limits, headings }
    }

    /// The parts between corners that turn by more than `corner` degrees within `radius` metres (≥ 0); the way itself where it
    /// has none. No part is shorter than a step.
    pub fn parts(&self, corner: f64, radius: f64) -> Vec<WalkPath> {
        const SHORTEST: f64 = 0.3;
        let along = cumulative(&flat(&self.points));
        let last = along.len() - 1;
        let mut cuts = vec![0];
        for i in sharpest(&flat(&self.points), &along, corner.to_radians(), radius.max(0.1)) {
            let from = cuts.last().map_or(0.0, |&cut: &usize| along[cut]);
            if along[i] - from >= SHORTEST && along[last] - along[i] >= SHORTEST {
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

    /// The integral of the position over the length, up to each point.
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

impl SmoothPath {
    /// Its whole length, metres.
    pub fn length(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// Brings its heights to those of `ground`, evened over half a metre as a body goes over steps and edges.
    pub fn follow(&mut self, ground: super::GroundHeight) {
        const HALF: usize = (0.25 / STEP) as usize;
        let under = |point: &DVec3| ground(*point).filter(|height| height.is_finite()).unwrap_or(point.y);
        let heights: Vec<f64> = self.points.iter().map(under).collect();
        for (i, point) in self.points.iter_mut().enumerate() {
            let half = HALF.min(i).min(heights.len() - 1 - i);
            let near = &heights[i - half..=i + half];
            point.y = near.iter().sum::<f64>() / near.len() as f64;
        }
    }

    /// The place after `s` metres (clamped to the ends).
    pub fn place(&self, s: f64) -> DVec3 {
        at(&self.points, &self.lengths, s)
    }

    /// Degrees by which the way rises (or, below 0, falls) after `s` metres, over what a step is long.
    pub fn slope(&self, s: f64) -> f64 {
        const HALF: f64 = 0.4;
        let (from, to) = ((s - HALF).max(0.0), (s + HALF).min(self.length()));
        let rise = self.place(to).y - self.place(from).y;
        if to > from { rise.atan2(to - from).to_degrees() } else { 0.0 }
    }

    /// The heading after `s` metres.
    pub fn heading(&self, s: f64) -> f64 {
        mix(&self.headings, &self.lengths, s)
    }
}

/// Points about which the way turns by more than `corner` radians within `radius` metres: of each such bend the sharpest.
fn sharpest(points: &[DVec3], along: &[f64], corner: f64, radius: f64) -> Vec<usize> {
    let bearing = |i: usize| {
        let step = points[i + 1] - points[i];
        (step.length() > 1e-9).then(|| step.x.atan2(step.z))
    };
    let mut turns: Vec<(usize, f64)> = Vec::new();
    let mut heading = None;
    for i in 0..points.len() - 1 {
        let Some(next) = bearing(i) else { continue };
        turns.extend(heading.map(|from: f64| (i, crate::anim::root_motion::wrap(next - from))));
        heading = Some(next);
    }
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

fn flat(points: &[DVec3]) -> Vec<DVec3> {
    points.iter().map(|point| point.with_y(0.0)).collect()
}

fn at(points: &[DVec3], along: &[f64], s: f64) -> DVec3 {
    match locate(along, s) {
        Some((i, 1.0)) => points[i + 1],
        Some((i, fraction)) => points[i].lerp(points[i + 1], fraction),
        None => points.first().copied().unwrap_or(DVec3::ZERO),
    }
}

fn mix(values: &[f64], along: &[f64], s: f64) -> f64 {
    match locate(along, s) {
        Some((i, fraction)) => values[i] + (values[i + 1] - values[i]) * fraction,
        None => values.first().copied().unwrap_or(0.0),
    }
}

/// Mean position within `half` metres along the way before and after `s`.
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

/// Direction of travel at each point, from its neighbours; where they coincide, that of the point before.
fn headings(points: &[DVec3]) -> Vec<f64> {
    let last = points.len() - 1;
    let mut heading = f64::NAN;
    let mut found: Vec<f64> = (0..=last)
        .map(|i| {
            let step = points[(i + 1).min(last)] - points[i.saturating_sub(1)];
            if step.x.hypot(step.z) > 1e-9 {
                let now = step.x.atan2(step.z);
                heading = if heading.is_nan() { now } else { heading + crate::anim::root_motion::wrap(now - heading) };
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
        assert!(nearest > 0.05 && nearest < 0.1, "{nearest}");
        let turn = |i: usize| (path.headings[i + 1] - path.headings[i]) / (path.lengths[i + 1] - path.lengths[i]);
        let sharpest = (0..path.points.len() - 1).map(|i| turn(i).abs()).fold(0.0, f64::max);
        assert!(sharpest < 1.5 / 0.25, "{sharpest}");
        assert!((path.heading(path.length()) - std::f64::consts::FRAC_PI_2).abs() < 1e-9);
    }

    #[test]
    fn only_a_corner_too_sharp_to_be_rounded_parts_the_way() {
        assert_eq!(corner().parts(120.0, 0.25), [corner()]);
        let points = [[0.0, 0.0], [0.0, 3.0], [0.1, 3.0], [0.1, 0.5], [2.0, 0.5]].map(|[x, z]| DVec3::new(x, 0.0, z));
        let way = WalkPath { points: points.to_vec(), speed_limits: vec![1.0, 2.0, 3.0, 4.0, 5.0] };
        let parts = way.parts(120.0, 0.25);
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].points.last(), parts[1].points.first()), (Some(&points[1]), Some(&points[1])));
        assert_eq!(parts[1].speed_limits, [2.0, 3.0, 4.0, 5.0]);
        let back = WalkPath { points: vec![DVec3::ZERO, DVec3::Z, DVec3::ZERO], speed_limits: vec![1.0; 3] };
        assert_eq!(back.parts(120.0, 0.25).len(), 2);
        assert_eq!(back.parts(180.0, 0.25).len(), 1);
    }

    #[test]
    fn a_straight_way_is_its_own_course() {
        let way = WalkPath { points: vec![DVec3::X, DVec3::X * 4.0], speed_limits: vec![1.0, 2.0] };
        let path = way.smoothed(0.5);
        assert!((path.length() - 3.0).abs() < 1e-9);
        assert!(path.place(1.5).abs_diff_eq(DVec3::X * 2.5, 1e-9));
        assert!((path.limits[path.limits.len() / 2] - 1.5).abs() < 0.02);
    }

    #[test]
    fn a_way_that_cannot_be_walked_says_why() {
        let mut way = corner();
        way.points[1].y = f64::NAN;
        assert!(way.check().unwrap_err().to_string().contains("Point 2 of the way"));
        way = corner();
        way.speed_limits[0] = 0.0;
        assert!(matches!(way.check(), Err(WalkError::BadSpeed { point: 0, .. })));
        way.speed_limits.pop();
        assert!(matches!(way.check(), Err(WalkError::LimitCount { .. })));
        assert!(matches!(WalkPath::default().check(), Err(WalkError::ShortWay { .. })));
        let far = WalkPath { points: vec![DVec3::ZERO, DVec3::X * 9e5], speed_limits: vec![1.0; 2] };
        assert!(matches!(far.check(), Err(WalkError::LongWay { .. })));
    }
}
