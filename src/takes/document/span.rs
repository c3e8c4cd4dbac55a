//! The time span of a stage.

use serde::{Deserialize, Serialize};

/// The part of the incoming motion, in seconds, on which a stage acts. The motion outside is unchanged. Both fades lie inside the
/// span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Start in seconds, at least 0.
    pub start: f64,
    /// End in seconds, after the start. Values past the end of the motion mean its end.
    pub end: f64,
    /// Fade-in duration after the start, seconds.
    #[serde(default)]
    pub fade_in: f64,
    /// Fade-out duration before the end, seconds.
    #[serde(default)]
    pub fade_out: f64,
}

/// Fade duration of a new span in seconds, similar to a quick transition. Tuned; no derivation recorded.
const DEFAULT_FADE_SECONDS: f64 = 0.2;

impl Span {
    /// Creates a span from `start` to `end` (seconds) with default fades, each at most a quarter of its length.
    pub fn soft(start: f64, end: f64) -> Self {
        let fade = DEFAULT_FADE_SECONDS.min(0.25 * (end - start)).max(0.0);
        Self { start, end, fade_in: fade, fade_out: fade }
    }

    /// True if all numbers are finite and not negative, and `start < end`.
    pub fn is_valid(&self) -> bool {
        let Self { start, end, fade_in, fade_out } = *self;
        let finite = [start, end, fade_in, fade_out].iter().all(|seconds| seconds.is_finite() && *seconds >= 0.0);
        finite && start < end
    }

    /// Returns the weight of the stage at `time` (seconds), 0…1: smooth in both fades, 0 outside.
    pub fn weight(&self, time: f64) -> f64 {
        if !(self.start..=self.end).contains(&time) {
            return 0.0;
        }
        let edge = |since: f64, seconds: f64| if since < seconds { smooth(since / seconds) } else { 1.0 };
        edge(time - self.start, self.fade_in).min(edge(self.end - time, self.fade_out))
    }
}

fn smooth(x: f64) -> f64 {
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_is_1_between_the_fades_and_0_outside() {
        let span = Span { start: 1.0, end: 3.0, fade_in: 0.5, fade_out: 1.0 };
        assert_eq!(
            [0.5, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5].map(|time| span.weight(time)),
            [0.0, 0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0]
        );
        // Fades longer than the span cross below 1.
        let short = Span { fade_in: 4.0, fade_out: 4.0, ..span };
        assert_eq!((short.weight(2.0), short.weight(1.5)), (smooth(0.25), smooth(0.125)));
        let hard = Span { fade_in: 0.0, fade_out: 0.0, ..span };
        assert_eq!([0.99, 1.0, 3.0, 3.01].map(|time| hard.weight(time)), [0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn only_valid_numbers_are_good() {
        let span = Span::soft(0.0, 0.4);
        assert!(span.is_valid() && (span.fade_in - 0.1).abs() < 1e-12);
        let bad = [
            Span { start: 0.4, ..span },
            Span { start: -0.1, ..span },
            Span { end: f64::NAN, ..span },
            Span { fade_in: -1.0, ..span },
        ];
        assert!(bad.iter().all(|span| !span.is_valid()));
    }
}
