//! One joint made of several: the weighted mean of transforms.
//!
//! Translation and scale are linear means. Two rotations are joined by slerp (Shoemake 1985) along the shortest arc; three
//! or more by the normalised sum with every sign brought into the hemisphere of the rest pose, so that order never matters
//! (the running-sum rule depends on it). As the third heaviest leaves, from a quarter of the second's weight on, the sum hands
//! over to the shortest arc between the two that stay; at equal weights it does not matter which two they are.

use glam::Quat;

use crate::math::Transform;
use crate::math::mean::{aligned, angle_between};

/// Below this part of the whole weight the rest pose fills in, so that a joint that nobody moves reaches it continuously.
pub const REST_FADE: f32 = 0.25;

/// How much of a joint is spoken for when `sum` of a `whole` weight reaches it, 0…1.
pub fn cover(sum: f32, whole: f32) -> f32 {
    if whole > 0.0 && sum > 0.0 { (sum / whole / REST_FADE).min(1.0) } else { 0.0 }
}

/// Part-way from `a` (0) to `b` (1); exact at both ends and where both are equal.
///
/// `arc` is the turn from `a` to `b` whose direction is kept; without it the way round is the shortest.
pub fn mix(a: &Transform, b: &Transform, fraction: f32, arc: Option<Quat>) -> Transform {
    if fraction <= 0.0 || a == b {
        return *a;
    }
    if fraction >= 1.0 {
        return *b;
    }
    Transform {
        translation: a.translation + (b.translation - a.translation) * fraction,
        rotation: turn(a.rotation, b.rotation, fraction, arc),
        scale: a.scale + (b.scale - a.scale) * fraction,
    }
}

/// Slerp that keeps the direction of `arc`.
fn turn(a: Quat, b: Quat, fraction: f32, arc: Option<Quat>) -> Quat {
    let same_side = match arc {
        Some(arc) => (a.conjugate() * b).dot(arc) >= 0.0,
        None => a.dot(b) >= 0.0,
    };
    let b = if same_side { b } else { -b };
    let cos = a.dot(b);
    // Nearly equal: the arc's sine vanishes. Nearly opposite signs: the same rotation a full turn away, any way round ends there.
    if cos.abs() > 0.999_5 {
        return (a * (1.0 - fraction) + aligned(b, a) * fraction).normalize();
    }
    let angle = cos.acos();
    ((a * ((1.0 - fraction) * angle).sin() + b * (fraction * angle).sin()) / angle.sin()).normalize()
}

/// The mean of any number of weighted transforms and the sum of their weights; `rest` decides signs for three or more.
///
/// Parts of weight 0 do not exist: one that is left comes back bit for bit. `None` when nothing is left.
pub fn mean(parts: impl Iterator<Item = (Transform, f32)> + Clone, rest: Quat) -> Option<(Transform, f32)> {
    let mut present = parts.filter(|part| part.1 > 0.0);
    let all = present.clone();
    let first = present.next()?;
    let Some(second) = present.next() else { return Some(first) };
    let sum: f32 = all.clone().map(|part| part.1).sum();
    if present.next().is_none() {
        return Some((mix(&first.0, &second.0, second.1 / (first.1 + second.1), None), sum));
    }
    let mut mean = Transform {
        translation: glam::Vec3::ZERO,
        rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        scale: glam::Vec3::ZERO,
    };
    for (part, weight) in all.clone() {
        let share = weight / sum;
        mean.translation += part.translation * share;
        mean.rotation += aligned(part.rotation, rest) * share;
        mean.scale += part.scale * share;
    }
    // Opposed turns may cancel to nothing; then the rest pose is the only answer that no order can change.
    mean.rotation = if mean.rotation.length_squared() > 1e-12 { mean.rotation.normalize() } else { rest };
    if let Some((arc, share)) = leaving(all, rest) {
        mean.rotation = turn(arc, mean.rotation, share, None);
    }
    Some((mean, sum))
}

/// The shortest arc's mean of the two heaviest, and how much of the whole mean is left, where the third is about to leave.
fn leaving(parts: impl Iterator<Item = (Transform, f32)>, rest: Quat) -> Option<(Quat, f32)> {
    let mut heaviest = [(rest, 0.0_f32); 3];
    for (part, weight) in parts {
        let place = heaviest.iter().position(|known| weight > known.1);
        if let Some(place) = place {
            heaviest[place..].rotate_right(1);
            heaviest[place] = (part.rotation, weight);
        }
    }
    let [first, second, third] = heaviest;
    let share = third.1 / (second.1 * REST_FADE);
    (share < 1.0).then(|| (turn(first.0, second.0, second.1 / (first.1 + second.1), None), share))
}

