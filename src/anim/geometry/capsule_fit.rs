//! Fits the smallest capsule around points.
//!
//! The radius excludes the farthest 5 % of the points: folds and seams of a mesh reach into the neighbouring part and
//! would make the capsule too thick.

use glam::DVec3;

/// A capsule; a sphere if both ends are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end of the axis, in the space and unit of the points.
    pub a: DVec3,
    /// The other end.
    pub b: DVec3,
    /// Radius in the unit of the points.
    pub radius: f64,
}

/// Fraction of the points within the radius.
const INSIDE_FRACTION: f64 = 0.95;
/// Minimum number of points.
const MIN_POINTS: usize = 4;

/// Returns the capsule of least volume around `points` with an axis along one of `axes` (unit vectors); `None` for
/// fewer than four points or no axis.
pub fn fit_capsule(points: &[DVec3], axes: impl Iterator<Item = DVec3>) -> Option<Capsule> {
    if points.len() < MIN_POINTS {
        return None;
    }
    let volume =
        |capsule: &Capsule| capsule.radius.powi(2) * (capsule.a.distance(capsule.b) + 4.0 / 3.0 * capsule.radius);
    axes.map(|axis| along(points, axis)).min_by(|a, b| volume(a).total_cmp(&volume(b)))
}

/// Returns the capsule around `points` with its axis along the unit vector `axis`.
/// It is a sphere if the axis would be shorter than a quarter of the radius.
fn along(points: &[DVec3], axis: DVec3) -> Capsule {
    let flat = |point: &DVec3| *point - axis * axis.dot(*point);
    let middle = points.iter().map(flat).sum::<DVec3>() / points.len() as f64;
    let mut far: Vec<f64> = points.iter().map(|point| flat(point).distance(middle)).collect();
    far.sort_by(f64::total_cmp);
    let radius = far[((far.len() - 1) as f64 * INSIDE_FRACTION) as usize];
    let bounds = |(low, high): (f64, f64), at: f64| (low.min(at), high.max(at));
    let (low, high) = points.iter().map(|point| axis.dot(*point)).fold((f64::INFINITY, f64::NEG_INFINITY), bounds);
    let (start, end) = (low + radius, high - radius);
    if end - start > 0.25 * radius {
        return Capsule { a: middle + axis * start, b: middle + axis * end, radius };
    }
    let center = middle + axis * ((low + high) * 0.5);
    let mut far: Vec<f64> = points.iter().map(|point| point.distance(center)).collect();
    far.sort_by(f64::total_cmp);
    Capsule { a: center, b: center, radius: far[((far.len() - 1) as f64 * INSIDE_FRACTION) as usize] }
}
