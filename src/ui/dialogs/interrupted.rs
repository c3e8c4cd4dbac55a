//! Question whether to finish or to undo an export that a dying process interrupted.

use std::path::Path;

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{localized, tr, tr_with};
use crate::widgets;
use portamento_formats::export::Resolution;
use portamento_session::{Command, FileCommand};

/// Maximum number of files listed by name.
const MAX_LISTED_FILES: usize = 8;

/// Draws the question about the first interrupted export, after the recovery dialog and the question about files to replace.
/// Closing it decides later.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    if app.dialogs.recovery.is_open() || app.session.exports.conflicting_files().is_some() {
        return;
    }
    let Some(interrupted) = app.session.exports.interrupted().first() else { return };
    let (journal, message) = (interrupted.journal().to_owned(), localized(&interrupted.message()));
    // The message names the folder.
    let folder = journal.parent().unwrap_or(Path::new(""));
    let name = |path: &Path| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let old: Vec<String> = interrupted.old_files().into_iter().map(name).collect();
    let (answer, close) = window(ctx, "interrupted", 460.0, |ui| {
        ui.add(egui::Label::new(message).wrap());
        widgets::caption(ui, tr("interrupted.old"));
        old.iter().take(MAX_LISTED_FILES).for_each(|file| drop(widgets::caption(ui, file)));
        if old.len() > MAX_LISTED_FILES {
            widgets::caption(ui, tr_with("replace.more", &[("count", (old.len() - MAX_LISTED_FILES).to_string())]));
        }
        ui.add(egui::Label::new(tr("interrupted.explained")).wrap());
        buttons(ui, |ui| {
            let finish = widgets::main_button(ui, &tr("interrupted.finish")).clicked();
            let undo = ui.button(tr("interrupted.undo")).clicked();
            let later = ui.button(tr("interrupted.later")).clicked();
            match (finish, undo, later) {
                (true, ..) => Some(Some(Resolution::Finish)),
                (_, true, _) => Some(Some(Resolution::Undo)),
                (.., true) => Some(None),
                _ => None,
            }
        })
    });
    if let Some(resolution) = answer.or(close.then_some(None)) {
        app.session.perform(Command::File(FileCommand::Resolve(journal, resolution)));
    }
}
