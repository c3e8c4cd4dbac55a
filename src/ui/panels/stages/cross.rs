//! Inspector of the cross stage: the obstacle, the moments and the figures of the fit.

use egui::Ui;

use super::{OpenStage, inspect};
use crate::i18n::{localized, tr_with};
use crate::panels::results::moment::of_stage;
use crate::panels::stretch::target::{axis_rows, object_choice};
use crate::setting::setting_rows;
use crate::theme::{self, Tokens};
use crate::widgets::number::Unit;
use crate::widgets::{self, Figure, Readout, form};
use portamento_base::message::{Moment, Tell};
use portamento_session::Session;
use portamento_takes::document::TakeId;
use portamento_walk::crossing::limits::MAX_CONTACT_ERROR_M;
use portamento_walk::crossing::{ContactError, Crossed, Place, Report, Settings, Shape};

/// Returns the one-line result of the stage.
pub(super) fn figure(tokens: &Tokens, crossed: &Crossed) -> Figure {
    let kind = localized(&crossed.clip.kind.message());
    match &crossed.fitted {
        Err(_) => Figure::new(tr_with("stack.cross_refused", &[]), tokens.error),
        Ok(built) => {
            let report = &built.report;
            let worst = [&report.edge, &report.landing, &report.standing].into_iter().flatten();
            let worst = worst.map(|contact| contact.error).fold(0.0, f64::max);
            let part = [("kind", kind), ("error", Unit::Millimetres.text(worst * 1e3, 1))];
            Figure::judged(tokens, tr_with("stack.cross", &part), report.warnings().is_empty(), tokens.warning)
        }
    }
}

/// Draws the cross stage of take `id`, if it has one.
pub(crate) fn cross_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let objects: Vec<String> = session.document.objects.iter().map(|object| object.name.clone()).collect();
    inspect(ui, session, id, |ui, cross: &mut Settings, stage: OpenStage<Crossed>| {
        let mut asked = None;
        form::section(ui, "cross", true, |ui| {
            asked = stage.result.and_then(|result| outcome(ui, result, stage.at));
            obstacle_rows(ui, cross, &objects);
        });
        form::section(ui, "cross_moments", false, |ui| {
            setting_rows(ui, cross, |path| ["take_off", "near", "far", "landing", "gravity"].contains(&path));
        });
        asked
    });
}

/// Draws the settings of the obstacle that matter for its shape and place.
fn obstacle_rows(ui: &mut Ui, cross: &mut Settings, objects: &[String]) {
    setting_rows(ui, cross, |path| ["kind", "shape"].contains(&path));
    if cross.shape == Shape::Own {
        return;
    }
    let has_height = cross.shape == Shape::Box;
    setting_rows(ui, cross, |path| ["depth", "width"].contains(&path) || has_height && path == "height");
    setting_rows(ui, cross, |path| path == "place");
    match cross.place {
        Place::RunUp => {}
        Place::World => axis_rows(ui, &mut cross.position, [0.0; 3]),
        Place::Object => {
            if !objects.contains(&cross.object) {
                cross.object = objects.first().cloned().unwrap_or_default();
            }
            form::row(ui, "object", |ui| object_choice(ui, &mut cross.object, objects));
        }
    }
    setting_rows(ui, cross, |path| ["yaw", "rise"].contains(&path));
}

/// Draws the limit that refuses the obstacle, or the figures of the fit. Returns the moment of the clicked one.
fn outcome(ui: &mut Ui, crossed: &Crossed, stage: Option<usize>) -> Option<Moment> {
    let tokens = theme::of(ui);
    let kind = Readout::new("cross_kind", localized(&crossed.clip.kind.message()), tokens.text);
    let built = match &crossed.fitted {
        Ok(built) => built,
        Err(limit) => {
            widgets::readouts(ui, &[kind]);
            ui.colored_label(tokens.error, localized(&limit.message()));
            return None;
        }
    };
    let report = &built.report;
    let mut values = vec![kind];
    values.extend(
        [("cross_edge", &report.edge), ("cross_landing", &report.landing), ("cross_standing", &report.standing)]
            .map(|(key, contact)| contact_readout(tokens, key, contact.as_ref(), stage)),
    );
    values.extend(fall_readouts(tokens, report, stage));
    widgets::readouts(ui, &values)
}

/// Returns the readout of a kind of contact: green within half of its limit.
fn contact_readout<'k>(
    tokens: &Tokens,
    key: &'k str,
    contact: Option<&ContactError>,
    stage: Option<usize>,
) -> Readout<'k> {
    let Some(contact) = contact else { return Readout::of(key, Figure::unmeasured(tokens)) };
    let text = Unit::Millimetres.text(contact.error * 1e3, 1);
    let is_good = contact.error <= 0.5 * MAX_CONTACT_ERROR_M;
    let figure = Figure::judged(tokens, text, is_good, tokens.warning);
    Readout::of(key, figure).at(Some(of_stage(stage, contact.time, None)))
}

/// Returns the readouts of flight, stretch and penetration.
fn fall_readouts(tokens: &Tokens, report: &Report, stage: Option<usize>) -> Vec<Readout<'static>> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let change = |values: Option<[f64; 2]>, unit: Unit| {
        values.map_or_else(
            || Figure::unmeasured(tokens),
            |values| {
                let [before, after] = values.map(|value| unit.text(value, 2));
                Figure::new(format!("{before} → {after}"), tokens.text)
            },
        )
    };
    let gravity = report.gravity.map_or_else(
        || Figure::unmeasured(tokens),
        |[_, after]| Figure::judged(tokens, percent(after), !report.floats(), tokens.warning),
    );
    let inside = report.penetration.map_or_else(
        || Figure::unmeasured(tokens),
        |depth| {
            let [most, worst] =
                [depth.percentile_99, depth.worst].map(|metres| Unit::Centimetres.text(metres * 100.0, 1));
            Figure::judged(tokens, format!("{most}, {worst}"), !report.penetrates(), tokens.warning)
        },
    );
    let moment = report.penetration.map(|depth| of_stage(stage, depth.time, None));
    let flips = Figure::judged(tokens, report.flipped.to_string(), report.flipped == 0, tokens.error);
    vec![
        Readout::of("cross_gravity", gravity),
        Readout::of("cross_airtime", change(report.airtime, Unit::Seconds)),
        Readout::of("cross_take_off", change(report.take_off_speed, Unit::Speed)),
        Readout::new("cross_ratio", percent(report.ratio), tokens.text),
        Readout::of("cross_inside", inside).at(moment),
        Readout::of("cross_flips", flips),
    ]
}
