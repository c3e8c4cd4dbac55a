//! Parts of a clip with targets of their own.

use egui::{RichText, Ui};
use egui_material_icons::icons::{ICON_ADD, ICON_DELETE};

use crate::systems::stretch::{Facing, Report, Settings, Target, Window};
use crate::ui::i18n::{tr, tr_with};
use crate::ui::panels::stretch::Clock;
use crate::ui::panels::stretch::target::{facing_rows, point_rows};
use crate::ui::widgets::form;
use crate::ui::widgets::number::{Field, Unit, number};
use crate::ui::{theme, widgets};

/// Lists the windows, with a button for another from the playhead on.
pub fn windows_ui(ui: &mut Ui, settings: &mut Settings, clock: &Clock, metres: f64, report: Option<&Report>) {
    if settings.windows.is_empty() {
        widgets::caption(ui, tr("windows.empty"));
    }
    let mut remove = None;
    for (index, window) in settings.windows.iter_mut().enumerate() {
        ui.push_id(index, |ui| {
            if window_ui(ui, index, window, clock, metres, report) {
                remove = Some(index);
            }
        });
    }
    if let Some(index) = remove {
        settings.windows.remove(index);
    }
    let room = free_room(&settings.windows, clock);
    ui.add_enabled_ui(room.is_some(), |ui| {
        let add = widgets::text_button(ui, ICON_ADD, &tr("windows.add"));
        if let (true, Some((start, end))) = (add.clicked(), room) {
            settings.windows.push(Window {
                start,
                end,
                target: target_at(settings, report, end),
                facing: Facing::Keep,
            });
            settings.windows.sort_by(|a, b| a.start.total_cmp(&b.start));
        }
    });
}

/// One window; answers whether it shall go.
fn window_ui(
    ui: &mut Ui,
    index: usize,
    window: &mut Window,
    clock: &Clock,
    metres: f64,
    report: Option<&Report>,
) -> bool {
    let mut gone = false;
    ui.horizontal(|ui| {
        let name = tr_with("windows.name", &[("number", (index + 1).to_string())]);
        ui.label(RichText::new(name).font(theme::strong()).color(theme::of(ui).target));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            gone = widgets::icon_button(ui, ICON_DELETE, &tr("windows.remove")).clicked();
        });
    });
    let seconds = Field::new(Unit::Seconds).within(0.0, clock.duration);
    form::row(ui, "start", |ui| {
        number(ui, &tr("form.start"), &mut window.start, seconds);
    });
    form::row(ui, "end", |ui| {
        number(ui, &tr("form.end"), &mut window.end, seconds);
    });
    let least = 1.0 / clock.fps;
    window.end = window.end.max((window.start + least).min(clock.duration));
    window.start = window.start.min(window.end - least).max(0.0);
    let source_end = source_at(report, window.end);
    point_rows(ui, &mut window.target, metres, source_end);
    facing_rows(ui, "window facing", &mut window.facing);
    gone
}

/// From the playhead to the next window or the end, where that holds at least two frames.
fn free_room(windows: &[Window], clock: &Clock) -> Option<(f64, f64)> {
    let start = if clock.playhead >= clock.duration { 0.0 } else { clock.playhead };
    let inside = windows.iter().any(|window| window.start <= start && start < window.end);
    let next = windows.iter().map(|window| window.start).filter(|&each| each > start).fold(clock.duration, f64::min);
    (!inside && next - start >= 2.0 / clock.fps).then_some((start, next))
}

fn target_at(settings: &Settings, report: Option<&Report>, end: f64) -> Target {
    match (&settings.target, report) {
        (Some(target), _) if settings.windows.is_empty() => *target,
        (_, report) => Target::World(source_at(report, end)),
    }
}

fn source_at(report: Option<&Report>, time: f64) -> glam::DVec3 {
    let point = report.and_then(|report| {
        let at =
            report.times.iter().position(|&each| each >= time - 1e-9).unwrap_or(report.times.len().saturating_sub(1));
        report.source.points.get(at).copied()
    });
    point.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_window_starts_at_the_playhead_and_ends_before_its_neighbour() {
        let clock = |playhead| Clock { playhead, duration: 3.0, fps: 30.0 };
        let window = |start, end| Window { start, end, target: Target::World(glam::DVec3::ZERO), facing: Facing::Keep };
        assert_eq!(free_room(&[], &clock(1.0)), Some((1.0, 3.0)));
        assert_eq!(free_room(&[window(2.0, 3.0)], &clock(1.0)), Some((1.0, 2.0)));
        assert_eq!(free_room(&[window(0.5, 3.0)], &clock(1.0)), None);
    }
}
