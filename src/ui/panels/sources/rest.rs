//! Inspector of a rest pose source.

use egui::Ui;

use crate::widgets::form;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::number_row;
use portamento_session::Session;
use portamento_takes::document::{TakeId, TakeSource};

/// Draws the duration (seconds) of take `id` if its source is the rest pose.
pub(crate) fn rest_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(take) = session.document.take_mut(id) else { return };
    let TakeSource::Rest { seconds } = &mut take.source else { return };
    form::section(ui, "rest", true, |ui| {
        number_row(ui, "rest_seconds", seconds, Field::new(Unit::Seconds).within(0.1, 600.0), 4.0);
    });
}
