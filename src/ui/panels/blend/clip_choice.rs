//! A drop-down of clips.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{ComboBox, PopupCloseBehavior, RichText, ScrollArea, Ui};

use super::choice::{Choice, title};
use crate::i18n::tr;
use crate::panels::clip_drop::dropped;
use crate::widgets::filter::Filter;
use crate::widgets::{form, list};
use crate::{focus, theme};
use portamento_takes::document::FileId;

/// Draws a drop-down that sets `clip`, and accepts a dropped clip. Choosing a clip of another file also adds that file to
/// `files`. `id` is unique in the panel.
pub fn clip_choice(ui: &mut Ui, id: &str, clip: &mut String, files: &mut Vec<FileId>, clips: &[Choice]) {
    let tokens = theme::of(ui);
    let known = clips.iter().find(|choice| choice.clip == *clip);
    let shown = if clip.is_empty() { tr("blend.no_clip") } else { title(clips, clip) };
    let text = RichText::new(&shown).color(if known.is_some() { tokens.text } else { tokens.error });
    let combo = ComboBox::from_id_salt(id).width(ui.available_width()).truncate().selected_text(text);
    let chosen = clip.clone();
    let mut pick = |choice: &Choice| {
        clip.clone_from(&choice.clip);
        let file = choice.file.as_ref().map(|(file, _)| *file).filter(|file| !files.contains(file));
        files.extend(file);
    };
    let slot = combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
        list_of(ui, &chosen, clips).into_iter().for_each(&mut pick);
    });
    form::drop_down(ui, slot.response.clone(), &shown);
    dropped(ui, &slot.response, clips).into_iter().for_each(pick);
}

/// Draws a button labelled `text` that opens the list of clips. Returns the chosen clip.
pub fn clip_menu<'c>(ui: &mut Ui, text: &str, clips: &'c [Choice]) -> Option<&'c Choice> {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let button = MenuButton::new(text).config(config);
    button.ui(ui, |ui| list_of(ui, "", clips)).1.and_then(|list| list.inner)
}

/// Draws the list of clips with its filter; the clip named `chosen` is highlighted. Returns the clicked clip, or the first one on
/// Enter.
fn list_of<'c>(ui: &mut Ui, chosen: &str, clips: &'c [Choice]) -> Option<&'c Choice> {
    let tokens = theme::of(ui);
    let filter = Filter::show(ui, clips.len());
    let (mut is_entered, mut picked) = (filter.is_entered, None);
    ScrollArea::vertical().max_height(288.0).show(ui, |ui| {
        for choice in clips.iter().filter(|choice| filter.fits(&choice.label())) {
            let mut text = egui::text::LayoutJob::simple_singleline(choice.label(), theme::body(), tokens.text);
            if let Some((_, name)) = &choice.file {
                text.append(name, 8.0, egui::TextFormat::simple(theme::caption(), tokens.dim));
            }
            if list::label(ui, chosen == choice.clip, text).clicked() || std::mem::take(&mut is_entered) {
                picked = Some(choice);
                ui.close();
            }
        }
        focus::scroll_to_focus(ui);
    });
    picked
}
