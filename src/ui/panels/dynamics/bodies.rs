//! Collider list of the dynamic bones.

use egui::{RichText, Ui};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_ADD, ICON_CIRCLE, ICON_DELETE, ICON_EXPAND_MORE, ICON_FIT_SCREEN, ICON_HORIZONTAL_RULE, ICON_PILL,
};

use crate::i18n::{tr, tr_with};
use crate::panels::dynamics::list_row::{RowClick, list_name};
use crate::shell::offer::Offer;
use crate::widgets::form;
use crate::widgets::joint_choice::joint_choice;
use crate::widgets::name_field::NameField;
use crate::widgets::number::{Field, Unit, number};
use crate::widgets::rows::vector_fields;
use crate::{theme, widgets};
use portamento_anim::Skeleton;
use portamento_dynamics::{Collider, ColliderShape};
use portamento_session::{Command, EditCommand, NewCollider, Session};
use portamento_takes::document::TakeId;

/// Draws the colliders of take `id`, the settings of the selected one, and the buttons that add one. A click on the name of the
/// selected collider deselects it.
pub(super) fn bodies_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let selected = session.selection.collider;
    let character = session.frame().map(|frame| frame.character.clone());
    let Some(dynamics) = session.document.take_mut(id).and_then(|take| take.dynamics_mut(session.selection.stage))
    else {
        return;
    };
    let colliders = &mut dynamics.settings.colliders;
    let (mut chosen, mut removed) = (None, None);
    for (index, collider) in colliders.iter().enumerate() {
        match row(ui, collider, selected == Some(index)) {
            RowClick::Nothing => {}
            RowClick::Name => chosen = Some(index),
            RowClick::Remove => removed = Some(index),
        }
    }
    if let (Some(collider), Some(character)) = (selected.and_then(|index| colliders.get_mut(index)), &character) {
        ui.add_space(theme::GAP_SMALL);
        body_rows(ui, collider, &character.model.skeleton);
    }
    if let Some(index) = removed {
        dynamics.settings.remove_collider(index);
        session.selection.collider = None;
    } else if let Some(index) = chosen {
        session.selection.collider = (selected != Some(index)).then_some(index);
    }
    let joint = session.selection.joint;
    let name = |joint: usize| Some(character.as_ref()?.model.skeleton.joints.get(joint)?.name.clone());
    let named = joint.and_then(|joint| Some((joint, name(joint)?)));
    if let Some(wanted) = add_row(ui, named) {
        session.perform(Command::Edit(EditCommand::AddCollider(wanted)));
    }
}

/// Returns the icon of the shape.
fn icon(shape: &ColliderShape) -> MaterialIcon {
    match shape {
        ColliderShape::Sphere { .. } | ColliderShape::InsideSphere { .. } => ICON_CIRCLE,
        ColliderShape::Capsule { .. } | ColliderShape::InsideCapsule { .. } => ICON_PILL,
        ColliderShape::Plane { .. } => ICON_HORIZONTAL_RULE,
    }
}

/// Draws the row of a collider, highlighted if `on`. Returns the clicked part.
fn row(ui: &mut Ui, collider: &Collider, on: bool) -> RowClick {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        let (rect, _) = ui.allocate_exact_size(egui::Vec2::splat(theme::ROW), egui::Sense::hover());
        let (dim, glyph) = (theme::of(ui).dim, icon(&collider.shape).codepoint);
        ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, glyph, theme::body(), dim);
        let clicked = list_name(ui, &collider.name, on, false);
        RowClick::of_row(clicked, widgets::icon_button(ui, ICON_DELETE, &tr("collider.remove")).clicked())
    })
    .inner
}

/// Draws the buttons that add a collider: fitted to the selected `joint` (index and name), or with default size. Returns the
/// chosen collider.
fn add_row(ui: &mut Ui, joint: Option<(usize, String)>) -> Option<NewCollider> {
    let mut wanted = None;
    ui.horizontal_wrapped(|ui| {
        if let Some((joint, name)) = &joint {
            let text = tr_with("collider.fit", &[("joint", name.clone())]);
            if widgets::text_button(ui, ICON_FIT_SCREEN, &text).on_hover_text(tr("tip.collider_fit")).clicked() {
                wanted = Some(NewCollider::Fitted(*joint));
            }
        }
        let on = joint.as_ref().map(|(joint, _)| *joint);
        let title = format!("{}  {}  {}", ICON_ADD.codepoint, tr("collider.add"), ICON_EXPAND_MORE.codepoint);
        let button = egui::Button::new(title);
        let (response, _) = egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| {
            for (icon, key, new) in shapes(on) {
                if ui.button(RichText::new(format!("{}  {}", icon.codepoint, tr(key)))).clicked() {
                    wanted = Some(new);
                }
            }
        });
        widgets::named(response, &tr("collider.add"));
    });
    if joint.is_none() {
        widgets::caption(ui, tr("collider.hint"));
    }
    wanted
}

