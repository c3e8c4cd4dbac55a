//! What acts on all chains: wind, gravity, jumps, and how a loop is closed.

use egui::Ui;

use crate::document::stage::Dynamics;
use crate::systems::dynamics::{Settings, TeleportRule, Wind};
use crate::ui::i18n::tr;
use crate::ui::theme;
use crate::ui::widgets::form;
use crate::ui::widgets::number::{Field, Unit, number};
use crate::ui::widgets::rows::{number_row, vector_fields};

fn share(high: f64) -> Field {
    Field { per_pixel: 0.005, ..Field::new(Unit::Plain).within(0.0, high) }
}

/// Direction, strength, gusts.
pub(super) fn wind_rows(ui: &mut Ui, wind: &mut Wind) {
    let plain = Wind::default();
    number_row(
        ui,
        "wind_strength",
        &mut wind.strength,
        Field::new(Unit::Acceleration).within(0.0, 1000.0),
        plain.strength,
    );
    let reset =
        form::row(ui, "wind_direction", |ui| vector_fields(ui, "wind_direction", &mut wind.direction, Unit::Plain));
    if reset || wind.direction.length_squared() < 1e-12 {
        wind.direction = plain.direction;
    }
    number_row(ui, "wind_gust", &mut wind.gust, share(10.0), plain.gust);
    number_row(ui, "wind_turbulence", &mut wind.turbulence, share(10.0), plain.turbulence);
    number_row(ui, "wind_period", &mut wind.period, Field::new(Unit::Seconds).within(0.1, 600.0), plain.period);
    let reset = form::row(ui, "wind_seed", |ui| {
        let drag = egui::DragValue::new(&mut wind.seed).speed(0.1);
        form::named(ui.add_sized([ui.available_width(), theme::ROW], drag));
    });
    if reset {
        wind.seed = plain.seed;
    }
}

/// Whether and how the end runs on into the start.
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

/// Gravity, size, smoothing, contact, jumps.
pub(super) fn world_rows(ui: &mut Ui, settings: &mut Settings) {
    let plain = Settings::default();
    let reset = form::row(ui, "gravity", |ui| vector_fields(ui, "gravity", &mut settings.gravity, Unit::Plain));
    if reset {
        settings.gravity = plain.gravity;
    }
    number_row(ui, "dynamics_scale", &mut settings.scale, Field::new(Unit::Plain).within(0.001, 1000.0), plain.scale);
    let buffer = Field { per_pixel: 0.002, ..Field::new(Unit::Plain).within(0.001, 1.0) };
    number_row(ui, "slerp_buffer", &mut settings.slerp_buffer, buffer, plain.slerp_buffer);
    number_row(ui, "smoothing", &mut settings.smoothing, Field::new(Unit::Seconds).within(0.0, 10.0), plain.smoothing);
    form::row(ui, "segment_contact", |ui| {
        form::tick(ui, &mut settings.segment_contact);
    });
    let teleport = &mut settings.teleport;
    form::row(ui, "teleport", |ui| {
        let choices = [(TeleportRule::Carry, tr("teleport.carry")), (TeleportRule::Reset, tr("teleport.reset"))];
        form::choice(ui, "teleport", &mut teleport.rule, &choices);
    });
    number_row(
        ui,
        "teleport_speed",
        &mut teleport.speed,
        Field::new(Unit::Speed).within(0.01, 1e5),
        plain.teleport.speed,
    );
}
