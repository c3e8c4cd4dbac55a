//! What was done; a click goes there.

use egui::{Button, RichText, ScrollArea, Ui, Vec2};
use serde_json::Value;

use crate::document::Change;
use crate::document::change::SettingsEdit;
use crate::document::field_edit::FieldEdit;
use crate::session::{Command, EditCommand, Session};
use crate::ui::i18n::{tr, tr_with};
use crate::ui::{focus, theme};

/// Draws the list, newest at the bottom.
pub fn history_ui(ui: &mut Ui, session: &mut Session) {
    let current = session.history.current();
    let mut wanted = None;
    ScrollArea::vertical().auto_shrink(false).stick_to_bottom(true).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (index, entry) in session.history.entries().iter().enumerate() {
            let tokens = theme::of(ui);
            let color = if index > current { tokens.dim } else { tokens.text };
            let fill = if index == current { ui.visuals().selection.bg_fill } else { egui::Color32::TRANSPARENT };
            let words = change_text(&entry.change);
            let button =
                Button::new(RichText::new(&words).color(color)).fill(fill).stroke(egui::Stroke::NONE).truncate();
            // Whole, since a row may be cut.
            if ui.add(button.min_size(Vec2::new(ui.available_width(), theme::ROW))).on_hover_text(words).clicked() {
                wanted = Some(index);
            }
        }
        focus::follow(ui);
    });
    if let Some(index) = wanted {
        session.perform(Command::Edit(EditCommand::GoToHistory(index)));
    }
}

/// What a step did, in the user's language.
fn change_text(change: &Change) -> String {
    let take = change.take().unwrap_or_default().to_owned();
    let other = match change {
        Change::RenameTake(before, _) => before.clone(),
        Change::EditSource(edit) => setting(edit).unwrap_or_else(|| tr(&format!("change.edit_{}", edit.kind))),
        Change::EditStage(edit) => match setting(edit) {
            Some(setting) => format!("{} · {setting}", tr(&format!("stage.{}", edit.kind))),
            None => tr(&format!("stage.{}", edit.kind)),
        },
        Change::MuteStage(stage, _) | Change::UnmuteStage(stage, _) => tr(&format!("stage.{stage}")),
        _ => String::new(),
    };
    tr_with(&format!("change.{}", change.name()), &[("take", take), ("other", other)])
}

/// The setting that was changed and what it is now: `Target Z 5`.
fn setting(edit: &SettingsEdit) -> Option<String> {
    let FieldEdit { path, value } = edit.field.as_ref()?;
    let names: Vec<String> =
        path.iter().filter(|name| !CONTAINERS.contains(&&***name)).map(|name| label(name)).collect();
    let kept = names.len().saturating_sub(MOST_NAMES);
    let value = words_of(path.last()?, value);
    Some([names[kept..].join(" "), value].iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" "))
}

/// What stands around settings and says nothing of them.
const CONTAINERS: [&str; 5] = ["world", "value", "tree", "scenario", "kind"];
/// Names of a setting that are told, from the innermost: a window, its target and the axis.
const MOST_NAMES: usize = 4;

/// A setting's name as forms have it.
fn label(name: &str) -> String {
    let known = ["form", "section", "setting"].iter().map(|group| format!("{group}.{name}"));
    let known = known.map(|key| (tr(&key), key)).find(|(text, key)| text != key);
    known.map_or_else(|| name.replace('_', " "), |(text, _)| text)
}

/// A value where it is short; nothing for lists and groups of settings.
fn words_of(name: &str, value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Bool(on) => tr(if *on { "setting.on" } else { "setting.off" }),
        Value::Number(number) => rounded(number.as_f64().unwrap_or_default()),
        Value::String(word) => {
            let key = format!("{name}.{word}");
            let text = tr(&key);
            if text == key { word.clone() } else { text }
        }
        Value::Array(all) if (1..=4).contains(&all.len()) && all.iter().all(Value::is_number) => {
            all.iter().map(|each| words_of(name, each)).collect::<Vec<_>>().join(", ")
        }
        Value::Object(all) if all.len() == 1 => {
            all.iter().map(|(name, value)| words_of(name, value)).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

/// With three digits after the point at most, and none that say nothing.
fn rounded(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ui::i18n;

    #[test]
    fn a_changed_setting_is_told_by_its_name_in_the_form_and_its_value() {
        i18n::use_language("en");
        let told = |path: &[&str], value: Value| {
            let path = path.iter().map(|name| (*name).to_owned()).collect();
            let field = Some(FieldEdit { path, value });
            change_text(&Change::EditStage(SettingsEdit { kind: "stretch", take: "leap".into(), field }))
        };
        assert_eq!(told(&["target", "world", "z"], json!(5.25)), "Stretch · Target Z 5.25: leap");
        assert_eq!(told(&["windows", "2", "end"], json!(1.0)), "Stretch · Windows 2 End 1: leap");
        assert_eq!(told(&["target"], json!({ "world": [0.0, -0.0, 5.12345] })), "Stretch · Target 0, 0, 5.123: leap");
        assert_eq!(told(&["feet"], json!(true)), "Stretch · Feet on: leap");
        assert_eq!(told(&["method"], json!("uniform")), format!("Stretch · Method {}: leap", tr("method.uniform")));
        assert_eq!(told(&["windows"], json!([{ "start": 0 }])), "Stretch · Windows: leap");
    }
}
