//! Curves over played time.

use super::time_map::TimeMap;
use portamento_anim::curve_keys::{Keyed, is_whole, row_at, with_keys_at};
use portamento_anim::{Curve, Interpolation};

/// Largest deviation of a curve from the exact motion, as a fraction of its range: 0.01 % of a swing of 90° is about 0.01°.
pub(super) const MAX_DEVIATION: f64 = 1e-4;

/// Rounding error of players between two f32 keys, as a fraction of the values. A smaller difference is not a deviation.
const ROUNDING: f64 = 2e-6;

/// Largest number of halvings of an interval between two keys: 2¹⁰ = 1024 parts.
const MAX_HALVINGS: usize = 10;

/// A curve with its keys at played time, and what it cost.
pub(super) struct Retimed<T> {
    pub curve: Curve<T>,
    /// Number of keys that the incoming curve does not have.
    pub added: usize,
    /// Largest deviation from the exact motion, as a fraction of the curve's range.
    pub deviation: f64,
}

/// Returns `curve` (with `width` values per key) over played time. Keys keep their values and move to their played time. Keys are
/// added where the map is not linear between two keys with different values.
pub(super) fn retimed<T: Keyed>(curve: &Curve<T>, width: usize, map: &TimeMap) -> Retimed<T> {
    if !is_whole(curve, width) {
        let curve = Curve { times: played_times(&curve.times, map).into(), ..curve.clone() };
        return Retimed { curve, added: 0, deviation: 0.0 };
    }
    let (range, rounding) = (range(curve, width), ROUNDING * size(curve));
    let spans = (1..curve.times.len())
        .filter(|&key| curve.interpolation != Interpolation::Step && !is_constant(curve, width, key));
    let mut new: Vec<f32> =
        spans.flat_map(|key| new_keys(curve, width, key, map, (MAX_DEVIATION * range).max(rounding))).collect();
    new.dedup();
    let exact = with_keys_at(curve, width, &new);
    let mut retimed_curve = exact.clone();
    retimed_curve.times = played_times(&exact.times, map).into();
    if curve.interpolation == Interpolation::CubicSpline {
        scale_tangents(&exact, width, map, &mut retimed_curve);
    }
    let added = retimed_curve.times.len() - curve.times.len();
    let difference = deviation(curve, &exact.times, &retimed_curve, width, map) - rounding;
    let deviation = if range > 0.0 { difference.max(0.0) / range } else { 0.0 };
    Retimed { curve: retimed_curve, added, deviation }
}

/// Returns the played times of keys at incoming `times`, both in seconds. Times that round to the same f32 are separated by the
/// smallest step.
fn played_times(times: &[f32], map: &TimeMap) -> Vec<f32> {
    let mut last = f32::NEG_INFINITY;
    let played = times.iter().map(|&time| {
        let at = map.at(f64::from(time)) as f32;
        last = if at > last { at } else { last.next_up() };
        last
    });
    played.collect()
}

/// Scales the tangents of `retimed`, whose keys are those of `exact`: they are per second, and the speed has changed.
/// `width` is the number of values per key. Both curves must be cubic splines.
///
/// Panics if `retimed` has fewer than `3 * width` values per key.
fn scale_tangents<T: Keyed>(exact: &Curve<T>, width: usize, map: &TimeMap, retimed: &mut Curve<T>) {
    for (key, &time) in exact.times.iter().enumerate() {
        let [before, after] = map.slowness(f64::from(time)).map(|slowness| slowness.recip() as f32);
        let row = &mut retimed.values[3 * key * width..(3 * key + 3) * width];
        row[..width].iter_mut().for_each(|tangent| *tangent = *tangent * before);
        row[2 * width..].iter_mut().for_each(|tangent| *tangent = *tangent * after);
    }
}

/// Returns the values of key `key`. For a spline, `part` 0 and 2 select its tangents and 1 its value.
fn row<T>(curve: &Curve<T>, width: usize, key: usize, part: usize) -> &[T] {
    let row = if curve.interpolation == Interpolation::CubicSpline { 3 * key + part } else { key };
    &curve.values[row * width..(row + 1) * width]
}

/// Returns the largest distance between two rows of values.
fn distance<T: Keyed>(a: &[T], b: &[T]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| T::distance(a, b)).fold(0.0, f64::max)
}

