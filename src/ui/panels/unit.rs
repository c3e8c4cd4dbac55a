//! Length unit of a file.

use egui::Ui;

use crate::i18n::tr;
use crate::widgets::form;
use crate::widgets::number::{Field, Unit, number};

/// Draws the metres per file unit: a common unit or a custom value. `read` is the unit that the file was read with.
pub(super) fn unit(ui: &mut Ui, metres_per_unit: &mut f64, read: f64) {
    let common_units = [
        (1.0, tr("unit.metre")),
        (0.01, tr("unit.centimetre")),
        (0.001, tr("unit.millimetre")),
        (0.0254, tr("unit.inch")),
        (0.056_444, tr("unit.capture")),
    ];
    let reset = form::row(ui, "unit", |ui| {
        let mut choices = common_units.to_vec();
        if common_units.iter().all(|(metres, _)| metres != metres_per_unit) {
            choices.push((*metres_per_unit, tr("unit.other")));
        }
        form::choice(ui, "unit", metres_per_unit, &choices);
    });
    form::row(ui, "unit_length", |ui| {
        let field = Field { per_pixel: 0.001, decimals: 5, ..Field::new(Unit::Metres).within(1e-6, 1e4) };
        number(ui, &tr("form.unit_length"), metres_per_unit, field);
    });
    if reset {
        *metres_per_unit = read;
    }
}
