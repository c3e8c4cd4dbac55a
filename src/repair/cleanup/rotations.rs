//! Normalisation of rotation keys: unit length, and the hemisphere of the previous key.

use glam::Quat;

use portamento_anim::{Clip, Curve, Interpolation, JointTracks};

/// Deviation from unit length below which a rotation counts as normalised in 32-bit floats.
const UNIT_LENGTH_TOLERANCE: f32 = 1e-5;

/// Repairs all rotations of `clip` and returns the number of changed keys. The pose changes only for rotations that were not of
/// unit length.
pub(super) fn repair(clip: &mut Clip) -> usize {
    let repaired = |tracks: &mut JointTracks| {
        let changed = tracks.rotation.as_mut().map_or(0, repair_curve);
        // `not_unit` counts keys that import normalised. They differ from the file now, so the count is cleared.
        changed.max(std::mem::take(&mut tracks.not_unit))
    };
    clip.tracks.iter_mut().map(repaired).sum()
}

/// Repairs the keys of one curve in place, with their tangents, and returns the number of changed keys. A key of length 0 keeps
/// its length.
fn repair_curve(curve: &mut Curve<Quat>) -> usize {
    let is_spline = curve.interpolation == Interpolation::CubicSpline;
    let (rows, value) = if is_spline { (3, 1) } else { (1, 0) };
    let (mut before, mut changed): (Option<Quat>, usize) = (None, 0);
    for row in curve.values.chunks_exact_mut(rows) {
        let length = row[value].length();
        let factor = if (length - 1.0).abs() > UNIT_LENGTH_TOLERANCE && length > 0.0 { 1.0 / length } else { 1.0 };
        let is_flipped = before.is_some_and(|before| before.dot(row[value]) < 0.0);
        let factor = if is_flipped { -factor } else { factor };
        if factor != 1.0 {
            // Tangents are scaled like their key.
            row.iter_mut().for_each(|each| *each *= factor);
            changed += 1;
        }
        before = Some(row[value]);
    }
    changed
}
