//! Settings of one chain of dynamic bones.

use std::f64::consts::PI;

use egui::{PopupCloseBehavior, Ui};
use egui_material_icons::icons::{ICON_BLOCK, ICON_CLOSE, ICON_EXPAND_MORE, ICON_SHOW_CHART};

use crate::i18n::{tr, tr_with};
use crate::keys::number_with_key;
use crate::panels::dynamics::presets::presets_row;
use crate::widgets::curve::curve;
use crate::widgets::form;
use crate::widgets::joint_choice::joint_choice;
use crate::widgets::name_field::NameField;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::rows::vector_fields;
use crate::{theme, widgets};
use portamento_anim::Skeleton;
use portamento_dynamics::{AngleLimit, Chain, Collider, JointOverride, LengthCorrection, Profile};
use portamento_session::Session;
use portamento_takes::document::TakeId;

/// Draws the settings of the selected chain of take `id`. Deselects a chain that does not exist.
pub(super) fn chain_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(index) = session.selection.chain else { return };
    let character = session.frame().map(|frame| frame.character.clone());
    let joint = session.selection.joint;
    let chains = session.document.take_mut(id).and_then(|take| take.dynamics_mut(session.selection.stage));
    let Some(mut chain) = chains.and_then(|dynamics| dynamics.settings.chains.get(index).cloned()) else {
        session.selection.chain = None;
        return;
    };
    let dynamics = session.document.take(id).and_then(|take| take.dynamics(session.selection.stage));
    let colliders = dynamics.map(|dynamics| dynamics.settings.colliders.clone()).unwrap_or_default();
    form::row(ui, "name", |ui| {
        NameField::new(&tr("form.name")).ui(ui, &mut chain.name);
    });
    presets_row(ui, session, &mut chain);
    profiles(ui, index, &mut chain);
    end_row(ui, &mut chain);
    limit_rows(ui, index, &mut chain.limit);
    correction_row(ui, &mut chain.length_correction);
    if let Some(character) = &character {
        let skeleton = &character.model.skeleton;
        form::row(ui, "bone_centre", |ui| {
            joint_choice(ui, "chain centre", &mut chain.center, Some(&tr("collider.world")), skeleton);
        });
        meets_row(ui, &mut chain, &colliders);
        excluded(ui, &mut chain, skeleton, joint);
        single_bone(ui, &mut chain, skeleton, joint);
    }
    let chains = session.document.take_mut(id).and_then(|take| take.dynamics_mut(session.selection.stage));
    if let Some(current) = chains.and_then(|dynamics| dynamics.settings.chains.get_mut(index))
        && *current != chain
    {
        *current = chain;
    }
}

/// Returns the options of the field for the stiffness, an acceleration.
fn stiffness() -> Field {
    Field::new(Unit::Acceleration).within(0.0, 10_000.0)
}

/// Returns the options of a field for a fraction, 0…1.
fn share() -> Field {
    Field { per_pixel: 0.002, decimals: 3, ..Field::new(Unit::Plain).within(0.0, 1.0) }
}

/// Returns the options of a field for a factor, −10…10.
fn factor() -> Field {
    Field::new(Unit::Plain).within(-10.0, 10.0)
}

/// Returns the options of the field for the radius, 0…10 m.
fn radius() -> Field {
    Field { per_pixel: 0.001, ..Field::new(Unit::Metres).within(0.0, 10.0) }
}

/// Draws the profile rows of chain `index`.
fn profiles(ui: &mut Ui, index: usize, chain: &mut Chain) {
    let plain = Chain::default();
    let keyed = |key, number| KeyedProfile { key, setting: format!("settings/chains/{index}/{number}/value") };
    profile(ui, keyed("bone_stiffness", "stiffness"), &mut chain.stiffness, stiffness(), &plain.stiffness);
    profile(ui, keyed("bone_drag", "drag"), &mut chain.drag, share(), &plain.drag);
    profile(ui, keyed("bone_gravity", "gravity"), &mut chain.gravity, factor(), &plain.gravity);
    profile(ui, keyed("bone_radius", "radius"), &mut chain.radius, radius(), &plain.radius);
}

/// A form row and the path of its setting within the stage.
struct KeyedProfile {
    key: &'static str,
    setting: String,
}

