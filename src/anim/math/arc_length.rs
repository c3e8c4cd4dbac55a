//! Arc length of polylines.

use glam::DVec3;

/// Returns the length from the first point to each point; the first entry is 0, the last the total length. Empty
/// input gives empty output.
///
/// A step of length zero adds exactly nothing, so equal neighbours have bit-equal lengths.
pub fn cumulative(points: &[DVec3]) -> Vec<f64> {
    cumulative_by(points, |step| step.length())
}

/// Like [`cumulative`], with the length of each step given by `measure` (≥ 0): for example horizontally, vertically, or with a
/// dead zone.
pub fn cumulative_by(points: &[DVec3], measure: impl Fn(DVec3) -> f64) -> Vec<f64> {
    let mut sum = 0.0;
    points
        .iter()
        .enumerate()
        .map(|(i, &point)| {
            if i > 0 {
                sum += measure(point - points[i - 1]);
            }
            sum
        })
        .collect()
}

/// Returns the segment of the polyline with the [`cumulative`] `lengths` that contains length `s`, and the fraction within it:
/// `(i, f)` with 0 ≤ f ≤ 1. `s` is clamped to the polyline. Returns `None` for fewer than two points.
pub fn locate(lengths: &[f64], s: f64) -> Option<(usize, f64)> {
    let last = lengths.len().checked_sub(2)?;
    let i = lengths.partition_point(|&l| l <= s).saturating_sub(1).min(last);
    let span = lengths[i + 1] - lengths[i];
    let fraction = if span > 0.0 { ((s - lengths[i]) / span).clamp(0.0, 1.0) } else { 0.0 };
    Some((i, fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_adds_nothing_and_every_length_is_found_again() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::X, DVec3::new(1.0, 3.0, 0.0)];
        let lengths = cumulative(&points);
        assert_eq!(lengths, [0.0, 1.0, 1.0, 4.0]);
        assert_eq!(locate(&lengths, 2.5), Some((2, 0.5)));
        assert_eq!(locate(&lengths, 9.0), Some((2, 1.0)));
        assert_eq!(locate(&lengths[..1], 0.0), None);
    }
}
