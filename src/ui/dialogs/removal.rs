//! Confirmation before a take used by other takes is removed.

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{tr, tr_with};
use crate::widgets;
use portamento_session::{Command, EditCommand};

/// Draws the confirmation with the names of the takes that use it.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(&id) = app.session.asked_removals.first() else { return };
    let document = &app.session.document;
    let Some(name) = document.take(id).map(|take| take.name.clone()) else {
        app.session.asked_removals.remove(0);
        return;
    };
    let users: Vec<String> = document.users_of(id).map(|take| take.name.clone()).collect();
    let (answer, close) = window(ctx, "removal", 420.0, |ui| {
        ui.add(egui::Label::new(tr_with("removal.text", &[("take", name)])).wrap());
        users.into_iter().for_each(|user| drop(widgets::caption(ui, user)));
        buttons(ui, |ui| {
            let keep = widgets::main_button(ui, &tr("removal.keep")).clicked().then_some(false);
            keep.or(ui.button(tr("removal.remove")).clicked().then_some(true))
        })
    });
    let Some(removes) = answer.or(close.then_some(false)) else { return };
    app.session.asked_removals.remove(0);
    if removes {
        app.session.perform(Command::Edit(EditCommand::RemoveUsed(id)));
    }
}
