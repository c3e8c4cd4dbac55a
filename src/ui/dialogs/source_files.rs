//! Dialogs about source files: replacing one, showing one in its folder, and removing one that is in use.

use egui::OpenUrl;

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{tr, tr_with};
use crate::widgets;
use portamento_session::{Command, EditCommand};
use portamento_takes::document::{FileId, SourceFile};

/// Opens the file dialog for the file to use instead of `file`. If that is `None`, replaces the file of the shown item.
pub(crate) fn ask_replacement(app: &mut App, file: Option<FileId>) {
    let Some(file) = app.session.file_or_shown(file) else { return };
    let document = &app.session.document;
    let path = document.file(file).or(document.removed_file(file)).map(|file| file.path.clone());
    app.dialogs.files.ask_replacement(file, &path.unwrap_or_default());
}

/// Opens the folder of `file` in the file manager. If `file` is `None`, uses the file of the shown item.
pub(crate) fn reveal(app: &mut App, ctx: &egui::Context, file: Option<FileId>) {
    let Some(file) = app.session.file_or_shown(file).and_then(|id| app.session.document.file(id)) else { return };
    let folder = if file.path.is_dir() { Some(file.path.as_path()) } else { file.path.parent() };
    if let Some(folder) = folder {
        ctx.open_url(OpenUrl::new_tab(format!("file://{}", folder.display())));
    }
}

/// Returns the name of a file without its folder.
pub(crate) fn name_of(file: &SourceFile) -> String {
    file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Draws the confirmation before a file in use is removed, with the names of the takes and reference meshes that use it.
pub(super) fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(id) = app.session.asked_file_removal else { return };
    let Some(name) = app.session.document.file(id).map(name_of) else {
        app.session.asked_file_removal = None;
        return;
    };
    let users: Vec<String> = app.session.opened().users_of_file(id).into_iter().map(str::to_owned).collect();
    let (answer, close) = window(ctx, "removal_file", 420.0, |ui| {
        ui.add(egui::Label::new(tr_with("removal.file_text", &[("file", name)])).wrap());
        egui::ScrollArea::vertical().max_height(MAX_USERS_HEIGHT).show(ui, |ui| {
            users.into_iter().for_each(|user| drop(widgets::caption(ui, user)));
        });
        buttons(ui, |ui| {
            let keep = widgets::main_button(ui, &tr("removal.keep")).clicked().then_some(false);
            keep.or(ui.button(tr("removal.remove")).clicked().then_some(true))
        })
    });
    let Some(removes) = answer.or(close.then_some(false)) else { return };
    app.session.asked_file_removal = None;
    if removes {
        app.session.perform(Command::Edit(EditCommand::RemoveUsedFile(id)));
    }
}

/// Maximum height of the list of users, points.
const MAX_USERS_HEIGHT: f32 = 160.0;
