//! Settings of a skill laid over the motion.

use egui::Ui;

use crate::document::TakeId;
use crate::document::stage::Layer;
use crate::session::Session;
use crate::systems::blend::{Interrupt, LayerMode, LayerSettings};
use crate::ui::i18n::tr;
use crate::ui::panels::blend::events::{EventList, events_ui};
use crate::ui::panels::blend::mask::mask_ui;
use crate::ui::panels::blend::{choices, clip_choice};
use crate::ui::widgets::form;
use crate::ui::widgets::number::{Field, Unit};
use crate::ui::widgets::rows::number_row;

/// Draws the layer of take `id` that is open.
pub fn layer_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let clips = choices(session, id);
    let (playhead, mut chosen) = (session.playback.time, session.selection.event);
    let Some(layer) = session.document.take_mut(id).and_then(|take| take.layer_mut(session.selection.stage)) else {
        return;
    };
    let Layer { settings, files, .. } = layer;
    form::section(ui, "skill", true, |ui| {
        form::row(ui, "skill_clip", |ui| clip_choice(ui, "skill_clip", &mut settings.skill, files, &clips));
        let reset = form::row(ui, "skill_loops", |ui| {
            ui.checkbox(&mut settings.skill_loops, "");
        });
        settings.skill_loops &= !reset;
        mode(ui, settings);
    });
    form::section(ui, "events", true, |ui| {
        let mut list = EventList { events: &mut settings.events, files, clips: &clips };
        events_ui(ui, &mut list, playhead, &mut chosen);
    });
    form::section(ui, "running", false, |ui| {
        let field = || Field::new(Unit::Speed).within(0.0, 20.0);
        let plain = LayerSettings::default().run_speeds;
        let [stand, run] = &mut settings.run_speeds;
        number_row(ui, "stand_below", stand, field(), plain[0]);
        number_row(ui, "run_above", run, field(), plain[1]);
        *run = run.max(*stand);
    });
    session.selection.event = chosen;
    mask_ui(ui, session, id);
}

fn mode(ui: &mut Ui, settings: &mut LayerSettings) {
    let reset = form::row(ui, "layer_mode", |ui| {
        let choices = LayerMode::ALL.map(|each| (each, tr(&format!("layer.{}", each.name()))));
        form::choice(ui, "layer_mode", &mut settings.mode, &choices);
    });
    if reset {
        settings.mode = LayerMode::default();
    }
    let reset = form::row(ui, "interrupt", |ui| {
        let choices = Interrupt::ALL.map(|each| (each, tr(&format!("interrupt.{}", each.name()))));
        form::choice(ui, "interrupt", &mut settings.interrupt, &choices);
    });
    if reset {
        settings.interrupt = Interrupt::default();
    }
}
