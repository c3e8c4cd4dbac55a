//! Frame time panel: how long each part of a frame took.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use egui::{Align, Color32, Label, Layout, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2};
use egui_material_icons::icons::ICON_SPEED;

use crate::i18n::{tr, tr_with};
use crate::theme::{self, Tokens};
use crate::widgets;

/// A timed part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Jobs, playback and evaluation.
    Session,
    /// Viewport scene and overlays, excluding OpenGL.
    View,
    /// All other panels, menus and input.
    Panels,
    /// Drawing the scene with OpenGL.
    Scene,
    /// Tessellating and drawing the panels with OpenGL, excluding the wait for the screen.
    Window,
}

portamento_base::named!(Part { Session: "session", View: "view", Panels: "panels", Scene: "scene", Window: "window" });

impl Part {
    /// True for every part except OpenGL drawing.
    fn is_logic(self) -> bool {
        matches!(self, Self::Session | Self::View | Self::Panels)
    }

    /// Returns the colour of this part in the diagram.
    fn color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::Session => tokens.accent,
            Self::View => tokens.ok,
            Self::Panels => tokens.source,
            Self::Scene => tokens.target,
            Self::Window => tokens.dim,
        }
    }
}

/// Seconds spent in each part.
type Spent = [f32; Part::ALL.len()];

/// Number of frames kept: four seconds at 60 frames per second.
const MAX_FRAMES: usize = 240;
/// Frame budget at 60 frames per second, milliseconds.
const BUDGET_60_FPS_MS: f32 = 1000.0 / 60.0;

/// Times of the last frames.
#[derive(Debug, Default)]
pub struct FrameTimes {
    /// Times of the finished frames, newest first.
    done: VecDeque<Spent>,
    /// Times of the current frame.
    now: Spent,
}

impl FrameTimes {
    /// Runs `work` and adds its duration to `part` of the current frame.
    pub fn timed<T>(&mut self, part: Part, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(part, start.elapsed());
        result
    }

    /// Adds `time` to `part` of the current frame.
    pub fn add(&mut self, part: Part, time: Duration) {
        self.now[part as usize] += time.as_secs_f32();
    }

    /// Adds the drawing of the window to [`Part::Panels`]. `time` includes the viewport, which is subtracted.
    pub fn drawn(&mut self, time: Duration) {
        let rest = time.as_secs_f32() - self.now[Part::View as usize];
        self.now[Part::Panels as usize] += rest.max(0.0);
    }

    /// Stores the current frame and starts the next. `cpu_seconds` is the total processor time of the frame; what no part
    /// measured counts as [`Part::Window`]. A frame without any time is not stored.
    pub fn store_frame(&mut self, cpu_seconds: Option<f32>) {
        let measured: f32 = self.now.iter().sum();
        if measured > 0.0 {
            self.now[Part::Window as usize] = (cpu_seconds.unwrap_or(measured) - measured).max(0.0);
            self.done.truncate(MAX_FRAMES - 1);
            self.done.push_front(self.now);
        }
        self.now = Spent::default();
    }

    /// Returns the mean and the 95th percentile of the time per frame of all `parts` together, milliseconds.
    fn of(&self, parts: impl Fn(Part) -> bool) -> [f32; 2] {
        let sum = |spent: &Spent| Part::ALL.iter().filter(|&&part| parts(part)).map(|&part| spent[part as usize]).sum();
        let mut sums: Vec<f32> = self.done.iter().map(sum).collect();
        sums.sort_by(f32::total_cmp);
        let slow = sums.get(sums.len() * 95 / 100).copied().unwrap_or_default();
        [sums.iter().sum::<f32>() / sums.len().max(1) as f32, slow].map(|seconds| 1000.0 * seconds)
    }

    /// Draws the table of parts and the bar plot of the last frames, newest on the right.
    pub fn ui(&self, ui: &mut Ui) {
        if self.done.is_empty() {
            return widgets::empty(ui, ICON_SPEED, &tr("frame_times.empty"), &tr("frame_times.empty_hint"));
        }
        ui.horizontal_top(|ui| {
            let scroll = ScrollArea::vertical().id_salt("frame times");
            // The surrounding layout is horizontal, so the rows need a vertical one.
            scroll.show(ui, |ui| ui.vertical(|ui| self.lines(ui)));
            self.plot(ui);
        });
    }

