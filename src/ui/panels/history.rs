//! What was done; a click goes there.

use egui::{Button, RichText, ScrollArea, Ui, Vec2};

use crate::document::Change;
use crate::session::{Command, EditCommand, Session};
use crate::ui::i18n::{tr, tr_with};
use crate::ui::theme;

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
            let button = Button::new(RichText::new(change_text(&entry.change)).color(color))
                .fill(fill)
                .stroke(egui::Stroke::NONE)
                .truncate();
            if ui.add(button.min_size(Vec2::new(ui.available_width(), theme::ROW))).clicked() {
                wanted = Some(index);
            }
        }
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
        Change::EditSource(source, _) => tr(&format!("change.edit_{source}")),
        Change::EditStage(stage, _) | Change::MuteStage(stage, _) | Change::UnmuteStage(stage, _) => {
            tr(&format!("stage.{stage}"))
        }
        _ => String::new(),
    };
    tr_with(&format!("change.{}", change.name()), &[("take", take), ("other", other)])
}
