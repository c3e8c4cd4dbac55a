//! Morph weights that play frames of vertices.

use crate::Curve;
use crate::media::VertexClip;

/// Returns the weights that play [`VertexClip::morph_targets`]: one row per frame, all 0 except the frame's own.
/// Linear interpolation between keys then moves vertices linearly. `closing` adds a last key equal to the first.
pub fn morph_weights(clip: &VertexClip, closing: bool) -> Curve<f32> {
    let targets = clip.frames().saturating_sub(1);
    let keys = clip.frames() + usize::from(closing);
    let row = |key: usize| (1..=targets).map(move |target| if key == target { 1.0 } else { 0.0 });
    let times = (0..keys).map(|key| (key as f64 / clip.fps) as f32).collect();
    Curve::linear(times, (0..keys).flat_map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn morph_targets_and_their_weights_play_every_frame_again() {
        let positions: Vec<Vec3> = (0..8).map(|i| Vec3::new(i as f32, (i * i) as f32, 0.25)).collect();
        let clip = VertexClip::new("flag", 4.0, 2, positions, Vec::new()).unwrap();
        let (targets, weights) = (clip.morph_targets(), morph_weights(&clip, true));
        assert_eq!((targets.len(), weights.times.len(), weights.values.len()), (3, 5, 15));
        for key in 0..5 {
            for vertex in 0..2 {
                let row = targets.iter().zip(&weights.values[key * 3..]);
                let moved: Vec3 = row.map(|(target, &weight)| target.positions[vertex] * weight).sum();
                assert_eq!(clip.frame(0)[vertex] + moved, clip.frame(key % 4)[vertex]);
            }
        }
        assert_eq!(weights.times, [0.0, 0.25, 0.5, 0.75, 1.0]);
    }
}
