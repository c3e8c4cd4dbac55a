//! Name field that applies its text when the focus leaves. Esc cancels.

use egui::{FontId, Id, Response, TextEdit, Ui};

use super::{escape, form, text_field};
use crate::theme;

/// Builder of a name field.
pub struct NameField<'a> {
    label: &'a str,
    width: f32,
    font: FontId,
    is_framed: bool,
}

impl<'a> NameField<'a> {
    /// Returns a field named `label`, as wide as the row.
    pub fn new(label: &'a str) -> Self {
        Self { label, width: f32::INFINITY, font: theme::body(), is_framed: true }
    }

    /// Sets the width in points, without margins.
    pub fn with_width(self, width: f32) -> Self {
        Self { width, ..self }
    }

    /// Uses the bold font of titles.
    pub fn strong(self) -> Self {
        Self { font: theme::strong(), ..self }
    }

    /// Removes the frame.
    pub fn frameless(self) -> Self {
        Self { is_framed: false, ..self }
    }

    /// Draws the field. Sets `name` to the trimmed text when the focus leaves, unless it is empty or Esc was pressed.
    pub fn ui(self, ui: &mut Ui, name: &mut String) -> Response {
        escape::note(ui.ctx());
        let id = ui.id().with(("name field", self.label));
        let typed: Option<Typed> = ui.data(|data| data.get_temp(id));
        let typed = typed.filter(|typed| typed.before == *name);
        let mut text = typed.map_or_else(|| name.clone(), |typed| typed.text);
        let response = form::with_name(ui.add(self.edit(&mut text, id)), self.label);
        if response.has_focus() {
            ui.data_mut(|data| data.insert_temp(id, Typed { before: name.clone(), text }));
        } else if response.lost_focus() {
            ui.data_mut(|data| data.remove::<Typed>(id));
            let text = text.trim();
            if !text.is_empty() && !escape::is_given_up(ui.ctx()) {
                *name = text.to_owned();
            }
        }
        response
    }

    /// Returns the text field that edits `text`.
    fn edit<'t>(&self, text: &'t mut String, id: Id) -> TextEdit<'t> {
        let edit =
            if self.is_framed { text_field(text, "") } else { TextEdit::singleline(text).frame(egui::Frame::NONE) };
        edit.id(id).font(self.font.clone()).desired_width(self.width)
    }
}

/// The typed text, and the name it replaces.
#[derive(Clone)]
struct Typed {
    before: String,
    text: String,
}

#[cfg(test)]
mod tests {
    use egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;

    /// Types `text` and presses `key`. Returns the name while typing and afterwards.
    fn typed(text: &str, key: Key) -> [String; 2] {
        let mut name = "leap".to_owned();
        let mut harness =
            Harness::new_ui_state(|ui, name: &mut String| drop(NameField::new("it").ui(ui, name)), name.clone());
        harness.run();
        harness.get_by_label("it").focus();
        harness.run();
        harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
        harness.event(egui::Event::Text(text.to_owned()));
        harness.run();
        let meanwhile = harness.state().clone();
        harness.key_press(key);
        harness.run_steps(4);
        name.clone_from(harness.state());
        [meanwhile, name]
    }

    #[test]
    fn a_name_is_taken_when_its_field_is_left_and_given_up_by_escape() {
        assert_eq!(typed("dash ", Key::Enter), ["leap", "dash"]);
        assert_eq!(typed("dash", Key::Escape), ["leap", "leap"]);
        assert_eq!(typed(" ", Key::Enter), ["leap", "leap"]);
    }
}
