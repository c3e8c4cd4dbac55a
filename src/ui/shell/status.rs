//! The status bar: tool hint, warnings, running jobs.

use std::time::SystemTime;

use egui::containers::menu::MenuButton;
use egui::{Align, Layout, ProgressBar, RichText, Ui, Vec2};
use egui_material_icons::icons::{ICON_CLOSE, ICON_ERROR, ICON_SYNC, ICON_SYNC_PROBLEM, ICON_WARNING};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::i18n::{localized, tr, tr_with};
use crate::panels::outliner::joint_count;
use crate::{panels, remote, theme, widgets};
use portamento_base::message::Tell;
use portamento_session::{Command, Session, WindowCommand};
use portamento_takes::evaluate::FrameContent;

/// Width of the list of warnings, points.
const WARNINGS: f32 = 360.0;

/// Draws the status bar. `hint` describes the current tool's mouse buttons and keys.
pub fn line(ui: &mut Ui, session: &mut Session, hint: &str) {
    ui.horizontal_centered(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            jobs(ui, session);
            warnings(ui, session);
            export_as_i_work(ui, session);
            remote::sign(ui, session);
            facts(ui, session);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let dim = theme::of(ui).dim;
                ui.add(egui::Label::new(RichText::new(hint).font(theme::caption()).color(dim)).truncate());
            });
        });
    });
}

/// Draws running jobs with progress, remaining time and a cancel button. Jobs that began a moment ago are left out.
fn jobs(ui: &mut Ui, session: &Session) {
    for job in session.jobs.running().filter(|job| job.is_noticed()) {
        if widgets::icon_button(ui, ICON_CLOSE, &tr_with("status.cancel", &[("job", localized(&job.key.message()))]))
            .clicked()
        {
            job.progress.cancel();
        }
        let fraction = job.progress.fraction();
        ui.add_sized([96.0, 6.0], ProgressBar::new(fraction).desired_height(6.0).fill(theme::of(ui).accent));
        let left = job.seconds_left().map(|left| format!("  {}", time_left(left))).unwrap_or_default();
        let text = format!("{}  {:>3.0} %{left}", localized(&job.key.message()), fraction * 100.0);
        ui.label(RichText::new(text).font(theme::caption()));
    }
}

/// Returns the remaining time as text, rounded up to 5 s, or to minutes from 90 s, so that it does not flicker.
fn time_left(seconds: f64) -> String {
    if seconds < 90.0 {
        tr_with("status.seconds_left", &[("count", format!("{:.0}", (seconds / 5.0).ceil() * 5.0))])
    } else {
        tr_with("status.minutes_left", &[("count", format!("{:.0}", (seconds / 60.0).ceil()))])
    }
}

/// Draws that changes are exported, with the time of the last export; a click opens the export dialog. Draws nothing while this
/// is off.
fn export_as_i_work(ui: &mut Ui, session: &mut Session) {
    let Some(work) = session.exports.as_i_work() else { return };
    let tokens = theme::of(ui);
    let (icon, color) =
        if work.failures().is_empty() { (ICON_SYNC, tokens.dim) } else { (ICON_SYNC_PROBLEM, tokens.warning) };
    let time = work.finished().map(clock).unwrap_or_default();
    let name = tr_with("status.as_i_work", &[("time", time)]);
    let failures = work.failures().iter().map(|(take, why)| format!("\n{take}: {}", localized(why)));
    let about =
        tr_with("tip.status_as_i_work", &[("folder", work.folder().to_owned())]) + &failures.collect::<String>();
    let text = RichText::new(format!("{} {name}", icon.codepoint)).font(theme::caption()).color(color);
    let button = egui::Button::new(text).fill(egui::Color32::TRANSPARENT).stroke(egui::Stroke::NONE);
    let response = ui.add(button).on_hover_text(about);
    if widgets::named(response, &name).clicked() {
        session.perform(Command::Window(WindowCommand::AskExport));
    }
}

/// Returns the local time of day as `HH:MM:SS`; empty if it cannot be converted.
fn clock(time: SystemTime) -> String {
    let zoned = Timestamp::try_from(time).map(|time| time.to_zoned(TimeZone::system()));
    zoned.map(|time| time.strftime("%H:%M:%S").to_string()).unwrap_or_default()
}

/// Draws the evaluation error, or a button with the number of warnings that lists them; nothing without either.
fn warnings(ui: &mut Ui, session: &mut Session) {
    let tokens = theme::of(ui);
    if let Some(failure) = session.evaluation.failure() {
        let text = format!("{} {}", ICON_ERROR.codepoint, tr("status.failed"));
        ui.label(RichText::new(text).font(theme::caption()).color(tokens.error)).on_hover_text(localized(failure));
        return;
    }
    let all = panels::results::warnings::shown_warnings(session);
    if all.is_empty() {
        return;
    }
    let count = tr_with("status.warnings", &[("count", all.len().to_string())]);
    let text = format!("{} {count}", ICON_WARNING.codepoint);
    let text = RichText::new(text).font(theme::caption()).color(tokens.warning);
    let button = egui::Button::new(text).fill(egui::Color32::TRANSPARENT).stroke(egui::Stroke::NONE);
    let (response, _) = MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_width(WARNINGS);
        panels::results::warnings::warning_list(ui, session);
    });
    widgets::named(response, &count);
}

/// Draws the joint and vertex counts of the shown character; nothing for images.
fn facts(ui: &mut Ui, session: &Session) {
    let Some(frame) = session.frame().filter(|frame| !matches!(frame.content, FrameContent::Image { .. })) else {
        return;
    };
    let model = &frame.character.model;
    let vertices: usize =
        model.meshes.iter().flat_map(|mesh| &mesh.primitives).map(|primitive| primitive.positions.len()).sum();
    let joints = joint_count(model);
    let values = [("joints", joints.to_string()), ("vertices", vertices.to_string())];
    let key = if joints > 1 { "status.facts" } else { "status.vertices" };
    widgets::caption(ui, tr_with(key, &values));
    ui.allocate_space(Vec2::new(theme::GAP_MEDIUM, 1.0));
}
