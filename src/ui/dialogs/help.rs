//! Keys and mouse on one page.

use egui::{Grid, RichText, ScrollArea, Ui};

use super::{buttons, first_steps, window};
use crate::session::command::{self, CommandEntry};
use crate::session::keymap::KeymapPreset;
use crate::ui::app::App;
use crate::ui::i18n::tr;
use crate::ui::shortcuts::{self, keys_of, shown};
use crate::ui::theme;

/// What the mouse does, as rows of translations.
const MOUSE: [&str; 9] = ["orbit", "pan", "zoom", "pick", "target", "snap", "axis", "typed", "scrub"];

/// Draws the page while it is open.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    if !app.dialogs.help {
        return;
    }
    let height = (ctx.content_rect().height() - 200.0).max(160.0);
    let (done, close) = window(ctx, "help", 700.0, |ui| {
        ScrollArea::vertical().max_height(height).show(ui, |ui| {
            first_steps::list(ui, &app.session, app.workspace);
            ui.columns(2, |columns| {
                group(&mut columns[0], "menu.file", &command::file_entries());
                group(&mut columns[0], "menu.edit", &command::edit_entries());
                mouse(&mut columns[0]);
                group(&mut columns[1], "menu.playback", &command::transport_entries());
                group(&mut columns[1], "menu.view", &command::view_entries());
            });
        });
        buttons(ui, |ui| ui.button(tr("dialog.close")).clicked())
    });
    app.dialogs.help = !(done || close);
}

fn group(ui: &mut Ui, title: &str, entries: &[CommandEntry]) {
    heading(ui, title);
    Grid::new(title).num_columns(2).spacing([theme::LARGE, 2.0]).show(ui, |ui| {
        for entry in entries {
            let keys: Vec<String> = keys_of(entry).iter().map(|keys| shown(keys)).collect();
            if keys.is_empty() {
                continue;
            }
            line(ui, &keys.join("  "), &tr(&format!("command.{}", entry.name)));
        }
    });
    ui.add_space(theme::LARGE);
}

fn mouse(ui: &mut Ui) {
    heading(ui, "help.mouse");
    Grid::new("mouse").num_columns(2).spacing([theme::LARGE, 2.0]).show(ui, |ui| {
        for name in MOUSE {
            line(ui, &mouse_keys(name), &tr(&format!("mouse.{name}")));
        }
    });
}

/// What of the mouse does `name`, as it is chosen to move the camera.
fn mouse_keys(name: &str) -> String {
    let is_of_camera = ["orbit", "pan", "zoom"].contains(&name);
    match shortcuts::mouse() {
        KeymapPreset::Blender if is_of_camera => tr(&format!("mouse.{name}.blender")),
        KeymapPreset::Maya if is_of_camera => tr(&format!("mouse.{name}.maya")),
        KeymapPreset::Unreal if is_of_camera => tr(&format!("mouse.{name}.unreal")),
        _ => tr(&format!("mouse.{name}.keys")),
    }
}

fn heading(ui: &mut Ui, key: &str) {
    ui.label(RichText::new(tr(key)).font(theme::strong()).color(theme::of(ui).accent));
}

fn line(ui: &mut Ui, keys: &str, what: &str) {
    ui.label(RichText::new(keys).color(theme::of(ui).dim));
    ui.label(what);
    ui.end_row();
}
