//! The smooth path that a body takes, by the length travelled.

use glam::DVec3;

use crate::anim::root_motion::wrap;
use crate::math::arc_length::locate;

/// Metres between points of a path.
pub(super) const STEP: f64 = 0.02;

/// The smooth path along a walk path, by the length travelled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SmoothPath {
    /// Metres, a few centimetres apart; the first and last are the way's.
    pub points: Vec<DVec3>,
    /// Metres from the start, seen from above.
    pub lengths: Vec<f64>,
    /// Highest speed at each point, m/s seen from above.
    pub limits: Vec<f64>,
    /// Heading at each point: radians about +Y from +Z towards +X, unwrapped.
    pub headings: Vec<f64>,
}

impl SmoothPath {
    /// Its whole length, metres.
    pub fn length(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// Goes on along `next`, which begins where this one ends.
    pub(super) fn append(&mut self, next: &SmoothPath) {
        let skip = usize::from(!self.points.is_empty());
        let gone = self.length();
        self.points.extend(next.points.iter().skip(skip));
        self.lengths.extend(next.lengths.iter().skip(skip).map(|length| gone + length));
        self.limits.extend(next.limits.iter().skip(skip));
        let last = self.headings.last().copied();
        let unwrapped = last.map_or(0.0, |last| last + wrap(next.headings[0] - last) - next.headings[0]);
        self.headings.extend(next.headings.iter().skip(skip).map(|heading| heading + unwrapped));
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

    /// Takes its limits for metres a second along the ground, and makes them what they are seen from above.
    pub(super) fn limit_along_ground(&mut self) {
        let cosines: Vec<f64> = self.lengths.iter().map(|&s| self.slope(s).to_radians().cos()).collect();
        self.limits.iter_mut().zip(cosines).for_each(|(limit, cosine)| *limit *= cosine);
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

/// The place after `s` metres of points that lie `along` metres from the first.
pub(super) fn at(points: &[DVec3], along: &[f64], s: f64) -> DVec3 {
    match locate(along, s) {
        Some((i, 1.0)) => points[i + 1],
        Some((i, fraction)) => points[i].lerp(points[i + 1], fraction),
        None => points.first().copied().unwrap_or(DVec3::ZERO),
    }
}

/// The value after `s` metres of values that lie `along` metres from the first.
pub(super) fn mix(values: &[f64], along: &[f64], s: f64) -> f64 {
    match locate(along, s) {
        Some((i, fraction)) => values[i] + (values[i + 1] - values[i]) * fraction,
        None => values.first().copied().unwrap_or(0.0),
    }
}
