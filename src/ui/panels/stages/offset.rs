//! Inspector of the cycle offset stage.

use egui::Ui;

use super::{OpenStage, inspect};
use crate::i18n::tr_with;
use crate::setting::setting_rows;
use crate::theme::{self, Tokens};
use crate::units::share;
use crate::widgets::number::Unit;
use crate::widgets::{self, Figure, Readout, form};
use portamento_repair::close::Gap;
use portamento_repair::offset::{Built, Report, Settings};
use portamento_session::Session;
use portamento_takes::document::TakeId;

/// Returns the offset in seconds. It is a warning if the input does not close.
pub(super) fn figure(tokens: &Tokens, report: &Report) -> Figure {
    let part = [("seconds", Unit::Seconds.text(report.seconds, 3))];
    Figure::judged(tokens, tr_with("stack.offset", &part), report.gap.is_closed(), tokens.warning)
}

/// Draws the cycle offset stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn offset_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    inspect(ui, session, id, |ui, settings: &mut Settings, stage: OpenStage<Built>| {
        let mut asked = None;
        form::section(ui, "offset", true, |ui| {
            if let Some(Built { report, .. }) = stage.result {
                let tokens = theme::of(ui);
                let is_good = report.gap.place <= Gap::MAX_POSITION;
                let gap = Figure::judged(tokens, share(report.gap.place), is_good, tokens.warning);
                let seconds = Unit::Seconds.text(report.seconds, 3);
                let values = [Readout::new("offset_seconds", seconds, tokens.text), Readout::of("close_place", gap)];
                asked = widgets::readouts(ui, &values);
            }
            setting_rows(ui, settings, |_| true);
        });
        asked
    });
}
