//! Key reduction of one curve within a guaranteed error.
//!
//! The remaining keys are original keys, so two linear curves need to be compared only between adjacent original
//! keys. The difference of positions is linear there and largest at a key.
//!
//! Two rotations a(t), b(t) that turn by θ and φ (radians on the unit sphere of quaternions, per original interval)
//! satisfy
//!
//! ```text
//! D″ + (θ² + φ²)·D = 2·|a′ − b′|² ≥ 0      for D = |a − b|²
//! ```
//!
//! so by Sturm's comparison theorem D between two keys is at most the larger of its values at them, divided by
//! cos(√(θ² + φ²)/2). The guarantee therefore holds at every moment, not only at keys.

use glam::{Quat, Vec3};

use super::curve::{Animated, Curve, Interpolation, KeySpan, find_span};
use crate::math::mean::angle_between;

/// Removes keys of `curve` so that it deviates by at most `degrees` everywhere; only linear curves change.
pub(crate) fn rotation(curve: &Curve<Quat>, degrees: f64) -> Curve<Quat> {
    let max_distance_squared = chord(degrees.to_radians()).powi(2);
    let angle = |a: Quat, b: Quat| angle_between(a, b);
    let kept_keys = kept_keys(curve, degrees > 0.0, |from, to| {
        let across = half_angle(curve.values[from], curve.values[to]);
        let seconds = f64::from(curve.times[to]) - f64::from(curve.times[from]);
        let mut before = 0.0_f64;
        (from + 1..=to).all(|i| {
            let here = if i == to { 0.0 } else { chord(angle(curve.values[i], between(curve, from, to, i))).powi(2) };
            let share = (f64::from(curve.times[i]) - f64::from(curve.times[i - 1])) / seconds;
            let (theta, phi) = (half_angle(curve.values[i - 1], curve.values[i]), across * share);
            let spread = theta.hypot(phi) / 2.0;
            let worst = std::mem::replace(&mut before, here).max(here);
            spread < 1.5 && worst <= max_distance_squared * spread.cos()
        })
    });
    with_kept_keys(curve, &kept_keys)
}

/// Removes keys of `curve` so that it deviates by at most `distance` everywhere, in its own unit; only linear curves
/// change.
pub(crate) fn translation(curve: &Curve<Vec3>, distance: f64) -> Curve<Vec3> {
    let kept_keys = kept_keys(curve, distance > 0.0, |from, to| {
        let apart = |i: usize| between(curve, from, to, i).as_dvec3().distance(curve.values[i].as_dvec3());
        (from + 1..to).all(|i| apart(i) <= distance)
    });
    with_kept_keys(curve, &kept_keys)
}

/// Returns the indices of the keys to keep. `fits(from, to)` is true if all keys between these two can be removed. From each kept
/// key the next is as far as `fits` allows, found by doubling the stride and then bisecting. Returns all keys if the
/// reduction is not `wanted` or the curve is not linear.
fn kept_keys<T: Animated>(curve: &Curve<T>, wanted: bool, fits: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let count = curve.times.len();
    if !wanted || count < 3 || curve.interpolation != Interpolation::Linear {
        return (0..count).collect();
    }
    let (mut kept_keys, mut at, last) = (vec![0], 0, count - 1);
    while at < last {
        let (mut good, mut stride) = (at + 1, 2);
        while at + stride <= last && fits(at, at + stride) {
            (good, stride) = (at + stride, stride * 2);
        }
        let mut bad = (at + stride).min(last + 1);
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            if fits(at, middle) { good = middle } else { bad = middle }
        }
        kept_keys.push(good);
        at = good;
    }
    kept_keys
}

/// Returns the value that a player computes at the original key `i` if only the keys `from` and `to` remain.
fn between<T: Animated>(curve: &Curve<T>, from: usize, to: usize, i: usize) -> T {
    let times = [curve.times[from], curve.times[to]];
    match find_span(&times, f64::from(curve.times[i])) {
        Some(KeySpan::Between(_, fraction)) => T::between(curve.values[from], curve.values[to], fraction),
        Some(KeySpan::At(1)) => curve.values[to],
        _ => curve.values[from],
    }
}

/// Returns `curve` with the keys `kept_keys` only. The result is linear, except that a curve that keeps all keys stays as it
/// is.
fn with_kept_keys<T: Animated>(curve: &Curve<T>, kept_keys: &[usize]) -> Curve<T> {
    if kept_keys.len() == curve.times.len() {
        return curve.clone();
    }
    Curve::linear(
        kept_keys.iter().map(|&i| curve.times[i]).collect(),
        kept_keys.iter().map(|&i| curve.values[i]).collect(),
    )
}

