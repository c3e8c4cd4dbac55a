//! Inspector of the close stage: settings and results.

use egui::Ui;
use egui_material_icons::icons::ICON_CHECK;

use crate::i18n::tr;
use crate::panels::results::moment::{go_to, of_stage};
use crate::theme;
use crate::units::share;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::number_row;
use crate::widgets::{self, Figure, Readout, form};
use portamento_base::message::Moment;
use portamento_repair::close::{ChangedSide, Cycle, Gap, Report, Settings};
use portamento_session::Session;
use portamento_takes::document::TakeId;

/// Draws the close stage of take `id`, if it has one.
pub(crate) fn close_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let built = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let at = session.selection.stage_index(&session.document);
    let stage = session.selection.stage;
    let Some(settings) = session.document.take_mut(id).and_then(|take| take.close_mut(stage)) else { return };
    let report = built.as_ref().and_then(|built| built.closed(at)).map(|built| &built.report);
    // The reported gaps are those from the end to the start.
    let end = built.as_ref().and_then(|built| Some(of_stage(at, built.stages.get(at?)?.clip.duration, None)));
    let mut asked = None;
    form::section(ui, "close", true, |ui| {
        asked = report.and_then(|report| outcome(ui, report, end));
        rows(ui, settings);
    });
    go_to(session, asked);
}

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
        judged("close_velocity", share(after.velocity), after.velocity <= Gap::MAX_VELOCITY),
        judged("close_slide", Unit::Millimetres.text(foot_slide * 1e3, 1), *foot_slide <= 1e-3),
        Readout::new("close_travel", Unit::Metres.text(travel.with_y(0.0).length(), 2), tokens.text),
        Readout::new("close_climb", Unit::Metres.text(travel.y, 2), tokens.text),
        Readout::new("close_turn", Unit::Radians.text(*turn, 1), tokens.text),
    ];
    widgets::readouts(ui, &values)
}

fn rows(ui: &mut Ui, settings: &mut Settings) {
    let plain = Settings::default();
    let field = Field::new(Unit::Seconds).within(Settings::MIN_SEAM_SECONDS, 1800.0);
    number_row(ui, "close_seam", &mut settings.seam, field, plain.seam);
    let reset = form::row(ui, "close_side", |ui| {
        let name = |side: ChangedSide| match side {
            ChangedSide::Least => tr("close.least"),
            ChangedSide::End => tr("close.end"),
            ChangedSide::Both => tr("close.both"),
            ChangedSide::Start => tr("close.start"),
        };
        form::choice(ui, "close_side", &mut settings.side, &ChangedSide::ALL.map(|side| (side, name(side))));
    });
    if reset {
        settings.side = plain.side;
    }
    let reset = form::row(ui, "close_cycle", |ui| {
        let name = |cycle: Cycle| match cycle {
            Cycle::Found => tr("close.found"),
            Cycle::Kept => tr("close.kept"),
            Cycle::InPlace => tr("close.in_place"),
        };
        form::choice(ui, "close_cycle", &mut settings.cycle, &Cycle::ALL.map(|cycle| (cycle, name(cycle))));
    });
    if reset {
        settings.cycle = plain.cycle;
    }
    form::row(ui, "close_feet", |ui| {
        form::tick(ui, &mut settings.feet);
    });
}
