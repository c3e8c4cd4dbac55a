//! Smooth curves through key values that never overshoot them.
//!
//! Cubic Hermite with the monotone slopes of Fritsch and Butland (1984): extremes stay where they were keyed, equal neighbours
//! stay equal in between, and keys on a line give that line.

/// The curve through `keys` (time, value; times strictly increasing) at `time`, held beyond both ends; 0 without keys.
pub fn held(keys: &[(f64, f64)], time: f64) -> f64 {
    let next = keys.partition_point(|key| key.0 <= time);
    match (next.checked_sub(1), keys.get(next)) {
        (None, None) => 0.0,
        (None, Some(first)) => first.1,
        (Some(last), None) => keys[last].1,
        (Some(i), Some(_)) => {
            let slope = |k: usize| match k.checked_sub(1).zip(keys.get(k + 1)) {
                Some((before, &after)) => butland(keys[before], keys[k], after),
                None => end_slope(keys, k),
            };
            hermite([keys[i], keys[i + 1]], [slope(i), slope(i + 1)], time)
        }
    }
}

/// [`held`] through keys that repeat every `period`; the first key's time is within one period of 0.
pub fn repeating(keys: &[(f64, f64)], period: f64, time: f64) -> f64 {
    let shifted = |turn: f64| keys.iter().map(move |&(at, value)| (at + turn * period, value));
    let unrolled: Vec<_> = (-2..=2).flat_map(|turn| shifted(f64::from(turn))).collect();
    held(&unrolled, time.rem_euclid(period))
}

/// The cubic between two (time, value) keys with the given slopes at `time`.
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

/// Slope at the middle of three keys: a weighted harmonic mean, 0 at extremes.
fn butland(before: (f64, f64), at: (f64, f64), after: (f64, f64)) -> f64 {
    let (h0, h1) = (at.0 - before.0, after.0 - at.0);
    let (d0, d1) = ((at.1 - before.1) / h0, (after.1 - at.1) / h1);
    if d0 * d1 <= 0.0 {
        return 0.0;
    }
    let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
    (w0 + w1) / (w0 / d0 + w1 / d1)
}

/// At the first and last key: straight towards a lone neighbour, at rest otherwise.
fn end_slope(keys: &[(f64, f64)], at: usize) -> f64 {
    match keys {
        [a, b] => (b.1 - a.1) / (b.0 - a.0),
        _ if at == 0 || at + 1 == keys.len() => 0.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_value_stays_bit_equal_and_nothing_overshoots() {
        let keys = [(0.0, 1.0), (4.0, 1.0), (9.0, 0.3), (12.0, 2.0)];
        assert!((0..=40).all(|i| held(&keys, f64::from(i) * 0.1) == 1.0));
        assert!((0..=120).all(|i| (0.3..=2.0).contains(&held(&keys, f64::from(i) * 0.1))));
        assert_eq!((held(&keys, -3.0), held(&keys, 99.0), held(&[], 1.0)), (1.0, 2.0, 0.0));
    }

    #[test]
    fn two_keys_make_a_straight_line_and_periods_repeat() {
        assert!((held(&[(0.0, 1.0), (10.0, 3.0)], 2.5) - 1.5).abs() < 1e-12);
        let keys = [(2.0, 1.0), (7.0, -1.0)];
        assert!((repeating(&keys, 10.0, 4.0) - repeating(&keys, 10.0, 14.0)).abs() < 1e-12);
    }
}
