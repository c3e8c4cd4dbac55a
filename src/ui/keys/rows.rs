//! Rows of a stage's animatable settings.

use egui::{Label, RichText, Ui, Vec2};
use glam::DVec3;

use super::diamond::{Keyable, diamond, number_with_key, width_without_diamond};
use crate::i18n::tr;
use crate::theme;
use crate::widgets::form;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::vector_fields;
use portamento_session::Session;
use portamento_takes::document::keyed::INFLUENCE;
use portamento_takes::document::{StageId, TakeId};

/// An animatable number and its location within the stage.
#[derive(Clone, Copy, Debug)]
pub struct KeyedField<'a> {
    /// Translation key: `form.KEY` is its name and `tip.KEY` its tooltip.
    pub key: &'a str,
    /// Setting path, outermost name first.
    pub setting: &'a str,
    /// Display format of the number.
    pub field: Field,
}

/// Draws the row of an animatable number. Its reset button restores `plain`.
pub fn keyed_row(ui: &mut Ui, keyed_field: KeyedField, value: &mut f64, plain: f64) {
    let KeyedField { key, setting, field } = keyed_field;
    let reset = form::row_with_keys(ui, key, |ui| {
        number_with_key(ui, &tr(&format!("form.{key}")), setting, value, field);
    });
    if reset {
        *value = plain;
    }
}

/// Draws the row of a vector whose three numbers, `setting/0` to `setting/2`, are keyed together. Returns true if the reset
/// button was clicked. `key` is the translation key.
pub fn keyed_vector_row(ui: &mut Ui, key: &str, setting: &str, value: &mut DVec3, unit: Unit) -> bool {
    form::row_with_keys(ui, key, |ui| {
        let width = width_without_diamond(ui);
        ui.allocate_ui(Vec2::new(width, theme::ROW), |ui| {
            ui.set_max_width(width);
            ui.horizontal(|ui| vector_fields(ui, key, value, unit));
        });
        let settings = [0, 1, 2].map(|axis| format!("{setting}/{axis}"));
        diamond(ui, Keyable { name: &tr(&format!("form.{key}")), unit: unit.suffix().trim(), settings: &settings });
    })
}

/// Draws the influence of stage `id` of `take`, or the reason why the stage has none.
pub fn influence_row(ui: &mut Ui, session: &mut Session, take: TakeId, id: StageId) {
    let Some(stage) = session.document.take_mut(take).and_then(|take| take.stage_mut(id)) else { return };
    if !stage.kind.has_influence() {
        form::row(ui, INFLUENCE, |ui| {
            let text = RichText::new(tr("keys.no_influence")).font(theme::caption()).color(theme::of(ui).dim);
            ui.add(Label::new(text).truncate()).on_hover_text(tr("keys.why_clock"));
        });
        return;
    }
    let field = Field { per_pixel: 0.005, ..Field::new(Unit::Plain).within(0.0, 1.0) };
    keyed_row(ui, KeyedField { key: INFLUENCE, setting: INFLUENCE, field }, &mut stage.influence, 1.0);
}
