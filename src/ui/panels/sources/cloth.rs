//! Inspector of a cloth source: shape, size, pins, material and wind.

use egui::Ui;
use egui_material_icons::icons::ICON_FORMAT_COLOR_RESET;
use glam::DVec3;

use crate::i18n::tr;
use crate::shell::offer::Offer;
use crate::widgets::number::{Field, IntegerField, Unit, whole_number};
use crate::widgets::rows::{count_row, number_row, vector_fields};
use crate::widgets::{self, form};
use portamento_anim::math::WeightMap;
use portamento_base::message::{Message, message};
use portamento_dynamics::cloth::{ClothShape, Settings};
use portamento_session::looping::cloth::Cut;
use portamento_session::{Session, Shown};
use portamento_takes::document::{TakeId, TakeSource};

/// Draws the cloth of take `id`, if its source is one.
pub(crate) fn cloth_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(cut) = session.document.take(id).and_then(Cut::from_take) else { return };
    let cuts = cuts(session);
    let Some(take) = session.document.take_mut(id) else { return };
    let mut chosen = cut;
    form::section(ui, "cloth", true, |ui| {
        let reset = form::row(ui, "cloth_shape", |ui| {
            form::choice(ui, "cloth shape", &mut chosen, &cuts);
        });
        if reset {
            chosen = Cut::of_shape(ClothShape::default());
        }
        if let TakeSource::Cloth(cloth) = &mut take.source {
            size(ui, cloth);
            pins(ui, &mut cloth.pins);
        }
    });
    if chosen != cut {
        chosen.hang(take);
    }
    let TakeSource::Cloth(cloth) = &mut take.source else { return };
    let plain = Settings::default();
    form::section(ui, "cloth_air", true, |ui| air(ui, cloth, &plain));
    form::section(ui, "cloth_stuff", false, |ui| {
        number_row(ui, "cloth_weight", &mut cloth.weight, Field::new(Unit::Plain).within(0.01, 10.0), plain.weight);
        number_row(ui, "cloth_bend", &mut cloth.bend, Field::new(Unit::Plain).within(0.0, 10.0), plain.bend);
        number_row(ui, "cloth_drag", &mut cloth.drag, Field::new(Unit::Plain).within(0.0, 100.0), plain.drag);
        number_row(
            ui,
            "cloth_pre_roll",
            &mut cloth.pre_roll,
            Field::new(Unit::Seconds).within(0.0, 60.0),
            plain.pre_roll,
        );
        count_row(ui, "cloth_steps", &mut cloth.steps, 1..=64, plain.steps);
    });
}

/// Returns the built-in shapes, then the meshes of open files that can hang as cloth, each with its display name.
fn cuts(session: &Session) -> Vec<(Cut, String)> {
    let shapes = [ClothShape::Flag, ClothShape::Strip, ClothShape::Cape];
    let shapes = shapes.map(|shape| (Cut::of_shape(shape), tr(&format!("cloth.{}", shape.name()))));
    shapes.into_iter().chain(session.opened().hangable()).collect()
}

/// Draws width, height and top edge (metres), grid and frame count. A mesh keeps its own size, so that only the frame count is
/// drawn.
fn size(ui: &mut Ui, cloth: &mut Settings) {
    let plain = Settings::default();
    if cloth.shape != ClothShape::Mesh {
        let metres = Field::new(Unit::Metres).within(0.01, 100.0);
        number_row(ui, "cloth_width", &mut cloth.width, metres, plain.width);
        number_row(ui, "cloth_height", &mut cloth.height, metres, plain.height);
        let height = Field::new(Unit::Metres).within(-1000.0, 1000.0);
        number_row(ui, "cloth_top", &mut cloth.top, height, plain.top);
        count_row(ui, "cloth_columns", &mut cloth.columns, 1..=200, plain.columns);
        count_row(ui, "cloth_rows", &mut cloth.rows, 1..=200, plain.rows);
    }
    count_row(ui, "cloth_frames", &mut cloth.frames, 3..=2400, plain.frames);
}

/// Returns the offer that removes the painted pins of the shown cloth. It reports if there are none.
pub fn offers(_: &Session) -> Vec<Offer> {
    vec![Offer::attempt("cloth.pins_take_off", tr("cloth.pins_take_off"), |session| {
        let Shown::Take(id) = session.selection.shown else { return Err(no_cloth()) };
        let Some(TakeSource::Cloth(cloth)) = session.document.take_mut(id).map(|take| &mut take.source) else {
            return Err(no_cloth());
        };
        if cloth.pins.is_empty() {
            return Err(message!("notice.no_pins", "No pins are painted. Paint pins on the cloth first."));
        }
        cloth.pins = WeightMap::default();
        Ok(())
    })]
}

fn no_cloth() -> Message {
    message!("notice.no_cloth", "No cloth is shown. Select a take with a cloth first.")
}

/// Draws a button that removes the painted pins. Without painted pins, draws that the cloth hangs by those of its shape.
fn pins(ui: &mut Ui, pins: &mut WeightMap) {
    if pins.is_empty() {
        return form::fact(ui, "cloth_pins", tr("cloth.pins_own"));
    }
    let mut off = false;
    let reset = form::row(ui, "cloth_pins", |ui| {
        off = widgets::text_button(ui, ICON_FORMAT_COLOR_RESET, &tr("cloth.pins_off")).clicked();
    });
    if off || reset {
        *pins = WeightMap::default();
    }
}

/// Draws wind (m/s), gusts, seed and gravity (m/s²). A reset gives the values of `plain`.
fn air(ui: &mut Ui, cloth: &mut Settings, plain: &Settings) {
    let mut wind = DVec3::from(cloth.wind);
    let reset = form::row(ui, "cloth_wind", |ui| vector_fields(ui, "cloth_wind", &mut wind, Unit::Speed));
    cloth.wind = if reset { plain.wind } else { wind.to_array() };
    number_row(ui, "cloth_gusts", &mut cloth.gusts, Field::new(Unit::Plain).within(0.0, 2.0), plain.gusts);
    seed(ui, &mut cloth.seed);
    let pull = Field::new(Unit::Acceleration).within(-100.0, 100.0);
    number_row(ui, "cloth_gravity", &mut cloth.gravity, pull, plain.gravity);
}

/// Draws the seed of the gusts.
fn seed(ui: &mut Ui, seed: &mut u64) {
    let reset = form::row(ui, "cloth_seed", |ui| {
        form::named(whole_number(ui, seed, IntegerField::new(0.1)));
    });
    if reset {
        *seed = Settings::default().seed;
    }
}
