//! Time to pixels and back.

use egui::{Pos2, Rangef, Rect};

use crate::ui::timeline::drag_state::DragState;
use crate::ui::timeline::model::Model;
use crate::ui::timeline::thumbnails::Thumbnails;
use crate::ui::timeline::{ENDS, NAMES};

/// The part of time that is shown.
pub struct View {
    /// Pixels per second.
    pub pixels_per_second: f64,
    /// Screen x of second 0.
    pub origin: f64,
    /// What is being dragged.
    pub held: Option<DragState>,
    /// Pictures of the image sequence.
    pub thumbnails: Thumbnails,
    fitted: bool,
    shown: (f64, Rangef),
}

impl Default for View {
    fn default() -> Self {
        Self {
            pixels_per_second: 100.0,
            origin: 0.0,
            held: None,
            thumbnails: Thumbnails::default(),
            fitted: true,
            shown: (0.0, Rangef::NOTHING),
        }
    }
}

impl View {
    /// Whether something is dragged; keys then belong to the drag.
    pub fn is_dragging(&self) -> bool {
        self.held.is_some()
    }

    /// Keeps everything in view after the clip or the panel has changed, unless the user has zoomed.
    pub fn follow(&mut self, model: &Model, times: Rangef) {
        let changed = self.shown != (model.duration, times);
        if self.shown.0 != model.duration {
            self.fitted = true;
        }
        if changed && !self.fitted {
            self.origin += f64::from(times.min - self.shown.1.min);
        }
        self.shown = (model.duration, times);
        if self.fitted && model.duration > 0.0 {
            let room = f64::from((times.span() - 2.0 * ENDS).max(16.0));
            self.pixels_per_second = room / model.duration;
            self.origin = f64::from(times.min + ENDS);
        }
    }

    /// Shows everything from the next frame on.
    pub fn fit(&mut self) {
        self.fitted = true;
    }

    /// Screen x of `time`.
    pub fn x_of(&self, time: f64) -> f64 {
        self.origin + time * self.pixels_per_second
    }

    /// The time at screen `x`.
    pub fn time_at(&self, x: f64) -> f64 {
        (x - self.origin) / self.pixels_per_second
    }

    /// Zooms by `factor` so that the time under `x` stays there.
    pub fn zoom_at(&mut self, x: f64, factor: f64, times: Rangef) {
        let time = self.time_at(x);
        let least = f64::from(times.span()) / (4.0 * self.shown.0.max(0.1));
        self.pixels_per_second = (self.pixels_per_second * factor).clamp(least.min(20_000.0), 20_000.0);
        self.origin = x - time * self.pixels_per_second;
        self.fitted = false;
    }

    /// Moves what is shown by so many pixels.
    pub fn pan(&mut self, pixels: f64) {
        self.origin += pixels;
        self.fitted = false;
    }
}

/// Where the lanes lie.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Everything.
    pub all: Rect,
    /// Screen x of what shows time.
    pub times: Rangef,
    /// Numbers and the preview range.
    pub ruler: Rect,
    /// Key marks.
    pub keys: Rect,
    /// Standing feet.
    pub feet: Rect,
    /// Still and reversed frames.
    pub motion: Rect,
    /// Windows of the stretch.
    pub windows: Rect,
    /// Events of the blend.
    pub events: Rect,
    /// The source of the loop: numbered frames, pictures if there are any, the cycles.
    pub cycles: Rect,
    /// Pictures of an image sequence; within those of the loop.
    pub thumbnails: Rect,
    /// Screen y where what the playhead crosses ends.
    pub end: f32,
}

/// Height of the ruler and of a lane.
const HEIGHTS: (f32, f32) = (24.0, 22.0);

/// Height of the lane of cycles with its numbers.
const CYCLES: f32 = NUMBERS + 20.0;

/// Height of the numbers over the cycles.
pub(super) const NUMBERS: f32 = 18.0;

/// Height of the lane of pictures.
const THUMBNAILS: f32 = 40.0;

/// Between what the playhead crosses and the lane of cycles.
const APART: f32 = 8.0;

impl Lanes {
    /// The lanes within `room`; what `model` has nothing of takes no place.
    pub fn within(room: Rect, model: &Model) -> Self {
        let times = Rangef::new(room.min.x + NAMES, room.max.x);
        let lane = |top: f32, height: f32| {
            let max = Pos2::new(times.max, (top + height).min(room.max.y));
            Rect::from_min_max(Pos2::new(times.min, top.min(max.y)), max)
        };
        let height = if model.thumbnails.is_some() { THUMBNAILS } else { 0.0 };
        let mut top = room.min.y + HEIGHTS.0;
        let mut tall = |height: f32| {
            let rect = if height > 0.0 { lane(top, height) } else { Rect::NOTHING };
            top += height;
            rect
        };
        let mut next = |is_there: bool| tall(if is_there { HEIGHTS.1 } else { 0.0 });
        let (events, keys) = (next(model.events.is_some()), next(model.has_keys()));
        let (motion, windows) = (next(model.stretched), next(!model.windows.is_empty()));
        let feet = next(!model.feet.is_empty());
        // The source has a scale of its own, so it lies apart, under its own ruler.
        let (thumbnails, cycles) = match model.cycles {
            Some(_) => (lane(top + APART + NUMBERS, height), lane(top + APART, CYCLES + height)),
            None => (tall(height), Rect::NOTHING),
        };
        let end = if model.cycles.is_some() { top.min(room.max.y) } else { room.max.y };
        Self {
            all: room,
            times,
            end,
            ruler: lane(room.min.y, HEIGHTS.0),
            events,
            cycles,
            thumbnails,
            keys,
            motion,
            windows,
            feet,
        }
    }
}

/// Frames between two numbered marks and between two small ones of a ruler in seconds; numbers fall on round parts of a second.
pub fn second_steps(pixels_per_second: f64, fps: f64) -> (i64, i64) {
    const STEPS: [f64; 10] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0];
    let whole = |seconds: f64| (seconds * fps).fract().abs() < 1e-6;
    let at_least = |pixels: f64| STEPS.into_iter().find(|&step| whole(step) && step * pixels_per_second >= pixels);
    let frames = |seconds: f64| (seconds * fps).round().max(1.0) as i64;
    let major = frames(at_least(48.0).unwrap_or(600.0));
    let minor = ruler_steps(pixels_per_second / fps).1;
    (major, if major % minor == 0 { minor } else { major })
}

/// Frames between two numbered marks of the ruler and between two small ones, for this many pixels per frame.
pub fn ruler_steps(pixels_per_frame: f64) -> (i64, i64) {
    const STEPS: [i64; 11] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000];
    let at_least =
        |pixels: f64| STEPS.into_iter().find(|&step| step as f64 * pixels_per_frame >= pixels).unwrap_or(10_000);
    // A number of four digits and some air; a mark that can still be told from its neighbour.
    (at_least(48.0), at_least(7.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let mut view = View::default();
        view.follow(&Model { duration: 2.0, ..Model::default() }, Rangef::new(100.0, 700.0));
        let before = view.time_at(400.0);
        view.zoom_at(400.0, 3.0, Rangef::new(100.0, 700.0));
        assert!((view.time_at(400.0) - before).abs() < 1e-9);
        assert!((view.time_at(view.x_of(0.7)) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn numbers_never_touch() {
        for pixels in [0.01, 0.3, 2.0, 9.0, 60.0] {
            let (major, minor) = ruler_steps(pixels);
            assert!(major as f64 * pixels >= 48.0 && minor <= major, "{pixels}");
        }
    }
}