/// Angle (radians) between the rest-aligned mean and the farthest of the means in which all take the shortest arc from one part.
pub fn disagreement(parts: &[(Quat, f32)], rest: Quat) -> f64 {
    let toward = |side: Quat| {
        let sum =
            parts.iter().fold(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, part| sum + aligned(part.0, side) * part.1);
        if sum.length_squared() > 1e-12 { sum.normalize() } else { rest }
    };
    let by_rest = toward(rest);
    parts.iter().filter(|part| part.1 > 0.0).map(|part| angle_between(by_rest, toward(part.0))).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn turned(degrees: f32) -> Transform {
        Transform { rotation: Quat::from_rotation_z(degrees.to_radians()), ..Transform::IDENTITY }
    }

    #[test]
    fn a_quarter_of_a_right_angle_is_by_slerp_and_two_take_the_short_way() {
        let (mixed, _) = mean([(turned(0.0), 0.25), (turned(90.0), 0.75)].into_iter(), Quat::IDENTITY).unwrap();
        assert!(angle_between(mixed.rotation, turned(67.5).rotation).to_degrees() < 0.01);
        let (mixed, _) = mean([(turned(-45.0), 1.0), (turned(225.0), 1.0)].into_iter(), Quat::IDENTITY).unwrap();
        assert!(angle_between(mixed.rotation, turned(-90.0).rotation).to_degrees() < 0.01);
    }

    #[test]
    fn three_far_turns_do_not_depend_on_their_order() {
        let parts = [turned(0.0), turned(130.0), turned(-130.0)];
        for order in [[0, 1, 2], [1, 2, 0], [2, 1, 0], [1, 0, 2]] {
            let (mixed, _) = mean(order.map(|i| (parts[i], 1.0 / 3.0)).into_iter(), Quat::IDENTITY).unwrap();
            assert!(angle_between(mixed.rotation, Quat::IDENTITY) < 1e-6);
        }
        let turns = parts.map(|part| (part.rotation, 1.0_f32));
        assert!(disagreement(&turns, Quat::IDENTITY).to_degrees() > 1.0);
        let near = [turned(10.0), turned(40.0), turned(-30.0)].map(|part| (part.rotation, 1.0));
        assert!(disagreement(&near, Quat::IDENTITY) < 1e-6);
    }

    #[test]
    fn a_third_side_comes_and_leaves_without_a_jump() {
        for [a, b, c] in [[0.0, 90.0, 45.0], [-170.0, 120.0, 60.0], [10.0, 175.0, -100.0]] {
            let at = |weight: f32| {
                let parts = [(turned(a), 1.0), (turned(b), 0.6), (turned(c), weight)];
                mean(parts.into_iter(), Quat::IDENTITY).unwrap().0.rotation
            };
            let weights = (0..=4000).map(|i| i as f32 / 4000.0);
            let steps: Vec<Quat> = weights.map(at).collect();
            let largest = steps.windows(2).map(|pair| angle_between(pair[0], pair[1]).to_degrees()).fold(0.0, f64::max);
            assert!(largest < 1.0, "{largest} degrees between {a}, {b}, {c}");
        }
    }

    #[test]
    fn a_kept_arc_goes_on_past_half_a_turn_without_a_jump() {
        let arc = Some(turned(170.0).rotation);
        let at = |degrees| mix(&turned(0.0), &turned(degrees), 0.5, arc).rotation;
        assert!(angle_between(at(179.0), at(181.0)).to_degrees() < 1.01);
    }

    proptest! {
        #[test]
        fn scaling_weights_turning_signs_and_order_change_nothing(
            degrees in prop::collection::vec(-85.0_f32..85.0, 1..6),
            weights in prop::collection::vec(0.01_f32..2.0, 6),
            factor in 0.001_f32..1000.0,
            flip in any::<u8>(),
        ) {
            let parts: Vec<_> = degrees.iter().zip(&weights).map(|(&d, &w)| (turned(d), w)).collect();
            let (plain, _) = mean(parts.iter().copied(), Quat::IDENTITY).unwrap();
            let other = parts.iter().enumerate().rev().map(|(i, &(mut part, weight))| {
                if flip >> i & 1 == 1 {
                    part.rotation = -part.rotation;
                }
                (part, weight * factor)
            });
            let (other, _) = mean(other, Quat::IDENTITY).unwrap();
            prop_assert!(angle_between(plain.rotation, other.rotation) < 2e-6);
        }
    }
}
