//! Curves over the time that is played.

use super::time_map::TimeMap;
use crate::anim::curve_keys::{Keyed, is_whole, row_at, with_keys_at};
use crate::anim::{Curve, Interpolation};

/// The farthest a curve may leave the exact motion, in parts of its own range: 0.01 % of a swing of 90° is a hundredth of a degree.
pub(super) const BOUND: f64 = 1e-4;

/// What players lose between two keys of 32-bit numbers, in parts of the values: below it nothing is a deviation.
const ROUNDING: f64 = 2e-6;

/// How often an interval between two keys is halved at most: a thousand parts.
const HALVINGS: usize = 10;

/// A curve over the time that is played.
pub(super) struct Retimed<T> {
    pub curve: Curve<T>,
    /// Keys that the incoming curve does not have.
    pub added: usize,
    /// The farthest it leaves the exact motion, in parts of its range.
    pub deviation: f64,
}

/// `curve` with `width` values per key, played as `map` says. Keys keep their values and get their own moments; new ones are put
/// where the map bends between two keys whose values differ.
pub(super) fn retimed<T: Keyed>(curve: &Curve<T>, width: usize, map: &TimeMap) -> Retimed<T> {
    if !is_whole(curve, width) {
        let curve = Curve { times: played_times(&curve.times, map), ..curve.clone() };
        return Retimed { curve, added: 0, deviation: 0.0 };
    }
    let (range, rounding) = (range(curve, width), ROUNDING * size(curve));
    let spans =
        (1..curve.times.len()).filter(|&key| curve.interpolation != Interpolation::Step && !still(curve, width, key));
    let mut new: Vec<f32> =
        spans.flat_map(|key| new_keys(curve, width, key, map, (BOUND * range).max(rounding))).collect();
    new.dedup();
    let exact = with_keys_at(curve, width, &new);
    let mut made = exact.clone();
    made.times = played_times(&exact.times, map);
    if curve.interpolation == Interpolation::CubicSpline {
        scale_tangents(&exact, width, map, &mut made);
    }
    let added = made.times.len() - curve.times.len();
    let off = deviation(curve, &exact.times, &made, width, map) - rounding;
    let deviation = if range > 0.0 { off.max(0.0) / range } else { 0.0 };
    Retimed { curve: made, added, deviation }
}

/// The moments of keys; two that fall on one number of 32 bits stay apart by the least there is.
fn played_times(times: &[f32], map: &TimeMap) -> Vec<f32> {
    let mut last = f32::NEG_INFINITY;
    let played = times.iter().map(|&time| {
        let at = map.at(f64::from(time)) as f32;
        last = if at > last { at } else { last.next_up() };
        last
    });
    played.collect()
}

/// Tangents are per second, and a second of the incoming motion now takes another time.
fn scale_tangents<T: Keyed>(exact: &Curve<T>, width: usize, map: &TimeMap, made: &mut Curve<T>) {
    for (key, &time) in exact.times.iter().enumerate() {
        let [before, after] = map.slowness(f64::from(time)).map(|slowness| slowness.recip() as f32);
        let row = &mut made.values[3 * key * width..(3 * key + 3) * width];
        row[..width].iter_mut().for_each(|tangent| *tangent = *tangent * before);
        row[2 * width..].iter_mut().for_each(|tangent| *tangent = *tangent * after);
    }
}

/// The values of key `key`, or with `part` 0 and 2 of a spline its tangents.
fn row<T>(curve: &Curve<T>, width: usize, key: usize, part: usize) -> &[T] {
    let row = if curve.interpolation == Interpolation::CubicSpline { 3 * key + part } else { key };
    &curve.values[row * width..(row + 1) * width]
}

fn apart<T: Keyed>(a: &[T], b: &[T]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| T::distance(a, b)).fold(0.0, f64::max)
}

