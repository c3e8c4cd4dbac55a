//! Inserts keys into a curve without changing its shape.

use std::ops::{Add, Mul, Sub};

use glam::{Quat, Vec3};

use super::curve::{Animated, Interpolation};
use crate::Curve;
use crate::math::mean::angle_between;

/// A curve value at which curves can be split anywhere.
pub trait Keyed: Animated + PartialEq + Add<Output = Self> + Sub<Output = Self> + Mul<f32, Output = Self> {
    /// Returns the difference between `a` and `b`: radians for rotations, else in the value's own unit.
    fn distance(a: Self, b: Self) -> f64;

    /// Returns the size of a value or of a change per second, in the unit of [`Keyed::distance`].
    fn size(self) -> f64;

    /// Returns `value` normalized, and `slope` without the part that would only change the length.
    fn normalized_with_slope(value: Self, slope: Self) -> [Self; 2] {
        [value, slope]
    }

    /// Returns the representation of the value nearer to `before`; rotations have two.
    fn nearer_to(self, _before: Self) -> Self {
        self
    }
}

impl Keyed for f32 {
    fn distance(a: Self, b: Self) -> f64 {
        f64::from((a - b).abs())
    }

    fn size(self) -> f64 {
        f64::from(self.abs())
    }
}

impl Keyed for Vec3 {
    fn distance(a: Self, b: Self) -> f64 {
        a.as_dvec3().distance(b.as_dvec3())
    }

    fn size(self) -> f64 {
        f64::from(self.length())
    }
}

impl Keyed for Quat {
    fn distance(a: Self, b: Self) -> f64 {
        angle_between(a, b)
    }

    // A unit quaternion moves half as far as it rotates.
    fn size(self) -> f64 {
        2.0 * f64::from(self.length())
    }

    fn nearer_to(self, before: Self) -> Self {
        if self.dot(before) < 0.0 { -self } else { self }
    }

    fn normalized_with_slope(value: Self, slope: Self) -> [Self; 2] {
        let length = value.length();
        let unit = value * length.recip();
        [unit, (slope - unit * unit.dot(slope)) * length.recip()]
    }
}

/// True if `curve` has `width` values for every key, three times as many for cubic splines.
pub fn is_whole<T>(curve: &Curve<T>, width: usize) -> bool {
    let parts = if curve.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    curve.values.len() == curve.times.len() * parts * width
}

/// Returns `curve` with additional keys at `times` (ascending, seconds), each with the curve's value at that time.
///
/// A key has `width` values: one, except for morph weights. An incomplete curve is returned unchanged. Rotations of
/// cubic splines deviate by about the square of the cut interval; all other curves keep their exact shape.
pub fn with_keys_at<T: Keyed>(curve: &Curve<T>, width: usize, times: &[f32]) -> Curve<T> {
    let is_new = |time: &&f32| curve.times.binary_search_by(|key| key.total_cmp(time)).is_err();
    let mut new_times = times.iter().filter(is_new).copied().peekable();
    if curve.times.is_empty() || new_times.peek().is_none() || !is_whole(curve, width) {
        return curve.clone();
    }
    let per_key = width * if curve.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let mut cut = Curve { interpolation: curve.interpolation, ..Curve::default() };
    for i in 0..=curve.times.len() {
        let until = curve.times.get(i).copied().unwrap_or(f32::INFINITY);
        while let Some(time) = new_times.next_if(|&time| time < until) {
            cut.times.push(time);
            push_cut(curve, width, i, time, &mut cut.values);
        }
        if let Some(&key) = curve.times.get(i) {
            cut.times.push(key);
            cut.values.extend_from_slice(&curve.values[i * per_key..(i + 1) * per_key]);
        }
    }
    hold_ends(curve, width, &mut cut);
    cut
}

