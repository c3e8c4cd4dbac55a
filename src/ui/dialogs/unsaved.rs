//! Confirmation before unsaved changes are lost.

use egui::ViewportCommand;

use super::{Leave, buttons, window};
use crate::app::App;
use crate::i18n::tr;
use crate::widgets;
use portamento_session::{Command, FileCommand, Session};

/// User choice in the dialog.
#[derive(Clone, Copy, PartialEq)]
enum Answer {
    Save,
    Drop,
    Cancel,
}

/// Draws the dialog while an action waits for it.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(leave) = app.dialogs.unsaved.clone() else { return };
    let (answer, close) = window(ctx, "unsaved", 420.0, |ui| {
        ui.add(egui::Label::new(tr("unsaved.text")).wrap());
        buttons(ui, |ui| {
            let save = widgets::main_button(ui, &tr("unsaved.save")).clicked().then_some(Answer::Save);
            let cancel = ui.button(tr("unsaved.cancel")).clicked().then_some(Answer::Cancel);
            let drop = ui.button(tr("unsaved.drop")).clicked().then_some(Answer::Drop);
            save.or(cancel).or(drop)
        })
    });
    let Some(answer) = answer.or(close.then_some(Answer::Cancel)) else { return };
    app.dialogs.unsaved = None;
    match answer {
        Answer::Cancel => {}
        Answer::Drop => {
            app.session.project.discard_autosave();
            app.leaving = true;
            go(app, ctx, leave);
        }
        Answer::Save => {
            app.dialogs.leave_after_save = Some(leave);
            app.session.perform(Command::File(FileCommand::Save));
            let App { dialogs, session, .. } = app;
            dialogs.saved(session, ctx);
        }
    }
}

/// Performs the waiting action `leave`. If the document has unsaved changes, it asks again when quitting.
pub fn leave(session: &mut Session, ctx: &egui::Context, leave: Leave) {
    match leave {
        Leave::File(command) => session.perform(Command::File(*command)),
        Leave::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
    }
}

/// Performs the waiting action `to` without saving and without asking again.
fn go(app: &mut App, ctx: &egui::Context, to: Leave) {
    let quits = to == Leave::Quit;
    leave(&mut app.session, ctx, to);
    // Quitting sends a close request, which must not ask again.
    app.leaving = quits;
}
