//! Forms that are drawn from the table of settings alone.

use egui::Ui;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::unit_of;
use crate::i18n::tr;
use crate::widgets::form;
use crate::widgets::number::{Field, Unit, number};
use portamento_session::recipe::Expected;
use portamento_takes::document::setting::{Described, Measure, Row};

/// Draws the settings at the top level of `settings` whose path `is_shown`, in the order of their table. Reset restores the
/// default value.
pub fn setting_rows<S>(ui: &mut Ui, settings: &mut S, is_shown: impl Fn(&str) -> bool)
where
    S: Described + Serialize + DeserializeOwned + Default,
{
    let (old, default) = (json!(settings), json!(S::default()));
    let mut new = old.clone();
    let is_top_level = |row: &&Row| !row.path.contains(['/', '*']);
    for row in S::ROWS.iter().copied().flatten().filter(is_top_level).filter(|row| is_shown(row.path)) {
        let choices = || choices::<S>(&old, row.path);
        let Some(value) = new.get_mut(row.path) else { continue };
        let is_reset = form::row(ui, key(row), |ui| value_control(ui, row, value, choices));
        if is_reset {
            value.clone_from(&default[row.path]);
        }
    }
    if new != old
        && let Ok(changed) = S::deserialize(new)
    {
        *settings = changed;
    }
}

/// Returns the translation key of the row, without `form.` and `tip.`.
fn key(row: &Row) -> &'static str {
    row.word.strip_prefix("form.").unwrap_or(row.word)
}

/// Returns the words that are valid at `path` of `settings`; empty if it is no choice.
fn choices<S: DeserializeOwned>(settings: &Value, path: &str) -> &'static [&'static str] {
    let mut changed = settings.clone();
    changed[path] = "?".into();
    Expected::by::<S>(&changed).map_or(&[], Expected::variants)
}

/// Draws the control of a switch, a choice, a number, or a number that can be turned off, and changes `value`.
fn value_control(ui: &mut Ui, row: &Row, value: &mut Value, choices: impl FnOnce() -> &'static [&'static str]) {
    if let Value::Bool(on) = value {
        form::tick(ui, on);
        return;
    }
    if let Measure::Choice(texts) = row.measure {
        let named: Vec<_> = choices().iter().map(|name| (*name, tr(&format!("{texts}{name}")))).collect();
        let mut chosen = value.as_str().unwrap_or_default();
        if form::choice(ui, key(row), &mut chosen, &named) {
            *value = chosen.into();
        }
        return;
    }
    if let Some(usual) = row.when_on {
        let mut on = !value.is_null();
        if form::tick(ui, &mut on).changed() {
            *value = if on { usual.into() } else { Value::Null };
        }
    }
    if let Some(mut shown) = value.as_f64() {
        let [low, high] = row.range;
        let field = Field::new(unit_of(row.measure).unwrap_or(Unit::Plain)).within(low, high);
        if number(ui, &tr(row.word), &mut shown, field).changed() {
            *value = shown.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::accesskit::Role;
    use egui::{Event, Key};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::widgets::reset;
    use crate::{fonts, theme};
    use portamento_repair::close::{ChangedSide, Cycle, Settings};
    use portamento_session::appearance::Appearance;
    use portamento_takes::document::stage::Ground;

    fn window<S: Described + Serialize + DeserializeOwned + Default>(settings: S) -> Harness<'static, (bool, S)> {
        let mut window = Harness::new_ui_state(
            |ui, (is_set_up, settings): &mut (bool, S)| {
                if !std::mem::replace(is_set_up, true) {
                    fonts::install(ui.ctx(), None);
                    theme::apply(ui.ctx(), Appearance::default());
                    return;
                }
                reset::take_backspace(ui.ctx());
                setting_rows(ui, settings, |path| path != "span");
            },
            (false, settings),
        );
        window.run();
        window
    }

    #[test]
    fn backspace_resets_numbers_choices_and_switches_to_their_defaults() {
        let changed = Settings { seam: 1.0, side: ChangedSide::Start, cycle: Cycle::Kept, feet: false };
        let mut window = window(changed.clone());
        assert_eq!(window.state().1, changed, "drawing alone changes nothing");
        for role in [Role::SpinButton, Role::ComboBox, Role::CheckBox] {
            let rows: Vec<_> = window.query_all_by_role(role).map(|control| control.rect().center()).collect();
            assert_eq!(rows.len(), if role == Role::ComboBox { 2 } else { 1 });
            for row in rows {
                window.event(Event::PointerMoved(row));
                window.run();
                window.key_press(Key::Backspace);
                window.run();
            }
        }
        assert_eq!(window.state().1, Settings::default());
    }

    #[test]
    fn a_number_that_is_turned_on_gets_its_usual_value_and_is_limited_to_its_range() {
        let mut window = window(Ground::default());
        assert_eq!(window.query_all_by_role(Role::SpinButton).count(), 1, "only the softness");
        window.query_all_by_role(Role::CheckBox).last().unwrap().click();
        window.run();
        assert_eq!(window.state().1.settings.sole, Some(0.02));
        window.query_all_by_role(Role::SpinButton).last().unwrap().focus();
        window.run();
        window.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
        window.event(Event::Text("99".to_owned()));
        window.run();
        window.key_press(Key::Tab);
        window.run();
        assert_eq!(window.state().1.settings.sole, Some(10.0));
    }
}
