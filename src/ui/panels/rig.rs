//! Rig definition of a character. Every detected joint role can be corrected.

use egui::Ui;
use egui_material_icons::icons::{ICON_ADD, ICON_DELETE, ICON_REFRESH};

use crate::i18n::{tr, tr_with};
use crate::shell::offer::Offer;
use crate::widgets::list;
use crate::widgets::{self, form, joint_choice::joint_choice};
use portamento_anim::rig::preset::RigPreset;
use portamento_anim::{Front, Leg, Rig, Skeleton};
use portamento_session::{Session, Shown};
use portamento_takes::document::FileId;

/// Draws the rig definition of the character in file `id`, with buttons that detect it again, add a leg, or apply a preset. Draws
/// nothing for a file without character.
pub(super) fn rig_ui(ui: &mut Ui, session: &mut Session, id: FileId) {
    let Some(loaded) = session.library.get(id).cloned() else { return };
    let Some(mut roles) = session.document.character(id).map(|character| character.roles.clone()) else { return };
    let skeleton = &loaded.model.skeleton;
    let mut asked = None;
    form::section(ui, "rig", true, |ui| {
        // Without a root joint, each clip uses the joint that moves in it.
        form::row(ui, "root", |ui| {
            joint_choice(ui, "root", &mut roles.root_motion, Some(&tr("root.found")), skeleton);
        });
        role(ui, "hips", &mut roles.hips, skeleton);
        role(ui, "spine", &mut roles.spine_split, skeleton);
        role(ui, "head", &mut roles.head, skeleton);
        front(ui, &mut roles.front);
        legs(ui, &mut roles.legs, skeleton);
        ui.horizontal_wrapped(|ui| {
            if widgets::text_button(ui, ICON_REFRESH, &tr("rig.find_again")).clicked() {
                roles = Rig::of_model(&loaded.model).roles;
            }
            if !skeleton.is_empty() && widgets::text_button(ui, ICON_ADD, &tr("rig.add_leg")).clicked() {
                roles.legs.push(Leg { thigh: 0, shin: 0, foot: 0, toe: None });
            }
            ui.menu_button(tr("rig.preset"), |ui| asked = presets(ui, session, id));
        });
    });
    if let Some(character) = session.document.characters.iter_mut().find(|character| character.file == id) {
        character.roles = roles;
    }
    match asked {
        Some(Asked::Apply(preset)) => session.apply_rig_preset(id, &preset),
        Some(Asked::Save) => session.save_rig_preset(id),
        None => {}
    }
}

/// Returns the offers for the rig of the shown file or clip: detect again, or apply one of
/// [`portamento_session::OpenDocument::rig_presets`]. These include presets that do not fit. Empty for takes, and for
/// a file without a skeleton.
pub fn offers(session: &Session) -> Vec<Offer> {
    let id = match &session.selection.shown {
        Shown::File(id) => *id,
        Shown::Clip { character, .. } => *character,
        Shown::Take(_) | Shown::Nothing => return Vec::new(),
    };
    if session.library.get(id).is_none_or(|loaded| loaded.model.skeleton.is_empty()) {
        return Vec::new();
    }
    let detect_again = move |session: &mut Session| {
        let found = session.library.get(id).map(|loaded| Rig::of_model(&loaded.model).roles);
        let character = session.document.characters.iter_mut().find(|character| character.file == id);
        character.zip(found).into_iter().for_each(|(character, found)| character.roles = found);
    };
    let detect_again =
        Offer::change("rig.find_again", format!("{}: {}", tr("rig.preset"), tr("rig.find_again")), detect_again);
    let presets = session.opened().rig_presets(id).into_iter().map(|preset| {
        let label = format!("{}: {}", tr("rig.preset"), preset.name);
        Offer::change("rig.preset", label, move |session| session.apply_rig_preset(id, &preset))
    });
    [detect_again].into_iter().chain(presets).collect()
}

/// A requested preset action.
enum Asked {
    Apply(Box<RigPreset>),
    Save,
}

/// Draws all rig presets, fitting or not, and the item that saves the current rig as one. Returns the clicked action.
fn presets(ui: &mut Ui, session: &Session, id: FileId) -> Option<Asked> {
    let mut asked = None;
    for preset in session.opened().rig_presets(id) {
        if ui.button(&preset.name).clicked() {
            asked = Some(Asked::Apply(Box::new(preset)));
            ui.close();
        }
    }
    ui.separator();
    if ui.button(tr("rig.save_preset")).clicked() {
        asked = Some(Asked::Save);
        ui.close();
    }
    asked
}

/// Draws the choice of the forward axis in the rest pose.
fn front(ui: &mut Ui, front: &mut Option<Front>) {
    form::row(ui, "front", |ui| {
        let shown = front.map_or_else(|| tr("role.none"), |front| front.name().to_owned());
        let list = egui::ComboBox::from_id_salt("front").selected_text(shown).show_ui(ui, |ui| {
            for axis in Front::ALL {
                list::value(ui, front, Some(axis), axis.name());
            }
        });
        form::named(list.response);
    });
}

/// Draws the choice of the joint of the role with translation key `key`, or of none.
fn role(ui: &mut Ui, key: &str, joint: &mut Option<usize>, skeleton: &Skeleton) {
    form::row(ui, key, |ui| {
        joint_choice(ui, key, joint, Some(&tr("role.none")), skeleton);
    });
}

/// Draws the joints of each leg, and a button that removes the leg.
fn legs(ui: &mut Ui, legs: &mut Vec<Leg>, skeleton: &Skeleton) {
    let mut removed = None;
    for (index, leg) in legs.iter_mut().enumerate() {
        let title = tr_with("rig.leg", &[("number", (index + 1).to_string()), ("foot", name(skeleton, leg.foot))]);
        egui::CollapsingHeader::new(title).id_salt(("leg", index)).show_unindented(ui, |ui| {
            bone(ui, "thigh", index, &mut leg.thigh, skeleton);
            bone(ui, "shin", index, &mut leg.shin, skeleton);
            bone(ui, "foot", index, &mut leg.foot, skeleton);
            form::row(ui, "toe", |ui| {
                joint_choice(ui, ("toe", index), &mut leg.toe, Some(&tr("role.none")), skeleton);
            });
            if widgets::text_button(ui, ICON_DELETE, &tr("rig.remove_leg")).clicked() {
                removed = Some(index);
            }
        });
    }
    if let Some(index) = removed {
        legs.remove(index);
    }
}

/// Draws the choice of a joint that a leg must have. `leg` is the index of the leg.
fn bone(ui: &mut Ui, key: &str, leg: usize, joint: &mut usize, skeleton: &Skeleton) {
    form::row(ui, key, |ui| {
        let mut chosen = Some(*joint);
        joint_choice(ui, (key, leg), &mut chosen, None, skeleton);
        *joint = chosen.unwrap_or(*joint);
    });
}

/// Returns the name of the joint, empty if there is no such joint.
fn name(skeleton: &Skeleton, joint: usize) -> String {
    skeleton.joints.get(joint).map(|joint| joint.name.clone()).unwrap_or_default()
}
