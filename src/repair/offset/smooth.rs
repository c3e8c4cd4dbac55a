//! Smooth curves through dense keys.
//!
//! Between two frames of a baked clip the motion is a curve, and its chord is shorter: a foot that swings by an angle θ in a frame
//! moves at `cos(θ/2)` of its speed when all frames are sampled half-way. Catmull-Rom tangents keep the speed.

use portamento_anim::curve_keys::Keyed;
use portamento_anim::{Clip, Curve, Interpolation, JointTracks};

/// Largest distance of two keys on consecutive frames, frames.
const DENSE_MAX_FRAMES: f64 = 1.5;

/// Returns `clip` with splines for linear curves that have a key on every frame at `fps`. Other curves are as intended between
/// their keys.
pub(super) fn smoothed(clip: &Clip, fps: f64) -> Clip {
    let of_joint = |tracks: &JointTracks| JointTracks {
        translation: tracks.translation.as_ref().map(|curve| spline(curve, fps)),
        rotation: tracks.rotation.as_ref().map(|curve| spline(curve, fps)),
        scale: tracks.scale.as_ref().map(|curve| spline(curve, fps)),
        morphs: tracks.morphs.as_ref().map(|curve| spline(curve, fps)),
        ..tracks.clone()
    };
    Clip { tracks: clip.tracks.iter().map(of_joint).collect(), ..clip.clone() }
}

fn spline<T: Keyed>(curve: &Curve<T>, fps: f64) -> Curve<T> {
    let times = &curve.times;
    let is_dense = times.windows(2).all(|pair| f64::from(pair[1] - pair[0]) * fps < DENSE_MAX_FRAMES);
    if curve.interpolation != Interpolation::Linear || times.len() < 3 || !is_dense {
        return curve.clone();
    }
    let width = curve.values.len() / times.len();
    let mut rows = curve.values.clone();
    for i in width..rows.len() {
        rows[i] = rows[i].nearer_to(rows[i - width]);
    }
    let mut values = Vec::with_capacity(3 * rows.len());
    let last = times.len() - 1;
    // Both ends of a loop have one slope. A rotation may end with the other sign.
    let across = |i: usize| {
        let [first, second, inner, end] = [0, 1, last - 1, last].map(|key| rows[key * width + i]);
        let sign = if end.nearer_to(first) == end { 1.0 } else { -1.0 };
        let seconds = times[1] - times[0] + times[last] - times[last - 1];
        [
            (second - first + (end - inner) * sign) * (1.0 / seconds),
            ((second - first) * sign + end - inner) * (1.0 / seconds),
        ]
    };
    for (key, row) in rows.chunks(width).enumerate() {
        let slope = |i: usize| match key {
            0 => across(i)[0],
            key if key == last => across(i)[1],
            key => {
                (rows[(key + 1) * width + i] - rows[(key - 1) * width + i]) * (1.0 / (times[key + 1] - times[key - 1]))
            }
        };
        let slopes: Vec<T> = (0..width).map(slope).collect();
        values.extend_from_slice(&slopes);
        values.extend_from_slice(row);
        values.extend(slopes);
    }
    Curve { interpolation: Interpolation::CubicSpline, times: times.clone(), values }
}