    /// Draws the table of times: all parts, those without drawing, and each part.
    fn lines(&self, ui: &mut Ui) {
        let tokens = theme::of(ui);
        ui.set_width(TABLE_WIDTH);
        line(ui, "whole", tokens.text, self.of(|_| true));
        line(ui, "logic", tokens.text, self.of(Part::is_logic));
        for part in Part::ALL {
            line(ui, part.name(), part.color(tokens), self.of(|other| other == part));
        }
    }

    /// Draws the time of each part per frame as stacked bars, and the limit of 60 frames per second as a line.
    fn plot(&self, ui: &mut Ui) {
        let tokens = theme::of(ui);
        let size = ui.available_size().max(Vec2::new(MAX_FRAMES as f32, 60.0));
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let [_, slow] = self.of(|_| true);
        let max_ms = (1.25 * slow).max(1.25 * BUDGET_60_FPS_MS);
        let (wide, tall) = (rect.width() / MAX_FRAMES as f32, rect.height() / max_ms * 1000.0);
        let painter = ui.painter_at(rect);
        for (number, spent) in self.done.iter().enumerate() {
            let (right, mut base) = (rect.right() - wide * number as f32, rect.bottom());
            for part in Part::ALL {
                let top = base - tall * spent[part as usize];
                let bar = Rect::from_min_max(Pos2::new(right - wide, top), Pos2::new(right, base));
                painter.rect_filled(bar, 0, part.color(tokens));
                base = top;
            }
        }
        let limit = rect.bottom() - tall * BUDGET_60_FPS_MS / 1000.0;
        painter.hline(rect.x_range(), limit, (1.0, tokens.warning));
        response.on_hover_text(tr("frame_times.plot"));
    }
}

/// Width of the table, points.
const TABLE_WIDTH: f32 = 330.0;

/// Draws the row `frame_times.NAME` with mean and 95th percentile, milliseconds.
fn line(ui: &mut Ui, name: &str, color: Color32, [mean, slow]: [f32; 2]) {
    let numbers = [("mean", format!("{mean:.2}")), ("slow", format!("{slow:.2}"))];
    ui.horizontal(|ui| {
        let name_of_part = RichText::new(tr(&format!("frame_times.{name}"))).color(color);
        ui.add(Label::new(name_of_part)).on_hover_text(tr(&format!("tip.frame_times_{name}")));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(tr_with("frame_times.ms", &numbers)));
    });
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;

    fn frame(times: &mut FrameTimes, milliseconds: u64) {
        times.add(Part::Session, Duration::from_millis(milliseconds));
        times.add(Part::View, Duration::from_millis(2));
        times.drawn(Duration::from_millis(5));
        times.store_frame(Some(0.001 * (milliseconds + 15) as f32));
    }

    #[test]
    fn parts_sum_to_the_total_and_nothing_counts_twice() {
        let mut times = FrameTimes::default();
        (0..100).for_each(|number| frame(&mut times, if number % 10 == 0 { 11 } else { 1 }));
        let near = |[mean, slow]: [f32; 2], expected: [f32; 2]| {
            assert!((mean - expected[0]).abs() < 1e-3 && (slow - expected[1]).abs() < 1e-3, "{mean} {slow}");
        };
        near(times.of(|part| part == Part::Session), [2.0, 11.0]);
        near(times.of(|part| part == Part::Panels), [3.0, 3.0]);
        near(times.of(|part| part == Part::Window), [10.0, 10.0]);
        near(times.of(Part::is_logic), [7.0, 16.0]);
        near(times.of(|_| true), [17.0, 26.0]);
    }

    #[test]
    fn only_the_last_frames_are_kept_and_an_empty_frame_is_skipped() {
        let mut times = FrameTimes::default();
        times.store_frame(Some(1.0));
        assert!(times.done.is_empty());
        (0..2 * MAX_FRAMES).for_each(|number| frame(&mut times, number as u64));
        assert_eq!(times.done.len(), MAX_FRAMES);
        assert!((1000.0 * times.done[0][Part::Session as usize] - (2 * MAX_FRAMES - 1) as f32).abs() < 1e-2);
    }

    #[test]
    fn each_part_has_its_own_row() {
        let mut times = FrameTimes::default();
        (0..MAX_FRAMES).for_each(|_| frame(&mut times, 1));
        let harness = Harness::new_ui(|ui| times.ui(ui));
        let names = ["whole", "logic"].into_iter().chain(Part::ALL.map(Part::name));
        let lines: Vec<Rect> =
            names.map(|name| harness.get_by_label(&tr(&format!("frame_times.{name}"))).rect()).collect();
        assert!(lines.windows(2).all(|pair| pair[0].max.y <= pair[1].min.y), "{lines:?}");
    }
}
