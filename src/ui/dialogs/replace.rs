//! Confirmations before files are replaced and before a running export is stopped.

use egui::ViewportCommand;

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{tr, tr_with};
use crate::widgets;
use portamento_session::{Command, FileCommand};

/// Maximum number of files listed by name.
const MAX_LISTED_FILES: usize = 12;

/// Asks before an export replaces existing files.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(files) = app.session.exports.conflicting_files() else { return };
    let (answer, close) = window(ctx, "replace", 460.0, |ui| {
        ui.add(egui::Label::new(tr("replace.text")).wrap());
        for file in files.iter().take(MAX_LISTED_FILES) {
            widgets::caption(ui, file.display().to_string());
        }
        if files.len() > MAX_LISTED_FILES {
            widgets::caption(ui, tr_with("replace.more", &[("count", (files.len() - MAX_LISTED_FILES).to_string())]));
        }
        buttons(ui, |ui| {
            let replace = widgets::main_button(ui, &tr("replace.all")).clicked().then_some(true);
            let cancel = ui.button(tr("unsaved.cancel")).clicked().then_some(false);
            replace.or(cancel)
        })
    });
    if let Some(answer) = answer.or(close.then_some(false)) {
        app.session.perform(Command::File(FileCommand::Replace(answer)));
    }
}

/// Asks before saving over a project file that another program changed.
pub(super) fn changed_ui(app: &mut App, ctx: &egui::Context) {
    let Some(path) = app.session.project.changed_on_disk().map(|path| path.display().to_string()) else { return };
    let (answer, close) = window(ctx, "changed", 460.0, |ui| {
        ui.add(egui::Label::new(tr_with("changed.text", &[("path", path)])).wrap());
        buttons(ui, |ui| {
            let save = ui.button(tr("changed.save")).clicked().then_some(true);
            let cancel = widgets::main_button(ui, &tr("unsaved.cancel")).clicked().then_some(false);
            save.or(cancel)
        })
    });
    if let Some(answer) = answer.or(close.then_some(false)) {
        app.session.perform(Command::File(FileCommand::SaveAnyway(answer)));
        let App { dialogs, session, .. } = app;
        dialogs.saved(session, ctx);
    }
}

/// Asks before quitting while an export is running.
pub(super) fn exporting_ui(app: &mut App, ctx: &egui::Context) {
    if !app.dialogs.exporting {
        return;
    }
    let (answer, close) = window(ctx, "exporting", 420.0, |ui| {
        ui.add(egui::Label::new(tr("exporting.text")).wrap());
        buttons(ui, |ui| {
            let wait = widgets::main_button(ui, &tr("exporting.wait")).clicked().then_some(false);
            let quit = ui.button(tr("exporting.quit")).clicked().then_some(true);
            wait.or(quit)
        })
    });
    let is_over = !app.session.exports.is_running(&app.session.jobs);
    if let Some(quits) = answer.or((close || is_over).then_some(false)) {
        app.dialogs.exporting = false;
        if quits {
            app.session.exports.stop(&app.session.jobs);
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
    }
}