/// Returns the collider shapes that can be added on joint `on` (in the world if `None`), with icon and locale key. The last one
/// is always in the world.
fn shapes(on: Option<usize>) -> [(MaterialIcon, &'static str, NewCollider); 4] {
    [
        (ICON_CIRCLE, "collider.sphere", NewCollider::Sphere(on)),
        (ICON_PILL, "collider.capsule", NewCollider::Capsule(on)),
        (ICON_HORIZONTAL_RULE, "collider.plane", NewCollider::Plane(on)),
        (ICON_HORIZONTAL_RULE, "collider.ground", NewCollider::Plane(None)),
    ]
}

/// Returns the offers that add a collider on the selected joint, or in the world.
pub(super) fn offers(session: &Session) -> Vec<Offer> {
    let offer = |(_, key, new)| {
        let label = format!("{}: {}", tr("collider.add_one"), tr(key));
        Offer::new("collider.add_one", label, Command::Edit(EditCommand::AddCollider(new)))
    };
    shapes(session.selection.joint).map(offer).to_vec()
}

/// Draws name, joint and shape of a collider. Without a joint, it is fixed in the world.
fn body_rows(ui: &mut Ui, collider: &mut Collider, skeleton: &Skeleton) {
    form::row(ui, "name", |ui| {
        NameField::new(&tr("form.name")).ui(ui, &mut collider.name);
    });
    form::row(ui, "collider_joint", |ui| {
        joint_choice(ui, "collider joint", &mut collider.joint, Some(&tr("collider.world")), skeleton);
    });
    shape_rows(ui, &mut collider.shape);
}

/// Draws the size of the shape in metres, and the check box that turns it inside out, which a plane does not have.
fn shape_rows(ui: &mut Ui, shape: &mut ColliderShape) {
    let mut inside = matches!(shape, ColliderShape::InsideSphere { .. } | ColliderShape::InsideCapsule { .. });
    let was_inside = inside;
    match shape {
        ColliderShape::Sphere { center, radius } | ColliderShape::InsideSphere { center, radius } => {
            form::row(ui, "collider_center", |ui| vector_fields(ui, "collider_center", center, Unit::Metres));
            radius_row(ui, radius);
        }
        ColliderShape::Capsule { a, b, radius } | ColliderShape::InsideCapsule { a, b, radius } => {
            form::row(ui, "collider_a", |ui| vector_fields(ui, "collider_a", a, Unit::Metres));
            form::row(ui, "collider_b", |ui| vector_fields(ui, "collider_b", b, Unit::Metres));
            radius_row(ui, radius);
        }
        ColliderShape::Plane { point, normal } => {
            form::row(ui, "collider_point", |ui| vector_fields(ui, "collider_point", point, Unit::Metres));
            form::row(ui, "collider_normal", |ui| vector_fields(ui, "collider_normal", normal, Unit::Plain));
            if normal.length_squared() < 1e-12 {
                *normal = glam::DVec3::Y;
            }
            return;
        }
    }
    form::row(ui, "collider_inside", |ui| {
        form::tick(ui, &mut inside);
    });
    if inside != was_inside {
        *shape = inside_out(*shape);
    }
}

/// Draws the radius, which is in metres.
fn radius_row(ui: &mut Ui, radius: &mut f64) {
    form::row(ui, "collider_radius", |ui| {
        let field = Field { per_pixel: 0.001, ..Field::new(Unit::Metres).within(0.0, 100.0) };
        number(ui, &tr("form.collider_radius"), radius, field);
    });
}

/// Swaps inside and outside of a collider. A plane stays unchanged.
fn inside_out(shape: ColliderShape) -> ColliderShape {
    match shape {
        ColliderShape::Sphere { center, radius } => ColliderShape::InsideSphere { center, radius },
        ColliderShape::InsideSphere { center, radius } => ColliderShape::Sphere { center, radius },
        ColliderShape::Capsule { a, b, radius } => ColliderShape::InsideCapsule { a, b, radius },
        ColliderShape::InsideCapsule { a, b, radius } => ColliderShape::Capsule { a, b, radius },
        plane @ ColliderShape::Plane { .. } => plane,
    }
}
