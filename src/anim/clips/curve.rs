//! Animation curves: keys over time and their interpolation, exactly as in glTF 2.0 §3.11 and appendix C.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::shared_list::SharedList;
use crate::math::mean::slerp;

/// Interpolation between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Constant until the next key.
    Step,
    /// Straight line; rotations by slerp along the shortest arc.
    #[default]
    Linear,
    /// Hermite spline: each key has in-tangent, value, out-tangent; tangents are per second.
    CubicSpline,
}

/// A curve of `T` over seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<T> {
    /// Interpolation between two keys.
    pub interpolation: Interpolation,
    /// Strictly increasing key times, seconds.
    pub times: SharedList<f32>,
    /// One value per key; for [`Interpolation::CubicSpline`] three: in-tangent, value, out-tangent.
    pub values: SharedList<T>,
}

impl<T> Default for Curve<T> {
    fn default() -> Self {
        Self { interpolation: Interpolation::default(), times: SharedList::default(), values: SharedList::default() }
    }
}

/// A value that curves can animate.
pub trait Animated: Copy {
    /// Returns the interpolation at `fraction` (0…1) between `a` and `b`.
    fn between(a: Self, b: Self, fraction: f32) -> Self;
    /// Returns the Hermite spline through both `ends` at `fraction` (0…1) of the `span` seconds between them. `out_in` are the
    /// out-tangent of the first key and the in-tangent of the second, per second.
    fn hermite(ends: [Self; 2], out_in: [Self; 2], span: f32, fraction: f32) -> Self;
}

/// The position of a time among sorted key times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeySpan {
    /// Exactly at this key, or clamped to it.
    At(usize),
    /// Between key `.0` and the next one, at the fraction `.1`, 0 < `.1` < 1.
    Between(usize, f32),
}

/// Finds `time` (seconds) among `times`; `None` without keys.
pub fn find_span(times: &[f32], time: f64) -> Option<KeySpan> {
    let next = keys_until(times, time);
    if times.is_empty() {
        return None;
    }
    if next == 0 || next == times.len() {
        return Some(KeySpan::At(next.saturating_sub(1)));
    }
    let (start, end) = (f64::from(times[next - 1]), f64::from(times[next]));
    let fraction = ((time - start) / (end - start)) as f32;
    Some(match fraction {
        f if f <= 0.0 => KeySpan::At(next - 1),
        f if f >= 1.0 => KeySpan::At(next),
        f => KeySpan::Between(next - 1, f),
    })
}

/// Returns how many of the sorted key `times` are at or before `time`, all in seconds. Keys are mostly regular, so the index is
/// guessed first.
fn keys_until(times: &[f32], time: f64) -> usize {
    let is_until = |key: usize| times.get(key).is_some_and(|&key| f64::from(key) <= time);
    if let [first, .., last] = times {
        let along = (time - f64::from(*first)) / f64::from(*last - *first);
        let guess = (along * (times.len() - 1) as f64 + 0.5) as usize;
        let next = guess + usize::from(is_until(guess));
        if next > 0 && next < times.len() && is_until(next - 1) && !is_until(next) {
            return next;
        }
    }
    times.partition_point(|&key| f64::from(key) <= time)
}

impl<T: Animated> Curve<T> {
    /// Creates a curve with linear interpolation.
    pub fn linear(times: Vec<f32>, values: Vec<T>) -> Self {
        Self { interpolation: Interpolation::Linear, times: times.into(), values: values.into() }
    }

    /// Returns the memory used by its keys, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.times[..]) + size_of_val(&self.values[..])
    }

    /// Returns the value of key `i`, without tangents. Panics if there is no such key.
    pub fn key(&self, i: usize) -> T {
        match self.interpolation {
            Interpolation::CubicSpline => self.values[3 * i + 1],
            _ => self.values[i],
        }
    }

    /// Returns the value at `time` (seconds), constant before the first key and after the last. `None` without keys.
    pub fn sample(&self, time: f64) -> Option<T> {
        find_span(&self.times, time).map(|span| self.at(span))
    }

    /// Returns the value at a position among the keys.
    #[inline]
    pub(crate) fn at(&self, span: KeySpan) -> T {
        match span {
            KeySpan::At(i) => self.key(i),
            KeySpan::Between(i, fraction) => self.between_keys(i, fraction),
        }
    }

    /// Returns the value between key `i` and the next one, at `fraction` (0…1) of the time between them.
    #[inline]
    fn between_keys(&self, i: usize, fraction: f32) -> T {
        match self.interpolation {
            Interpolation::Step => self.key(i),
            Interpolation::Linear => T::between(self.key(i), self.key(i + 1), fraction),
            Interpolation::CubicSpline => {
                let span = self.times[i + 1] - self.times[i];
                let out_in = [self.values[3 * i + 2], self.values[3 * i + 3]];
                T::hermite([self.key(i), self.key(i + 1)], out_in, span, fraction)
            }
        }
    }
}

