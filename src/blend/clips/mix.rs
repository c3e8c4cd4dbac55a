//! Weighted mean of joint transforms.
//!
//! Translation and scale are linear means. Two rotations are joined by slerp (Shoemake 1985) along the shortest arc. Three or
//! more are summed with every sign in the hemisphere of the rest pose, then normalised, so that their order does not matter. (The
//! running sum of ozz-animation and Unreal depends on it.)
//!
//! When the third heaviest input falls below a quarter of the second's weight, the sum hands over to the slerp of the two
//! heaviest. The other inputs are added to that slerp by weight. If the two heaviest are equal, it does not matter which one
//! leaves.

use glam::{Quat, Vec3};

use super::soa_transform::{SoaTransform, loaded, stored};
use portamento_anim::math::Transform;
use portamento_anim::math::great_arc::GreatArc;
use portamento_anim::math::lanes::{Eight, F32x8, Vectors};
use portamento_anim::math::mean::{aligned, angle_between, slerp};
use portamento_anim::math::number::{Number, dot};

/// Fraction of the node's largest weight below which the rest pose starts to fill in, so that a joint without input reaches it
/// continuously. Small enough that ordinary weights never bring in the rest pose.
const REST_WEIGHT_RATIO: f32 = 1e-3;

/// Ratio of the third to the second weight below which the mean hands over to the two heaviest inputs.
///
/// Tuned; no derivation recorded.
const HANDOVER_RATIO: f32 = 0.25;

/// Returns the coverage 0…1 of a joint whose input weights sum to `sum`, at a node whose largest weight is `largest`. The rest
/// pose acts as one more child of weight max(0, 10⁻³·largest − sum) and has the remaining share.
pub(crate) fn coverage(sum: f32, largest: f32) -> f32 {
    if largest > 0.0 && sum > 0.0 { (sum / (REST_WEIGHT_RATIO * largest)).min(1.0) } else { 0.0 }
}

/// Interpolates from `a` (fraction 0) to `b` (fraction 1); exact at both ends and if both are equal.
///
/// `arc` is a relative rotation close to the one from `a` to `b`; the result follows its side. Without it the shortest arc is
/// used.
pub fn mix(a: &Transform, b: &Transform, fraction: f32, arc: Option<Quat>) -> Transform {
    if fraction <= 0.0 || a == b {
        return *a;
    }
    if fraction >= 1.0 {
        return *b;
    }
    Transform {
        translation: a.translation + (b.translation - a.translation) * fraction,
        rotation: slerp_along(a.rotation, b.rotation, fraction, arc),
        scale: a.scale + (b.scale - a.scale) * fraction,
    }
}

/// Returns the slerp from `a` to `b` on the side of `arc`, which may be up to a full turn long. Without `arc` it is the
/// shortest one.
fn slerp_along(a: Quat, b: Quat, fraction: f32, arc: Option<Quat>) -> Quat {
    let Some(arc) = arc else { return slerp(a, b, fraction) };
    let b = if (a.conjugate() * b).dot(arc) >= 0.0 { b } else { -b };
    let along = |a: Quat, b: Quat, part| Quat::from_array(GreatArc::direct(a.to_array(), b.to_array()).at(part));
    if a.dot(b) >= 0.0 {
        return along(a, b, fraction);
    }
    // The long arc is composed of two halves. At exactly a full turn apart the middle is undefined and every arc ends at `b`.
    let sum = a + b;
    if sum.length_squared() < 1e-3 {
        return slerp(a, b, fraction);
    }
    let middle = sum.normalize();
    if fraction < 0.5 { along(a, middle, 2.0 * fraction) } else { along(middle, b, 2.0 * fraction - 1.0) }
}

/// Returns the mean of any number of weighted transforms. Weights are ≥ 0 and need not sum to 1. `rest` decides the signs of
/// three or more rotations.
///
/// Inputs of weight 0 are ignored. A single remaining input is returned bit for bit. Returns `None` if none remains.
pub fn mean(parts: impl Iterator<Item = (Transform, f32)> + Clone, rest: Quat) -> Option<Transform> {
    let mut present = parts.filter(|part| part.1 > 0.0);
    let all = present.clone();
    let first = present.next()?;
    let Some(second) = present.next() else { return Some(first.0) };
    if present.next().is_none() {
        return Some(mix(&first.0, &second.0, second.1 / (first.1 + second.1), None));
    }
    let sum: f32 = all.clone().map(|part| part.1).sum();
    let (mut translation, mut rotation, mut scale) = (Vec3::ZERO, [0.0; 4], Vec3::ZERO);
    for (part, weight) in all.clone() {
        let share = weight / sum;
        translation += part.translation * share;
        accumulate_rotation(&mut rotation, part.rotation.to_array(), share, rest.to_array());
        scale += part.scale * share;
    }
    let mut rotation = Quat::from_array(normalized_sum(rotation, rest.to_array()));
    if let Some(PairHandover { pair_mean, share }) = pair_handover(all, rest) {
        rotation = slerp(pair_mean, rotation, share);
    }
    Some(Transform { translation, rotation, scale })
}

