//! What was done; a click goes there.

use egui::{Button, RichText, ScrollArea, Ui, Vec2};
use serde_json::Value;

use crate::document::Change;
use crate::document::change::SettingsEdit;
use crate::document::field_edit::FieldEdit;
use crate::session::{Command, EditCommand, Session};
use crate::ui::i18n::{tr, tr_with};
use crate::ui::units::{Measure, Unit, measure_of};
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
            let words = change_text(&entry.change, file_unit(session, &entry.change));
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

/// Metres in a unit of the file whose character the changed take has; `None` where that take is gone or has another name now.
fn file_unit(session: &Session, change: &Change) -> Option<f64> {
    let name = change.take()?;
    let take = session.document.takes.iter().find(|take| take.name == name)?;
    Some(session.document.file(take.character)?.metres_per_unit)
}

/// What a step did, in the user's language.
fn change_text(change: &Change, file_unit: Option<f64>) -> String {
    let take = change.take().unwrap_or_default().to_owned();
    let other = match change {
        Change::RenameTake(before, _) => before.clone(),
        Change::EditSource(edit) => {
            setting(edit, file_unit).unwrap_or_else(|| tr(&format!("change.edit_{}", edit.kind)))
        }
        Change::EditStage(edit) => match setting(edit, file_unit) {
            Some(setting) => format!("{} · {setting}", tr(&format!("stage.{}", edit.kind))),
            None => tr(&format!("stage.{}", edit.kind)),
        },
        Change::MuteStage(stage, _) | Change::UnmuteStage(stage, _) => tr(&format!("stage.{stage}")),
        _ => String::new(),
    };
    tr_with(&format!("change.{}", change.name()), &[("take", take), ("other", other)])
}

/// The setting that was changed and what it is now: `Target Z 5 m`.
fn setting(edit: &SettingsEdit, file_unit: Option<f64>) -> Option<String> {
    let FieldEdit { path, value } = edit.field.as_ref()?;
    let told = path.iter().enumerate().filter(|(_, name)| !CONTAINERS.contains(&&***name));
    let names: Vec<String> = told.map(|(at, name)| label(edit.kind, &path[..at], name)).collect();
    let kept = names.len().saturating_sub(MOST_NAMES);
    let value = Values { kind: edit.kind, file_unit }.words_of(path, value);
    Some([names[kept..].join(" "), value].iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" "))
}

/// What stands around settings and says nothing of them.
const CONTAINERS: [&str; 5] = ["world", "value", "tree", "scenario", "kind"];
/// Names of a setting that are told, from the innermost: a window, its target and the axis.
const MOST_NAMES: usize = 4;

/// A setting's name as forms have it: one of its own in a source or stage of this `kind` or within what stands `around` it, else that
/// of all settings called so.
fn label(kind: &str, around: &[String], name: &str) -> String {
    let owners = around.iter().rev().map(|outer| form_of(outer)).chain([kind]);
    let own = owners.map(|owner| format!("form.{owner}_{name}"));
    let plain = ["form", "section", "setting"].map(|group| format!("{group}.{name}"));
    let known = own.chain(plain).map(|key| (tr(&key), key)).find(|(text, key)| text != key);
    known.map_or_else(|| name.replace('_', " "), |(text, _)| text)
}

/// What the form of a group of settings is called.
fn form_of(group: &str) -> &str {
    match group {
        "chains" | "overrides" => "bone",
        "colliders" | "shape" => "collider",
        "events" => "event",
        _ => group,
    }
}

/// How values of one take's source or stage are told.
struct Values {
    /// The kind of source or stage.
    kind: &'static str,
    /// Metres in a unit of the character's file, where it is known.
    file_unit: Option<f64>,
}

