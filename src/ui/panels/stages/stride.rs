//! Inspector of the stride stage.

use egui::Ui;

use super::{OpenStage, inspect};
use crate::i18n::tr_with;
use crate::panels::results::moment::of_stage;
use crate::setting::setting_rows;
use crate::theme::{self, Tokens};
use crate::widgets::number::Unit;
use crate::widgets::{self, Figure, Readout, form};
use portamento_repair::stride::{Built, Report, Settings};
use portamento_session::Session;
use portamento_takes::document::TakeId;

/// Returns the scale of the strides. It is a warning if the report warns.
pub(super) fn figure(tokens: &Tokens, report: &Report) -> Figure {
    let part = [("scale", format!("{:.3}", report.scale))];
    Figure::judged(tokens, tr_with("stack.stride", &part), !report.warns(), tokens.warning)
}

/// Draws the stride stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn stride_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    inspect(ui, session, id, |ui, settings: &mut Settings, stage: OpenStage<Built>| {
        let mut asked = None;
        form::section(ui, "stride", true, |ui| {
            if let Some(Built { report, .. }) = stage.result {
                let tokens = theme::of(ui);
                let gap = Unit::Millimetres.text(report.gap * 1e3, 1);
                let gap = Figure::judged(tokens, gap, report.gap == 0.0, tokens.warning);
                let moment = (report.gap > 0.0).then(|| of_stage(stage.at, report.gap_at, None));
                let values = [
                    Readout::new("close_travel", Unit::Metres.text(report.travel[1], 2), tokens.text),
                    Readout::of("stride_gap", gap).at(moment),
                ];
                asked = widgets::readouts(ui, &values);
            }
            setting_rows(ui, settings, |_| true);
        });
        asked
    });
}