/// Returns the angle between two unit quaternions on the unit sphere in radians, along the shorter arc: half the angle between
/// their rotations.
fn half_angle(a: Quat, b: Quat) -> f64 {
    angle_between(a, b) / 2.0
}

/// Returns the distance between two unit quaternions whose rotations differ by `angle` radians.
pub(crate) fn chord(angle: f64) -> f64 {
    2.0 * (angle / 4.0).sin()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    fn noisy(steps: usize, size: f64) -> Curve<Quat> {
        let turn = |i: usize| {
            let t = i as f64 / 240.0;
            let (x, y) = (size * (t * 3.0).sin(), size * 0.7 * (t * 5.0).cos());
            (DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y)).as_quat().normalize()
        };
        Curve::linear((0..steps).map(|i| i as f32 / 240.0).collect(), (0..steps).map(turn).collect())
    }

    #[test]
    fn rotations_stay_within_the_tolerance_between_keys_and_keys_are_removed() {
        let curve = noisy(300, 0.8);
        let mut before = usize::MAX;
        for degrees in [0.01, 0.1, 1.0] {
            let reduced = rotation(&curve, degrees);
            assert!(reduced.times.len() < before && reduced.times.first() == curve.times.first());
            assert_eq!((reduced.times.last(), reduced.values.last()), (curve.times.last(), curve.values.last()));
            before = reduced.times.len();
            let worst = (0..=29_900).map(|i| f64::from(i) / 24_000.0);
            let worst = worst.map(|t| angle_between(curve.sample(t).unwrap(), reduced.sample(t).unwrap()).to_degrees());
            let worst = worst.fold(0.0, f64::max);
            assert!(worst <= degrees + 2e-5, "{worst} of {degrees} with {before} keys");
            println!("{degrees} degrees: {before} of 300 keys, {worst} degrees off");
        }
        assert!(before < 150);
    }

    #[test]
    fn constant_and_straight_curves_need_two_keys() {
        let times: Vec<f32> = (0..2400).map(|i| i as f32 / 240.0).collect();
        let line = Curve::linear(times.clone(), times.iter().map(|&t| Vec3::new(t, 2.0 * t, 0.0)).collect());
        assert_eq!(translation(&line, 1e-5).times, [0.0, 2399.0 / 240.0]);
        let still = Curve::linear(times, vec![Quat::from_rotation_z(0.4); 2400]);
        assert_eq!(rotation(&still, 1e-3).values.len(), 2);
    }

    #[test]
    fn no_tolerance_other_kinds_and_short_curves_change_nothing() {
        let curve = noisy(20, 0.5);
        assert_eq!(rotation(&curve, 0.0), curve);
        let steps = Curve { interpolation: Interpolation::Step, ..curve.clone() };
        assert_eq!(rotation(&steps, 10.0), steps);
        let two = noisy(2, 0.5);
        assert_eq!(rotation(&two, 90.0), two);
    }

    proptest! {
        #[test]
        fn any_walk_stays_within_its_tolerance(
            steps in proptest::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0), 3..60),
            size in 0.001_f32..2.5,
            tolerance in 0.01_f64..30.0,
        ) {
            let times: Vec<f32> = (0..steps.len()).map(|i| i as f32 * 0.1).collect();
            let turn = |&(x, y, z): &(f32, f32, f32)| Quat::from_scaled_axis(Vec3::new(x, y, z) * size);
            let turns = Curve::linear(times.clone(), steps.iter().map(turn).collect());
            let moves = Curve::linear(times, steps.iter().map(|&(x, y, z)| Vec3::new(x, y, z)).collect());
            let (reduced_turns, reduced_moves) = (rotation(&turns, tolerance), translation(&moves, tolerance / 10.0));
            for i in 0..steps.len() * 40 {
                let time = i as f64 * 0.0025;
                let angle = angle_between(turns.sample(time).unwrap(), reduced_turns.sample(time).unwrap()).to_degrees();
                prop_assert!(angle <= tolerance + 1e-4, "{} at {}", angle, time);
                let apart = moves.sample(time).unwrap().distance(reduced_moves.sample(time).unwrap());
                prop_assert!(f64::from(apart) <= tolerance / 10.0 + 1e-6);
            }
        }
    }
}
