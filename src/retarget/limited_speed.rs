//! Signals with limited speed.

use glam::DVec3;

/// Returns the signal that is nearest to `values` at `times` (seconds) among those that change by at most `speed` per second in
/// each component: the mean of its lowest and highest bound (McShane).
///
/// ```text
/// high(i)  =  max over j of  v(j) − speed·|t(i) − t(j)|
/// low(i)   =  min over j of  v(j) + speed·|t(i) − t(j)|
/// ```
pub(super) fn with_limited_speed(values: &[DVec3], times: &[f64], speed: f64) -> Vec<DVec3> {
    let (mut high, mut low) = (values.to_vec(), values.to_vec());
    let change = |i: usize| DVec3::splat(speed * (times[i + 1] - times[i]));
    for i in 1..values.len() {
        high[i] = high[i].max(high[i - 1] - change(i - 1));
        low[i] = low[i].min(low[i - 1] + change(i - 1));
    }
    for i in (1..values.len()).rev() {
        high[i - 1] = high[i - 1].max(high[i] - change(i - 1));
        low[i - 1] = low[i - 1].min(low[i] + change(i - 1));
    }
    high.iter().zip(&low).map(|(&high, &low)| 0.5 * (high + low)).collect()
}

/// Raises `values` so that they change from frame `i` to the next by at most `change(i)`, where the raised frame is one for which
/// `is_free` is true.
pub(super) fn raise_to_limit(values: &mut [f64], change: impl Fn(usize) -> f64, is_free: impl Fn(usize) -> bool) {
    for i in 1..values.len() {
        if is_free(i) {
            values[i] = values[i].max(values[i - 1] - change(i - 1));
        }
    }
    for i in (1..values.len()).rev() {
        if is_free(i - 1) {
            values[i - 1] = values[i - 1].max(values[i] - change(i - 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_signal_stays_and_a_jump_is_spread_to_both_sides() {
        let times: Vec<f64> = (0..=20).map(|i| f64::from(i) * 0.1).collect();
        let slow: Vec<DVec3> = times.iter().map(|time| DVec3::new(0.5 * time, -0.9 * time, 0.0)).collect();
        assert_eq!(with_limited_speed(&slow, &times, 1.0), slow);
        let jump: Vec<DVec3> = times.iter().map(|time| DVec3::X * if *time > 0.95 { 0.4 } else { 0.0 }).collect();
        let spread = with_limited_speed(&jump, &times, 1.0);
        for pair in spread.windows(2) {
            assert!((pair[1].x - pair[0].x).abs() <= 0.1 + 1e-9);
        }
        let farthest = spread.iter().zip(&jump).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!((farthest - 0.15).abs() < 1e-9, "{farthest}");
        assert!(spread[0] == jump[0] && spread[20] == jump[20]);
    }

    #[test]
    fn values_are_raised_before_and_after_a_peak_where_they_are_free() {
        let mut values = [0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0];
        raise_to_limit(&mut values, |_| 1.0, |i| i != 5);
        assert_eq!(values, [0.0, 1.0, 2.0, 3.0, 2.0, 0.0, 0.0]);
    }
}
