//! Stretch windows on the stage lane: a band with two draggable edges.

use egui::{Align2, Pos2, Stroke, StrokeKind, Vec2};

use crate::theme;
use crate::timeline::drag::LanePart;
use crate::timeline::lanes::{LaneCanvas, Lanes};
use crate::timeline::model::Model;
use crate::timeline::scale::TimeScale;
use crate::timeline::stages;
use portamento_session::{Session, Shown};
use portamento_stretch::Window;

/// Distance from an edge within which it can be grabbed, points.
const GRAB_RADIUS: f64 = 5.0;

/// Returns the window part under the screen position `at`. Edges win over the band. `None` outside the lane and between windows.
pub(super) fn part_at(at: Pos2, scale: &TimeScale, lanes: &Lanes, model: &Model) -> Option<LanePart> {
    if !lanes.windows.contains(at) {
        return None;
    }
    let time = scale.time_at(f64::from(at.x));
    let near = |time: f64| (scale.x_of(time) - f64::from(at.x)).abs() < GRAB_RADIUS;
    // At the border of two adjacent windows, the one under the pointer is taken.
    let inside = model.windows.iter().position(|&(start, end)| (start..end).contains(&time));
    let all = inside.into_iter().chain(0..model.windows.len());
    let edge = |index: usize| match model.windows[index] {
        (_, end) if near(end) => Some(LanePart::WindowEnd(index)),
        (start, _) if near(start) => Some(LanePart::WindowStart(index)),
        _ => None,
    };
    let band = |index: usize| {
        let grabbed = (time - model.windows[index].0) * model.fps;
        LanePart::Window(index, grabbed.round().max(0.0) as usize)
    };
    all.clone().find_map(edge).or_else(|| inside.map(band))
}

/// Moves the dragged part of a window to `time`, output seconds of the shown take, limited by its neighbours, and selects the
/// window.
pub(super) fn move_to(session: &mut Session, part: LanePart, time: f64, model: &Model) {
    let (LanePart::Window(index, _) | LanePart::WindowStart(index) | LanePart::WindowEnd(index)) = part else {
        return;
    };
    let Shown::Take(id) = session.selection.shown else { return };
    let frame = 1.0 / session.playback.fps;
    let at = session.document.take(id).and_then(|take| take.selected_or_first_stretch(session.selection.stage));
    let grabbed = if let LanePart::Window(_, frames) = part { frames as f64 * frame } else { 0.0 };
    let (low, high) = model.room_of(index);
    let [time, low, high] = [time - grabbed, low, high].map(|time| stages::seconds_in(session, at, time));
    let stretch = session.document.take_mut(id).and_then(|take| take.stretch_mut(session.selection.stage));
    let Some(settings) = stretch.map(|stretch| &mut stretch.settings) else { return };
    session.selection.window = settings.order().iter().position(|&each| each == index);
    if let Some(window) = settings.windows.get_mut(index) {
        *window = window_after_drag(*window, part, time, WindowRoom { low, high, frame });
    }
}

/// Limits of a window, seconds.
struct WindowRoom {
    low: f64,
    high: f64,
    /// Duration of a frame.
    frame: f64,
}

/// Returns `window` with `part` moved to `time`, in seconds of the motion that enters the stage. It stays inside `room` and at
/// least one frame long.
fn window_after_drag(window: Window, part: LanePart, time: f64, room: WindowRoom) -> Window {
    let WindowRoom { low, high, frame } = room;
    match part {
        LanePart::WindowStart(_) => Window { start: time.clamp(low, (window.end - frame).max(low)), ..window },
        LanePart::WindowEnd(_) => Window { end: time.clamp((window.start + frame).min(high), high), ..window },
        _ => {
            let length = window.end - window.start;
            let start = time.clamp(low, (high - length).max(low));
            Window { start, end: start + length, ..window }
        }
    }
}

/// Draws the windows of all stretch stages.
pub(super) fn paint(canvas: &LaneCanvas) {
    let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
    for (at, (rect, stage)) in lanes.stages.iter().zip(&model.stages).enumerate() {
        let lane = rect.shrink2(Vec2::new(0.0, 3.0));
        let is_edited = model.windows_at == Some(at) && stage.on;
        for &window in &stage.windows {
            let order = stage.windows.iter().filter(|other| other.0 < window.0).count();
            let strength = match is_edited {
                true if model.window == Some(order) => 0.45,
                true => 0.28,
                false => 0.14,
            };
            let rect = scale.rect_of(window, lane);
            painter.rect_filled(rect, 3.0, theme::mix(tokens.panel, tokens.target, strength));
            // Windows are closed at the start and open at the end.
            painter.vline(rect.min.x, rect.y_range(), Stroke::new(2.0, tokens.target));
            let line = Stroke::new(1.0, theme::mix(tokens.panel, tokens.target, 2.0 * strength));
            painter.rect_stroke(rect, 3.0, line, StrokeKind::Inside);
            let name = painter.layout_no_wrap((order + 1).to_string(), theme::caption(), tokens.text);
            let at = Align2::LEFT_CENTER.anchor_size(rect.left_center() + Vec2::new(6.0, 0.0), name.size());
            painter.galley(at.min, name, tokens.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use portamento_stretch::Target;

    #[test]
    fn a_dragged_band_keeps_its_length_between_its_neighbours() {
        let window = Window::new(1.0, 1.5, Target::World(DVec3::ZERO));
        let room = || WindowRoom { low: 0.5, high: 3.0, frame: 0.1 };
        let span = |part, time| {
            let moved = window_after_drag(window, part, time, room());
            (moved.start, moved.end)
        };
        assert_eq!(span(LanePart::Window(0, 2), 2.0), (2.0, 2.5));
        assert_eq!(span(LanePart::Window(0, 2), 2.8), (2.5, 3.0));
        assert_eq!(span(LanePart::Window(0, 2), 0.0), (0.5, 1.0));
        assert_eq!(span(LanePart::WindowStart(0), 2.0), (1.4, 1.5));
        assert_eq!(span(LanePart::WindowEnd(0), 9.0), (1.0, 3.0));
    }

    #[test]
    fn at_a_shared_edge_the_window_under_the_pointer_is_grabbed() {
        let model = Model { duration: 3.0, fps: 30.0, windows: vec![(0.0, 1.0), (1.0, 2.0)], ..Model::default() };
        let mut scale = TimeScale::default();
        scale.resize(model.duration, egui::Rangef::new(0.0, 300.0));
        let room = egui::Rect::from_min_max(Pos2::ZERO, Pos2::new(300.0, 100.0));
        let mut lanes = Lanes::within(room, &model, 0.0);
        lanes.windows = room;
        let at = |time: f64, off: f32| Pos2::new(scale.x_of(time) as f32 + off, 50.0);
        let part = |at| part_at(at, &scale, &lanes, &model);
        assert_eq!(part(at(1.0, -2.0)), Some(LanePart::WindowEnd(0)));
        assert_eq!(part(at(1.0, 2.0)), Some(LanePart::WindowStart(1)));
        assert_eq!(part(at(1.5, 0.0)), Some(LanePart::Window(1, 15)));
        assert_eq!(part(at(2.5, 0.0)), None);
    }
}
