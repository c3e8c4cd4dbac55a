//! Scroll position of the inspector: reset for a new item, kept under a click.

use egui::style::ScrollAnimation;
use egui::{Id, Pos2, ScrollArea, Ui, Vec2};

use portamento_session::Shown;

/// Keys of the data stored between frames: the shown item, and the pointer position of a joint selection.
const SHOWN_KEY: &str = "inspector shows";
const CLICKED_KEY: &str = "inspector clicked";

/// Returns the scroll area, scrolled to the top if `shown` differs from that of the last call.
pub(super) fn area(ui: &Ui, shown: &Shown) -> ScrollArea {
    let before = ui.data_mut(|data| {
        let before = data.get_temp::<Shown>(Id::new(SHOWN_KEY));
        data.insert_temp(Id::new(SHOWN_KEY), shown.clone());
        before
    });
    let area = ScrollArea::vertical().auto_shrink(false);
    if before.is_some_and(|before| before != *shown) { area.vertical_scroll_offset(0.0) } else { area }
}

/// Stores the pointer position. Call it when a click in the panel selected a joint.
pub(super) fn note_click(ui: &Ui) {
    if let Some(at) = ui.input(|input| input.pointer.interact_pos()) {
        ui.data_mut(|data| data.insert_temp(Id::new(CLICKED_KEY), at));
    }
}

/// Compensates the scroll position when the joint section appears above a clicked widget. Call it after the section, which starts
/// at `top` (points).
pub(super) fn keep_clicked(ui: &Ui, top: f32) {
    let height = ui.cursor().min.y - top;
    let id = Id::new("inspector joint");
    let frame = ui.ctx().cumulative_frame_nr();
    let (clicked, last) = ui.data_mut(|data| {
        let last = data.get_temp::<u64>(id);
        data.insert_temp(id, frame);
        (data.remove_temp::<Pos2>(Id::new(CLICKED_KEY)), last)
    });
    let was_drawn = last.is_some_and(|last| last + 1 >= frame);
    if clicked.is_some_and(|at| at.y > top) && !was_drawn {
        ui.scroll_with_delta_animation(Vec2::new(0.0, -height), ScrollAnimation::none());
        ui.ctx().request_discard("what was clicked stays where it is");
    }
}
