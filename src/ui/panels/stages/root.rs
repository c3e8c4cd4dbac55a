//! Inspector of the root motion stage: settings and results.

use egui::Ui;

use crate::i18n::tr;
use crate::panels::results::moment::{go_to, of_stage};
use crate::theme;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::number_row;
use crate::widgets::{self, Figure, Readout, form};
use portamento_base::message::Moment;
use portamento_session::Session;
use portamento_stretch::root::{Report, RootTravel, Settings};
use portamento_takes::document::TakeId;

/// Draws the root motion stage of take `id`, if it has one.
pub(crate) fn root_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let built = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let at = session.selection.stage_index(&session.document);
    let stage = session.selection.stage;
    let Some(settings) = session.document.take_mut(id).and_then(|take| take.root_mut(stage)) else { return };
    let report = built.as_ref().and_then(|built| built.rooted(at)).map(|built| &built.report);
    let mut asked = None;
    form::section(ui, "root_stage", true, |ui| {
        asked = report.and_then(|report| outcome(ui, report, at));
        rows(ui, settings);
    });
    go_to(session, asked);
}

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

fn rows(ui: &mut Ui, settings: &mut Settings) {
    let plain = Settings::default();
    let choices = RootTravel::ALL.map(|travel| (travel, tr(&format!("travel.{}", travel.name()))));
    let reset = form::row(ui, "root_travel", |ui| {
        form::choice(ui, "root_travel", &mut settings.travel, &choices);
    });
    if reset {
        settings.travel = plain.travel;
    }
    // Foot contacts determine the travel but not the facing.
    if settings.travel != RootTravel::FromFeet {
        form::row(ui, "root_heading", |ui| {
            form::tick(ui, &mut settings.heading);
        });
    }
    let field = Field::new(Unit::Seconds).within(0.0, Settings::MAX_SMOOTHING_SECONDS);
    number_row(ui, "root_evened", &mut settings.evened, field, plain.evened);
}
