//! One page of workspaces, mouse and keyboard shortcuts.

mod sections;
mod workspaces;

use egui::style::ScrollAnimation;
use egui::{Frame, Key, Label, Margin, Modifiers, RichText, ScrollArea, Ui, Vec2};

use super::{buttons, window};
use crate::app::App;
use crate::i18n::tr;
use crate::shortcuts::{self, key_text, keys_of};
use crate::{focus, theme};
use portamento_session::command::{self, CommandEntry};
use portamento_session::keymap::KeymapPreset;

/// Mouse actions, as label keys.
const MOUSE_ACTIONS: [&str; 9] = ["orbit", "pan", "zoom", "pick", "target", "snap", "axis", "typed", "scrub"];
/// Field actions, as label keys.
const FIELD_ACTIONS: [&str; 5] = ["drag", "type", "key", "reset", "panels"];

/// Width below which the page has one column, points.
const MIN_TWO_COLUMN_WIDTH: f32 = 560.0;

/// Draws the page while it is open.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    if !app.dialogs.help {
        return;
    }
    let height = (ctx.content_rect().height() - 200.0).max(160.0);
    let width = (ctx.content_rect().width() - 64.0).min(760.0);
    let (done, close) = window(ctx, "help", width, |ui| {
        let area = ScrollArea::vertical().max_height(height).auto_shrink([false, true]);
        let is_opening = std::mem::take(&mut app.dialogs.help_opens);
        let area = if is_opening { area.vertical_scroll_offset(0.0) } else { area };
        area.show(ui, |ui| {
            scroll_by_keys(ui, height);
            heading(ui, "help.workspaces");
            workspaces::ui(ui);
            ui.spacing_mut().item_spacing.x = 2.0 * theme::GAP_LARGE;
            // A narrow window uses one column.
            ui.columns(if width < MIN_TWO_COLUMN_WIDTH { 1 } else { 2 }, |columns| {
                columns.iter_mut().for_each(|ui| ui.spacing_mut().item_spacing.x = theme::GAP_MEDIUM);
                let right = columns.len() - 1;
                mouse(&mut columns[0]);
                fields(&mut columns[0]);
                group(&mut columns[0], "menu.file", &command::file_entries());
                group(&mut columns[0], "menu.edit", &command::edit_entries());
                group(&mut columns[0], "menu.help", &command::help_entries());
                group(&mut columns[right], "menu.view", &command::view_entries());
                group(&mut columns[right], "menu.playback", &command::transport_entries());
            });
            focus::scroll_to_focus(ui);
        });
        buttons(ui, |ui| ui.button(tr("dialog.close")).clicked())
    });
    app.dialogs.help = !(done || close);
}

/// Scrolls the page by keyboard, unless a text is being typed. `height` is the visible height, points.
pub(super) fn scroll_by_keys(ui: &mut Ui, height: f32) {
    if ui.ctx().text_edit_focused() {
        return;
    }
    let steps = [(Key::PageDown, 0.8 * height), (Key::ArrowDown, 40.0), (Key::Home, -f32::MAX), (Key::End, f32::MAX)];
    let back = [(Key::PageUp, -0.8 * height), (Key::ArrowUp, -40.0)];
    let pressed = |key: Key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key)) > 0;
    let moved = steps.into_iter().chain(back).find(|(key, _)| pressed(*key));
    if let Some((_, by)) = moved {
        ui.scroll_with_delta_animation(Vec2::new(0.0, -by.clamp(-1e5, 1e5)), ScrollAnimation::none());
    }
}

/// Draws the commands among `entries` that have keys, under a heading with the text of the locale key `title`.
fn group(ui: &mut Ui, title: &str, entries: &[CommandEntry]) {
    heading(ui, title);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for entry in entries {
            let keys: Vec<String> = keys_of(entry).iter().map(|keys| key_text(keys)).collect();
            if !keys.is_empty() {
                let what = tr(&format!("command.{}", entry.name));
                line(ui, &what, |ui| keys.iter().rev().for_each(|keys| cap(ui, keys)));
            }
        }
    });
    ui.add_space(theme::GAP_LARGE);
}

/// Draws the mouse actions of the preferred navigation.
fn mouse(ui: &mut Ui) {
    heading(ui, "help.mouse");
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for name in MOUSE_ACTIONS {
            let how = RichText::new(mouse_keys(name)).color(theme::of(ui).dim);
            line(ui, &tr(&format!("mouse.{name}")), |ui| {
                sections::mouse(ui, sections::MousePart::of(name, shortcuts::mouse()));
                ui.add(Label::new(how).truncate());
            });
        }
    });
    ui.add_space(theme::GAP_LARGE);
}

/// Returns the text of a mouse action in the chosen navigation style.
fn mouse_keys(name: &str) -> String {
    let is_of_camera = ["orbit", "pan", "zoom"].contains(&name);
    match shortcuts::mouse() {
        KeymapPreset::Blender if is_of_camera => tr(&format!("mouse.{name}.blender")),
        KeymapPreset::Maya if is_of_camera => tr(&format!("mouse.{name}.maya")),
        KeymapPreset::Unreal if is_of_camera => tr(&format!("mouse.{name}.unreal")),
        _ => tr(&format!("mouse.{name}.keys")),
    }
}

/// Draws the actions in number fields.
fn fields(ui: &mut Ui) {
    heading(ui, "help.fields");
    // Columns are justified, which would spread the words of a line.
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for name in FIELD_ACTIONS {
            ui.add(Label::new(tr(&format!("fields.{name}"))).wrap());
            let how = RichText::new(tr(&format!("fields.{name}.keys"))).font(theme::caption());
            ui.add(Label::new(how.color(theme::of(ui).dim)).wrap());
            ui.add_space(theme::GAP_SMALL);
        }
    });
    ui.add_space(theme::GAP_LARGE);
}

/// Draws the heading and the banner of the section with the locale key `key`.
fn heading(ui: &mut Ui, key: &str) {
    let title = tr(key);
    ui.label(RichText::new(&title).font(theme::strong()).color(theme::of(ui).accent));
    sections::banner(ui, key, &title);
}

/// Draws a row: the text `what` on the left, and what `keys` draws on the right.
fn line(ui: &mut Ui, what: &str, keys: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.set_min_height(theme::ROW);
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            keys(ui);
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                ui.add(Label::new(what).truncate());
            });
        });
    });
}

/// Draws the text `keys` as a key cap.
fn cap(ui: &mut Ui, keys: &str) {
    let tokens = theme::of(ui);
    let frame = Frame::new().fill(tokens.raised).stroke((1.0, tokens.line)).corner_radius(theme::RADIUS);
    frame.inner_margin(Margin::symmetric(6, 1)).show(ui, |ui| {
        ui.add(Label::new(RichText::new(keys).font(theme::caption()).color(tokens.text)).selectable(false));
    });
}
