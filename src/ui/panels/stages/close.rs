//! Inspector of the close stage: settings and results.

use egui::Ui;
use egui_material_icons::icons::ICON_CHECK;

use super::{OpenStage, inspect};
use crate::i18n::{tr, tr_with};
use crate::panels::results::moment::of_stage;
use crate::setting::setting_rows;
use crate::theme::{self, Tokens};
use crate::units::share;
use crate::widgets::number::Unit;
use crate::widgets::{self, Figure, Readout, form};
use portamento_base::message::Moment;
use portamento_repair::close::{Built, Gap, Report, Settings};
use portamento_session::Session;
use portamento_takes::document::TakeId;

/// Returns the gap that is left, which is a warning unless the motion loops.
pub(super) fn figure(tokens: &Tokens, report: &Report) -> Figure {
    let part = [("place", share(report.after.place)), ("speed", share(report.after.velocity))];
    let loops = report.closes_already || report.after.is_closed();
    Figure::judged(tokens, tr_with("stack.close", &part), loops, tokens.warning)
}

/// Draws the close stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn close_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    inspect(ui, session, id, |ui, settings: &mut Settings, stage: OpenStage<Built>| {
        // The reported gaps are those from the end to the start.
        let end = || Some(of_stage(stage.at, stage.built?.stages.get(stage.at?)?.clip.duration, None));
        let mut asked = None;
        form::section(ui, "close", true, |ui| {
            asked = stage.result.and_then(|result| outcome(ui, &result.report, end()));
            setting_rows(ui, settings, |_| true);
        });
        asked
    });
}

/// Draws the figures of the report. Returns the moment of the clicked one, which is `end` for those of the seam.
fn outcome(ui: &mut Ui, report: &Report, end: Option<Moment>) -> Option<Moment> {
    let tokens = theme::of(ui);
    if report.closes_already {
        widgets::remark(ui, ICON_CHECK, tokens.ok, &tr("close.already"));
    }
    let Report { after, travel, turn, foot_slide, .. } = report;
    let judged =
        |key, text: String, good: bool| Readout::of(key, Figure::judged(tokens, text, good, tokens.warning)).at(end);
    let values = [
        judged("close_place", share(after.place), after.place <= Gap::MAX_POSITION),
        judged("close_velocity", share(after.velocity), report.closes_already || after.velocity <= Gap::MAX_VELOCITY),
        judged("close_slide", Unit::Millimetres.text(foot_slide * 1e3, 1), *foot_slide <= 1e-3),
        Readout::new("close_travel", Unit::Metres.text(travel.with_y(0.0).length(), 2), tokens.text),
        Readout::new("close_climb", Unit::Metres.text(travel.y, 2), tokens.text),
        Readout::new("close_turn", Unit::Radians.text(*turn, 1), tokens.text),
    ];
    widgets::readouts(ui, &values)
}
