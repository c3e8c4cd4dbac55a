//! Windows of a stretch: parts of a clip with their own targets.

use egui::{RichText, Ui};
use egui_material_icons::icons::{ICON_ADD, ICON_DELETE};

use crate::i18n::{tr, tr_with};
use crate::panels::stretch::Clock;
use crate::panels::stretch::target::{facing_rows, point_rows};
use crate::widgets::form;
use crate::widgets::number::{Field, Unit, number};
use crate::{theme, widgets};
use portamento_stretch::{Report, Settings, Window};

/// Draws the windows in order of time, and the button that adds one at the playhead. One file unit is `metres_per_unit` metres.
pub(super) fn windows_ui(
    ui: &mut Ui,
    settings: &mut Settings,
    clock: &Clock,
    metres_per_unit: f64,
    report: Option<&Report>,
) {
    if settings.windows.is_empty() {
        widgets::caption(ui, tr("windows.empty"));
    }
    let mut remove = None;
    for (nth, index) in settings.order().into_iter().enumerate() {
        ui.push_id(index, |ui| {
            if window_ui(ui, nth, &mut settings.windows[index], clock, metres_per_unit, report) {
                remove = Some(index);
            }
        });
    }
    if let Some(index) = remove {
        settings.windows.remove(index);
    }
    let room = settings.free_window(clock.playhead, clock.duration, clock.fps);
    ui.add_enabled_ui(room.is_some(), |ui| {
        let add = widgets::text_button(ui, ICON_ADD, &tr("windows.add"));
        if add.clicked() {
            add_at(settings, clock, report);
        }
    });
}

/// Adds a window at the playhead. Its target is the stretched position at its end, so that the motion stays, or the origin
/// without a report. Does nothing if there is no room.
pub(super) fn add_at(settings: &mut Settings, clock: &Clock, report: Option<&Report>) {
    if let Some((start, end)) = settings.free_window(clock.playhead, clock.duration, clock.fps) {
        let target = report.map_or(glam::DVec3::ZERO, |report| report.stretched_at(end));
        settings.add_window(start, end, target);
    }
}

/// Draws one window, the `nth` in order of time from 0. Start and end stay at least a frame apart. Returns true if it should be
/// removed.
fn window_ui(
    ui: &mut Ui,
    nth: usize,
    window: &mut Window,
    clock: &Clock,
    metres_per_unit: f64,
    report: Option<&Report>,
) -> bool {
    let mut is_removed = false;
    ui.horizontal(|ui| {
        let name = tr_with("windows.name", &[("number", (nth + 1).to_string())]);
        ui.label(RichText::new(name).font(theme::strong()).color(theme::of(ui).target));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            is_removed = widgets::icon_button(ui, ICON_DELETE, &tr("windows.remove")).clicked();
        });
    });
    // A window longer than the current motion, or drawn before the file is loaded, keeps its length.
    let max_end = clock.duration.max(window.end);
    let seconds = Field::new(Unit::Seconds).within(0.0, max_end);
    let before = [window.start, window.end];
    form::row(ui, "start", |ui| {
        number(ui, &tr("form.start"), &mut window.start, seconds);
    });
    form::row(ui, "end", |ui| {
        number(ui, &tr("form.end"), &mut window.end, seconds);
    });
    if before != [window.start, window.end] {
        let frame_seconds = 1.0 / clock.fps;
        window.end = window.end.max((window.start + frame_seconds).min(max_end));
        window.start = window.start.min(window.end - frame_seconds).max(0.0);
    }
    let source_end = source_at(report, window.end);
    point_rows(ui, &mut window.target, metres_per_unit, source_end);
    facing_rows(ui, "window facing", &mut window.facing);
    form::row(ui, "soft_edges", |ui| {
        let most = window.soft_edges.max(0.5 * (window.end - window.start));
        number(ui, &tr("form.soft_edges"), &mut window.soft_edges, Field::new(Unit::Seconds).within(0.0, most));
    });
    form::row(ui, "keep_speed", |ui| {
        form::tick(ui, &mut window.keep_speed);
    });
    is_removed
}

/// Returns the position of the source at `time` (seconds), world space in file units; the origin without a report.
fn source_at(report: Option<&Report>, time: f64) -> glam::DVec3 {
    report.map_or(glam::DVec3::ZERO, |report| report.source_at(time))
}
