//! Rows of a stage's settings that can be keyed.

use egui::{Label, RichText, Ui, Vec2};
use glam::DVec3;

use super::diamond::{Keyable, diamond, number_with_key, room_beside};
use crate::i18n::tr;
use crate::theme;
use crate::widgets::form;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::vector_fields;
use portamento_session::Session;
use portamento_takes::document::keyed::INFLUENCE;
use portamento_takes::document::{StageId, TakeId};

/// A number that can be keyed, and where it is within the stage.
#[derive(Clone, Copy, Debug)]
pub struct KeyedField<'a> {
    /// `form.KEY` is its name, `tip.KEY` its tooltip.
    pub key: &'a str,
    /// Names from the outside in within the stage.
    pub setting: &'a str,
    /// How it is shown.
    pub field: Field,
}

/// A number that can be keyed with its default.
pub fn keyed_row(ui: &mut Ui, place: KeyedField, value: &mut f64, plain: f64) {
    let KeyedField { key, setting, field } = place;
    let reset = form::row_with_keys(ui, key, |ui| {
        number_with_key(ui, &tr(&format!("form.{key}")), setting, value, field);
    });
    if reset {
        *value = plain;
    }
}

/// Three numbers that are keyed together, at `setting/0` to `setting/2`; answers whether the default is asked for.
pub fn keyed_vector_row(ui: &mut Ui, key: &str, setting: &str, value: &mut DVec3, unit: Unit) -> bool {
    form::row_with_keys(ui, key, |ui| {
        let width = room_beside(ui);
        ui.allocate_ui(Vec2::new(width, theme::ROW), |ui| {
            ui.set_max_width(width);
            ui.horizontal(|ui| vector_fields(ui, key, value, unit));
        });
        let settings = [0, 1, 2].map(|axis| format!("{setting}/{axis}"));
        diamond(ui, Keyable { name: &tr(&format!("form.{key}")), unit: unit.suffix().trim(), settings: &settings });
    })
}

/// How much of stage `id` of `take` is taken, or why it cannot be taken in part.
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
