//! Undo history; a click on a step goes back to it.

use egui::{Button, RichText, ScrollArea, Ui, Vec2};

use crate::i18n::{tr, tr_with};
use crate::setting::{NameContext, describe_setting};
use crate::{focus, theme};
use portamento_session::{Command, EditCommand, Session};
use portamento_takes::document::Change;

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
            let words = change_text(&entry.change, &around(session, &entry.change));
            let button =
                Button::new(RichText::new(&words).color(color)).fill(fill).stroke(egui::Stroke::NONE).truncate();
            // The row may be truncated, the tooltip shows the full text.
            if ui.add(button.min_size(Vec2::new(ui.available_width(), theme::ROW))).on_hover_text(words).clicked() {
                wanted = Some(index);
            }
        }
        focus::scroll_to_focus(ui);
    });
    if let Some(index) = wanted {
        session.perform(Command::Edit(EditCommand::GoToHistory(index)));
    }
}

/// Returns the context that names the ids in a change. Joints and file unit are unknown if the take was removed or renamed.
fn around<'a>(session: &'a Session, change: &Change) -> NameContext<'a> {
    let document = &session.document;
    let take = change.take().and_then(|name| document.takes.iter().find(|take| take.name == name));
    let character = take.map(|take| take.character);
    NameContext {
        document: Some(document),
        skeleton: character.and_then(|file| session.library.get(file)).map(|loaded| &loaded.model.skeleton),
        file_unit: character.and_then(|file| document.file(file)).map(|file| file.metres_per_unit),
    }
}

/// Returns the description of a step in the user's language.
fn change_text(change: &Change, around: &NameContext) -> String {
    let take = change.take().unwrap_or_default().to_owned();
    let other = match change {
        Change::RenameTake(before, _) => before.clone(),
        Change::EditSource(edit) => {
            describe_setting(edit, around).unwrap_or_else(|| tr(&format!("change.edit_{}", edit.kind)))
        }
        Change::EditStage(edit) => match describe_setting(edit, around) {
            Some(setting) => format!("{} · {setting}", tr(&format!("stage.{}", edit.kind))),
            None => tr(&format!("stage.{}", edit.kind)),
        },
        Change::MuteStage(stage, _) | Change::UnmuteStage(stage, _) => tr(&format!("stage.{stage}")),
        _ => String::new(),
    };
    tr_with(&format!("change.{}", change.name()), &[("take", take), ("other", other)])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::i18n;
    use portamento_takes::document::change::SettingsEdit;
    use portamento_takes::document::field_edit::FieldEdit;

    #[test]
    fn a_step_is_described_by_its_stage_setting_and_take() {
        i18n::use_language("en");
        let field = FieldEdit { path: vec!["dead_zone".into()], value: json!(0.05) };
        let edit = |field| Change::EditStage(SettingsEdit { kind: "stretch", take: "leap".into(), field });
        let text_of = |field| change_text(&edit(field), &NameContext::default());
        assert_eq!(text_of(Some(field)), "Stretch · Dead zone 0.05 m/s: leap");
        assert_eq!(text_of(None), "Stretch: leap");
    }
}
