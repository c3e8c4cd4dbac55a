//! Number rows with a default.

use std::ops::RangeInclusive;

use egui::Ui;
use glam::DVec3;

use crate::i18n::tr;
use crate::theme;
use crate::widgets::number::{Field, IntegerField, Unit, number, whole_number};
use crate::widgets::{form, reset};

/// Draws a row labelled `form.KEY` with a number in the stored unit of `field`. A reset sets it to `plain`.
pub fn number_row(ui: &mut Ui, key: &str, value: &mut f64, field: Field, plain: f64) {
    let reset = form::row(ui, key, |ui| {
        number(ui, &tr(&format!("form.{key}")), value, field);
    });
    if reset {
        *value = plain;
    }
}

/// Draws a row labelled `form.KEY` with an integer. A reset sets it to `plain`.
pub fn count_row(ui: &mut Ui, key: &str, value: &mut usize, range: RangeInclusive<usize>, plain: usize) {
    let reset = form::row(ui, key, |ui| {
        form::named(whole_number(ui, value, IntegerField::new(0.2).within(range)));
    });
    if reset {
        *value = plain;
    }
}

/// Draws a row labelled `form.KEY` with a fraction 0 … 1. A reset sets it to `plain`.
pub fn share_row(ui: &mut Ui, key: &str, value: &mut f32, plain: f32) {
    let mut exact = f64::from(*value);
    let reset = form::row(ui, key, |ui| {
        let field = Field { per_pixel: 0.005, ..Field::new(Unit::Plain).within(0.0, 1.0) };
        if number(ui, &tr(&format!("form.{key}")), &mut exact, field).changed() {
            *value = exact as f32;
        }
    });
    if reset {
        *value = plain;
    }
}

/// Draws three number fields side by side for the X, Y and Z of `value`, in `unit`. The translation of `form.KEY` starts their
/// names.
pub fn vector_fields(ui: &mut Ui, key: &str, value: &mut DVec3, unit: Unit) {
    ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
    // Reduced padding, so that three numbers with three decimals fit into the narrowest panel.
    ui.spacing_mut().button_padding.x = 2.0;
    let width = (ui.available_width() - 2.0 * theme::GAP_SMALL) / 3.0;
    for (axis, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
        let (decimals, per_pixel) = if unit == Unit::Metres { (3, 0.001) } else { (2, 0.01) };
        let field = Field { decimals, per_pixel, without_unit: true, ..Field::new(unit).with_width(width) };
        number(ui, &format!("{} {letter}", tr(&format!("form.{key}"))), &mut value[axis], field);
        reset::keep_emptied(ui);
    }
}
