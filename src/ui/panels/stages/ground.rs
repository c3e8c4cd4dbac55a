//! Inspector of the ground stage: settings and results.

use egui::Ui;

use super::{OpenStage, inspect};
use crate::panels::results::moment::{of_stage, of_worst};
use crate::setting::setting_rows;
use crate::theme;
use crate::widgets::number::Unit;
use crate::widgets::{self, Figure, Readout, form};
use portamento_anim::quality::WorstFrame;
use portamento_base::message::Moment;
use portamento_repair::ground::{Built, Report};
use portamento_session::Session;
use portamento_takes::document::TakeId;
use portamento_takes::document::stage::Ground;

/// Draws the ground stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn ground_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    inspect(ui, session, id, |ui, ground: &mut Ground, stage: OpenStage<Built>| {
        let mut asked = None;
        form::section(ui, "ground_stage", true, |ui| {
            asked = stage.result.and_then(|result| outcome(ui, &result.report, stage.at));
            setting_rows(ui, ground, |_| true);
        });
        asked
    });
}

/// Draws the figures of the report, lengths in centimetres. Returns the moment of the clicked one. `stage` is the index of the
/// stage.
fn outcome(ui: &mut Ui, report: &Report, stage: Option<usize>) -> Option<Moment> {
    let tokens = theme::of(ui);
    let centimetres = |metres: f64| Unit::Centimetres.text(metres * 100.0, 1);
    let judged = |key, metres: f64, limit: f64| {
        Readout::of(key, Figure::judged(tokens, centimetres(metres), metres <= limit, tokens.warning))
    };
    let at = |worst: Option<WorstFrame>| worst.map(|worst| of_worst(stage, worst));
    let short = (report.short > 0.0).then(|| of_stage(stage, report.short_time, None));
    let [low, high] = report.raised;
    let farthest = if -low > high { low } else { high };
    let values = [
        judged("ground_off", report.off_ground[1], 0.005).at(at(report.off_ground_at)),
        judged("ground_in", report.in_ground[1], 0.005).at(at(report.in_ground_at)),
        judged("ground_slide", report.slide[1], 0.01).at(at(report.slides_at)),
        judged("ground_short", report.short, 0.005).at(short),
        Readout::new("ground_raised", centimetres(farthest), tokens.text),
        Readout::new("ground_stands", report.stands.to_string(), tokens.text),
    ];
    widgets::readouts(ui, &values)
}