/// Adds a rotation times its share, with the sign in the hemisphere of `rest`.
#[inline(always)]
pub(super) fn accumulate_rotation<N: Number>(sum: &mut [N; 4], rotation: [N; 4], share: N, rest: [N; 4]) {
    let signed = share.facing(dot(rotation, rest));
    for i in 0..4 {
        sum[i] = sum[i] + rotation[i] * signed;
    }
}

/// Normalises a sum of rotations; returns `rest` if they cancel out.
#[inline(always)]
pub(super) fn normalized_sum<N: Number>(sum: [N; 4], rest: [N; 4]) -> [N; 4] {
    let square = dot(sum, sum);
    let [one, zero] = [1.0, 0.0].map(|number| square.like(number));
    // Opposed rotations can cancel out. The rest pose is the only result that does not depend on their order.
    let (keep, fall) = (square.select_above(1e-12, one / square.sqrt(), zero), square.select_above(1e-12, zero, one));
    std::array::from_fn(|i| sum[i] * keep + rest[i] * fall)
}

/// Adds a translation or scale times its share.
#[inline(always)]
pub(super) fn accumulate_vector<N: Number>(sum: &mut [N; 3], vector: [N; 3], share: N) {
    for i in 0..3 {
        sum[i] = sum[i] + vector[i] * share;
    }
}

/// Applies [`mix`] along the shortest arc in every lane. Every fraction must be less than 1: at 1 rounding would not give exactly
/// `b`.
#[inline(always)]
pub(super) fn mix_soa<V: Vectors>(vectors: V, a: &SoaTransform, b: &SoaTransform, fraction: &F32x8) -> SoaTransform {
    let fraction = Eight::load(vectors, fraction);
    let between = |a: &[F32x8; 3], b: &[F32x8; 3]| {
        let (a, b) = (loaded(vectors, a), loaded(vectors, b));
        stored(std::array::from_fn(|i| a[i] + (b[i] - a[i]) * fraction))
    };
    let arc = GreatArc::between(loaded(vectors, &a.rotation), loaded(vectors, &b.rotation));
    SoaTransform {
        translation: between(&a.translation, &b.translation),
        rotation: stored(arc.at(fraction)),
        scale: between(&a.scale, &b.scale),
    }
}

/// Transition from the mean of all inputs to the slerp of the two heaviest, as the third fades out.
struct PairHandover {
    /// The slerp of the two heaviest inputs, with the others added by weight.
    pair_mean: Quat,
    /// Remaining share of the mean of all inputs, 0…1.
    share: f32,
}

/// Returns the handover, or `None` while the third weight is too large for one. The parts must be three or more.
fn pair_handover(parts: impl Iterator<Item = (Transform, f32)> + Clone, rest: Quat) -> Option<PairHandover> {
    let numbered = parts.clone().enumerate().map(|(i, (part, weight))| ((i, part.rotation), weight));
    let [((i, first), first_weight), ((j, second), second_weight), (_, third_weight)] =
        heaviest(numbered, (usize::MAX, rest));
    let share = third_weight / (second_weight * HANDOVER_RATIO);
    if share >= 1.0 {
        return None;
    }
    let pair = aligned(slerp(first, second, second_weight / (first_weight + second_weight)), rest);
    // The third input has its full weight here. Otherwise its influence would change twice as fast at the end of the handover.
    let others = parts.enumerate().filter(|(k, _)| ![i, j].contains(k));
    let sum = others.fold(pair * (first_weight + second_weight), |sum, (_, (part, weight))| {
        sum + aligned(part.rotation, rest) * weight
    });
    Some(PairHandover { pair_mean: sum.normalize(), share })
}

/// True if the third largest weight is so small that [`mean`] hands over to the two heaviest inputs. A missing third input
/// counts as weight 0.
pub(super) fn hands_over(weights: impl Iterator<Item = f32>) -> bool {
    let [_, second, third] = heaviest(weights.map(|weight| ((), weight)), ());
    third.1 < second.1 * HANDOVER_RATIO
}

/// Returns the three heaviest inputs, heaviest first. Among equal weights the first input wins. Missing inputs are `empty`
/// with weight 0.
fn heaviest<T: Copy>(parts: impl Iterator<Item = (T, f32)>, empty: T) -> [(T, f32); 3] {
    let mut heaviest = [(empty, 0.0_f32); 3];
    for part in parts {
        if let Some(rank) = heaviest.iter().position(|known| part.1 > known.1) {
            heaviest[rank..].rotate_right(1);
            heaviest[rank] = part;
        }
    }
    heaviest
}

