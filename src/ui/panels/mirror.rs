//! Settings of a mirrored motion and what came of them.

use egui::Ui;

use crate::document::TakeId;
use crate::session::Session;
use crate::systems::mirror::{Report, Settings};
use crate::ui::theme;
use crate::ui::widgets::number::{Field, Unit};
use crate::ui::widgets::rows::number_row;
use crate::ui::widgets::{self, Figure, Readout, form};

/// Draws how take `id` is mirrored, if it is.
pub fn mirror_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let built = session.built_for_open_stage();
    let at = session.stage_index();
    let stage = session.selection.stage;
    let Some(settings) = session.document.take_mut(id).and_then(|take| take.mirror_mut(stage)) else { return };
    let report = built.as_ref().and_then(|built| built.mirrored(at)).map(|built| &built.report);
    form::section(ui, "mirror", true, |ui| {
        if let Some(report) = report {
            outcome(ui, report);
        }
        let field = Field::new(Unit::Degrees).within(-180.0, 180.0);
        number_row(ui, "mirror_angle", &mut settings.angle, field, Settings::default().angle);
    });
}

fn outcome(ui: &mut Ui, report: &Report) {
    let tokens = theme::of(ui);
    let share = 100.0 * report.asymmetry;
    let values = [
        Readout::new("mirror_pairs", report.pairs.to_string(), tokens.text),
        Readout {
            key: "mirror_asymmetry",
            figure: Figure::judged(tokens, format!("{share:.2} %"), share < 1.0, tokens.warning),
        },
    ];
    widgets::readouts(ui, &values);
    if let Some(joint) = &report.asymmetric {
        form::fact(ui, "mirror_worst", joint.clone());
    }
}
