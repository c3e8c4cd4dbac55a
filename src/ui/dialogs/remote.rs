//! The dialog of remote control.

use egui_material_icons::icons::ICON_CLOSE;

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{tr, tr_with};
use crate::{remote, widgets};
use portamento_session::{Command, WindowCommand};

/// Draws the dialog: the switch, the port, and the folders to which programs may write.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    if !app.dialogs.remote {
        return;
    }
    let (is_done, close) = window(ctx, "remote", 480.0, |ui| {
        let session = &mut app.session;
        ui.add(egui::Label::new(tr("remote.text")).wrap());
        let mut is_on = session.remote.port().is_some();
        if ui.checkbox(&mut is_on, tr("remote.on")).changed() {
            if is_on { remote::begin(session, ctx) } else { session.end_remote() }
        }
        let port = session.remote.port().map(|port| tr_with("remote.port", &[("port", port.to_string())]));
        widgets::caption(ui, port.unwrap_or_else(|| tr("remote.off")));
        ui.add(egui::Label::new(tr("remote.folders")).wrap());
        let mut removed = None;
        for (index, folder) in session.preferences.remote_folders.iter().enumerate() {
            ui.horizontal(|ui| {
                let remove = tr_with("remote.remove", &[("folder", folder.display().to_string())]);
                if widgets::icon_button(ui, ICON_CLOSE, &remove).clicked() {
                    removed = Some(index);
                }
                ui.add(egui::Label::new(folder.display().to_string()).truncate());
            });
        }
        removed.into_iter().for_each(|index| drop(session.preferences.remote_folders.remove(index)));
        if session.preferences.remote_folders.is_empty() {
            widgets::caption(ui, tr("remote.no_folders"));
        }
        if ui.button(tr("remote.add")).clicked() {
            session.perform(Command::Window(WindowCommand::AskRemoteFolder));
        }
        buttons(ui, |ui| widgets::main_button(ui, &tr("remote.close")).clicked())
    });
    if is_done || close {
        app.dialogs.remote = false;
    }
}
