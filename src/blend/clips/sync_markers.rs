//! Sync markers (as in Unreal): the times at which the feet come down, used to synchronise two clips.
//!
//! Preconditions of both functions: `duration` > 0; `markers` are not empty, rise, and are within 0…`duration` (seconds).

/// Returns the phase of clip time `time` (seconds): 0 at the first marker, 1 at the second. Each loop adds the number of
/// markers. `markers` (seconds, rising) must not be empty, and `duration` must be above 0.
pub fn marker_phase_at(markers: &[f64], duration: f64, time: f64) -> f64 {
    let loops = (time / duration).floor();
    let inside = time - loops * duration;
    let count = markers.len() as f64;
    let next = markers.partition_point(|&marker| marker <= inside);
    let marker = |i: usize| markers[i % markers.len()] + duration * (i / markers.len()) as f64;
    let (start, end) = match next {
        0 => (marker(markers.len() - 1) - duration, marker(0)),
        _ => (marker(next - 1), marker(next)),
    };
    loops * count + next as f64 - 1.0 + (inside - start) / (end - start)
}

/// Returns the clip time (seconds) at `phase`; the inverse of [`marker_phase_at`].
pub(crate) fn time_at_marker_phase(markers: &[f64], duration: f64, phase: f64) -> f64 {
    let count = markers.len();
    let (index, fraction) = (phase.floor(), phase - phase.floor());
    let marker = |phase: f64| {
        let loops = (phase / count as f64).floor();
        let index = (phase - loops * count as f64) as usize;
        markers[index.min(count - 1)] + loops * duration
    };
    let (start, end) = (marker(index), marker(index + 1.0));
    start + (end - start) * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_and_times_are_each_others_inverse_over_loops() {
        let markers = [0.1, 0.45];
        for i in -40..80 {
            let time = f64::from(i) * 0.037;
            let phase = marker_phase_at(&markers, 0.7, time);
            assert!((time_at_marker_phase(&markers, 0.7, phase) - time).abs() < 1e-9, "{time}");
        }
        assert!((marker_phase_at(&markers, 0.7, 0.45) - 1.0).abs() < 1e-12);
    }
}
