//! Small widgets shared by all panels.

pub(crate) mod canvas;
pub mod characters;
pub mod curve;
pub mod escape;
pub mod filter;
pub mod form;
pub mod joint_choice;
pub mod legend;
mod limit;
pub mod list;
pub mod middle;
pub mod name_field;
pub mod number;
mod readout;
pub mod reset;
pub mod rows;
pub mod strip;
mod submenu;
pub mod time_plot;

use egui::{Button, Pos2, Response, RichText, Sense, Ui, Vec2, WidgetInfo, WidgetType};
use egui_material_icons::MaterialIcon;

pub use readout::{Figure, Readout, go_to_tip, readouts};
pub use submenu::submenu;

use super::i18n::tr;
use super::theme;

/// Draws a square icon button. `name` is its tooltip and accessible name.
pub(super) fn icon_button(ui: &mut Ui, icon: MaterialIcon, name: &str) -> Response {
    toggle_icon(ui, icon, name, false)
}

/// Draws an icon button like [`icon_button`] that has the accent colour if `on`. A click does not change the state.
pub(super) fn toggle_icon(ui: &mut Ui, icon: MaterialIcon, name: &str, on: bool) -> Response {
    let tokens = theme::of(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(theme::ROW), Sense::click());
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::selected(WidgetType::Button, enabled, on, name));
    let fill = match () {
        () if response.is_pointer_button_down_on() => theme::mix(tokens.raised, tokens.accent, 0.30),
        () if response.hovered() => theme::mix(tokens.raised, tokens.text, 0.08),
        () => egui::Color32::TRANSPARENT,
    };
    let ink = if on { tokens.accent } else { tokens.text };
    let ink = if enabled { ink } else { theme::mix(tokens.panel, ink, 0.4) };
    ui.painter().rect_filled(rect, theme::RADIUS, fill);
    glyph(ui, rect.center(), icon, ink);
    response.on_hover_text(name)
}

/// Draws an icon with the centre of its visible pixels at `middle`, because its position in the text line depends on fonts and
/// scale.
pub(super) fn glyph(ui: &Ui, middle: Pos2, icon: MaterialIcon, ink: egui::Color32) {
    let galley = ui.painter().layout_no_wrap(icon.codepoint.to_owned(), theme::icon(), ink);
    let center = Pos2::new(galley.rect.center().x, galley.mesh_bounds.center().y);
    ui.painter().galley(middle - center.to_vec2(), galley, ink);
}

/// Draws a button with icon and text. The text alone is its accessible name.
pub(super) fn text_button(ui: &mut Ui, icon: MaterialIcon, text: &str) -> Response {
    let response = ui.add(Button::new(format!("{}  {text}", icon.codepoint)));
    named(response, text)
}

/// Draws the default button of a dialog.
pub(super) fn main_button(ui: &mut Ui, text: &str) -> Response {
    let tokens = theme::of(ui);
    let ink = if tokens.dark { tokens.window } else { tokens.raised };
    ui.add(Button::new(RichText::new(text).color(ink).font(theme::strong())).fill(tokens.accent))
}

/// Sets the accessible name of a button whose text contains an icon.
pub fn named(response: Response, name: &str) -> Response {
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, enabled, name));
    response
}

/// Returns a single-line text field as high as a row. `hint` is displayed while it is empty.
pub(super) fn text_field<'t>(text: &'t mut String, hint: &str) -> egui::TextEdit<'t> {
    egui::TextEdit::singleline(text).hint_text(hint).margin(egui::Margin::symmetric(8, 4))
}

/// Draws dim caption text.
pub(super) fn caption(ui: &mut Ui, text: impl Into<String>) -> Response {
    let dim = theme::of(ui).dim;
    ui.label(RichText::new(text).font(theme::caption()).color(dim))
}

/// One of several exclusive buttons.
#[derive(Clone, Debug)]
pub struct SegmentChoice<T> {
    /// Value that the button selects.
    pub value: T,
    /// Button text.
    pub text: String,
    /// Tooltip.
    pub tip: String,
}

impl<T> SegmentChoice<T> {
    /// Returns the button for `value` with the text `key` and the tooltip `key_tip`.
    pub(super) fn of_key(value: T, key: &str) -> Self {
        Self { value, text: tr(key), tip: tr(&format!("{key}_tip")) }
    }
}

/// Draws exclusive buttons of equal width over the rest of the row. Returns true if another was chosen.
pub fn segments<T: PartialEq + Copy>(ui: &mut Ui, value: &mut T, choices: &[SegmentChoice<T>]) -> bool {
    let before = *value;
    let tokens = theme::of(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 1.0;
        let width = (ui.available_width() - choices.len() as f32 + 1.0) / choices.len().max(1) as f32;
        for SegmentChoice { value: each, text, tip } in choices {
            let on = before == *each;
            let (fill, ink) = if on { (tokens.raised, tokens.accent) } else { (tokens.window, tokens.dim) };
            let text = RichText::new(text).font(theme::strong()).color(ink);
            let button = Button::new(text).fill(fill).min_size(Vec2::new(width, theme::ROW));
            let response = ui.add(button).on_hover_text(tip);
            if response.clicked() {
                *value = *each;
            }
        }
    });
    before != *value
}

/// Draws a text with an icon in the colour of its severity.
pub(super) fn remark(ui: &mut Ui, icon: MaterialIcon, color: egui::Color32, text: &str) {
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        ui.label(RichText::new(icon.codepoint).color(color).font(theme::body()));
        ui.add(egui::Label::new(RichText::new(text).font(theme::caption())).wrap());
    });
}

/// Draws panel contents with a margin; they fill the rest of the panel.
pub fn padded(ui: &mut Ui, body: impl FnOnce(&mut Ui)) {
    egui::Frame::new().inner_margin(egui::Margin::symmetric(8, 4)).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        body(ui);
    });
}

/// Panel height up to which only text fits, points.
const MIN_ICON_PANEL_HEIGHT: f32 = 96.0;

/// Draws the placeholder of an empty panel: icon, title and a hint what to do. Low panels omit the icon.
pub fn empty(ui: &mut Ui, icon: MaterialIcon, title: &str, hint: &str) {
    let tokens = theme::of(ui);
    let room = ui.available_size();
    ui.allocate_ui_with_layout(room, egui::Layout::top_down(egui::Align::Center), |ui| {
        let has_icon = room.y > MIN_ICON_PANEL_HEIGHT;
        let top_space = if has_icon { 48.0 } else { 24.0 };
        ui.add_space((room.y * 0.5 - top_space).clamp(theme::GAP_SMALL, 160.0));
        if has_icon {
            ui.label(RichText::new(icon.codepoint).size(28.0).color(theme::mix(tokens.panel, tokens.dim, 0.7)));
        }
        ui.label(RichText::new(title).font(theme::strong()).color(tokens.dim));
        let width = room.x.min(260.0);
        ui.scope(|ui| {
            ui.set_max_width(width);
            ui.add(egui::Label::new(RichText::new(hint).font(theme::caption()).color(tokens.dim)).wrap());
        });
    });
}

/// Draws the placeholder like [`empty`] in the viewport, which has its own colours.
pub fn empty_over_view(ui: &mut Ui, icon: MaterialIcon, title: &str, hint: &str) {
    ui.scope(|ui| {
        ui.visuals_mut().dark_mode = theme::view().is_dark;
        empty(ui, icon, title, hint);
    });
}
