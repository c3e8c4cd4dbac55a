//! Curves through the poses of a loop with another start.

use portamento_anim::curve_keys::Keyed;
use portamento_anim::{Curve, Interpolation, Pose};

/// Returns the curve through the values of `poses` at `times` (seconds), where `value` returns those of one key. Returns `None`
/// if there was no curve `before` and the joint is not moved. A constant curve is unchanged, unless the joint is moved.
pub(super) fn wrapped<T: Keyed>(
    before: &Option<Curve<T>>,
    is_moved: bool,
    times: &[f64],
    poses: &[Pose],
    value: impl Fn(&Pose) -> Vec<T>,
) -> Option<Curve<T>> {
    let rows: Vec<Vec<T>> = poses.iter().map(value).collect();
    let is_constant = rows.windows(2).all(|pair| pair[0] == pair[1]);
    if !is_moved && (before.is_none() || is_constant) {
        return before.clone();
    }
    let is_step = before.as_ref().is_some_and(|curve| curve.interpolation == Interpolation::Step);
    let mut values: Vec<T> = Vec::new();
    for row in &rows {
        let previous = values.len().checked_sub(row.len()).map(|start| values[start..].to_vec());
        match previous {
            Some(previous) => values.extend(row.iter().zip(previous).map(|(value, before)| value.nearer_to(before))),
            None => values.extend(row),
        }
    }
    Some(Curve {
        interpolation: if is_step { Interpolation::Step } else { Interpolation::Linear },
        times: times.iter().map(|&time| time as f32).collect(),
        values: values.into(),
    })
}
