//! Chain presets: built-in ones and the user's.

use egui::{RichText, Ui};
use egui_material_icons::icons::{ICON_BOOKMARK, ICON_DELETE, ICON_EDIT, ICON_EXPAND_MORE, ICON_SAVE, ICON_SHARE};

use crate::i18n::tr;
use crate::widgets::form;
use crate::widgets::name_field::NameField;
use crate::{theme, widgets};
use portamento_dynamics::{Chain, Preset};
use portamento_session::{ChainPreset, Command, Session, WindowCommand};

/// Draws the menu that applies, saves, renames and shares presets.
pub(super) fn presets_row(ui: &mut Ui, session: &mut Session, chain: &mut Chain) {
    form::row(ui, "preset", |ui| {
        let shown = shown_name(session, chain);
        let text = format!("{shown}  {}", ICON_EXPAND_MORE.codepoint);
        let width = ui.available_width();
        let button = egui::Button::new(text).min_size(egui::vec2(width, theme::ROW));
        let (response, _) =
            egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| menu(ui, session, chain));
        widgets::named(response, &tr("form.preset"));
    });
}

/// Returns the name of the preset that would not change the chain, or “Custom”.
fn shown_name(session: &Session, chain: &Chain) -> String {
    let same = |apply: &dyn Fn(&mut Chain)| {
        let mut other = chain.clone();
        apply(&mut other);
        other == *chain
    };
    let built_in = Preset::ALL.into_iter().find(|preset| same(&|chain| preset.apply(chain)));
    let own = || session.preferences.presets.iter().find(|preset| same(&|chain| preset.apply(chain)));
    built_in.map(title).or_else(|| own().map(|preset| preset.name.clone())).unwrap_or_else(|| tr("preset.custom"))
}

/// Returns the translated name of a built-in preset.
fn title(preset: Preset) -> String {
    tr(&format!("preset.{}", preset.name()))
}

/// Draws the built-in presets and those of the user, which apply to `chain`, and the entry that saves `chain` as one.
fn menu(ui: &mut Ui, session: &mut Session, chain: &mut Chain) {
    for preset in Preset::ALL {
        if ui.button(title(preset)).clicked() {
            preset.apply(chain);
        }
    }
    if !session.preferences.presets.is_empty() {
        ui.separator();
    }
    let mut removed = None;
    for index in 0..session.preferences.presets.len() {
        let name = session.preferences.presets[index].name.clone();
        ui.menu_button(format!("{}  {name}", ICON_BOOKMARK.codepoint), |ui| {
            if own_preset(ui, session, index, chain) {
                removed = Some(index);
            }
        });
    }
    if let Some(index) = removed {
        session.preferences.presets.remove(index);
    }
    ui.separator();
    if ui.button(item(ICON_SAVE.codepoint, "preset.save")).clicked() {
        let name = free_name(session, &chain.name);
        session.keep_preset(ChainPreset::from_chain(&name, chain));
    }
}

/// Returns the label of a menu entry with an icon; `key` is its locale key.
fn item(icon: &str, key: &str) -> RichText {
    RichText::new(format!("{icon}  {}", tr(key)))
}

/// Draws the menu of the user preset at `index`: apply to `chain`, rename, share, remove. Returns true if it should be removed.
fn own_preset(ui: &mut Ui, session: &mut Session, index: usize, chain: &mut Chain) -> bool {
    if ui.button(tr("preset.use")).clicked() {
        session.preferences.presets[index].apply(chain);
        ui.close();
    }
    ui.horizontal(|ui| {
        ui.label(ICON_EDIT.codepoint);
        let name = &mut session.preferences.presets[index].name;
        NameField::new(&tr("preset.name")).with_width(140.0).ui(ui, name);
    });
    if ui.button(item(ICON_SHARE.codepoint, "preset.share")).clicked() {
        session.perform(Command::Window(WindowCommand::AskSavePreset(index)));
        ui.close();
    }
    let removed = ui.button(item(ICON_DELETE.codepoint, "preset.remove")).clicked();
    if removed {
        ui.close();
    }
    removed
}

/// Returns `name`, with the lowest free number from 2 appended if a user preset has that name.
fn free_name(session: &Session, name: &str) -> String {
    let taken = |name: &str| session.preferences.presets.iter().any(|preset| preset.name == name);
    let numbered = (2..).map(|number| format!("{name} {number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}
