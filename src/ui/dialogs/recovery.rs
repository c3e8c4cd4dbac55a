//! Work that was not saved when the program ended.

use super::{buttons, window};
use crate::session::{Command, FileCommand};
use crate::ui::app::App;
use crate::ui::i18n::{tr, tr_with};
use crate::ui::widgets;

/// Offers the autosave.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(path) = app.dialogs.recovery.clone() else { return };
    let (answer, close) = window(ctx, "recovery", 460.0, |ui| {
        ui.add(egui::Label::new(tr("recovery.text")).wrap());
        widgets::caption(ui, tr_with("recovery.where", &[("path", path.display().to_string())]));
        widgets::caption(ui, tr_with("recovery.when", &[("minutes", age_in_minutes(&path))]));
        buttons(ui, |ui| {
            let recover = widgets::main_button(ui, &tr("recovery.open")).clicked().then_some(true);
            let drop = ui.button(tr("recovery.later")).clicked().then_some(false);
            recover.or(drop)
        })
    });
    match answer.or(close.then_some(false)) {
        Some(true) => {
            app.dialogs.recovery = None;
            app.session.perform(Command::File(FileCommand::Open(vec![path])));
        }
        Some(false) => {
            app.dialogs.recovery = None;
            app.dialogs.recovery_later = true;
        }
        None => {}
    }
}

fn age_in_minutes(path: &std::path::Path) -> String {
    let changed = std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let age = changed.and_then(|changed| changed.elapsed().ok()).unwrap_or_default();
    (age.as_secs() / 60).to_string()
}
