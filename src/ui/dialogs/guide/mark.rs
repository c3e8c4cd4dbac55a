//! The question mark that opens a page of the guide.

use egui::{Context, Id, Ui, Vec2};
use egui_material_icons::icons::ICON_HELP;

use crate::i18n::tr_with;
use crate::{theme, widgets};

/// Key of the requested topic in the data of the window.
const REQUEST: &str = "topic of the guide";

/// Opacity of question marks, which must not outshine what they explain.
const MARK_OPACITY: f32 = 0.6;

/// Draws a question mark. A click opens the guide at `topic`. `name` is what it explains.
pub(crate) fn mark(ui: &mut Ui, topic: &'static str, name: &str) {
    ui.scope(|ui| {
        ui.set_opacity(MARK_OPACITY);
        if widgets::icon_button(ui, ICON_HELP, &about(name)).clicked() {
            request(ui.ctx(), topic);
        }
    });
}

/// Draws a row with `body`, and a question mark at its right if it has a topic. Returns the result of `body`.
pub(crate) fn marked_row<R>(
    ui: &mut Ui,
    topic: Option<&'static str>,
    name: &str,
    body: impl FnOnce(&mut Ui) -> R,
) -> R {
    let Some(topic) = topic else { return body(ui) };
    ui.horizontal_top(|ui| {
        let room = ui.available_width() - theme::ROW - ui.spacing().item_spacing.x;
        let layout = egui::Layout::top_down(egui::Align::Min);
        let drawn = ui.allocate_ui_with_layout(Vec2::new(room, 0.0), layout, |ui| {
            ui.set_width(room);
            body(ui)
        });
        mark(ui, topic, name);
        drawn.inner
    })
    .inner
}

/// Draws a menu item that opens the guide at `topic`. `name` is what it explains.
pub(crate) fn menu_item(ui: &mut Ui, topic: &'static str, name: &str) {
    if ui.button(about(name)).clicked() {
        request(ui.ctx(), topic);
    }
}

/// Returns the topic that was requested since the last call.
pub(crate) fn requested(ctx: &Context) -> Option<&'static str> {
    ctx.data_mut(|data| data.remove_temp(Id::new(REQUEST)))
}

fn request(ctx: &Context, topic: &'static str) {
    ctx.data_mut(|data| data.insert_temp(Id::new(REQUEST), topic));
    ctx.request_repaint();
}

fn about(name: &str) -> String {
    tr_with("guide.about", &[("name", name.to_owned())])
}