/// Returns the angle (radians) between the rest-aligned mean and the farthest mean aligned to one of the parts.
pub(crate) fn disagreement(parts: &[(Quat, f32)], rest: Quat) -> f64 {
    let mean_aligned_to = |reference: Quat| {
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let sum = parts.iter().fold(zero, |sum, &(rotation, weight)| sum + aligned(rotation, reference) * weight);
        if sum.length_squared() > 1e-12 { sum.normalize() } else { rest }
    };
    let by_rest = mean_aligned_to(rest);
    let present = parts.iter().filter(|(_, weight)| *weight > 0.0);
    present.map(|&(rotation, _)| angle_between(by_rest, mean_aligned_to(rotation))).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn turned(degrees: f32) -> Transform {
        Transform { rotation: Quat::from_rotation_z(degrees.to_radians()), ..Transform::IDENTITY }
    }

    #[test]
    fn two_parts_are_mixed_by_slerp_along_the_shortest_arc() {
        let mixed = mean([(turned(0.0), 0.25), (turned(90.0), 0.75)].into_iter(), Quat::IDENTITY).unwrap();
        assert!(angle_between(mixed.rotation, turned(67.5).rotation).to_degrees() < 0.01);
        let mixed = mean([(turned(-45.0), 1.0), (turned(225.0), 1.0)].into_iter(), Quat::IDENTITY).unwrap();
        assert!(angle_between(mixed.rotation, turned(-90.0).rotation).to_degrees() < 0.01);
    }

    #[test]
    fn three_far_turns_do_not_depend_on_their_order() {
        let parts = [turned(0.0), turned(130.0), turned(-130.0)];
        for order in [[0, 1, 2], [1, 2, 0], [2, 1, 0], [1, 0, 2]] {
            let mixed = mean(order.map(|i| (parts[i], 1.0 / 3.0)).into_iter(), Quat::IDENTITY).unwrap();
            assert!(angle_between(mixed.rotation, Quat::IDENTITY) < 1e-6);
        }
        let turns = parts.map(|part| (part.rotation, 1.0_f32));
        assert!(disagreement(&turns, Quat::IDENTITY).to_degrees() > 1.0);
        let near = [turned(10.0), turned(40.0), turned(-30.0)].map(|part| (part.rotation, 1.0));
        assert!(disagreement(&near, Quat::IDENTITY) < 1e-6);
    }

    #[test]
    fn a_third_input_fades_in_and_out_without_a_jump() {
        for [a, b, c] in [[0.0, 90.0, 45.0], [-170.0, 120.0, 60.0], [10.0, 175.0, -100.0]] {
            let at = |weight: f32| {
                let parts = [(turned(a), 1.0), (turned(b), 0.6), (turned(c), weight)];
                mean(parts.into_iter(), Quat::IDENTITY).unwrap().rotation
            };
            let weights = (0..=4000).map(|i| i as f32 / 4000.0);
            let steps: Vec<Quat> = weights.map(at).collect();
            let largest = steps.windows(2).map(|pair| angle_between(pair[0], pair[1]).to_degrees()).fold(0.0, f64::max);
            assert!(largest < 1.0, "{largest} degrees between {a}, {b}, {c}");
            let without = mean([(turned(a), 1.0), (turned(b), 0.6)].into_iter(), Quat::IDENTITY).unwrap().rotation;
            assert!(angle_between(steps[0], without) < 1e-6, "a weight of 0 counts");
            let [from, to] = [steps[0], steps[4000]].map(|q| angle_between(q, turned(c).rotation).to_degrees());
            assert!(to < from - 1.0, "{from}° from {c}° become {to}°");
        }
    }

    #[test]
    fn a_tracked_arc_continues_past_half_a_turn_without_a_jump() {
        let arc = Some(turned(170.0).rotation);
        let at = |degrees| mix(&turned(0.0), &turned(degrees), 0.5, arc).rotation;
        assert!(angle_between(at(179.0), at(181.0)).to_degrees() < 1.01);
    }

    proptest! {
        #[test]
        fn scaled_weights_flipped_signs_and_order_do_not_change_the_mean(
            degrees in prop::collection::vec(-85.0_f32..85.0, 1..6),
            weights in prop::collection::vec(0.01_f32..2.0, 6),
            factor in 0.001_f32..1000.0,
            flip in any::<u8>(),
        ) {
            let parts: Vec<_> = degrees.iter().zip(&weights).map(|(&d, &w)| (turned(d), w)).collect();
            let plain = mean(parts.iter().copied(), Quat::IDENTITY).unwrap();
            let other = parts.iter().enumerate().rev().map(|(i, &(mut part, weight))| {
                if flip >> i & 1 == 1 {
                    part.rotation = -part.rotation;
                }
                (part, weight * factor)
            });
            let other = mean(other, Quat::IDENTITY).unwrap();
            prop_assert!(angle_between(plain.rotation, other.rotation) < 2e-6);
        }
    }
}
