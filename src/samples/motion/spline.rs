//! Monotone splines through key values, without overshoot.
//!
//! Cubic Hermite splines with the slopes of Fritsch and Butland (1984).
//! Extremes are at keys, equal neighbours stay equal in between, and keys on a line give that line.

/// Interpolates `keys` (time, value; times strictly increasing) at `time`.
/// The end values continue beyond both ends; 0 without keys.
pub fn interpolate(keys: &[(f64, f64)], time: f64) -> f64 {
    let next = keys.partition_point(|key| key.0 <= time);
    match (next.checked_sub(1), keys.get(next)) {
        (None, None) => 0.0,
        (None, Some(first)) => first.1,
        (Some(last), None) => keys[last].1,
        (Some(i), Some(_)) => {
            let slope = |k: usize| match k.checked_sub(1).zip(keys.get(k + 1)) {
                Some((before, &after)) => butland(keys[before], keys[k], after),
                None => end_slope(keys),
            };
            hermite([keys[i], keys[i + 1]], [slope(i), slope(i + 1)], time)
        }
    }
}

/// [`interpolate`] with keys that repeat every `period`. The first key's time is within one period of 0.
pub fn interpolate_cyclic(keys: &[(f64, f64)], period: f64, time: f64) -> f64 {
    let shifted = |turn: f64| keys.iter().map(move |&(at, value)| (at + turn * period, value));
    let unrolled: Vec<_> = (-2..=2).flat_map(|turn| shifted(f64::from(turn))).collect();
    interpolate(&unrolled, time.rem_euclid(period))
}

/// Evaluates the cubic between two (time, value) keys with the given slopes at `time`.
pub fn hermite([a, b]: [(f64, f64); 2], slopes: [f64; 2], time: f64) -> f64 {
    if a.1 == b.1 && slopes == [0.0; 2] {
        return a.1;
    }
    let span = b.0 - a.0;
    let s = (time - a.0) / span;
    let (s2, s3) = (s * s, s * s * s);
    let rise = 3.0 * s2 - 2.0 * s3;
    a.1 + (b.1 - a.1) * rise + span * (slopes[0] * (s3 - 2.0 * s2 + s) + slopes[1] * (s3 - s2))
}

/// Returns the slope at the middle of three keys: a weighted harmonic mean, 0 at extremes.
pub(super) fn butland(before: (f64, f64), at: (f64, f64), after: (f64, f64)) -> f64 {
    let (h0, h1) = (at.0 - before.0, after.0 - at.0);
    let (d0, d1) = ((at.1 - before.1) / h0, (after.1 - at.1) / h1);
    if d0 * d1 <= 0.0 {
        return 0.0;
    }
    let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
    (w0 + w1) / (w0 / d0 + w1 / d1)
}

/// Returns the slope at the first or last key: that of the line for two keys, otherwise 0.
fn end_slope(keys: &[(f64, f64)]) -> f64 {
    match keys {
        [a, b] => (b.1 - a.1) / (b.0 - a.0),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_stay_bit_equal_and_nothing_overshoots() {
        let keys = [(0.0, 1.0), (4.0, 1.0), (9.0, 0.3), (12.0, 2.0)];
        assert!((0..=40).all(|i| interpolate(&keys, f64::from(i) * 0.1) == 1.0));
        assert!((0..=120).all(|i| (0.3..=2.0).contains(&interpolate(&keys, f64::from(i) * 0.1))));
        assert_eq!((interpolate(&keys, -3.0), interpolate(&keys, 99.0), interpolate(&[], 1.0)), (1.0, 2.0, 0.0));
    }

    #[test]
    fn two_keys_make_a_straight_line_and_periods_repeat() {
        assert!((interpolate(&[(0.0, 1.0), (10.0, 3.0)], 2.5) - 1.5).abs() < 1e-12);
        let keys = [(2.0, 1.0), (7.0, -1.0)];
        assert!((interpolate_cyclic(&keys, 10.0, 4.0) - interpolate_cyclic(&keys, 10.0, 14.0)).abs() < 1e-12);
    }
}