/// Returns the `width` values of `curve` at `time` (seconds). Before the first key it is the first row, after the
/// last the last; empty without keys.
pub fn row_at<T: Keyed>(curve: &Curve<T>, width: usize, time: f64) -> Vec<T> {
    let next = curve.times.partition_point(|&key| f64::from(key) <= time);
    let row = if curve.times.is_empty() { Vec::new() } else { cut_at(curve, width, next, time) };
    row.into_iter().map(|[value, _]| value).collect()
}

/// Appends the row of `curve` at `time` (seconds), which is between the keys `next - 1` and `next`, to `values`. For cubic
/// splines the slope becomes the tangent before and after the value.
fn push_cut<T: Keyed>(curve: &Curve<T>, width: usize, next: usize, time: f32, values: &mut Vec<T>) {
    let row = cut_at(curve, width, next, f64::from(time));
    let cubic = curve.interpolation == Interpolation::CubicSpline;
    let slopes = row.iter().map(|[_, slope]| *slope).filter(|_| cubic);
    values.extend(slopes.clone());
    values.extend(row.iter().map(|[value, _]| *value));
    values.extend(slopes);
}

/// Returns value and slope (per second) of each of the `width` values at `time` (seconds), which is between the keys `next - 1`
/// and `next`. Before the first key and after the last, the value is constant and the slope 0.
fn cut_at<T: Keyed>(curve: &Curve<T>, width: usize, next: usize, time: f64) -> Vec<[T; 2]> {
    let cubic = curve.interpolation == Interpolation::CubicSpline;
    let last = curve.times.len() - 1;
    let at = |key: usize, part: usize, i: usize| {
        let row = if cubic { 3 * key + part } else { key };
        curve.values[row * width + i]
    };
    if next == 0 || next > last {
        let key = next.min(last);
        return (0..width).map(|i| [at(key, 1, i), at(key, 1, i) * 0.0]).collect();
    }
    let (a, b) = (next - 1, next);
    let [start, end] = [a, b].map(|key| f64::from(curve.times[key]));
    // Computed as players do, so that the key has the value that they would show.
    let fraction = ((time - start) / (end - start)) as f32;
    let cut = |i: usize| {
        let ends = [at(a, 1, i), at(b, 1, i)];
        match curve.interpolation {
            Interpolation::Step => [ends[0]; 2],
            Interpolation::Linear => [T::between(ends[0], ends[1], fraction); 2],
            Interpolation::CubicSpline => {
                let span = curve.times[b] - curve.times[a];
                cut_spline(ends, [at(a, 2, i), at(b, 0, i)], span, fraction)
            }
        }
    };
    (0..width).map(cut).collect()
}

/// Returns value and slope (per second) of a Hermite spline at the fraction `s` (0…1) of its `span` seconds. `out_in` are the
/// tangents as in [`Animated::hermite`].
fn cut_spline<T: Keyed>(ends: [T; 2], out_in: [T; 2], span: f32, s: f32) -> [T; 2] {
    let (s2, s3) = (s * s, s * s * s);
    let mix = |w: [f32; 4]| ends[0] * w[0] + out_in[0] * w[1] + ends[1] * w[2] + out_in[1] * w[3];
    let value = mix([2.0 * s3 - 3.0 * s2 + 1.0, span * (s3 - 2.0 * s2 + s), 3.0 * s2 - 2.0 * s3, span * (s3 - s2)]);
    let rise = 6.0 * (s2 - s) / span;
    let slope = mix([rise, 3.0 * s2 - 4.0 * s + 1.0, -rise, 3.0 * s2 - 2.0 * s]);
    let [_, slope] = T::normalized_with_slope(value, slope);
    [T::hermite(ends, out_in, span, s), slope]
}

