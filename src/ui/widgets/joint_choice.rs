//! Choosing a joint by its name.

use egui::{ComboBox, PopupCloseBehavior, ScrollArea, Ui};

use crate::anim::Skeleton;
use crate::ui::focus;
use crate::ui::i18n::tr;
use crate::ui::widgets;
use crate::ui::widgets::form;

/// Rows of joints seen at once.
const ROWS: f32 = 12.0;

/// A drop-down of joints with a filter. Where `none` is given it is the first row and stands for no joint. Answers whether
/// another was chosen.
pub fn joint_choice(
    ui: &mut Ui,
    id: impl egui::AsIdSalt,
    joint: &mut Option<usize>,
    none: Option<&str>,
    skeleton: &Skeleton,
) -> bool {
    let before = *joint;
    let name = |joint: Option<usize>| joint.and_then(|joint| skeleton.joints.get(joint)).map(|joint| &*joint.name);
    let shown = name(*joint).or(none).unwrap_or_default().to_owned();
    let combo = ComboBox::from_id_salt(id).width(ui.available_width()).truncate().selected_text(&shown);
    let list = combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
        let wanted = filter(ui);
        let fits = |name: &str| wanted.is_empty() || name.to_lowercase().contains(&wanted);
        let height = ROWS * (ui.text_style_height(&egui::TextStyle::Body) + 8.0);
        ScrollArea::vertical().max_height(height).show(ui, |ui| {
            let rows = (0..skeleton.len()).map(Some).filter(|&row| name(row).is_some_and(fits));
            let first = none.filter(|none| fits(none)).map(|_| None);
            for row in first.into_iter().chain(rows) {
                let text = name(row).or(none).unwrap_or_default();
                if ui.selectable_value(joint, row, text).clicked() {
                    ui.close();
                }
            }
            focus::follow(ui);
        });
    });
    form::drop_down(ui, list.response, &shown);
    before != *joint
}

/// What is typed above the list, lower case; it is gone when the list closes.
fn filter(ui: &mut Ui) -> String {
    let id = ui.id().with("filter");
    let opened = ui.memory(|memory| memory.focused().is_none());
    let mut text: String = if opened { String::new() } else { ui.data(|data| data.get_temp(id)).unwrap_or_default() };
    let hint = tr("outliner.filter");
    let field = ui.add(widgets::text_field(&mut text, &hint).desired_width(f32::INFINITY));
    let response = form::called(field, &hint);
    if opened {
        response.request_focus();
    }
    ui.data_mut(|data| data.insert_temp(id, text.clone()));
    text.to_lowercase()
}
