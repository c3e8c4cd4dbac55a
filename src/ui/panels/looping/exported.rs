//! The loop setting of a take for exported files.

use egui::Ui;

use crate::i18n::tr;
use crate::widgets::form;
use portamento_session::Session;
use portamento_takes::document::{LoopChoice, TakeId};

/// Draws the loop setting of take `id`. *Automatic* names its result once the shown motion is measured.
pub(crate) fn exported_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let automatic = match session.evaluation.loops_automatically() {
        Some(true) => "loops.automatic_yes",
        Some(false) => "loops.automatic_no",
        None => "loops.automatic",
    };
    let Some(take) = session.document.take_mut(id) else { return };
    let choices = LoopChoice::ALL.map(|choice| match choice {
        LoopChoice::Automatic => (choice, tr(automatic)),
        LoopChoice::Yes => (choice, tr("loops.yes")),
        LoopChoice::No => (choice, tr("loops.no")),
    });
    let is_reset = form::row(ui, "loops", |ui| {
        form::choice(ui, "loops", &mut take.loops, &choices);
    });
    if is_reset {
        take.loops = LoopChoice::default();
    }
}
