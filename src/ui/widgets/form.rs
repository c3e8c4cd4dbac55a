//! Rows of a form: label left, field right. A double-click on the label or Backspace ([`reset`]) resets to the default.

use egui::{Align, CollapsingHeader, Id, InnerResponse, Label, Layout, Response, RichText, Sense, Ui, UiBuilder, Vec2};

use super::{list, middle, reset};
use crate::i18n::tr;
use crate::{keys, theme};
use portamento_base::named::Named;

/// Label width: fraction of the row, minimum and maximum in points.
const LABEL_WIDTH: (f32, f32, f32) = (0.36, 76.0, 164.0);

/// Draws a row labelled `form.KEY` with the tooltip `tip.KEY`, if there is one, and the reason why the setting cannot be keyed.
///
/// Returns true if the user requests the default; the caller sets it.
pub fn row(ui: &mut Ui, key: &str, field: impl FnOnce(&mut Ui)) -> bool {
    let why_not = keys::why_not(ui, key);
    with_default(ui, key, why_not, field)
}

/// Draws a row with a drop-down of all variants of an enum. Returns true if the user requests the default; the caller sets it.
///
/// The text of a variant is the translation of `pattern` with its name instead of `{}`.
pub fn named_row<T: Named + PartialEq>(ui: &mut Ui, key: &str, value: &mut T, pattern: &str) -> bool {
    let text = |each: &T| (*each, tr(&pattern.replace("{}", each.word())));
    let choices: Vec<(T, String)> = T::VARIANTS.iter().map(text).collect();
    row(ui, key, |ui| {
        choice(ui, key, value, &choices);
    })
}

/// Draws a row like [`row`] for a setting that can be keyed.
pub fn row_with_keys(ui: &mut Ui, key: &str, field: impl FnOnce(&mut Ui)) -> bool {
    with_default(ui, key, None, field)
}

/// Draws a row; `note` is the last line of its tooltip. Returns true if the user requests the default; the caller sets it.
fn with_default(ui: &mut Ui, key: &str, note: Option<String>, field: impl FnOnce(&mut Ui)) -> bool {
    reset::begin_row(ui);
    let row = labelled(ui, key, note, field);
    reset::end_row(ui, &row.response) || row.inner
}

/// Draws a row with the label `form.KEY`; `note` is the last line of its tooltip. The result is true if the label was
/// double-clicked.
fn labelled(ui: &mut Ui, key: &str, note: Option<String>, field: impl FnOnce(&mut Ui)) -> InnerResponse<bool> {
    let width = (ui.available_width() * LABEL_WIDTH.0).clamp(LABEL_WIDTH.1, LABEL_WIDTH.2);
    ui.horizontal(|ui| {
        ui.set_min_height(theme::ROW);
        let label = label(ui, &tr(&format!("form.{key}")), width);
        let is_asked = label.double_clicked();
        let tip = tr(&format!("tip.{key}"));
        let tip = Some(tip).filter(|tip| !tip.starts_with("tip.") && !tip.contains(".tip."));
        let reset_tip = tip.is_some().then(|| tr("tip.reset"));
        let tips: Vec<String> = [tip, reset_tip, note].into_iter().flatten().collect();
        if !tips.is_empty() {
            label.on_hover_text(tips.join("\n"));
        }
        ui.data_mut(|data| data.insert_temp(Id::new(ROW_NAME), tr(&format!("form.{key}"))));
        field(ui);
        ui.data_mut(|data| data.remove::<String>(Id::new(ROW_NAME)));
        is_asked
    })
}

/// Key under which the name of the current row is stored.
const ROW_NAME: &str = "form row";

/// Gives a control the accessible name of the row being drawn. Does nothing outside of a row.
pub fn named(response: Response) -> Response {
    match response.ctx.data(|data| data.get_temp::<String>(Id::new(ROW_NAME))) {
        Some(name) => with_name(response, &name),
        None => response,
    }
}

/// Gives a control an accessible name. If it has the focus, Backspace resets its row.
pub fn with_name(response: Response, name: &str) -> Response {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(name));
    reset::note_focus(&response);
    response
}

/// Gives a drop-down its row's name and, if `text` is truncated, a tooltip with the full text.
pub fn drop_down(ui: &Ui, response: Response, text: &str) -> Response {
    let spacing = ui.spacing();
    let padding = 2.0 * spacing.button_padding.x + spacing.icon_spacing + spacing.icon_width;
    let is_cut = middle::width(ui, text, &theme::body()) > response.rect.width() - padding;
    let response = named(response);
    if is_cut { response.on_hover_text(text) } else { response }
}

