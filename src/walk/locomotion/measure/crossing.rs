//! Measurements of a crossing, as a whole and frame by frame.

use super::super::report::{CrossingReport, FrameReport};
use super::super::segments::crossing_part::CrossingPart;
use portamento_anim::root_motion::wrap;

/// Returns the report of a crossing that starts at `begins` (seconds from the start of the walk), and of its frames at `fps`
/// frames per second. Times of the frames count from its start.
pub(super) fn measure(part: &CrossingPart, begins: f64, fps: f64) -> (CrossingReport, Vec<FrameReport>) {
    let fitted = &part.crossing.fitted;
    let last = part.times.len() - 1;
    let report = CrossingReport {
        clip: part.crossing.name.clone(),
        begins,
        ends: begins + last as f64 / fps,
        speeds: part.speeds,
        rates: part.rates,
        fit: fitted.report.clone(),
    };
    let length = part.path().length();
    let positions: Vec<_> = (0..=last).map(|frame| part.frame_position(frame)).collect();
    let frame = |i: usize| {
        let [from, to] = [i.saturating_sub(1), (i + 1).min(last)];
        FrameReport {
            time: i as f64 / fps,
            speed: (positions[to] - positions[from]).with_y(0.0).length() * fps / (to - from).max(1) as f64,
            remaining: (length - (positions[i] - fitted.start).with_y(0.0).length()).max(0.0),
            clip: part.crossing.name.clone(),
            share: 1.0,
            rate: (part.times[to] - part.times[from]) * fps / (to - from).max(1) as f64,
            facing: wrap(fitted.heading).to_degrees(),
            ..FrameReport::default()
        }
    };
    (report, (0..=last).map(frame).collect())
}
