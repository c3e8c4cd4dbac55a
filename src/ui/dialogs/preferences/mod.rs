//! Preferences dialog.

mod colors;

use egui::{RichText, ScrollArea, Ui};

use super::keymap::KeymapEditor;
use super::{Placement, buttons, window_at};
use crate::app::App;
use crate::i18n::{LANGUAGES, localized, tr};
use crate::widgets::form;
use crate::widgets::number::{Field, Unit, number};
use crate::{focus, fonts, theme, widgets};
use portamento_session::Preferences;
use portamento_session::keymap::KeymapPreset;
use portamento_session::units::{AngleUnit, LengthUnit, TimeUnit, Units};

/// Width of the dialog, points.
const DIALOG_WIDTH: f32 = 440.0;
/// Height of the window not available to the rows: title, buttons and margins, points.
const FIXED_HEIGHT: f32 = 170.0;

/// Draws the dialog while it is open. Changes apply immediately, and the window behind is not dimmed.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    if !app.dialogs.preferences {
        return;
    }
    let has_chinese = app.has_chinese;
    let keymap = &mut app.dialogs.keymap;
    let preferences = &mut app.session.preferences;
    let height = (ctx.content_rect().height() - FIXED_HEIGHT).max(120.0);
    let placement = Placement { width: DIALOG_WIDTH, top: None, dims: false, stays: false };
    let (done, close) = window_at(ctx, "preferences", placement, |ui| {
        ScrollArea::vertical().max_height(height).show(ui, |ui| {
            colors::rows(ui, &mut preferences.appearance);
            heading(ui, "section.units");
            unit_rows(ui, preferences);
            heading(ui, "section.program");
            form::row(ui, "language", |ui| language(ui, preferences, has_chinese));
            form::row(ui, "scale", |ui| scale(ui, &mut preferences.scale));
            work_rows(ui, preferences);
            form::row(ui, "keymap", |ui| {
                if keymap_row(ui, &mut preferences.keymap.preset) {
                    *keymap = Some(KeymapEditor::default());
                }
            });
            focus::scroll_to_focus(ui);
        });
        buttons(ui, |ui| {
            let done = ui.button(tr("dialog.close")).clicked();
            if ui.button(tr("dialog.defaults")).clicked() {
                let recent = std::mem::take(&mut preferences.recent);
                *preferences = Preferences { recent, ..Preferences::default() };
            }
            done
        })
    });
    app.dialogs.preferences = !(done || close);
}

/// Draws a heading with the text of the locale key `key`.
fn heading(ui: &mut Ui, key: &str) {
    ui.add_space(theme::GAP_SMALL);
    ui.label(RichText::new(tr(key)).font(theme::strong()));
}

/// Draws the units of displayed lengths, angles and times, and of the ruler.
fn unit_rows(ui: &mut Ui, preferences: &mut Preferences) {
    let Units { length, angle, time } = &mut preferences.units;
    let reset = form::named_row(ui, "length_unit", length, "length.{}");
    if reset {
        *length = LengthUnit::default();
    }
    let reset = form::named_row(ui, "angle_unit", angle, "angle.{}");
    if reset {
        *angle = AngleUnit::default();
    }
    let reset = form::row(ui, "time_unit", |ui| {
        let choices = [(TimeUnit::Seconds, tr("ruler.seconds")), (TimeUnit::Frames, tr("ruler.frames"))];
        form::choice(ui, "time_unit", time, &choices);
    });
    if reset {
        *time = TimeUnit::default();
    }
    form::row(ui, "ruler", |ui| {
        let choices = [(false, tr("ruler.frames")), (true, tr("ruler.seconds"))];
        form::choice(ui, "ruler", &mut preferences.ruler_in_seconds, &choices);
    });
}

/// Draws the interval of autosaves (seconds) and the memory limit (GiB, 0 for half of the memory). A new memory limit applies at
/// once.
fn work_rows(ui: &mut Ui, preferences: &mut Preferences) {
    form::row(ui, "autosave", |ui| {
        number(ui, &tr("form.autosave"), &mut preferences.autosave_seconds, seconds());
    });
    form::row(ui, "memory", |ui| {
        number(ui, &tr("form.memory"), &mut preferences.memory_gib, gibibytes());
        preferences.apply_memory();
    });
    if preferences.memory_gib == 0.0 {
        widgets::caption(ui, tr("hint.memory_half"));
    }
}

/// Returns the options of a field for 0…3600 s.
fn seconds() -> Field {
    Field { per_pixel: 1.0, decimals: 0, ..Field::new(Unit::ClockSeconds).within(0.0, 3600.0) }
}

/// Returns the options of a field for 0…4096 GiB.
fn gibibytes() -> Field {
    Field { per_pixel: 0.1, decimals: 1, ..Field::new(Unit::Plain).within(0.0, 4096.0) }
}

/// Draws the navigation preset. Returns true if the shortcuts should be edited.
fn keymap_row(ui: &mut Ui, preset: &mut KeymapPreset) -> bool {
    let width = ui.available_width() - 120.0;
    ui.scope(|ui| {
        ui.set_max_width(width);
        let choices = KeymapPreset::ALL.map(|preset| (preset, tr(&format!("keymap.{}", preset.name()))));
        form::choice(ui, "keymap", preset, &choices);
    });
    ui.button(tr("keymap.edit")).clicked()
}

/// Draws the choice of the language. It is disabled, with the reason, if no Chinese font was found.
fn language(ui: &mut Ui, preferences: &mut Preferences, has_chinese: bool) {
    let known = LANGUAGES.iter().find(|(code, _)| *code == preferences.language);
    let mut code = known.map_or("en", |(code, _)| code);
    ui.add_enabled_ui(has_chinese, |ui| {
        let choices = LANGUAGES.map(|(code, name)| (code, name.to_owned()));
        let choices = if has_chinese { &choices[..] } else { &choices[..1] };
        if form::choice(ui, "language", &mut code, choices) {
            preferences.language = code.to_owned();
        }
    })
    .response
    .on_disabled_hover_text(localized(&fonts::no_chinese()));
}

/// Draws the interface scale (1 = 100 %) as a list, because a slider would resize itself under the pointer.
fn scale(ui: &mut Ui, scale: &mut f32) {
    let mut percent = (*scale * 100.0).round() as i32;
    let choices = [75, 90, 100, 110, 125, 150, 175, 200].map(|percent| (percent, format!("{percent} %")));
    if form::choice(ui, "scale", &mut percent, &choices) {
        *scale = percent as f32 / 100.0;
    }
}