/// Draws the number of `profile` and, if opened, its curve along the chain. Reset restores `plain`.
fn profile(ui: &mut Ui, keyed: KeyedProfile, profile: &mut Profile, field: Field, plain: &Profile) {
    let KeyedProfile { key, setting } = keyed;
    let id = ui.id().with(("curve", key));
    let mut open = ui.data(|data| data.get_temp(id)).unwrap_or(!profile.curve.is_empty());
    let name = tr(&format!("form.{key}"));
    let reset = form::row_with_keys(ui, key, |ui| {
        let width = ui.available_width() - theme::ROW - theme::GAP_MEDIUM;
        number_with_key(ui, &name, &setting, &mut profile.value, field.with_width(width));
        if widgets::toggle_icon(ui, ICON_SHOW_CHART, &tr_with("dynamics.curve", &[("name", name.clone())]), open)
            .clicked()
        {
            open = !open;
            ui.data_mut(|data| data.insert_temp(id, open));
        }
    });
    if reset {
        *profile = plain.clone();
    }
    if open {
        curve(ui, &tr_with("dynamics.curve_of", &[("name", name)]), &mut profile.curve)
            .on_hover_text(tr("tip.dynamics_curve"));
        ui.add_space(theme::GAP_SMALL);
    }
}

/// Draws the length (metres) of the virtual bone after the last joint. Switching it on sets 0.1 m.
fn end_row(ui: &mut Ui, chain: &mut Chain) {
    let reset = form::row(ui, "bone_end", |ui| {
        let mut on = chain.end_length > 0.0;
        if form::tick(ui, &mut on).changed() {
            chain.end_length = if on { 0.1 } else { 0.0 };
        }
        if on {
            let field = Field { per_pixel: 0.001, ..Field::new(Unit::Metres).within(0.001, 10.0) };
            number(ui, &tr("form.bone_end"), &mut chain.end_length, field);
        }
    });
    if reset {
        chain.end_length = 0.0;
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Free,
    Cone,
    Hinge,
}

/// Draws the angle limit (radians) of the bones of the chain with index `chain`. A change of its kind sets the default angles of
/// the new kind.
fn limit_rows(ui: &mut Ui, chain: usize, limit: &mut AngleLimit) {
    let mut kind = match limit {
        AngleLimit::Free => Kind::Free,
        AngleLimit::Cone { .. } => Kind::Cone,
        AngleLimit::Hinge { .. } => Kind::Hinge,
    };
    let choices = [(Kind::Free, tr("limit.free")), (Kind::Cone, tr("limit.cone")), (Kind::Hinge, tr("limit.hinge"))];
    let mut changed = false;
    let reset = form::row(ui, "bone_limit", |ui| changed = form::choice(ui, "chain limit", &mut kind, &choices));
    if reset {
        *limit = AngleLimit::Free;
    } else if changed {
        *limit = match kind {
            Kind::Free => AngleLimit::Free,
            Kind::Cone => AngleLimit::Cone { angle: 0.8 },
            Kind::Hinge => AngleLimit::Hinge { axis: glam::DVec3::X, low: -0.8, high: 0.8 },
        };
    }
    let angle_row = |ui: &mut Ui, key: &str, setting: &str, angle: &mut f64, range: (f64, f64)| {
        let (setting, field) = (format!("settings/chains/{chain}/limit/{setting}"), Field::new(Unit::Radians));
        form::row_with_keys(ui, key, |ui| {
            number_with_key(ui, &tr(&format!("form.{key}")), &setting, angle, field.within(range.0, range.1));
        });
    };
    match limit {
        AngleLimit::Free => {}
        AngleLimit::Cone { angle } => angle_row(ui, "limit_angle", "cone/angle", angle, (0.0, PI)),
        AngleLimit::Hinge { axis, low, high } => {
            form::row(ui, "limit_axis", |ui| vector_fields(ui, "limit_axis", axis, Unit::Plain));
            angle_row(ui, "limit_low", "hinge/low", low, (-PI, 0.0));
            angle_row(ui, "limit_high", "hinge/high", high, (0.0, PI));
        }
    }
}

/// Draws the choice between the published length correction and the one that keeps a swing's energy.
fn correction_row(ui: &mut Ui, correction: &mut LengthCorrection) {
    let choices = [
        (LengthCorrection::AsPublished, tr("correction.as_published")),
        (LengthCorrection::EnergyKeeping, tr("correction.energy_keeping")),
    ];
    let reset = form::row(ui, "length_correction", |ui| {
        form::choice(ui, "length correction", correction, &choices);
    });
    if reset {
        *correction = Chain::default().length_correction;
    }
}

/// Draws the choice of colliders that the chain collides with.
fn meets_row(ui: &mut Ui, chain: &mut Chain, colliders: &[Collider]) {
    if colliders.is_empty() {
        return;
    }
    let reset = form::row(ui, "bone_meets", |ui| {
        let colliding = colliders.len().saturating_sub(chain.ignored_colliders.len());
        let counts = [("met", colliding.to_string()), ("all", colliders.len().to_string())];
        let title = format!("{}  {}", tr_with("dynamics.meets", &counts), ICON_EXPAND_MORE.codepoint);
        let button = egui::Button::new(title).min_size(egui::Vec2::new(ui.available_width(), 0.0));
        let menu = egui::containers::menu::MenuButton::from_button(button);
        let stays_open =
            egui::containers::menu::MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let (response, _) = menu.config(stays_open).ui(ui, |ui| {
            for (index, collider) in colliders.iter().enumerate() {
                let mut meets = !chain.ignored_colliders.contains(&index);
                if ui.checkbox(&mut meets, &collider.name).changed() {
                    chain.ignored_colliders.retain(|&ignored| ignored != index);
                    chain.ignored_colliders.extend((!meets).then_some(index));
                }
            }
        });
        widgets::named(response, &tr("form.bone_meets"));
    });
    if reset {
        chain.ignored_colliders.clear();
    }
}

/// Draws the joints below the chain that are excluded from the simulation, and a button to exclude the selected `joint` if the
/// chain moves it.
fn excluded(ui: &mut Ui, chain: &mut Chain, skeleton: &Skeleton, joint: Option<usize>) {
    let mut included = None;
    for &each in &chain.excluded {
        let Some(name) = skeleton.joints.get(each).map(|joint| joint.name.clone()) else { continue };
        form::row(ui, "bone_excluded", |ui| {
            ui.label(name);
            if widgets::icon_button(ui, ICON_CLOSE, &tr("dynamics.include")).clicked() {
                included = Some(each);
            }
        });
    }
    chain.excluded.retain(|each| Some(*each) != included);
    let selected_below = joint.filter(|&joint| joint != chain.joint && is_below(skeleton, joint, chain));
    if let Some(name) = selected_below.and_then(|joint| skeleton.joints.get(joint)).map(|joint| joint.name.clone()) {
        let text = tr_with("dynamics.exclude", &[("joint", name)]);
        if widgets::text_button(ui, ICON_BLOCK, &text).clicked() {
            chain.excluded.extend(selected_below);
        }
    }
}

/// True if `joint` is moved by `chain`: at or below its joint, and not at or below one that the chain excludes.
fn is_below(skeleton: &Skeleton, joint: usize, chain: &Chain) -> bool {
    joint < skeleton.len()
        && skeleton.is_within(joint, chain.joint)
        && !skeleton.ancestors(joint).any(|each| chain.excluded.contains(&each))
}

/// Draws the overrides of the bone at the selected `joint`, if the chain moves it. Overrides that are all off are removed.
fn single_bone(ui: &mut Ui, chain: &mut Chain, skeleton: &Skeleton, joint: Option<usize>) {
    let Some(joint) = joint.filter(|&joint| is_below(skeleton, joint, chain)) else { return };
    ui.add_space(theme::GAP_SMALL);
    widgets::caption(ui, tr_with("dynamics.single", &[("joint", skeleton.joints[joint].name.clone())]));
    let found = chain.overrides.iter().position(|each| each.joint == joint);
    let mut bone = found.map_or(JointOverride { joint, ..JointOverride::default() }, |at| chain.overrides[at].clone());
    let values = [chain.stiffness.value, chain.drag.value, chain.gravity.value, chain.radius.value];
    optional(ui, "bone_stiffness", &mut bone.stiffness, values[0], stiffness());
    optional(ui, "bone_drag", &mut bone.drag, values[1], share());
    optional(ui, "bone_gravity", &mut bone.gravity, values[2], factor());
    optional(ui, "bone_radius", &mut bone.radius, values[3], radius());
    chain.overrides.retain(|each| each.joint != joint);
    if bone != (JointOverride { joint, ..JointOverride::default() }) {
        let at = found.unwrap_or(chain.overrides.len()).min(chain.overrides.len());
        chain.overrides.insert(at, bone);
    }
}

/// Draws a number that can be off (`None`). It becomes `usual` when it is switched on, and off when it is reset. `key` is the
/// translation key.
fn optional(ui: &mut Ui, key: &str, value: &mut Option<f64>, usual: f64, field: Field) {
    let reset = form::row(ui, key, |ui| {
        let mut on = value.is_some();
        if form::tick(ui, &mut on).changed() {
            *value = on.then_some(usual);
        }
        if let Some(value) = value {
            number(ui, &tr(&format!("form.{key}")), value, field);
        }
    });
    if reset {
        *value = None;
    }
}
