//! Where the inspector is scrolled to: at its top for what was not shown before, and where it was under a click.

use egui::style::ScrollAnimation;
use egui::{Id, Pos2, ScrollArea, Ui, Vec2};

use crate::session::Shown;

/// What is kept between frames: what was shown, and where a joint was chosen by a click in the panel.
const SHOWN: &str = "inspector shows";
const CLICKED: &str = "inspector clicked";

/// The area that scrolls, at its top where it shows something else than in the last frame.
pub(super) fn area(ui: &Ui, shown: &Shown) -> ScrollArea {
    let before = ui.data_mut(|data| {
        let before = data.get_temp::<Shown>(Id::new(SHOWN));
        data.insert_temp(Id::new(SHOWN), shown.clone());
        before
    });
    let area = ScrollArea::vertical().auto_shrink(false);
    if before.is_some_and(|before| before != *shown) { area.vertical_scroll_offset(0.0) } else { area }
}

/// Remembers where the pointer chose a joint that none of the last frame was.
pub(super) fn note_click(ui: &Ui) {
    if let Some(at) = ui.input(|input| input.pointer.interact_pos()) {
        ui.data_mut(|data| data.insert_temp(Id::new(CLICKED), at));
    }
}

/// Keeps what was clicked where it is: to be called behind the facts of the joint, which begin at `top` and may have come by that click.
pub(super) fn keep_clicked(ui: &Ui, top: f32) {
    let height = ui.cursor().min.y - top;
    let id = Id::new("inspector joint");
    let frame = ui.ctx().cumulative_frame_nr();
    let (clicked, last) = ui.data_mut(|data| {
        let last = data.get_temp::<u64>(id);
        data.insert_temp(id, frame);
        (data.remove_temp::<Pos2>(Id::new(CLICKED)), last)
    });
    let was_there = last.is_some_and(|last| last + 1 >= frame);
    if clicked.is_some_and(|at| at.y > top) && !was_there {
        ui.scroll_with_delta_animation(Vec2::new(0.0, -height), ScrollAnimation::none());
        ui.ctx().request_discard("what was clicked stays where it is");
    }
}
