//! Files that a take misses, and the files to use instead.

use egui::Ui;
use egui_material_icons::icons::{ICON_FOLDER_OPEN, ICON_LINK_OFF};

use crate::dialogs::source_files::name_of;
use crate::i18n::{tr, tr_with};
use crate::theme;
use crate::widgets::{self, form};
use portamento_session::{Command, EditCommand, Session, WindowCommand};
use portamento_takes::document::{FileId, TakeId};

/// Draws each file that take `id` misses, with a choice of the file to use instead. Draws nothing while jobs run, as files may
/// still be read.
pub(crate) fn missing_files_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(take) = session.document.take(id) else { return };
    // While files are being read, none is missing.
    if session.jobs.running().next().is_some() {
        return;
    }
    let missing: Vec<_> = session.opened().missing_files_of(take).into_iter().cloned().collect();
    if missing.is_empty() {
        return;
    }
    let open = session.document.files.iter().filter(|file| session.library.get(file.id).is_some());
    let open = open.map(|file| (Some(file.id), name_of(file)));
    let choices: Vec<(Option<FileId>, String)> = std::iter::once((None, tr("missing.choose"))).chain(open).collect();
    let mut asked = None;
    form::section(ui, "missing_files", true, |ui| {
        for file in &missing {
            let from = file.id;
            let is_gone = session.document.removed_file(from).is_some();
            let key = if is_gone { "missing.gone" } else { "missing.unread" };
            let color = theme::of(ui).error;
            widgets::remark(ui, ICON_LINK_OFF, color, &tr_with(key, &[("file", name_of(file))]));
            ui.push_id(from.0, |ui| {
                let mut chosen = None;
                form::row(ui, "use_instead", |ui| {
                    form::choice(ui, "use instead", &mut chosen, &choices);
                });
                if let Some(to) = chosen {
                    asked = Some(Command::Edit(EditCommand::GiveFile { take: id, from, to }));
                }
                if widgets::text_button(ui, ICON_FOLDER_OPEN, &tr("missing.open")).clicked() {
                    asked = Some(Command::Window(WindowCommand::AskReplaceFile(Some(from))));
                }
            });
        }
    });
    asked.into_iter().for_each(|command| session.perform(command));
}