/// The farthest any key is from the first.
fn range<T: Keyed>(curve: &Curve<T>, width: usize) -> f64 {
    (1..curve.times.len()).map(|key| apart(row(curve, width, 0, 1), row(curve, width, key, 1))).fold(0.0, f64::max)
}

/// The largest value.
fn size<T: Keyed>(curve: &Curve<T>) -> f64 {
    curve.values.iter().map(|value| value.size()).fold(0.0, f64::max)
}

/// Whether nothing moves from the key before `key` to it.
fn still<T: Keyed>(curve: &Curve<T>, width: usize, key: usize) -> bool {
    row(curve, width, key - 1, 1) == row(curve, width, key, 1) && tangents(curve, width, key) == 0.0
}

/// The largest tangent on the way from the key before `key` to it; 0 but for splines.
fn tangents<T: Keyed>(curve: &Curve<T>, width: usize, key: usize) -> f64 {
    if curve.interpolation != Interpolation::CubicSpline {
        return 0.0;
    }
    let [out, into] = [row(curve, width, key - 1, 2), row(curve, width, key, 0)];
    out.iter().chain(into).map(|tangent| tangent.size()).fold(0.0, f64::max)
}

/// Times between the key before `key` and it at which keys are needed so that the curve stays within `most`.
fn new_keys<T: Keyed>(curve: &Curve<T>, width: usize, key: usize, map: &TimeMap, most: f64) -> Vec<f32> {
    let [start, end] = [key - 1, key].map(|key| f64::from(curve.times[key]));
    let way = apart(row(curve, width, key - 1, 1), row(curve, width, key, 1));
    let size = way.max(tangents(curve, width, key) * (end - start));
    let knots = map.knots_between(start, end).filter(|&knot| {
        let [before, after] = map.slowness(knot);
        before != after || !map.is_straight(start, end)
    });
    let mut ends: Vec<f64> = [start].into_iter().chain(knots).chain([end]).collect();
    ends.dedup();
    let mut times = Vec::new();
    for pair in ends.windows(2) {
        let share = (pair[1] - pair[0]) / (end - start);
        halve([pair[0], pair[1]], map, most / (size * share), HALVINGS, &mut times);
        times.push(pair[1] as f32);
    }
    times.pop();
    times
}

/// Adds the middle of a span to `times` as long as the map leaves its chord there by more than `most` of the span's time.
fn halve([start, end]: [f64; 2], map: &TimeMap, most: f64, halvings: usize, times: &mut Vec<f32>) {
    if halvings == 0 || map.is_straight(start, end) {
        return;
    }
    let [first, last] = [map.at(start), map.at(end)];
    let off = |share: f64| ((map.at(start + (end - start) * share) - first) / (last - first) - share).abs();
    if [0.25, 0.5, 0.75].map(off).into_iter().fold(0.0, f64::max) <= most {
        return;
    }
    let middle = start.midpoint(end);
    // Half the span moves half as far, so twice the share may be off.
    halve([start, middle], map, 2.0 * most, halvings - 1, times);
    times.push(middle as f32);
    halve([middle, end], map, 2.0 * most, halvings - 1, times);
}

/// The farthest that `made` is from `curve` as `map` plays it, at eight places between any two keys of `made`.
fn deviation<T: Keyed>(curve: &Curve<T>, exact: &[f32], made: &Curve<T>, width: usize, map: &TimeMap) -> f64 {
    const PLACES: u32 = 8;
    if curve.interpolation == Interpolation::Step {
        return 0.0;
    }
    let bent = exact.windows(2).map(|pair| [pair[0], pair[1]].map(f64::from));
    let bent = bent.filter(|[start, end]| !map.is_straight(*start, *end));
    let places = bent
        .flat_map(|[start, end]| (1..PLACES).map(move |i| start + (end - start) * f64::from(i) / f64::from(PLACES)));
    let off = |time: f64| apart(&row_at(curve, width, time), &row_at(made, width, map.at(time)));
    places.map(off).fold(0.0, f64::max)
}