/// Returns the largest distance of any key from the first.
fn range<T: Keyed>(curve: &Curve<T>, width: usize) -> f64 {
    (1..curve.times.len()).map(|key| distance(row(curve, width, 0, 1), row(curve, width, key, 1))).fold(0.0, f64::max)
}

/// Returns the largest magnitude of any value.
fn size<T: Keyed>(curve: &Curve<T>) -> f64 {
    curve.values.iter().map(|value| value.size()).fold(0.0, f64::max)
}

/// True if the curve is constant between the key before `key` and `key`.
fn is_constant<T: Keyed>(curve: &Curve<T>, width: usize, key: usize) -> bool {
    row(curve, width, key - 1, 1) == row(curve, width, key, 1) && tangents(curve, width, key) == 0.0
}

/// Returns the largest tangent between the key before `key` and `key`; 0 unless the curve is a spline.
fn tangents<T: Keyed>(curve: &Curve<T>, width: usize, key: usize) -> f64 {
    if curve.interpolation != Interpolation::CubicSpline {
        return 0.0;
    }
    let [out, into] = [row(curve, width, key - 1, 2), row(curve, width, key, 0)];
    out.iter().chain(into).map(|tangent| tangent.size()).fold(0.0, f64::max)
}

/// Returns the incoming times (seconds) between the key before `key` and `key` at which keys are needed to keep the deviation
/// within `bound`, in the unit of the values.
fn new_keys<T: Keyed>(curve: &Curve<T>, width: usize, key: usize, map: &TimeMap, bound: f64) -> Vec<f32> {
    let [start, end] = [key - 1, key].map(|key| f64::from(curve.times[key]));
    let step = distance(row(curve, width, key - 1, 1), row(curve, width, key, 1));
    let size = step.max(tangents(curve, width, key) * (end - start));
    let knots = map.knots_between(start, end).filter(|&knot| {
        let [before, after] = map.slowness(knot);
        before != after || !map.is_straight(start, end)
    });
    let mut ends: Vec<f64> = [start].into_iter().chain(knots).chain([end]).collect();
    ends.dedup();
    let mut times = Vec::new();
    for pair in ends.windows(2) {
        let share = (pair[1] - pair[0]) / (end - start);
        halve([pair[0], pair[1]], map, bound / (size * share), MAX_HALVINGS, &mut times);
        times.push(pair[1] as f32);
    }
    times.pop();
    times
}

/// Adds the middle of a span to `times` while the map deviates from its chord by more than `bound` of the span's time. `halvings`
/// is the number of times that it may still be halved.
fn halve([start, end]: [f64; 2], map: &TimeMap, bound: f64, halvings: usize, times: &mut Vec<f32>) {
    if halvings == 0 || map.is_straight(start, end) {
        return;
    }
    let [first, last] = [map.at(start), map.at(end)];
    let deviation_at = |share: f64| ((map.at(start + (end - start) * share) - first) / (last - first) - share).abs();
    if [0.25, 0.5, 0.75].map(deviation_at).into_iter().fold(0.0, f64::max) <= bound {
        return;
    }
    let middle = start.midpoint(end);
    // Half the span moves half as far, so twice the fraction is allowed.
    halve([start, middle], map, 2.0 * bound, halvings - 1, times);
    times.push(middle as f32);
    halve([middle, end], map, 2.0 * bound, halvings - 1, times);
}

/// Returns the largest distance between `retimed` and `curve` as played by `map`, sampled seven times between consecutive keys.
/// `exact` are the incoming times of the keys of `retimed`.
fn deviation<T: Keyed>(curve: &Curve<T>, exact: &[f32], retimed: &Curve<T>, width: usize, map: &TimeMap) -> f64 {
    const SAMPLES_PER_SPAN: u32 = 8;
    if curve.interpolation == Interpolation::Step {
        return 0.0;
    }
    let curved_spans = exact.windows(2).map(|pair| [pair[0], pair[1]].map(f64::from));
    let curved_spans = curved_spans.filter(|[start, end]| !map.is_straight(*start, *end));
    let sample_times = curved_spans.flat_map(|[start, end]| {
        (1..SAMPLES_PER_SPAN).map(move |i| start + (end - start) * f64::from(i) / f64::from(SAMPLES_PER_SPAN))
    });
    let deviation_at = |time: f64| distance(&row_at(curve, width, time), &row_at(retimed, width, map.at(time)));
    sample_times.map(deviation_at).fold(0.0, f64::max)
}
