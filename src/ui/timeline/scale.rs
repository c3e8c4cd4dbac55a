//! Conversion between time and screen x.

use egui::{Pos2, Rangef, Rect};

use crate::theme;

/// Margin at both ends of the clip, points.
pub const ENDS: f32 = theme::GAP_LARGE;

/// Visible time range.
#[derive(Clone, Debug)]
pub struct TimeScale {
    /// Points per second.
    pub pixels_per_second: f64,
    /// Screen x of second 0.
    origin: f64,
    /// True until the user zooms or pans.
    fitted: bool,
    /// Duration (seconds) and screen x range of the last resize.
    shown: (f64, Rangef),
}

impl Default for TimeScale {
    fn default() -> Self {
        Self { pixels_per_second: 100.0, origin: 0.0, fitted: true, shown: (0.0, Rangef::NOTHING) }
    }
}

impl TimeScale {
    /// Fits a clip of `duration` seconds into the screen x range `times` after either changed, unless the user zoomed or panned.
    /// A new duration always fits.
    pub fn resize(&mut self, duration: f64, times: Rangef) {
        let changed = self.shown != (duration, times);
        if self.shown.0 != duration {
            self.fitted = true;
        }
        if changed && !self.fitted {
            self.origin += f64::from(times.min - self.shown.1.min);
        }
        self.shown = (duration, times);
        if self.fitted && duration > 0.0 {
            let room = f64::from((times.span() - 2.0 * ENDS).max(16.0));
            self.pixels_per_second = room / duration;
            self.origin = f64::from(times.min + ENDS);
        }
    }

    /// Fits the clip into the panel from the next frame on.
    pub fn fit(&mut self) {
        self.fitted = true;
    }

    /// Returns the screen x of `time`, seconds.
    pub fn x_of(&self, time: f64) -> f64 {
        self.origin + time * self.pixels_per_second
    }

    /// Returns the part of `lane` between two times in seconds.
    pub(super) fn rect_of(&self, (start, end): (f64, f64), lane: Rect) -> Rect {
        let x = |time: f64| self.x_of(time) as f32;
        Rect::from_min_max(Pos2::new(x(start), lane.min.y), Pos2::new(x(end), lane.max.y))
    }

    /// Returns the time in seconds at screen `x`.
    pub fn time_at(&self, x: f64) -> f64 {
        (x - self.origin) / self.pixels_per_second
    }

    /// Zooms by `factor` (over 1 enlarges) with the time under screen `x` fixed, within limits. `times` is the screen x range.
    pub fn zoom_at(&mut self, x: f64, factor: f64, times: Rangef) {
        let time = self.time_at(x);
        let min_scale = f64::from(times.span()) / (4.0 * self.shown.0.max(0.1));
        self.pixels_per_second = (self.pixels_per_second * factor).clamp(min_scale.min(20_000.0), 20_000.0);
        self.origin = x - time * self.pixels_per_second;
        self.fitted = false;
    }

    /// Moves the view by `pixels` points.
    pub fn pan(&mut self, pixels: f64) {
        self.origin += pixels;
        self.fitted = false;
    }
}

/// Returns the number of frames between numbered and between small marks of a ruler in seconds. Numbers fall on round fractions
/// or multiples of a second. Sizes are points, not pixels.
pub(super) fn second_steps(pixels_per_second: f64, fps: f64) -> (i64, i64) {
    const STEPS: [f64; 13] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0, 1800.0, 3600.0];
    let is_whole_frame = |seconds: f64| (seconds * fps).fract().abs() < 1e-6;
    let at_least =
        |pixels: f64| STEPS.into_iter().find(|&step| is_whole_frame(step) && step * pixels_per_second >= pixels);
    let frames = |seconds: f64| (seconds * fps).round().max(1.0) as i64;
    let major = frames(at_least(48.0).unwrap_or(36_000.0));
    let minor = ruler_steps(pixels_per_second / fps).1;
    (major, if major % minor == 0 { minor } else { major })
}

/// Returns the number of frames between numbered and between small marks of the ruler, for a distance of frames in points.
pub(super) fn ruler_steps(pixels_per_frame: f64) -> (i64, i64) {
    const LARGEST: i64 = 10_i64.pow(9);
    let steps = || (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_i64.pow(power)));
    let at_least = |pixels: f64| steps().find(|&step| step as f64 * pixels_per_frame >= pixels).unwrap_or(LARGEST);
    // Minimum distances: a four-digit number with margin, and distinguishable marks.
    (at_least(48.0), at_least(7.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_keeps_the_time_under_the_pointer() {
        let mut scale = TimeScale::default();
        scale.resize(2.0, Rangef::new(100.0, 700.0));
        let (before, second) = (scale.time_at(400.0), scale.x_of(1.0) - scale.x_of(0.0));
        scale.zoom_at(400.0, 3.0, Rangef::new(100.0, 700.0));
        assert!((scale.time_at(400.0) - before).abs() < 1e-9);
        assert!((scale.x_of(1.0) - scale.x_of(0.0) - 3.0 * second).abs() < 1e-9, "a second is three times as wide");
        assert!((scale.time_at(scale.x_of(0.7)) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn numbers_never_touch_and_are_no_further_apart_than_needed() {
        // Numbers are the nearest of 1, 2, 5, 10 … frames that are 48 pixels apart, marks those that are 7 pixels apart.
        let expected = [
            (0.0006, (100_000, 20_000)),
            (0.01, (5_000, 1_000)),
            (0.3, (200, 50)),
            (2.0, (50, 5)),
            (9.0, (10, 1)),
            (60.0, (1, 1)),
        ];
        for (pixels, steps) in expected {
            assert_eq!(ruler_steps(pixels), steps, "{pixels}");
        }
    }

    #[test]
    fn numbers_in_seconds_never_touch_and_fall_on_whole_frames() {
        // 300 px/s: 0.2 s are 60 pixels, 0.1 s only 30. At 25 fps 0.1 s are no whole number of frames.
        let expected = [
            ((300.0, 30.0), (6, 1)),
            ((600.0, 30.0), (3, 1)),
            ((600.0, 25.0), (5, 1)),
            ((10.0, 24.0), (120, 20)),
            ((0.05, 30.0), (54_000, 54_000)),
        ];
        for ((pixels, fps), steps) in expected {
            let (major, minor) = second_steps(pixels, fps);
            assert_eq!((major, minor), steps, "{pixels} px/s at {fps} fps");
        }
    }
}
