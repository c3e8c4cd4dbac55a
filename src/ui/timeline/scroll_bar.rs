//! Scroll bar of the lanes, left of their names.

use egui::{Rangef, Rect, Sense, Ui};

use crate::theme;
use crate::timeline::lanes::Lanes;

/// Width of the bar and of its grab area, points.
const WIDTHS: (f32, f32) = (4.0, 8.0);
/// Minimum height of the handle, points.
const MIN_HANDLE_HEIGHT: f32 = 12.0;

/// Draws the scroll bar if lanes are hidden. `scroll` is the scroll offset in points; returns the new one, in whole lanes.
pub(super) fn ui(ui: &Ui, scroll: f32, lanes: &Lanes) -> f32 {
    let max_scroll = lanes.hidden_steps();
    if max_scroll <= 0.0 {
        return scroll;
    }
    let track = Rangef::new(lanes.ruler.max.y, lanes.all.max.y);
    let length = (track.span() * track.span() / (track.span() + max_scroll)).max(MIN_HANDLE_HEIGHT).min(track.span());
    let track_length = (track.span() - length).max(1.0);
    let top = track.min + track_length * scroll / max_scroll;
    let bar = |width: f32| {
        let left = lanes.all.min.x + 1.0;
        Rect::from_x_y_ranges(left..=left + width, top..=top + length)
    };
    let response = ui.interact(bar(WIDTHS.1), ui.id().with("lanes scroll"), Sense::drag());
    let is_on = response.hovered() || response.dragged();
    let tokens = theme::of(ui);
    let color = theme::mix(tokens.panel, tokens.text, if is_on { 0.7 } else { 0.45 });
    ui.painter_at(lanes.all).rect_filled(bar(WIDTHS.0), 2.0, color);
    let id = response.id.with("pixels");
    if !response.dragged() {
        ui.data_mut(|data| data.remove::<f32>(id));
        return scroll;
    }
    // Lanes scroll by whole lanes. The remainder of the drag is stored.
    let wanted =
        ui.data(|data| data.get_temp(id)).unwrap_or(scroll) + response.drag_delta().y * max_scroll / track_length;
    ui.data_mut(|data| data.insert_temp(id, wanted));
    ((wanted / lanes.row).round() * lanes.row).clamp(0.0, max_scroll)
}
