//! Inspector of the mirror stage: settings, joint pairs and results.

use egui::{Grid, Label, ScrollArea, Ui};

use crate::theme;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::number_row;
use crate::widgets::{self, Figure, Readout, form};
use portamento_session::Session;
use portamento_stretch::mirror::{Report, Settings};
use portamento_takes::document::TakeId;
use portamento_takes::evaluate::BuiltTake;

/// Draws the mirror stage of take `id`, if it has one.
pub(crate) fn mirror_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let built = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let at = session.selection.stage_index(&session.document);
    let stage = session.selection.stage;
    let Some(settings) = session.document.take_mut(id).and_then(|take| take.mirror_mut(stage)) else { return };
    let report = built.as_ref().and_then(|built| built.mirrored(at)).map(|built| &built.report);
    form::section(ui, "mirror", true, |ui| {
        if let Some(report) = report {
            outcome(ui, report);
        }
        rows(ui, settings);
    });
    if let (Some(built), Some(_)) = (&built, report) {
        form::section(ui, "mirror_pairs", false, |ui| pairs(ui, built));
    }
}

fn rows(ui: &mut Ui, settings: &mut Settings) {
    let plain = Settings::default();
    let (angles, offsets) = (Settings::ANGLES, Settings::OFFSETS);
    let degrees = Field::new(Unit::Degrees).within(*angles.start(), *angles.end());
    let metres = Field::new(Unit::Metres).within(*offsets.start(), *offsets.end());
    number_row(ui, "mirror_angle", &mut settings.angle, degrees, plain.angle);
    number_row(ui, "mirror_tilt", &mut settings.tilt, degrees, plain.tilt);
    number_row(ui, "mirror_offset", &mut settings.offset, metres, plain.offset);
}

fn outcome(ui: &mut Ui, report: &Report) {
    let tokens = theme::of(ui);
    let share = 100.0 * report.asymmetry;
    let values = [
        Readout::new("mirror_pairs", report.pairs.to_string(), tokens.text),
        Readout::of("mirror_asymmetry", Figure::judged(tokens, format!("{share:.2} %"), share < 1.0, tokens.warning)),
    ];
    let _ = widgets::readouts(ui, &values);
    if let Some(joint) = &report.asymmetric {
        form::fact(ui, "mirror_worst", joint.clone());
    }
}

/// Draws one row per swapped left/right pair. Unpaired joints mirror onto themselves.
fn pairs(ui: &mut Ui, built: &BuiltTake) {
    const MAX_HEIGHT: f32 = 240.0;
    let joints = &built.character.model.skeleton.joints;
    ScrollArea::vertical().max_height(MAX_HEIGHT).show(ui, |ui| {
        Grid::new("mirror_pairs").num_columns(2).striped(true).show(ui, |ui| {
            for &(left, right) in &built.roles.pairs {
                for joint in [left, right] {
                    ui.add(Label::new(joints.get(joint).map_or("", |joint| &joint.name)).truncate());
                }
                ui.end_row();
            }
        });
    });
}
