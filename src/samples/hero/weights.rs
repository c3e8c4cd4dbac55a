//! Skinning weights of the hero.
//!
//! The weight of a joint falls smoothly with the distance of its shapes beyond the nearest one.
//! Limbs therefore bend over a soft band around their joints and are rigid elsewhere.

use glam::DVec3;

use super::shape::Shape;

/// Influences per vertex.
pub const INFLUENCES: usize = 4;

/// Returns the four strongest joints at `point` and their weights, which sum to 1. `softness` is the width of the band in metres.
pub fn weights(shapes: &[Shape], point: DVec3, softness: f64) -> [(u16, f32); INFLUENCES] {
    let mut nearest: Vec<(usize, f64)> = Vec::new();
    for shape in shapes {
        let distance = shape.distance(point);
        match nearest.iter_mut().find(|(joint, _)| *joint == shape.joint) {
            Some(entry) => entry.1 = entry.1.min(distance),
            None => nearest.push((shape.joint, distance)),
        }
    }
    nearest.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    nearest.truncate(INFLUENCES);
    let nearest_distance = nearest.first().map_or(0.0, |entry| entry.1);
    let pulls = nearest
        .iter()
        .map(|&(joint, distance)| (joint, share_beyond((distance - nearest_distance) / softness)))
        .collect::<Vec<_>>();
    shares(&pulls)
}

/// Returns 1 at the nearest distance and falls smoothly to 0 one band further.
fn share_beyond(beyond: f64) -> f64 {
    let left = (1.0 - beyond).max(0.0);
    left * left * (3.0 - 2.0 * left)
}

/// Normalises weights to `f32` with sum 1. The rounding error goes to the first.
pub fn shares(pulls: &[(usize, f64)]) -> [(u16, f32); INFLUENCES] {
    let sum: f64 = pulls.iter().map(|&(_, pull)| pull).sum();
    let mut out = [(0, 0.0); INFLUENCES];
    for (slot, &(joint, pull)) in out.iter_mut().zip(pulls) {
        // Unused slots refer to joint 0 with weight 0.
        *slot = if pull > 0.0 { (joint as u16, (pull / sum) as f32) } else { (0, 0.0) };
    }
    out[0].1 = 1.0 - out[1..].iter().map(|slot| slot.1).sum::<f32>();
    out
}

#[cfg(test)]
mod tests {
    use super::super::shape::Solid;
    use super::*;
    use glam::dvec3;

    #[test]
    fn an_elbow_has_two_influences_and_the_middle_of_a_bone_one() {
        let bone = |joint: usize, from: f64| Shape {
            solid: Solid::Cone([dvec3(from, 0.0, 0.0), dvec3(from + 0.3, 0.0, 0.0)], [0.05, 0.05]),
            joint,
            blend: 0.02,
        };
        let arm = [bone(7, 0.0), bone(8, 0.3)];
        let elbow = weights(&arm, dvec3(0.3, 0.05, 0.0), 0.06);
        assert!((elbow[0].1 - 0.5).abs() < 1e-3 && (elbow[1].1 - 0.5).abs() < 1e-3);
        assert_eq!(weights(&arm, dvec3(0.1, 0.05, 0.0), 0.06)[0], (7, 1.0));
    }
}
