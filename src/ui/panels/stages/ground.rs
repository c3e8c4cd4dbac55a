//! Inspector of the ground stage: settings and results.

use egui::Ui;

use crate::i18n::tr;
use crate::panels::results::moment::{go_to, of_stage, of_worst};
use crate::theme;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::rows::number_row;
use crate::widgets::{self, Figure, Readout, form};
use portamento_anim::quality::WorstFrame;
use portamento_base::message::Moment;
use portamento_repair::ground::{Report, Settings};
use portamento_session::Session;
use portamento_takes::document::TakeId;

/// Draws the ground stage of take `id`, if it has one.
pub(crate) fn ground_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let built = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let at = session.selection.stage_index(&session.document);
    let stage = session.selection.stage;
    let Some(ground) = session.document.take_mut(id).and_then(|take| take.ground_mut(stage)) else { return };
    let report = built.as_ref().and_then(|built| built.grounded(at)).map(|built| &built.report);
    let mut asked = None;
    form::section(ui, "ground_stage", true, |ui| {
        asked = report.and_then(|report| outcome(ui, report, at));
        rows(ui, &mut ground.settings);
    });
    go_to(session, asked);
}

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

fn rows(ui: &mut Ui, settings: &mut Settings) {
    let plain = Settings::default();
    form::row(ui, "ground_hold", |ui| {
        form::tick(ui, &mut settings.hold_feet);
    });
    form::row(ui, "ground_own_heights", |ui| {
        form::tick(ui, &mut settings.own_heights);
    });
    let field = Field::new(Unit::Seconds).within(0.0, 10.0);
    number_row(ui, "ground_softness", &mut settings.softness, field, plain.softness);
    let reset = form::row(ui, "ground_sole", |ui| {
        let mut on = settings.sole.is_some();
        if form::tick(ui, &mut on).changed() {
            settings.sole = on.then_some(0.02);
        }
        if let Some(sole) = &mut settings.sole {
            number(ui, &tr("form.ground_sole"), sole, Field::new(Unit::Metres).within(0.0, 10.0));
        }
    });
    if reset {
        settings.sole = None;
    }
}
