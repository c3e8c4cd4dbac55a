//! Inspector of the root motion stage: settings and results.

use egui::Ui;

use super::{OpenStage, inspect};
use crate::panels::results::moment::of_stage;
use crate::setting::setting_rows;
use crate::theme;
use crate::widgets::number::Unit;
use crate::widgets::{self, Figure, Readout, form};
use portamento_base::message::Moment;
use portamento_session::Session;
use portamento_stretch::root::{Built, Report, RootTravel, Settings};
use portamento_takes::document::TakeId;

/// Draws the root motion stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn root_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    inspect(ui, session, id, |ui, settings: &mut Settings, stage: OpenStage<Built>| {
        let mut asked = None;
        form::section(ui, "root_stage", true, |ui| {
            asked = stage.result.and_then(|result| outcome(ui, &result.report, stage.at));
            // Foot contacts determine the travel but not the facing.
            let has_heading = settings.travel != RootTravel::FromFeet;
            setting_rows(ui, settings, |path| path != "heading" || has_heading);
        });
        asked
    });
}

/// Draws the root joint, its path length and how far the body moved by the change. Returns the moment of the clicked one. `stage`
/// is the index of the stage.
fn outcome(ui: &mut Ui, report: &Report, stage: Option<usize>) -> Option<Moment> {
    let tokens = theme::of(ui);
    let moved = Figure::judged(
        tokens,
        Unit::Millimetres.text(report.moved * 1e3, 3),
        report.moved <= 2.0 * report.bound,
        tokens.warning,
    );
    let values = [
        Readout::new("root_joint", report.joint.clone(), tokens.text),
        Readout::new("root_length", Unit::Metres.text(report.length, 2), tokens.text),
        Readout::of("root_moved", moved).at(report.moved_at.map(|time| of_stage(stage, time, None))),
    ];
    widgets::readouts(ui, &values)
}