/// Returns the four Hermite weights at the fraction `s` (0…1) of `span` seconds: start value, start tangent, end value, end
/// tangent. The weights of the tangents, which are per second, contain `span`.
fn hermite_weights(span: f32, s: f32) -> [f32; 4] {
    let (s2, s3) = (s * s, s * s * s);
    [2.0 * s3 - 3.0 * s2 + 1.0, span * (s3 - 2.0 * s2 + s), 3.0 * s2 - 2.0 * s3, span * (s3 - s2)]
}

/// Implements interpolation by component for numbers and vectors.
macro_rules! animated_by_component {
    ($($kind:ty),*) => {$(
        impl Animated for $kind {
            fn between(a: Self, b: Self, fraction: f32) -> Self {
                a + (b - a) * fraction
            }

            fn hermite(ends: [Self; 2], out_in: [Self; 2], span: f32, fraction: f32) -> Self {
                let w = hermite_weights(span, fraction);
                ends[0] * w[0] + out_in[0] * w[1] + ends[1] * w[2] + out_in[1] * w[3]
            }
        }
    )*};
}

animated_by_component!(f32, Vec3);

impl Animated for Quat {
    fn between(a: Self, b: Self, fraction: f32) -> Self {
        slerp(a, b, fraction)
    }

    fn hermite(ends: [Self; 2], out_in: [Self; 2], span: f32, fraction: f32) -> Self {
        let w = hermite_weights(span, fraction);
        (ends[0] * w[0] + out_in[0] * w[1] + ends[1] * w[2] + out_in[1] * w[3]).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(interpolation: Interpolation, values: &[f32]) -> Curve<f32> {
        Curve { interpolation, times: vec![1.0, 3.0].into(), values: values.to_vec().into() }
    }

    #[test]
    fn keys_are_exact_and_the_ends_are_constant() {
        for (kind, values) in [
            (Interpolation::Step, vec![5.0, 9.0]),
            (Interpolation::Linear, vec![5.0, 9.0]),
            (Interpolation::CubicSpline, vec![7.0, 5.0, 7.0, 7.0, 9.0, 7.0]),
        ] {
            let curve = curve(kind, &values);
            let at = |time| curve.sample(time);
            assert_eq!([at(0.0), at(1.0), at(3.0), at(8.0)], [Some(5.0), Some(5.0), Some(9.0), Some(9.0)], "{kind:?}");
        }
    }

    #[test]
    fn a_guessed_index_equals_that_of_a_search() {
        let regular: Vec<f32> = (0..61).map(|key| key as f32 / 30.0).collect();
        let bunched: Vec<f32> = (0..40).map(|key| 0.1 + (key * key) as f32 / 800.0).collect();
        for times in [regular, bunched, vec![0.5], vec![0.5, 0.75], Vec::new()] {
            let keys = times.iter().flat_map(|&key| [-1e-9, 0.0, 1e-9].map(|by| f64::from(key) + by));
            for time in (-10..230).map(|i| f64::from(i) / 97.0).chain(keys).chain([f64::INFINITY, f64::NAN, -1e300]) {
                let searched = times.partition_point(|&key| f64::from(key) <= time);
                assert_eq!(keys_until(&times, time), searched, "{time}");
            }
        }
    }

    #[test]
    fn between_keys_each_kind_follows_the_specification() {
        assert_eq!(curve(Interpolation::Step, &[5.0, 9.0]).sample(2.9), Some(5.0));
        assert_eq!(curve(Interpolation::Linear, &[5.0, 9.0]).sample(1.5), Some(6.0));
        // Hermite at s = 0.5 with tangents 1 and 0 per second over 2 s: (5 + 9)/2 + 2·(0.125·1 − 0.125·0).
        assert_eq!(curve(Interpolation::CubicSpline, &[0.0, 5.0, 1.0, 0.0, 9.0, 0.0]).sample(2.0), Some(7.25));
    }

    #[test]
    fn no_keys_give_no_value_and_rotations_take_the_shorter_arc() {
        assert_eq!(Curve::<f32>::default().sample(0.0), None);
        let turn = Curve::linear(vec![0.0, 1.0], vec![Quat::IDENTITY, -Quat::from_rotation_y(1.0)]);
        let half = turn.sample(0.5).map(|q| q.dot(Quat::from_rotation_y(0.5)).abs());
        assert!(half.is_some_and(|dot| dot > 0.999_999));
    }
}
