//! The bar beside the names: how many lanes there are and which of them are seen.

use egui::{Rangef, Rect, Sense, Ui};

use crate::ui::theme;
use crate::ui::timeline::lanes::Lanes;

/// Width of the bar and of what grabs it, pixels.
const WIDTHS: (f32, f32) = (4.0, 8.0);
/// Height of what is dragged at least, pixels.
const LEAST: f32 = 12.0;

/// Draws the bar where lanes are out of sight; answers how far lanes are scrolled after it was dragged.
pub(super) fn ui(ui: &Ui, scroll: f32, lanes: &Lanes) -> f32 {
    let most = lanes.hidden_steps();
    if most <= 0.0 {
        return scroll;
    }
    let track = Rangef::new(lanes.ruler.max.y, lanes.all.max.y);
    let length = (track.span() * track.span() / (track.span() + most)).max(LEAST).min(track.span());
    let way = (track.span() - length).max(1.0);
    let top = track.min + way * scroll / most;
    let place = |width: f32| {
        let left = lanes.all.min.x + 1.0;
        Rect::from_x_y_ranges(left..=left + width, top..=top + length)
    };
    let response = ui.interact(place(WIDTHS.1), ui.id().with("lanes scroll"), Sense::drag());
    let is_on = response.hovered() || response.dragged();
    let tokens = theme::of(ui);
    let color = theme::mix(tokens.panel, tokens.text, if is_on { 0.7 } else { 0.45 });
    ui.painter_at(lanes.all).rect_filled(place(WIDTHS.0), 2.0, color);
    let id = response.id.with("pixels");
    if !response.dragged() {
        ui.data_mut(|data| data.remove::<f32>(id));
        return scroll;
    }
    // Lanes move as wholes; what is left over of the way waits.
    let wanted = ui.data(|data| data.get_temp(id)).unwrap_or(scroll) + response.drag_delta().y * most / way;
    ui.data_mut(|data| data.insert_temp(id, wanted));
    ((wanted / lanes.row).round() * lanes.row).clamp(0.0, most)
}
