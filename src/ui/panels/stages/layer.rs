//! Inspector of the layer stage.

use egui::Ui;
use egui_material_icons::icons::{ICON_ADD, ICON_DELETE};

use crate::i18n::tr;
use crate::panels::blend::events::{EventList, events_ui};
use crate::panels::blend::mask::mask_ui;
use crate::panels::blend::{choices, clip_choice, skill_end_rows};
use crate::widgets::joint_choice::joint_choice;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::rows::number_row;
use crate::widgets::{self, form};
use portamento_anim::Skeleton;
use portamento_blend::{BlendTime, Interrupt, LayerMode, LayerSettings};
use portamento_session::{Command, EditCommand, Session};
use portamento_takes::document::TakeId;
use portamento_takes::document::stage::Layer;

/// Draws the open layer stage of take `id`: skill clip, events, transition times, speed limits and joint weights.
pub(super) fn layer_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let clips = choices(session, id);
    let (playhead, mut chosen) = (session.playback.time, session.selection.event);
    let character = session.document.take(id).map(|take| take.character);
    let loaded = character.and_then(|character| session.library.get(character).cloned());
    let skeleton = loaded.as_ref().map(|loaded| &loaded.model.skeleton);
    let Some(layer) = session.document.take_mut(id).and_then(|take| take.layer_mut(session.selection.stage)) else {
        return;
    };
    let Layer { settings, files, .. } = layer;
    form::section(ui, "skill", true, |ui| {
        form::row(ui, "skill_clip", |ui| clip_choice(ui, "skill_clip", &mut settings.skill, files, &clips));
        skill_end_rows(ui, &mut settings.skill_loops, &mut settings.skill_holds);
        mode(ui, settings);
    });
    let mut entry = None;
    form::section(ui, "events", true, |ui| {
        let mut list = EventList { events: &mut settings.events, files, clips: &clips, entry };
        events_ui(ui, &mut list, playhead, &mut chosen);
        entry = list.entry;
    });
    if let Some(skeleton) = &skeleton {
        form::section(ui, "blend_times", false, |ui| blend_times(ui, &mut settings.blend_times, skeleton));
    }
    form::section(ui, "running", false, |ui| {
        let field = || Field::new(Unit::Speed).within(0.0, 20.0);
        let plain = LayerSettings::default().run_speeds;
        let [stand, run] = &mut settings.run_speeds;
        number_row(ui, "stand_below", stand, field(), plain[0]);
        number_row(ui, "run_above", run, field(), plain[1]);
        *run = run.max(*stand);
    });
    session.selection.event = chosen;
    if let Some(event) = entry {
        session.perform(Command::Edit(EditCommand::FindEntry(event)));
    }
    mask_ui(ui, session, id);
}

/// Draws one row per joint with its own transition time factor, and a button that adds one.
fn blend_times(ui: &mut Ui, times: &mut Vec<BlendTime>, skeleton: &Skeleton) {
    let mut removed = None;
    for (index, time) in times.iter_mut().enumerate() {
        ui.push_id(index, |ui| {
            ui.horizontal(|ui| {
                if widgets::icon_button(ui, ICON_DELETE, &tr("blend_times.remove")).clicked() {
                    removed = Some(index);
                }
                let field = Field::new(Unit::Plain).within(0.0, BlendTime::MAX_FACTOR).with_width(56.0);
                let name = format!("{}: {}", time.joint, tr("blend_times.factor"));
                number(ui, &name, &mut time.factor, field).on_hover_text(tr("blend_times.factor"));
                let mut joint = skeleton.find(&time.joint);
                if joint_choice(ui, "blend_time_joint", &mut joint, None, skeleton)
                    && let Some(joint) = joint
                {
                    time.joint.clone_from(&skeleton.joints[joint].name);
                }
            });
        });
    }
    if let Some(removed) = removed {
        times.remove(removed);
    }
    if widgets::text_button(ui, ICON_ADD, &tr("blend_times.add")).clicked() {
        let joint = skeleton.joints.first().map_or_else(String::new, |joint| joint.name.clone());
        times.push(BlendTime { joint, factor: 0.5 });
    }
}

/// Draws the choice how the layer is combined with the motion below, and how a transition continues that an event interrupts.
fn mode(ui: &mut Ui, settings: &mut LayerSettings) {
    let reset = form::named_row(ui, "layer_mode", &mut settings.mode, "layer.{}");
    if reset {
        settings.mode = LayerMode::default();
    }
    let reset = form::named_row(ui, "interrupt", &mut settings.interrupt, "interrupt.{}");
    if reset {
        settings.interrupt = Interrupt::default();
    }
}
