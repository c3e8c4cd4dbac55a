//! Submenu that lists characters, with a filter for many.

use egui::containers::menu::{MenuConfig, SubMenuButton};
use egui::{Button, Id, PopupCloseBehavior, RichText, ScrollArea, Ui};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::ICON_CHEVRON_RIGHT;

use super::{form, text_field};
use crate::i18n::tr;
use portamento_takes::document::FileId;

/// Number of characters up to which the submenu has no filter.
const MAX_WITHOUT_FILTER: usize = 8;
/// Size of the list, points.
const LIST_MIN_WIDTH: f32 = 160.0;
const LIST_MAX_HEIGHT: f32 = 360.0;

/// Draws a submenu of `characters`, and `entry` for each one that fits the filter. `title` is a locale key. Draws nothing without
/// characters.
pub fn submenu_of(
    ui: &mut Ui,
    icon: MaterialIcon,
    title: &str,
    characters: &[(FileId, String)],
    mut entry: impl FnMut(&mut Ui, FileId, &str),
) {
    if characters.is_empty() {
        return;
    }
    let text = RichText::new(format!("{}  {}", icon.codepoint, tr(title)));
    // A click into the filter must not close the menu; the items close it themselves.
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let button = Button::new(text).right_text(ICON_CHEVRON_RIGHT.codepoint);
    SubMenuButton::from_button(button).config(config).ui(ui, |ui| {
        ui.set_min_width(LIST_MIN_WIDTH);
        let filter = if characters.len() > MAX_WITHOUT_FILTER { filter(ui) } else { String::new() };
        ScrollArea::vertical().max_height(LIST_MAX_HEIGHT).show(ui, |ui| {
            for (index, (file, name)) in characters.iter().enumerate() {
                if name.to_lowercase().contains(&filter) {
                    ui.push_id(index, |ui| entry(ui, *file, name));
                }
            }
        });
    });
}

/// Draws the filter field. Returns its text in lower case.
fn filter(ui: &mut Ui) -> String {
    let id = Id::new("characters filter");
    let mut text = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_default();
    let hint = tr("outliner.filter");
    form::with_name(ui.add(text_field(&mut text, &hint).desired_width(f32::INFINITY)), &hint);
    let lower = text.to_lowercase();
    ui.data_mut(|data| data.insert_temp(id, text));
    lower
}
