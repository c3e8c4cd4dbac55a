//! Creation of the timeline data from the session.

use crate::keys::lane;
use crate::timeline::model::Model;
use crate::timeline::{cycles, events, feet, stages, thumbnails};
use portamento_session::{Session, Shown};
use portamento_takes::document::StageId;

/// Returns the timeline data of the shown item. The selection of keys is not in it.
pub fn model(session: &Session) -> Model {
    let playback = &session.playback;
    let report = session.frame().and_then(|frame| {
        Some(frame.built.as_ref()?.stretch(session.selection.stage_index(&session.document))?.report.clone())
    });
    let spans = |flags: &[bool], times: &[f64]| spans(flags, times);
    let stretched = report.is_some();
    let (still, reversed) = report.map_or_else(Default::default, |report| {
        (spans(&report.still, &report.times), spans(&report.reversed, &report.times))
    });
    let take = match session.selection.shown {
        Shown::Take(id) => session.document.take(id),
        _ => None,
    };
    let plants = feet::plants(session);
    let (contacts, has_plants) = (feet::contacts(session, &plants), !plants.is_empty());
    let stages = stages::lanes_of(session);
    let lane_index = |id: Option<StageId>| stages.iter().position(|lane| Some(lane.id) == id);
    let windows_at = take.and_then(|take| lane_index(take.selected_or_first_stretch(session.selection.stage)));
    let events_at = take.and_then(|take| lane_index(take.edited_layer(session.selection.stage)));
    let windows = windows_at.map(|at| stages[at].windows.clone()).unwrap_or_default();
    let overlay = session.frame().map(|frame| frame.overlay.clone()).unwrap_or_default();
    Model {
        in_seconds: session.preferences.ruler_in_seconds,
        feet: if has_plants { contacts } else { overlay.feet.iter().map(|foot| foot.spans.clone()).collect() },
        plants: if has_plants { plants.iter().map(|plants| plants.foot).collect() } else { Vec::new() },
        duration: playback.duration,
        fps: playback.fps,
        time: playback.time,
        range: playback.range,
        keys: overlay.key_times.clone(),
        windows,
        windows_at,
        window: session.selection.window,
        events: events::marks(session),
        events_at,
        stages,
        keyed: take.map(|take| lane::lanes_of(session, take)).unwrap_or_default(),
        seams: cycles::seams(session),
        cycles: cycles::loop_cycles(session),
        thumbnails: thumbnails::shown_images(session),
        event: session.selection.event,
        stretched,
        still,
        reversed,
    }
}

/// Returns the flagged steps as intervals of `times` (seconds); adjacent ones are joined. The flag of a frame belongs to the step
/// that ends there.
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
}
