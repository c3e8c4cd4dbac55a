//! Inspector of the mirror stage: settings, joint pairs and results.

use egui::{Grid, Label, ScrollArea, Ui};

use super::{OpenStage, inspect};
use crate::i18n::tr_with;
use crate::setting::setting_rows;
use crate::theme::{self, Tokens};
use crate::widgets::{self, Figure, Readout, form};
use portamento_session::Session;
use portamento_stretch::mirror::{Built, Report, Settings};
use portamento_takes::document::TakeId;
use portamento_takes::evaluate::BuiltTake;

/// Returns the number of mirrored pairs and the asymmetry of the skeleton in percent, which is a warning from 1 % on.
pub(super) fn figure(tokens: &Tokens, report: &Report) -> Figure {
    let percent = 100.0 * report.asymmetry;
    let part = [("pairs", report.pairs.to_string()), ("share", format!("{percent:.1}"))];
    Figure::judged(tokens, tr_with("stack.mirror", &part), percent < 1.0, tokens.warning)
}

/// Draws the mirror stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn mirror_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    inspect(ui, session, id, |ui, settings: &mut Settings, stage: OpenStage<Built>| {
        form::section(ui, "mirror", true, |ui| {
            if let Some(result) = stage.result {
                outcome(ui, &result.report);
            }
            setting_rows(ui, settings, |_| true);
        });
        if let (Some(built), Some(_)) = (stage.built, stage.result) {
            form::section(ui, "mirror_pairs", false, |ui| pairs(ui, built));
        }
        None
    });
}

/// Draws the number of mirrored pairs and the asymmetry of the skeleton in percent, with its worst joint.
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
