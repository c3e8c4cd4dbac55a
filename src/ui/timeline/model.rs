//! What there is over time, read off the session.

use crate::media::ImageClip;
use crate::session::{Session, Shown};
use crate::ui::timeline::cycles::{self, Cycles};
use crate::ui::timeline::events::{self, Mark};
use crate::ui::timeline::{View, thumbnails};

/// Everything the lanes show; times in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Length of the clip.
    pub duration: f64,
    /// Frames per second.
    pub fps: f64,
    /// The playhead.
    pub time: f64,
    /// The preview range, where one is set.
    pub range: Option<(f64, f64)>,
    /// Keys of the clip.
    pub keys: Vec<f64>,
    /// Half-open windows of the stretch.
    pub windows: Vec<(f64, f64)>,
    /// Whether the ruler counts seconds.
    pub in_seconds: bool,
    /// Per foot, when it stands.
    pub feet: Vec<Vec<(f64, f64)>>,
    /// Events of the blend, where a scenario is shown.
    pub events: Option<Vec<Mark>>,
    /// Where a loop that is shown several times in a row begins again.
    pub seams: Vec<f64>,
    /// The cycles of a loop in its source.
    pub cycles: Option<Cycles>,
    /// The image sequence, before any loop.
    pub thumbnails: Option<ImageClip>,
    /// The event that is edited.
    pub event: Option<usize>,
    /// Whether it is known how the source moves.
    pub stretched: bool,
    /// Stretches of time in which the source stands still.
    pub still: Vec<(f64, f64)>,
    /// Stretches of time that now run backwards.
    pub reversed: Vec<(f64, f64)>,
}

/// What can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The playhead.
    Playhead,
    /// The start of the preview range.
    RangeStart,
    /// The end of the preview range.
    RangeEnd,
    /// The start of that window.
    WindowStart(usize),
    /// The end of that window.
    WindowEnd(usize),
    /// That event.
    Event(usize),
    /// The end of that event's transition.
    EventEnd(usize),
    /// The cycles of a loop, grabbed so many frames after their start.
    Loop(usize),
    /// The end of the second cycle.
    LoopEnd,
}

/// Pixels within which a key draws the playhead to itself.
const SNAP: f64 = 6.0;

impl Model {
    /// What `session` shows.
    pub fn of(session: &Session) -> Self {
        let playback = &session.playback;
        let report = session.frame().and_then(|frame| Some(frame.built.as_ref()?.stretch()?.report.clone()));
        let spans = |flags: &[bool], times: &[f64]| spans(flags, times);
        let stretched = report.is_some();
        let (still, reversed) = report.map_or_else(Default::default, |report| {
            (spans(&report.still, &report.times), spans(&report.reversed, &report.times))
        });
        let take = match session.selection.shown {
            Shown::Take(id) => session.document.take(id),
            _ => None,
        };
        let windows = take.and_then(|take| take.stretch()).map(|stretch| &stretch.settings.windows);
        let overlay = session.frame().map(|frame| frame.overlay.clone()).unwrap_or_default();
        Self {
            in_seconds: session.preferences.ruler_in_seconds,
            feet: overlay.feet.iter().map(|foot| foot.spans.clone()).collect(),
            duration: playback.duration,
            fps: playback.fps,
            time: playback.time,
            range: playback.range,
            keys: session.shown_key_times(),
            windows: windows.map(|all| all.iter().map(|each| (each.start, each.end)).collect()).unwrap_or_default(),
            events: events::marks(session),
            seams: cycles::seams(session),
            cycles: cycles::of(session),
            thumbnails: thumbnails::of(session),
            event: session.selection.event,
            stretched,
            still,
            reversed,
        }
    }

    /// Whether there is a lane of keys: also an empty one says something of what joints move.
    pub fn has_keys(&self) -> bool {
        !self.keys.is_empty() || self.cycles.is_none() && self.thumbnails.is_none()
    }

    /// The whole frame nearest to `time`, or a key that is nearer than a few pixels.
    pub fn snapped(&self, time: f64, view: &View) -> f64 {
        let reach = SNAP / view.pixels_per_second;
        let frame = ((time * self.fps).round() / self.fps).min(self.duration);
        let near = |key: &&f64| (**key - time).abs() <= reach;
        let key = self.keys.iter().filter(near).min_by(|a, b| (*a - time).abs().total_cmp(&(*b - time).abs()));
        match key {
            Some(&key) if (key - time).abs() < (frame - time).abs() => key,
            _ => frame,
        }
    }

    /// Between which times window `index` may lie without touching another.
    pub fn room_of(&self, index: usize) -> (f64, f64) {
        let Some(&(start, _)) = self.windows.get(index) else { return (0.0, self.duration) };
        let others = self.windows.iter().enumerate().filter(|&(other, _)| other != index).map(|(_, window)| window);
        others.fold((0.0, self.duration), |(low, high), &(from, to)| {
            if from < start { (f64::max(low, to), high) } else { (low, f64::min(high, from)) }
        })
    }
}

/// The flags of frames as stretches of time; the flag of a frame speaks of the step that ends there.
fn spans(flags: &[bool], times: &[f64]) -> Vec<(f64, f64)> {
    let mut spans: Vec<(f64, f64)> = Vec::new();
    for i in (1..flags.len().min(times.len())).filter(|&i| flags[i]) {
        match spans.last_mut() {
            Some(last) if last.1 == times[i - 1] => last.1 = times[i],
            _ => spans.push((times[i - 1], times[i])),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_neighbouring_frames_become_one_span() {
        let times = [0.0, 1.0, 2.0, 3.0, 4.0];
        assert_eq!(spans(&[false, true, true, false, true], &times), [(0.0, 2.0), (3.0, 4.0)]);
        assert_eq!(spans(&[true], &[0.0]), []);
    }

    #[test]
    fn a_window_keeps_out_of_its_neighbours() {
        let model = Model { duration: 3.0, windows: vec![(0.0, 1.0), (1.0, 2.0), (2.5, 3.0)], ..Model::default() };
        assert_eq!(model.room_of(1), (1.0, 2.5));
        assert_eq!(model.room_of(0), (0.0, 1.0));
    }
}
