//! Soft edges of a window: the correction sets in and fades out gradually.
//!
//! Outside a window the motion is carried rigidly at the source's speed, inside it is faster or slower. Without soft edges the
//! speed jumps in one frame. With an edge of E seconds, the gauge g of the correction (travelled length, time or angle) is
//! weighted:
//!
//! ```text
//! g'(i) = g'(i−1) + (g(i) − g(i−1)) · mean of w over the step
//! w(t)  = smoothstep((t − a) / E) · smoothstep((b − t) / E)      a, b: start and end of the window
//! ```
//!
//! Pauses stay pauses and the end stays exact, since only the gauge changes. The mean is the exact integral of w, so
//! additional frames on a path of constant speed change nothing.

/// The ramps of a window. An edge at the first or last frame of the clip has no ramp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SoftEdges {
    /// Start and end of the window, seconds.
    pub span: [f64; 2],
    /// Length of the ramp after the start and before the end, seconds; together at most the length of the window.
    ramps: [f64; 2],
}

impl SoftEdges {
    /// Returns the ramps of `seconds` for a window over `span`. `open` tells for each end if the clip continues there. A ramp is
    /// at most half the window.
    pub fn new(seconds: f64, span: [f64; 2], open: [bool; 2]) -> Self {
        let ramp = seconds.min(0.5 * (span[1] - span[0]));
        Self { span, ramps: open.map(|is_open| if is_open { ramp } else { 0.0 }) }
    }

    /// True if the correction sets in at once at both ends.
    pub fn is_hard(&self) -> bool {
        self.ramps == [0.0; 2]
    }

    /// Returns the running sum of the steps of `gauge`, each weighted by [`Self::mean_weight`] of its time; the first
    /// value is 0. `times` are in seconds, one for each value, and must increase. Hard edges return `gauge` bit for
    /// bit.
    pub fn soften(&self, gauge: &[f64], times: &[f64]) -> Vec<f64> {
        if self.is_hard() {
            return gauge.to_vec();
        }
        let mut sum = 0.0;
        let step = |(gauge, times): (&[f64], &[f64])| {
            sum += (gauge[1] - gauge[0]) * self.mean_weight(times[0], times[1]);
            sum
        };
        let mut softened = Vec::with_capacity(gauge.len());
        softened.extend(gauge.first().map(|_| 0.0));
        softened.extend(gauge.windows(2).zip(times.windows(2)).map(step));
        softened
    }

    /// Returns the mean weight between two times within the window, seconds. The times must differ.
    fn mean_weight(&self, from: f64, to: f64) -> f64 {
        (self.integral(to) - self.integral(from)) / (to - from)
    }

    /// Returns the integral of w from the start of the window to `time`, seconds.
    fn integral(&self, time: f64) -> f64 {
        let [start, end] = self.span;
        let [rise, fall] = self.ramps;
        // The integral of smoothstep from 0 to u is u³ − u⁴/2.
        let missing = |seconds: f64, ramp: f64| {
            let share = if ramp > 0.0 { (seconds / ramp).clamp(0.0, 1.0) } else { 1.0 };
            ramp * (share - share.powi(3) * (1.0 - 0.5 * share))
        };
        (time - start) - missing(time - start, rise) - (0.5 * fall - missing(end - time, fall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(count: usize, fps: f64) -> Vec<f64> {
        (0..count).map(|i| i as f64 / fps).collect()
    }

    #[test]
    fn the_weight_rises_and_falls_by_smoothstep_and_its_integral_is_half_of_each_ramp() {
        let edges = SoftEdges::new(0.2, [0.0, 1.0], [true, true]);
        // Numeric quadrature of the definition.
        let smooth = |u: f64| u.clamp(0.0, 1.0).powi(2) * (3.0 - 2.0 * u.clamp(0.0, 1.0));
        let weight = |t: f64| smooth(t / 0.2) * smooth((1.0 - t) / 0.2);
        for time in [0.05, 0.1, 0.2, 0.5, 0.8, 0.93, 1.0] {
            let numeric: f64 = (0..10_000).map(|i| weight((f64::from(i) + 0.5) / 1e4 * time) * time / 1e4).sum();
            assert!((edges.integral(time) - numeric).abs() < 1e-7, "{time}: {} {numeric}", edges.integral(time));
        }
        assert!((edges.integral(1.0) - 0.8).abs() < 1e-12);
    }

    #[test]
    fn an_edge_without_motion_beside_it_is_hard_and_a_ramp_is_at_most_half_the_window() {
        let gauge = times(11, 1.0);
        let hard = SoftEdges::new(0.2, [0.0, 1.0], [false, false]);
        assert_eq!(hard.soften(&gauge, &times(11, 10.0)), gauge);
        let only_end = SoftEdges::new(9.0, [0.0, 1.0], [false, true]);
        let softened = only_end.soften(&gauge, &times(11, 10.0));
        assert!((softened[5] - 5.0).abs() < 1e-12 && (softened[10] - 7.5).abs() < 1e-12, "{softened:?}");
    }

    #[test]
    fn pauses_stay_and_more_frames_at_constant_speed_change_nothing() {
        let edges = SoftEdges::new(0.3, [0.0, 1.0], [true, true]);
        let gauge = [0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0, 7.0];
        let softened = edges.soften(&gauge, &times(11, 10.0));
        assert!(softened[2] == softened[3] && softened[3] == softened[4] && softened[6] == softened[7]);
        let coarse = edges.soften(&times(11, 10.0), &times(11, 10.0));
        let fine = edges.soften(&times(41, 40.0), &times(41, 40.0));
        coarse.iter().zip(fine.iter().step_by(4)).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    }
}