impl Values {
    /// A value where it is short; nothing for lists and groups of settings.
    fn words_of(&self, path: &[String], value: &Value) -> String {
        match value {
            Value::Null => "–".to_owned(),
            Value::Bool(on) => tr(if *on { "setting.on" } else { "setting.off" }),
            Value::Number(number) => self.number(path, number.as_f64().unwrap_or_default()),
            Value::String(word) => {
                let key = format!("{}.{word}", path.last().map_or("", String::as_str));
                let text = tr(&key);
                if text == key { word.clone() } else { text }
            }
            Value::Array(all) if (1..=4).contains(&all.len()) && all.iter().all(Value::is_number) => {
                all.iter().map(|each| self.words_of(path, each)).collect::<Vec<_>>().join(", ")
            }
            Value::Object(all) if all.len() == 1 => {
                let inner = |name: &String| [path, std::slice::from_ref(name)].concat();
                all.iter().map(|(name, value)| self.words_of(&inner(name), value)).collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        }
    }

    /// With its unit; a length of a file whose unit is not known goes without.
    fn number(&self, path: &[String], value: f64) -> String {
        let (unit, value) = match (measure_of(self.kind, path), self.file_unit) {
            (Some(Measure::In(unit)), _) => (unit, value),
            (Some(Measure::FileLength), Some(metres)) => (Unit::Metres, value * metres),
            (Some(Measure::FileLength), None) | (None, _) => (Unit::Plain, value),
        };
        rounded(unit, value) + unit.suffix()
    }
}

/// With three digits after the point at most, one of degrees, and none that say nothing; what would be lost so in powers of ten.
fn rounded(unit: Unit, value: f64) -> String {
    let text = unit.number(value, if unit == Unit::Radians { 1 } else { 3 });
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    match text {
        "0" if unit == Unit::Plain && value != 0.0 => format!("{value:.1e}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ui::i18n;

    #[test]
    fn a_changed_setting_is_told_by_its_name_in_the_form_and_its_value() {
        i18n::use_language("en");
        let in_kind = |kind, path: &[&str], value: Value| {
            let path = path.iter().map(|name| (*name).to_owned()).collect();
            let field = Some(FieldEdit { path, value });
            change_text(&Change::EditStage(SettingsEdit { kind, take: "leap".into(), field }), Some(0.01))
        };
        let told = |path: &[&str], value: Value| in_kind("stretch", path, value);
        assert_eq!(told(&["target", "world", "z"], json!(525.0)), "Stretch · Target Z 5.25 m: leap");
        assert_eq!(told(&["windows", "2", "end"], json!(1.0)), "Stretch · Windows 2 End 1 s: leap");
        assert_eq!(
            told(&["target"], json!({ "world": [0.0, -0.0, 512.345] })),
            "Stretch · Target 0 m, 0 m, 5.123 m: leap"
        );
        assert_eq!(told(&["dead_zone"], json!(0.05)), format!("Stretch · {} 0.05 m/s: leap", tr("form.dead_zone")));
        let angle = tr("form.mirror_angle");
        assert_eq!(in_kind("mirror", &["angle"], json!(30.0)), format!("Mirror · {angle} 30°: leap"));
        let radius = in_kind("dynamics", &["chains", "1", "radius", "value"], json!(0.05));
        assert!(radius.contains(&tr("form.bone_radius")) && radius.ends_with("0.05 m: leap"), "{radius}");
        let strength = in_kind("dynamics", &["wind", "strength"], json!(3.0));
        assert!(strength.contains(&tr("form.wind_strength")) && strength.ends_with("3 m/s²: leap"), "{strength}");
        assert_eq!(told(&["feet"], json!(true)), "Stretch · Feet on: leap");
        assert_eq!(told(&["method"], json!("uniform")), format!("Stretch · Method {}: leap", tr("method.uniform")));
        assert_eq!(told(&["windows"], json!([{ "start": 0 }])), "Stretch · Windows: leap");
    }

    #[test]
    fn a_small_number_is_not_told_as_nothing_and_a_length_of_an_unknown_file_has_no_unit() {
        let path = |name: &str| [name.to_owned()];
        let cloth = Values { kind: "cloth", file_unit: None };
        assert_eq!(cloth.number(&path("stretch"), 1e-7), "1.0e-7");
        assert_eq!(cloth.number(&path("bend"), 0.0), "0");
        assert_eq!(cloth.number(&path("frames"), 240.0), "240");
        let stretch = Values { kind: "stretch", file_unit: None };
        assert_eq!(stretch.number(&path("target"), 500.0), "500");
        assert_eq!(stretch.number(&path("facing"), 1.0), "57.3°");
    }
}
