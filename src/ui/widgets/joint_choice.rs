//! Drop-down of joints.

use egui::{ComboBox, PopupCloseBehavior, ScrollArea, Ui};

use crate::focus;
use crate::widgets::filter::Filter;
use crate::widgets::{form, list};
use portamento_anim::Skeleton;

/// Maximum number of visible rows.
const MAX_VISIBLE_ROWS: f32 = 12.0;

/// Draws a drop-down of joints with a filter. `none` is the text of the first row, which means no joint; `None` omits that row.
///
/// Returns true if another was chosen.
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
        let filter = Filter::show(ui, skeleton.len());
        let height = MAX_VISIBLE_ROWS * (ui.text_style_height(&egui::TextStyle::Body) + 8.0);
        ScrollArea::vertical().max_height(height).show(ui, |ui| {
            let rows = (0..skeleton.len()).map(Some).filter(|&row| name(row).is_some_and(|name| filter.fits(name)));
            let first = none.filter(|none| filter.fits(none)).map(|_| None);
            let mut is_entered = filter.is_entered;
            for row in first.into_iter().chain(rows) {
                let text = name(row).or(none).unwrap_or_default();
                if list::value(ui, joint, row, text).clicked() || std::mem::take(&mut is_entered) {
                    *joint = row;
                    ui.close();
                }
            }
            focus::scroll_to_focus(ui);
        });
    });
    form::drop_down(ui, list.response, &shown);
    before != *joint
}
