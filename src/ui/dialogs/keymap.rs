//! Editor of the keyboard shortcuts. Conflicts are reported.

use egui::{Button, Event, Grid, Key, RichText, ScrollArea, Ui};
use egui_material_icons::icons::{ICON_CLOSE, ICON_REPLAY, ICON_WARNING};

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{tr, tr_with};
use crate::shortcuts::{key_text, written};
use crate::widgets::form;
use crate::{focus, theme, widgets};
use portamento_session::command::{self, CommandEntry};
use portamento_session::keymap::{KeyClash, Keymap};

/// State of the open editor.
#[derive(Debug, Default)]
pub struct KeymapEditor {
    /// The search text.
    words: String,
    /// The command that waits for a new shortcut.
    waits: Option<&'static str>,
}

/// Draws the editor while it is open. Changes apply immediately.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(mut editor) = app.dialogs.keymap.take() else { return };
    let keymap = &mut app.session.preferences.keymap;
    editor.listen(ctx, keymap);
    let height = (ctx.content_rect().height() - 240.0).max(160.0);
    let (done, close) = window(ctx, "keymap", 520.0, |ui| {
        let words = ui.add(widgets::text_field(&mut editor.words, &tr("keymap.search")).desired_width(f32::INFINITY));
        form::with_name(words, &tr("keymap.search"));
        let clashes = keymap.clashes();
        clash_row(ui, &clashes);
        ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
            editor.rows(ui, keymap, &clashes);
            focus::scroll_to_focus(ui);
        });
        buttons(ui, |ui| {
            let done = ui.button(tr("dialog.close")).clicked();
            if ui.button(tr("dialog.defaults")).clicked() {
                keymap.changed.clear();
            }
            done
        })
    });
    if !(done || close) {
        app.dialogs.keymap = Some(editor);
    }
}

/// Draws the first conflict, or a text that there is none. The height is constant.
fn clash_row(ui: &mut Ui, clashes: &[KeyClash]) {
    match clashes {
        [] => drop(widgets::caption(ui, tr("keymap.no_clash"))),
        [first, ..] => {
            let [one, other] = first.names.map(|name| tr(&format!("command.{name}")));
            let values = [("keys", key_text(&first.keys)), ("one", one), ("other", other)];
            widgets::remark(ui, ICON_WARNING, theme::of(ui).warning, &tr_with("keymap.clash", &values));
        }
    }
}

impl KeymapEditor {
    /// Takes the next key for the waiting command. Esc cancels.
    fn listen(&mut self, ctx: &egui::Context, keymap: &mut Keymap) {
        let Some(name) = self.waits else { return };
        let pressed = ctx.input_mut(|input| {
            let at = input.events.iter().position(|event| matches!(event, Event::Key { pressed: true, .. }));
            at.map(|at| input.events.remove(at))
        });
        let Some(Event::Key { key, modifiers, .. }) = pressed else { return };
        self.waits = None;
        let entry = command::catalogue().into_iter().find(|entry| entry.name == name);
        if let (Some(entry), Some(keys)) = (entry, written(key, modifiers).filter(|_| key != Key::Escape)) {
            keymap.set(&entry, vec![keys]);
        }
    }

    /// Draws a row with the keys of each command whose label contains the search text.
    fn rows(&mut self, ui: &mut Ui, keymap: &mut Keymap, clashes: &[KeyClash]) {
        let words = self.words.to_lowercase();
        Grid::new("keymap").num_columns(2).spacing([theme::GAP_LARGE, 2.0]).show(ui, |ui| {
            for entry in command::catalogue() {
                let label = tr(&format!("command.{}", entry.name));
                if label.to_lowercase().contains(&words) {
                    ui.add_sized([300.0, theme::ROW], egui::Label::new(&label).truncate().halign(egui::Align::LEFT));
                    ui.push_id(entry.name, |ui| self.keys(ui, keymap, &entry, clashes));
                    ui.end_row();
                }
            }
        });
    }

    /// Draws the shortcut of a command with buttons to change, remove and restore it.
    fn keys(&mut self, ui: &mut Ui, keymap: &mut Keymap, entry: &CommandEntry, clashes: &[KeyClash]) {
        let tokens = theme::of(ui);
        let label = tr(&format!("command.{}", entry.name));
        let keys = keymap.keys(entry);
        let is_shared = clashes.iter().any(|clash| keys.contains(&clash.keys));
        let waits = self.waits == Some(entry.name);
        ui.horizontal(|ui| {
            let text = match () {
                () if waits => tr("keymap.press"),
                () if keys.is_empty() => "–".to_owned(),
                () => keys.iter().map(|keys| key_text(keys)).collect::<Vec<_>>().join("   "),
            };
            let ink = match () {
                () if waits => tokens.accent,
                () if is_shared => tokens.warning,
                () => tokens.text,
            };
            let button = ui.add(Button::new(RichText::new(text).color(ink)).min_size([120.0, theme::ROW].into()));
            let named = widgets::named(button, &tr_with("keymap.key_of", &[("command", label.clone())]));
            if named.clicked() {
                self.waits = (!waits).then_some(entry.name);
            }
            if !keys.is_empty()
                && widgets::icon_button(ui, ICON_CLOSE, &tr_with("keymap.none", &[("command", label.clone())]))
                    .clicked()
            {
                keymap.set(entry, Vec::new());
            }
            if keymap.changed.contains_key(entry.name)
                && widgets::icon_button(ui, ICON_REPLAY, &tr_with("keymap.back", &[("command", label)])).clicked()
            {
                keymap.changed.remove(entry.name);
            }
        });
    }
}
