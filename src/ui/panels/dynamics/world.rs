//! Settings that apply to all chains: wind, gravity, teleports and loop closing.

use egui::Ui;

use crate::i18n::tr;
use crate::keys::rows::{KeyedField, keyed_row, keyed_vector_row};
use crate::widgets::form;
use crate::widgets::number::{Field, IntegerField, Unit, number, whole_number};
use crate::widgets::rows::number_row;
use portamento_dynamics::{Settings, Wind};
use portamento_takes::document::stage::Dynamics;

/// Returns the options of a field for a fraction, 0…`high`.
fn share(high: f64) -> Field {
    Field { per_pixel: 0.005, ..Field::new(Unit::Plain).within(0.0, high) }
}

/// Draws the wind settings.
pub(super) fn wind_rows(ui: &mut Ui, wind: &mut Wind) {
    let plain = Wind::default();
    let strength = Field::new(Unit::Acceleration).within(0.0, 1000.0);
    let keyed = |key, setting, field| KeyedField { key, setting, field };
    keyed_row(ui, keyed("wind_strength", "settings/wind/strength", strength), &mut wind.strength, plain.strength);
    let before = wind.direction;
    let direction = "settings/wind/direction";
    let reset = keyed_vector_row(ui, "wind_direction", direction, &mut wind.direction, Unit::Plain);
    // A direction reversed by keys can be zero for a moment; only an edited zero direction is reset.
    if reset || wind.direction != before && wind.direction.length_squared() < 1e-12 {
        wind.direction = plain.direction;
    }
    keyed_row(ui, keyed("wind_gust", "settings/wind/gust", share(10.0)), &mut wind.gust, plain.gust);
    let turbulence = keyed("wind_turbulence", "settings/wind/turbulence", share(10.0));
    keyed_row(ui, turbulence, &mut wind.turbulence, plain.turbulence);
    number_row(ui, "wind_period", &mut wind.period, Field::new(Unit::Seconds).within(0.1, 600.0), plain.period);
    let reset = form::row(ui, "wind_seed", |ui| {
        form::named(whole_number(ui, &mut wind.seed, IntegerField::new(0.1)));
    });
    if reset {
        wind.seed = plain.seed;
    }
}

/// Draws the loop settings (or the pre-roll in seconds of a motion without loop) and the rate of the keys.
pub(super) fn loop_rows(ui: &mut Ui, dynamics: &mut Dynamics) {
    form::row(ui, "dynamics_looping", |ui| {
        form::tick(ui, &mut dynamics.looping);
    });
    let settings = &mut dynamics.settings;
    if dynamics.looping {
        let reset = form::row(ui, "dynamics_clean", |ui| {
            form::tick(ui, &mut settings.loop_clean);
        });
        settings.loop_clean |= reset;
    } else {
        number_row(ui, "pre_roll", &mut settings.pre_roll, Field::new(Unit::Seconds).within(0.0, 600.0), 0.0);
    }
    let reset = form::row(ui, "dynamics_fps", |ui| {
        let mut on = dynamics.fps.is_some();
        if form::tick(ui, &mut on).changed() {
            dynamics.fps = on.then_some(60.0);
        }
        if let Some(fps) = &mut dynamics.fps {
            let field = Field { per_pixel: 0.2, decimals: 0, ..Field::new(Unit::Plain).within(1.0, 1000.0) };
            number(ui, &tr("form.dynamics_fps"), fps, field);
        }
    });
    if reset {
        dynamics.fps = None;
    }
}

/// Draws gravity, scale, smoothing, contact and teleport settings.
pub(super) fn world_rows(ui: &mut Ui, settings: &mut Settings) {
    let plain = Settings::default();
    if keyed_vector_row(ui, "gravity", "settings/gravity", &mut settings.gravity, Unit::Acceleration) {
        settings.gravity = plain.gravity;
    }
    number_row(ui, "dynamics_scale", &mut settings.scale, Field::new(Unit::Plain).within(0.001, 1000.0), plain.scale);
    let buffer = Field { per_pixel: 0.002, ..Field::new(Unit::Plain).within(0.001, 1.0) };
    let keyed = KeyedField { key: "slerp_buffer", setting: "settings/slerp_buffer", field: buffer };
    keyed_row(ui, keyed, &mut settings.slerp_buffer, plain.slerp_buffer);
    let field = Field::new(Unit::Seconds).within(0.0, 10.0);
    let keyed = KeyedField { key: "smoothing", setting: "settings/smoothing", field };
    keyed_row(ui, keyed, &mut settings.smoothing, plain.smoothing);
    form::row(ui, "segment_contact", |ui| {
        form::tick(ui, &mut settings.segment_contact);
    });
    let teleport = &mut settings.teleport;
    form::named_row(ui, "teleport", &mut teleport.rule, "teleport.{}");
    number_row(
        ui,
        "teleport_speed",
        &mut teleport.speed,
        Field::new(Unit::Speed).within(0.01, 1e5),
        plain.teleport.speed,
    );
}