/// Sets the tangents at the original first and last key to zero where new keys lie outside them, because the curve is
/// constant there.
fn hold_ends<T: Keyed>(curve: &Curve<T>, width: usize, cut: &mut Curve<T>) {
    if curve.interpolation != Interpolation::CubicSpline {
        return;
    }
    let mut hold = |time: Option<&f32>, part: usize| {
        let key = time.and_then(|time| cut.times.binary_search_by(|key| key.total_cmp(time)).ok());
        let at = key.map_or(0, |key| (3 * key + part) * width);
        cut.values[at..at + width].iter_mut().for_each(|tangent| *tangent = *tangent * 0.0);
    };
    if cut.times.first() != curve.times.first() {
        hold(curve.times.first(), 0);
    }
    if cut.times.last() != curve.times.last() {
        hold(curve.times.last(), 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spline() -> Curve<Vec3> {
        let rows = [[0.0, 1.0, 2.0], [-3.0, 4.0, 1.0], [0.5, -2.0, 9.0]];
        let values = rows.as_flattened().iter().map(|&x| Vec3::new(x, 2.0 * x, 1.0 - x)).collect();
        Curve { interpolation: Interpolation::CubicSpline, times: vec![0.5, 1.0, 2.5].into(), values }
    }

    fn worst<T: Keyed>(a: &Curve<T>, b: &Curve<T>) -> f64 {
        let times = (0..=300).map(|i| f64::from(i) / 100.0);
        times.map(|time| T::distance(a.sample(time).unwrap(), b.sample(time).unwrap())).fold(0.0, f64::max)
    }

    #[test]
    fn new_keys_are_on_the_curve_and_do_not_change_it() {
        let times = [0.25, 0.5, 0.75, 1.1, 1.2, 2.5, 2.75];
        for interpolation in [Interpolation::Step, Interpolation::Linear] {
            let curve = Curve {
                interpolation,
                times: vec![0.5, 1.0, 2.5].into(),
                values: vec![Vec3::X, Vec3::Y, Vec3::NEG_Z].into(),
            };
            let cut = with_keys_at(&curve, 1, &times);
            assert_eq!(cut.times, [0.25, 0.5, 0.75, 1.0, 1.1, 1.2, 2.5, 2.75]);
            assert!(times.iter().all(|&t| cut.sample(f64::from(t)) == curve.sample(f64::from(t))));
            assert!(worst(&curve, &cut) < 1e-6);
        }
        let cut = with_keys_at(&spline(), 1, &times);
        assert!(times.iter().all(|&t| cut.sample(f64::from(t)) == spline().sample(f64::from(t))));
        assert!(cut.values.len() == 24 && worst(&spline(), &cut) < 1e-5, "{}", worst(&spline(), &cut));
    }

    #[test]
    fn split_rotations_are_unit_and_keep_their_path() {
        let turn = |x: f32| Quat::from_rotation_x(x);
        let tangent = Quat::from_xyzw(0.9, 0.2, 0.0, 0.0);
        let values = vec![tangent, turn(0.0), tangent, tangent * 0.5, turn(0.6), tangent];
        let curve =
            Curve { interpolation: Interpolation::CubicSpline, times: vec![0.0, 1.0].into(), values: values.into() };
        let keys: Vec<f32> = (1..8).map(|i| i as f32 / 8.0).collect();
        let cut = with_keys_at(&curve, 1, &keys);
        assert!((0..9).all(|key| (cut.key(key).length() - 1.0).abs() < 1e-6));
        assert!(worst(&curve, &cut) < 1e-3, "{}", worst(&curve, &cut));
    }

    #[test]
    fn rows_of_weights_are_split_together_and_existing_times_change_nothing() {
        let curve = Curve::linear(vec![0.0, 1.0], vec![0.0_f32, 1.0, 1.0, 3.0]);
        let cut = with_keys_at(&curve, 2, &[0.25]);
        assert_eq!((cut.times.len(), &cut.values[2..4]), (3, &[0.25, 1.5][..]));
        assert_eq!(with_keys_at(&curve, 2, &[0.0, 1.0]), curve);
        assert_eq!(with_keys_at(&Curve::<f32>::default(), 1, &[0.5]), Curve::default());
    }
}
