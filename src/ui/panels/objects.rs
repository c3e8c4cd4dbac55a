//! Inspector of the selected scene object.

use std::f64::consts::TAU;

use egui::Ui;
use egui_material_icons::icons::{ICON_DELETE, ICON_VERTICAL_ALIGN_BOTTOM};

use crate::i18n::tr;
use crate::panels::stretch::target::axis_rows;
use crate::shell::offer::Offer;
use crate::widgets::name_field::NameField;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::number_row;
use crate::widgets::{self, form};
use portamento_session::{Command, EditCommand, Session};
use portamento_takes::document::{ObstacleBox, SceneObject};

/// Draws name, position (scene units) and mesh of the selected object, with buttons that ground or remove it. Draws nothing
/// without a selected object; deselects one that does not exist.
pub(super) fn object_ui(ui: &mut Ui, session: &mut Session) {
    let Some(index) = session.selection.object else { return };
    if index >= session.document.objects.len() {
        session.selection.object = None;
        return;
    }
    let (mut removed, mut grounded) = (false, false);
    form::section(ui, "object", true, |ui| {
        form::row(ui, "name", |ui| name(ui, session, index));
        let object = &mut session.document.objects[index];
        let mut position = object.position.to_array();
        axis_rows(ui, &mut position, [0.0; 3]);
        object.position = position.into();
        mesh(ui, session, index);
        obstacle(ui, &mut session.document.objects[index]);
        if session.document.objects[index].mesh.is_some() {
            let button = widgets::text_button(ui, ICON_VERTICAL_ALIGN_BOTTOM, &tr("object.ground"));
            grounded = button.on_hover_text(tr("object.ground_hint")).clicked();
        }
        removed = widgets::text_button(ui, ICON_DELETE, &tr("object.remove")).clicked();
    });
    if grounded {
        session.perform(Command::Edit(EditCommand::GroundObject(index)));
    }
    if removed {
        session.perform(Command::Edit(EditCommand::RemoveObject(index)));
    }
}

/// Draws heading (radians), scale and visibility of the mesh of the object at `index`; nothing if it has none.
fn mesh(ui: &mut Ui, session: &mut Session, index: usize) {
    let path = |session: &Session, id| session.document.file(id).map(|file| file.path.clone());
    let Some(id) = session.document.objects[index].mesh.as_ref().map(|mesh| mesh.file) else { return };
    let file = path(session, id).and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let Some(mesh) = &mut session.document.objects[index].mesh else { return };
    number_row(ui, "object_heading", &mut mesh.heading, Field::new(Unit::Radians).within(-TAU, TAU), 0.0);
    number_row(ui, "object_size", &mut mesh.size, Field::new(Unit::Plain).within(0.001, 1000.0), 1.0);
    let mut is_seen = !mesh.hidden;
    let reset = form::row(ui, "object_seen", |ui| drop(form::tick(ui, &mut is_seen)));
    mesh.hidden = !(is_seen || reset);
    form::fact(ui, "object_file", file.unwrap_or_default());
}

/// Draws the choice of a box on the ground and its size; nothing if the object has a mesh.
fn obstacle(ui: &mut Ui, object: &mut SceneObject) {
    if object.mesh.is_some() {
        return;
    }
    let mut is_box = object.obstacle.is_some();
    let reset = form::row(ui, "object_obstacle", |ui| drop(form::tick(ui, &mut is_box)));
    if is_box != object.obstacle.is_some() || reset {
        object.obstacle = (is_box && !reset).then(ObstacleBox::default);
    }
    let Some(shape) = &mut object.obstacle else { return };
    let (length, plain) = (Field::new(Unit::Metres), ObstacleBox::default());
    let length = || length.within(ObstacleBox::MIN_LENGTH_M, ObstacleBox::MAX_LENGTH_M);
    number_row(ui, "object_width", &mut shape.width, length(), plain.width);
    number_row(ui, "object_height", &mut shape.height, length(), plain.height);
    number_row(ui, "object_depth", &mut shape.depth, length(), plain.depth);
    number_row(ui, "object_heading", &mut shape.heading, Field::new(Unit::Radians).within(-TAU, TAU), 0.0);
}

/// Returns the offers that remove, ground and hide the selected object; empty without one.
pub fn offers(session: &Session) -> Vec<Offer> {
    let selected = session.selection.object.and_then(|index| Some((index, session.document.objects.get(index)?)));
    let Some((index, object)) = selected else { return Vec::new() };
    let offer = |key, edit| Offer::new(key, format!("{}: {}", tr(key), object.name), Command::Edit(edit));
    let mut offers = vec![offer("object.remove", EditCommand::RemoveObject(index))];
    if let Some(mesh) = &object.mesh {
        offers.push(offer("object.ground", EditCommand::GroundObject(index)));
        offers.push(offer(if mesh.hidden { "mesh.show" } else { "mesh.hide" }, EditCommand::ToggleObject(index)));
    }
    offers
}

/// Draws the name of the object at `index` for editing, and renames it.
fn name(ui: &mut Ui, session: &mut Session, index: usize) {
    let mut name = session.document.objects[index].name.clone();
    NameField::new(&tr("form.name")).ui(ui, &mut name);
    session.document.rename_object(index, &name);
}
