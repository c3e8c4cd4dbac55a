//! Positions in arrays.

use glam::Vec3;

use super::array::Array;

/// Reads `array` as `frames × joints × 3`, also flattened or with a leading dimension of 1. Returns the positions of the first
/// frame, then those of the next, or `None` for other shapes.
pub(super) fn read(array: &Array, joints: usize) -> Option<Vec<Vec3>> {
    let batchless = array.shape.strip_prefix(&[1]).filter(|shape| shape.len() > 1);
    let fits = |shape: &&[usize]| shape.len() > 1 && shape[1..].iter().product::<usize>() == 3 * joints;
    [Some(&array.shape[..]), batchless].into_iter().flatten().find(fits)?;
    Some(array.values.chunks_exact(3).map(|xyz| Vec3::new(xyz[0], xyz[1], xyz[2])).collect())
}

/// Returns the median of each coordinate, zero without points.
pub(super) fn median(mut points: Vec<Vec3>) -> Vec3 {
    let middle = points.len() / 2;
    let mut along = |axis: usize| {
        points.sort_by(|a, b| a[axis].total_cmp(&b[axis]));
        points.get(middle).map_or(0.0, |point| point[axis])
    };
    Vec3::new(along(0), along(1), along(2))
}
