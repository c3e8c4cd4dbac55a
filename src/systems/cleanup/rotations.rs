//! Keys of rotations as every reader expects them: of length 1, each in the hemisphere of the one before.

use glam::Quat;

use crate::anim::{Clip, Curve, Interpolation, JointTracks};

/// Rotations whose length is off by less are taken for what 32 bits hold.
const ROUNDING: f32 = 1e-5;

/// Mends all rotations of `clip`; answers how many keys were changed. What is shown does not change, but for rotations that were
/// not of length 1.
pub(super) fn mend(clip: &mut Clip) -> usize {
    let mended = |tracks: &mut JointTracks| {
        let changed = tracks.rotation.as_mut().map_or(0, curve);
        // Those were read at length 1; what is written is no longer what the file holds.
        changed.max(std::mem::take(&mut tracks.not_unit))
    };
    clip.tracks.iter_mut().map(mended).sum()
}

fn curve(curve: &mut Curve<Quat>) -> usize {
    let is_spline = curve.interpolation == Interpolation::CubicSpline;
    let (rows, value) = if is_spline { (3, 1) } else { (1, 0) };
    let (mut before, mut changed): (Option<Quat>, usize) = (None, 0);
    for row in curve.values.chunks_exact_mut(rows) {
        let length = row[value].length();
        let factor = if (length - 1.0).abs() > ROUNDING && length > 0.0 { 1.0 / length } else { 1.0 };
        let is_flipped = before.is_some_and(|before| before.dot(row[value]) < 0.0);
        let factor = if is_flipped { -factor } else { factor };
        if factor != 1.0 {
            // Tangents are those of the same curve.
            row.iter_mut().for_each(|each| *each *= factor);
            changed += 1;
        }
        before = Some(row[value]);
    }
    changed
}
