//! Inspector of the clean-up stage: settings and results.

use egui::Ui;

use super::{OpenStage, inspect};
use crate::i18n::{tr, tr_with};
use crate::panels::results::moment::{of_stage, of_worst};
use crate::setting::setting_rows;
use crate::theme;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::{self, Figure, Readout, form};
use portamento_anim::Tolerance;
use portamento_anim::quality::Quality;
use portamento_anim::reduce::KeyReduction;
use portamento_base::message::Moment;
use portamento_repair::cleanup::{Built, ChangedJoint, Report, Settings};
use portamento_session::Session;
use portamento_takes::document::TakeId;
use portamento_takes::evaluate::BuiltTake;

/// Maximum number of joints listed, most changed first.
const MAX_LISTED_JOINTS: usize = 12;

/// Draws the clean-up stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn cleanup_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    inspect(ui, session, id, |ui, settings: &mut Settings, stage: OpenStage<Built>| {
        let report = stage.result.map(|result| &result.report);
        let mut asked = None;
        form::section(ui, "cleanup", true, |ui| {
            asked = stage.built.zip(report).and_then(|(built, report)| outcome(ui, report, built, stage.at));
            rows(ui, settings);
        });
        if let Some(report) = report.filter(|report| !report.changed.is_empty()) {
            form::section(ui, "cleanup_changed", false, |ui| changed(ui, &report.changed));
        }
        asked
    });
}

/// Draws the settings of the clean-up. The rate (frames per second) and the reduction of keys can be off.
fn rows(ui: &mut Ui, settings: &mut Settings) {
    let has_spread = settings.pops;
    setting_rows(ui, settings, |path| match path {
        "spread" => has_spread,
        "rate" | "reduce" => false,
        _ => true,
    });
    form::row(ui, "cleanup_rate", |ui| {
        if let Some(rate) = optional(ui, &mut settings.rate, || 30.0) {
            let field = Field { per_pixel: 0.1, decimals: 0, ..Field::new(Unit::Plain) };
            number(ui, &tr("form.cleanup_rate"), rate, field.within(1.0, 1000.0));
        }
    });
    form::row(ui, "reduce", |ui| {
        if let Some(Tolerance { millimetres }) = optional(ui, &mut settings.reduce, Tolerance::default) {
            let field = Field { per_pixel: 0.001, ..Field::new(Unit::Millimetres) };
            number(ui, &tr("form.reduce"), millimetres, field.within(0.0, 100.0));
        }
    });
}

/// Draws a check box that sets `value` to `usual` or to `None`. Returns the value while it is on.
fn optional<'a, T>(ui: &mut Ui, value: &'a mut Option<T>, usual: impl FnOnce() -> T) -> Option<&'a mut T> {
    let mut on = value.is_some();
    if form::tick(ui, &mut on).changed() {
        *value = on.then(usual);
    }
    value.as_mut()
}

/// Draws the figures of the report, with pops and jitter before and after the clean-up. Returns the moment of the clicked one.
/// `stage` is the index of the stage.
fn outcome(ui: &mut Ui, report: &Report, built: &BuiltTake, stage: Option<usize>) -> Option<Moment> {
    let tokens = theme::of(ui);
    let (before, after) = (report.before.as_ref(), report.after.as_ref());
    let before_after = |of: &dyn Fn(&Quality) -> Option<f64>, digits: usize, is_good: &dyn Fn(f64) -> bool| {
        let Some(now) = after.and_then(of) else { return Figure::unmeasured(tokens) };
        let before_text =
            before.and_then(of).map_or_else(|| "–".into(), |before_text| format!("{before_text:.digits$}"));
        Figure::judged(tokens, format!("{before_text} → {now:.digits$}"), is_good(now), tokens.warning)
    };
    let pops = before_after(&|quality| Some(quality.pops.frames as f64), 0, &|now| now == 0.0);
    let jitter = before_after(&|quality| Some(quality.jitter.as_ref()?.degrees), 3, &|now| now < 0.25);
    let worst = after.and_then(|quality| quality.pops.worst.as_ref());
    let pops_at = worst.map(|pop| of_stage(stage, pop.time, built.character.model.skeleton.find(&pop.joint)));
    let jitters_at = after.and_then(|quality| quality.jitter.as_ref()?.trembles_at);
    let values = [
        Readout::of("cleanup_pops", pops).at(pops_at),
        Readout::of("cleanup_jitter", jitter).at(jitters_at.map(|worst| of_worst(stage, worst))),
        Readout::new("cleanup_rotations", report.rotations.to_string(), tokens.text),
    ];
    let asked = widgets::readouts(ui, &values);
    if let Some(KeyReduction { before, after, error_mm }) = report.keys {
        form::fact(ui, "cleanup_keys", format!("{before} → {after}"));
        form::fact(ui, "cleanup_error", Unit::Millimetres.text(error_mm, 3));
    }
    if report.moved > 0.0 {
        form::fact(ui, "cleanup_moved", Unit::Metres.text(report.moved, 3));
    }
    asked
}

/// Lists the first [`MAX_LISTED_JOINTS`] of the changed joints, and the number of the others.
fn changed(ui: &mut Ui, joints: &[ChangedJoint]) {
    widgets::caption(ui, tr("cleanup.others_stay"));
    for joint in joints.iter().take(MAX_LISTED_JOINTS) {
        let values = [
            ("joint", joint.joint.clone()),
            ("degrees", format!("{:.1}", joint.degrees)),
            ("frames", joint.frames.to_string()),
        ];
        widgets::caption(ui, tr_with("cleanup.joint", &values));
    }
    if let Some(more) = joints.len().checked_sub(MAX_LISTED_JOINTS).filter(|&more| more > 0) {
        widgets::caption(ui, tr_with("cleanup.more", &[("count", more.to_string())]));
    }
}
