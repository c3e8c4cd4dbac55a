//! When within a motion a stage acts.

use serde::{Deserialize, Serialize};

/// Seconds of the incoming motion within which a stage acts; outside nothing changes. Its edges lie inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// From when on it acts, at least 0.
    pub start: f64,
    /// Until when, after the start; beyond the end of the motion means its end.
    pub end: f64,
    /// Seconds after the start until it acts in full.
    #[serde(default)]
    pub fade_in: f64,
    /// Seconds before the end from when on it fades.
    #[serde(default)]
    pub fade_out: f64,
}

/// Seconds of the edges of a new span: as long as a quick transition.
const FADE: f64 = 0.2;

impl Span {
    /// From `start` to `end` with edges that are felt as soft, at most a quarter of it each.
    pub fn soft(start: f64, end: f64) -> Self {
        let fade = FADE.min(0.25 * (end - start)).max(0.0);
        Self { start, end, fade_in: fade, fade_out: fade }
    }

    /// Whether its numbers make sense.
    pub fn is_good(&self) -> bool {
        let Self { start, end, fade_in, fade_out } = *self;
        let finite = [start, end, fade_in, fade_out].iter().all(|seconds| seconds.is_finite() && *seconds >= 0.0);
        finite && start < end
    }

    /// How much the stage acts at `time`, 0…1: smooth at both edges, 0 outside.
    pub fn weight(&self, time: f64) -> f64 {
        if !(self.start..=self.end).contains(&time) {
            return 0.0;
        }
        let edge = |since: f64, seconds: f64| if since < seconds { smooth(since / seconds) } else { 1.0 };
        edge(time - self.start, self.fade_in).min(edge(self.end - time, self.fade_out))
    }
}

fn smooth(share: f64) -> f64 {
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_acts_in_full_between_its_edges_and_nowhere_outside() {
        let span = Span { start: 1.0, end: 3.0, fade_in: 0.5, fade_out: 1.0 };
        assert_eq!(
            [0.5, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5].map(|time| span.weight(time)),
            [0.0, 0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0]
        );
        // Edges longer than the span meet below 1.
        let short = Span { fade_in: 4.0, fade_out: 4.0, ..span };
        assert_eq!((short.weight(2.0), short.weight(1.5)), (smooth(0.25), smooth(0.125)));
        let hard = Span { fade_in: 0.0, fade_out: 0.0, ..span };
        assert_eq!([0.99, 1.0, 3.0, 3.01].map(|time| hard.weight(time)), [0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn only_numbers_that_make_sense_are_good() {
        let span = Span::soft(0.0, 0.4);
        assert!(span.is_good() && (span.fade_in - 0.1).abs() < 1e-12);
        let bad = [
            Span { start: 0.4, ..span },
            Span { start: -0.1, ..span },
            Span { end: f64::NAN, ..span },
            Span { fade_in: -1.0, ..span },
        ];
        assert!(bad.iter().all(|span| !span.is_good()));
    }
}
