//! Fills gaps in a sampled signal without jumps in value or speed.

use glam::DVec3;

/// Fills the gaps of `known` with cubic pieces that continue the speeds next to them; one entry for each of `times`
/// (ascending). An unknown first or last value is zero.
pub fn fill_gaps(known: &[Option<DVec3>], times: &[f64]) -> Vec<DVec3> {
    fill_gaps_fading(known, times, f64::INFINITY)
}

/// Fills the gaps of `known` at `times` (seconds) like [`fill_gaps`], but the speeds next to a gap fade out within `seconds`; a
/// fast motion would overshoot far in a long gap.
pub fn fill_gaps_fading(known: &[Option<DVec3>], times: &[f64], seconds: f64) -> Vec<DVec3> {
    let mut values: Vec<DVec3> = known.iter().map(|value| value.unwrap_or_default()).collect();
    let speed = |i: usize, neighbour: Option<usize>| {
        let neighbour = neighbour.filter(|&neighbour| known.get(neighbour).is_some_and(Option::is_some));
        let rate = |neighbour: usize| Some((known[i]? - known[neighbour]?) / (times[i] - times[neighbour]));
        neighbour.and_then(rate).unwrap_or_default()
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
        let fade_time = span.min(seconds);
        let [out, into] = [speed(from, from.checked_sub(1)) * fade_time, speed(to, Some(to + 1)) * fade_time];
        for k in i..to {
            let s = (times[k] - times[from]) / span;
            let (s2, s3) = (s * s, s * s * s);
            // The remaining effect of a speed after the time `away` from its end of the gap.
            let fading =
                |away: f64| Some(away / fade_time).filter(|s| *s < 1.0).map_or(0.0, |s| s * (1.0 - s) * (1.0 - s));
            values[k] = values[from] * (2.0 * s3 - 3.0 * s2 + 1.0)
                + values[to] * (3.0 * s2 - 2.0 * s3)
                + out * fading(times[k] - times[from])
                - into * fading(times[to] - times[k]);
        }
        i = to + 1;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_continues_the_speeds_next_to_it() {
        let times: Vec<f64> = (0..=40).map(|i| f64::from(i) * 0.1).collect();
        let position = |time: f64| DVec3::new(0.3 * time * time * time, 1.0 - time, 2.0);
        let gap = |i: usize| (8..30).contains(&i);
        let known: Vec<Option<DVec3>> = (0..=40).map(|i| (!gap(i)).then(|| position(times[i]))).collect();
        let filled = fill_gaps(&known, &times);
        assert!((0..=40).filter(|&i| !gap(i)).all(|i| filled[i] == position(times[i])));
        // A line and a constant are restored exactly; a cubic except for the speeds, which are those of a step.
        for (filled, time) in filled.iter().zip(&times) {
            assert!((filled.y - position(*time).y).abs() < 1e-9 && (filled.z - 2.0).abs() < 1e-12);
        }
        let steps: Vec<f64> = filled.windows(2).map(|pair| pair[1].x - pair[0].x).collect();
        let jumps = steps.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        assert!(jumps < 0.15, "{jumps}");
        assert_eq!(fill_gaps(&[None, None, Some(DVec3::X)], &[0.0, 0.5, 1.0])[0], DVec3::ZERO);
    }

    #[test]
    fn a_fast_motion_into_a_gap_does_not_overshoot() {
        let times: Vec<f64> = (0..=100).map(|i| f64::from(i) * 0.01).collect();
        let known: Vec<Option<DVec3>> =
            times.iter().map(|time| (*time < 0.095 || *time > 0.895).then(|| DVec3::Y * (time - 0.5))).collect();
        let steps = |filled: &[DVec3]| -> Vec<f64> { filled.windows(2).map(|pair| pair[1].y - pair[0].y).collect() };
        let farthest = |filled: &[DVec3]| filled.iter().map(|value| value.y.abs()).fold(0.0, f64::max);
        let [bridged_values, faded_values] = [fill_gaps(&known, &times), fill_gaps_fading(&known, &times, 0.1)];
        assert!(farthest(&bridged_values) <= 0.5 && farthest(&faded_values) <= 0.5, "a line continues");
        let fast: Vec<Option<DVec3>> =
            times.iter().map(|time| (*time < 0.095).then(|| DVec3::Y * 5.0 * *time)).collect();
        let [bridged_values, faded_values] = [fill_gaps(&fast, &times), fill_gaps_fading(&fast, &times, 0.1)];
        println!("{} and {}", farthest(&bridged_values), farthest(&faded_values));
        assert!(farthest(&bridged_values) > 1.0 && farthest(&faded_values) < 0.55);
        let jumps = steps(&faded_values).windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        assert!(jumps < 0.03, "{jumps}");
    }
}
