//! Changes of all values of a curve that leave its key times and its interpolation.

use portamento_anim::{Curve, Interpolation};

/// Returns `curve`, whose keys have `width` values each, with `change` applied to each value and tangent: its place in the row, whether
/// it is a tangent, and the value.
pub(crate) fn map_rows<T: Copy>(curve: &Curve<T>, width: usize, change: impl Fn(usize, bool, T) -> T) -> Curve<T> {
    let is_spline = curve.interpolation == Interpolation::CubicSpline;
    let width = width.max(1);
    let changed = |(i, &value): (usize, &T)| change(i % width, is_spline && i / width % 3 != 1, value);
    Curve { values: curve.values.iter().enumerate().map(changed).collect(), ..curve.clone() }
}
