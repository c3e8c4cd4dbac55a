//! The scene object that is selected.

use egui::{Id, Ui};
use egui_material_icons::icons::ICON_DELETE;

use crate::session::{Command, EditCommand, Session};
use crate::ui::i18n::tr;
use crate::ui::panels::stretch::target::axis_rows;
use crate::ui::widgets::{self, form};

/// Draws name and place of the selected object, if one is.
pub(super) fn object_ui(ui: &mut Ui, session: &mut Session) {
    let Some(index) = session.selection.object else { return };
    if index >= session.document.objects.len() {
        session.selection.object = None;
        return;
    }
    let mut removed = false;
    form::section(ui, "object", true, |ui| {
        form::row(ui, "name", |ui| name(ui, session, index));
        let object = &mut session.document.objects[index];
        let mut place = object.position.to_array();
        axis_rows(ui, &mut place, [0.0; 3]);
        object.position = place.into();
        removed = widgets::text_button(ui, ICON_DELETE, &tr("object.remove")).clicked();
    });
    if removed {
        session.perform(Command::Edit(EditCommand::RemoveObject(index)));
    }
}

/// What is typed becomes the name when the field is left, so that takes never aim at half a word.
fn name(ui: &mut Ui, session: &mut Session, index: usize) {
    let id = Id::new(("object name", index));
    let typed: Option<String> = ui.data(|data| data.get_temp(id));
    let mut text = typed.unwrap_or_else(|| session.document.objects[index].name.clone());
    let field = ui.add(widgets::text_field(&mut text, "").desired_width(f32::INFINITY));
    let response = form::called(field, &tr("form.name"));
    if response.lost_focus() {
        session.document.rename_object(index, text.trim());
        ui.data_mut(|data| data.remove::<String>(id));
    } else if response.changed() {
        ui.data_mut(|data| data.insert_temp(id, text));
    }
}
