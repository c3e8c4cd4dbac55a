//! Gaps in what is known over time, filled without a jump in value or speed.

use glam::DVec3;

/// `known` with its gaps filled by cubic pieces that go on at the speeds beside them, one entry for each of `times` (rising); where
/// the first or the last is not known it is zero.
pub fn bridged(known: &[Option<DVec3>], times: &[f64]) -> Vec<DVec3> {
    faded(known, times, f64::INFINITY)
}

/// The same, where the speeds beside a gap are lost within `seconds`: in a long one what goes on fast would swing out far.
pub fn faded(known: &[Option<DVec3>], times: &[f64], seconds: f64) -> Vec<DVec3> {
    let mut values: Vec<DVec3> = known.iter().map(|value| value.unwrap_or_default()).collect();
    let speed = |i: usize, beside: Option<usize>| {
        let beside = beside.filter(|&beside| known.get(beside).is_some_and(Option::is_some));
        let rate = |beside: usize| Some((known[i]? - known[beside]?) / (times[i] - times[beside]));
        beside.and_then(rate).unwrap_or_default()
    };
    let mut i = 1;
    while i < known.len() {
        if known[i].is_some() {
            i += 1;
            continue;
        }
        let from = i - 1;
        let to = (i..known.len()).find(|&next| known[next].is_some()).unwrap_or(known.len() - 1);
        let span = times[to] - times[from];
        let lasts = span.min(seconds);
        let [out, into] = [speed(from, from.checked_sub(1)) * lasts, speed(to, Some(to + 1)) * lasts];
        for k in i..to {
            let s = (times[k] - times[from]) / span;
            let (s2, s3) = (s * s, s * s * s);
            // What is left of a speed, from its end of the gap on.
            let left = |away: f64| Some(away / lasts).filter(|s| *s < 1.0).map_or(0.0, |s| s * (1.0 - s) * (1.0 - s));
            values[k] = values[from] * (2.0 * s3 - 3.0 * s2 + 1.0)
                + values[to] * (3.0 * s2 - 2.0 * s3)
                + out * left(times[k] - times[from])
                - into * left(times[to] - times[k]);
        }
        i = to + 1;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_goes_on_at_the_speeds_beside_it() {
        let times: Vec<f64> = (0..=40).map(|i| f64::from(i) * 0.1).collect();
        let place = |time: f64| DVec3::new(0.3 * time * time * time, 1.0 - time, 2.0);
        let gap = |i: usize| (8..30).contains(&i);
        let known: Vec<Option<DVec3>> = (0..=40).map(|i| (!gap(i)).then(|| place(times[i]))).collect();
        let filled = bridged(&known, &times);
        assert!((0..=40).filter(|&i| !gap(i)).all(|i| filled[i] == place(times[i])));
        // A straight line and a constant come back; a cubic but for its speeds, which are those of a step.
        for (filled, time) in filled.iter().zip(&times) {
            assert!((filled.y - place(*time).y).abs() < 1e-9 && (filled.z - 2.0).abs() < 1e-12);
        }
        let steps: Vec<f64> = filled.windows(2).map(|pair| pair[1].x - pair[0].x).collect();
        let jumps = steps.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        assert!(jumps < 0.15, "{jumps}");
        assert_eq!(bridged(&[None, None, Some(DVec3::X)], &[0.0, 0.5, 1.0])[0], DVec3::ZERO);
    }

    #[test]
    fn what_goes_into_a_gap_fast_stays_near() {
        let times: Vec<f64> = (0..=100).map(|i| f64::from(i) * 0.01).collect();
        let known: Vec<Option<DVec3>> =
            times.iter().map(|time| (*time < 0.095 || *time > 0.895).then(|| DVec3::Y * (time - 0.5))).collect();
        let steps = |filled: &[DVec3]| -> Vec<f64> { filled.windows(2).map(|pair| pair[1].y - pair[0].y).collect() };
        let farthest = |filled: &[DVec3]| filled.iter().map(|value| value.y.abs()).fold(0.0, f64::max);
        let [far, near] = [bridged(&known, &times), faded(&known, &times, 0.1)];
        assert!(farthest(&far) <= 0.5 && farthest(&near) <= 0.5, "a line goes on");
        let fast: Vec<Option<DVec3>> =
            times.iter().map(|time| (*time < 0.095).then(|| DVec3::Y * 5.0 * *time)).collect();
        let [far, near] = [bridged(&fast, &times), faded(&fast, &times, 0.1)];
        println!("{} and {}", farthest(&far), farthest(&near));
        assert!(farthest(&far) > 1.0 && farthest(&near) < 0.55);
        let jumps = steps(&near).windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        assert!(jumps < 0.03, "{jumps}");
    }
}