/// Draws a checkbox named after its row.
pub fn tick(ui: &mut Ui, value: &mut bool) -> Response {
    named(ui.checkbox(value, ""))
}

/// Draws the label of a row, shortened to `width` points. It reacts to clicks.
fn label(ui: &mut Ui, text: &str, width: f32) -> Response {
    let size = Vec2::new(width, theme::ROW);
    let dim = theme::of(ui).dim;
    let layout = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_width(width);
        ui.add(Label::new(RichText::new(text).color(dim)).truncate().sense(Sense::CLICK))
    })
    .inner
}

/// Draws a read-only row labelled `form.KEY`.
pub fn fact(ui: &mut Ui, key: &str, value: impl Into<String>) {
    labelled(ui, key, None, |ui| {
        ui.add(Label::new(value.into()).truncate());
    });
}

/// Draws a collapsible section titled `section.KEY`. It is initially expanded if `open`.
pub fn section(ui: &mut Ui, key: &str, open: bool, body: impl FnOnce(&mut Ui)) {
    // The id depends only on the key, so that fields keep the focus when warnings above appear.
    let builder = UiBuilder::new().id(ui.id().with(("section", key)));
    ui.scope_builder(builder, |ui| {
        let title = RichText::new(tr(&format!("section.{key}"))).font(theme::strong());
        // Space between the triangle and the title.
        ui.spacing_mut().indent = ui.spacing().icon_width;
        CollapsingHeader::new(title).id_salt(key).default_open(open).show_unindented(ui, body);
        let line = theme::of(ui).line;
        let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 1.0), Sense::hover());
        ui.painter().rect_filled(rect, 0.0, line);
    });
}

/// Draws a drop-down of `choices` (value and text). `id` is its unique id in `ui`. Returns true if another was chosen.
pub fn choice<T: PartialEq + Copy>(ui: &mut Ui, id: &str, value: &mut T, choices: &[(T, String)]) -> bool {
    let before = *value;
    let shown = choices.iter().find(|(each, _)| each == value).map_or_else(String::new, |(_, text)| text.clone());
    let width = ui.available_width();
    let combo = egui::ComboBox::from_id_salt(id).width(width).truncate().selected_text(&shown);
    let list = combo.show_ui(ui, |ui| {
        for (each, text) in choices {
            list::value(ui, value, *each, text);
        }
    });
    drop_down(ui, list.response, &shown);
    before != *value
}

#[cfg(test)]
mod tests {
    use egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::fonts;
    use crate::widgets::number::{Field, Unit, number};
    use portamento_session::appearance::Appearance;

    #[test]
    fn a_truncated_drop_down_shows_its_full_text_as_tooltip() {
        let long = "a choice that is longer than its list";
        for (width, is_cut) in [(120.0, true), (600.0, false)] {
            let mut chosen = 0;
            let mut harness = Harness::new_ui(move |ui| {
                ui.set_max_width(width);
                choice(ui, "list", &mut chosen, &[(0, long.to_owned())]);
            });
            harness.run_steps(4);
            let list = harness.get_by_role(egui::accesskit::Role::ComboBox);
            let at = list.rect().center();
            let before = harness.query_all_by_label(long).count();
            harness.event(egui::Event::PointerMoved(at));
            harness.run_steps(60);
            assert_eq!(harness.query_all_by_label(long).count() > before, is_cut, "{width}");
        }
    }

    #[test]
    fn a_field_keeps_the_focus_while_warnings_above_come_and_go() {
        // Each entered value adds one line above.
        let mut values = [0.0; 2];
        let mut is_set_up = false;
        let mut harness = Harness::new_ui(|ui| {
            if !std::mem::replace(&mut is_set_up, true) {
                // Fonts are available from the next frame on.
                fonts::install(ui.ctx(), None);
                theme::apply(ui.ctx(), Appearance::default());
                return;
            }
            (0..values.iter().filter(|value| **value != 0.0).count()).for_each(|_| drop(ui.label("warning")));
            section(ui, "walk_stops", true, |ui| {
                number(ui, "first", &mut values[0], Field::new(Unit::Metres));
                number(ui, "second", &mut values[1], Field::new(Unit::Metres));
            });
        });
        harness.run();
        harness.get_by_label("first").focus();
        harness.run();
        for value in ["7", "-2"] {
            harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
            harness.event(egui::Event::Text(value.to_owned()));
            harness.run();
            harness.key_press(Key::Tab);
            harness.run();
        }
        drop(harness);
        assert_eq!(values, [7.0, -2.0]);
    }
}
