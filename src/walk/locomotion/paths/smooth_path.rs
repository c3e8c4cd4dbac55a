//! The smooth path of a body, parametrised by length.

use glam::DVec3;

use portamento_anim::math::arc_length::locate;
use portamento_anim::root_motion::wrap;

/// Distance between points of a path, metres.
pub(super) const POINT_SPACING_M: f64 = 0.02;

/// A smooth path, parametrised by length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SmoothPath {
    /// Points in metres, every few centimetres; the first and last are those of the walk path.
    pub points: Vec<DVec3>,
    /// Ground-plane distance from the start, metres.
    pub lengths: Vec<f64>,
    /// Speed limit at each point, m/s in the ground plane.
    pub limits: Vec<f64>,
    /// Heading at each point, radians about +Y from +Z towards +X, unwrapped.
    pub headings: Vec<f64>,
}

impl SmoothPath {
    /// Returns the length, metres.
    pub fn length(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// Appends `next`, which begins where this path ends.
    pub(crate) fn append(&mut self, next: &SmoothPath) {
        let skip = usize::from(!self.points.is_empty());
        let gone = self.length();
        self.points.extend(next.points.iter().skip(skip));
        self.lengths.extend(next.lengths.iter().skip(skip).map(|length| gone + length));
        self.limits.extend(next.limits.iter().skip(skip));
        let last = self.headings.last().copied();
        let unwrapped = last.map_or(0.0, |last| last + wrap(next.headings[0] - last) - next.headings[0]);
        self.headings.extend(next.headings.iter().skip(skip).map(|heading| heading + unwrapped));
    }

    /// Sets the heights to those of `ground`, averaged over half a metre as a body moves over steps and edges. Points without
    /// ground count with their own height.
    pub fn follow(&mut self, ground: crate::locomotion::GroundHeight) {
        const HALF: usize = (0.25 / POINT_SPACING_M) as usize;
        let under = |point: &DVec3| ground(*point).filter(|height| height.is_finite()).unwrap_or(point.y);
        let heights: Vec<f64> = self.points.iter().map(under).collect();
        for (i, point) in self.points.iter_mut().enumerate() {
            let half = HALF.min(i).min(heights.len() - 1 - i);
            let near = &heights[i - half..=i + half];
            point.y = near.iter().sum::<f64>() / near.len() as f64;
        }
    }

    /// Converts the limits from speeds along the ground to ground-plane speeds.
    pub(crate) fn limit_along_ground(&mut self) {
        let cosines: Vec<f64> = self.lengths.iter().map(|&s| self.slope(s).to_radians().cos()).collect();
        self.limits.iter_mut().zip(cosines).for_each(|(limit, cosine)| *limit *= cosine);
    }

    /// Returns the position after `s` metres (clamped).
    pub fn position(&self, s: f64) -> DVec3 {
        at(&self.points, &self.lengths, s)
    }

    /// Returns the slope after `s` metres in degrees, uphill positive, measured over the length of a step.
    pub fn slope(&self, s: f64) -> f64 {
        const HALF: f64 = 0.4;
        let (from, to) = ((s - HALF).max(0.0), (s + HALF).min(self.length()));
        let rise = self.position(to).y - self.position(from).y;
        if to > from { rise.atan2(to - from).to_degrees() } else { 0.0 }
    }

    /// Returns the heading after `s` metres (clamped), radians.
    pub fn heading(&self, s: f64) -> f64 {
        mix(&self.headings, &self.lengths, s)
    }
}

/// Returns the position after `s` metres (clamped); `along` are the distances of `points` from the first.
pub(crate) fn at(points: &[DVec3], along: &[f64], s: f64) -> DVec3 {
    match locate(along, s) {
        Some((i, 1.0)) => points[i + 1],
        Some((i, fraction)) => points[i].lerp(points[i + 1], fraction),
        None => points.first().copied().unwrap_or(DVec3::ZERO),
    }
}

/// Returns the value after `s` metres (clamped); `along` are the distances of `values` from the first.
pub(crate) fn mix(values: &[f64], along: &[f64], s: f64) -> f64 {
    match locate(along, s) {
        Some((i, fraction)) => values[i] + (values[i + 1] - values[i]) * fraction,
        None => values.first().copied().unwrap_or(0.0),
    }
}
