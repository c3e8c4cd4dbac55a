//! The visual style: all colours, type sizes and distances.
//!
//! Three grey levels without borders, one accent for edits and results, one colour for targets, one for selection. The playhead
//! has the contrast of text. Magnitudes use a perceptual colour ramp (viridis by Smith & van der Walt, sampled), readable with
//! colour-vision deficiency.

use std::cell::Cell;

use egui::epaint::FontColorTransferFunction;
use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Shadow, Stroke, Style, TextStyle, Vec2, Visuals};

mod tokens;
mod view;

pub use tokens::Tokens;
pub use view::View;

use portamento_blend::Action;
use portamento_session::appearance::{Appearance, Background, Highlights, ThemeChoice};

thread_local! {
    /// The preferences in use. Thread-local, because one thread draws the window.
    static SHOWN: Cell<Appearance> = const {
        Cell::new(Appearance { theme: ThemeChoice::Dark, highlights: Highlights::Ember, background: Background::Slate })
    };
}

/// Colours of the X, Y and Z axes in the viewport and in fields.
pub const AXES: [Color32; 3] =
    [Color32::from_rgb(0xE5, 0x5C, 0x5C), Color32::from_rgb(0x7F, 0xC0, 0x4F), Color32::from_rgb(0x4F, 0x8F, 0xE8)];

/// Distance between related items, points.
pub const GAP_SMALL: f32 = 4.0;
/// Distance between rows and around panels, points.
pub(super) const GAP_MEDIUM: f32 = 8.0;
/// Distance between sections, points.
pub(super) const GAP_LARGE: f32 = 12.0;
/// Height of a row, points.
pub const ROW: f32 = 24.0;
/// Size of icons, points.
pub(super) const ICON: f32 = 16.0;
/// Corner radius of buttons, fields and popups, points.
pub const RADIUS: u8 = 4;

/// Returns the font family of headings and emphasized words.
pub(super) fn medium() -> FontFamily {
    FontFamily::Name("medium".into())
}

/// Returns the caption font, 11 px.
pub(super) fn caption() -> FontId {
    FontId::proportional(11.0)
}

/// Returns the body font, 13 px.
pub fn body() -> FontId {
    FontId::proportional(13.0)
}

/// Returns the fixed-width font for code, 12 px.
pub fn code() -> FontId {
    FontId::monospace(12.0)
}

/// Returns the emphasized body font, 13 px.
pub fn strong() -> FontId {
    FontId::new(13.0, medium())
}

/// Returns the title font, 15 px.
pub fn title() -> FontId {
    FontId::new(15.0, medium())
}

/// Returns the font of the program name on the start screen.
pub fn display() -> FontId {
    FontId::new(28.0, medium())
}

/// Returns the icon font.
pub(super) fn icon() -> FontId {
    FontId::proportional(ICON)
}

/// Returns the colours of the theme of `ui`.
pub fn of(ui: &egui::Ui) -> &'static Tokens {
    tokens(ui.visuals().dark_mode)
}

/// Returns the colours of widgets drawn over the viewport, whose brightness does not depend on the theme.
pub(super) fn over_view() -> &'static Tokens {
    tokens(view().is_dark)
}

/// Returns the colours of the dark or the light theme.
pub(super) fn tokens(dark: bool) -> &'static Tokens {
    tokens::preferred(SHOWN.get().highlights, dark)
}

/// Returns the viewport's colours, equal in both themes so that characters look the same.
pub(super) fn view() -> &'static View {
    view::preferred(SHOWN.get().background)
}

/// Mixes `a` with a share `amount` (0 … 1) of `b`.
pub fn mix(a: Color32, b: Color32, amount: f32) -> Color32 {
    a.lerp_to_gamma(b, amount.clamp(0.0, 1.0))
}

/// Returns the viridis colour at the fraction `at`, clamped to 0…1: dark violet to yellow.
pub fn ramp(at: f32) -> Color32 {
    const STOPS: [(u8, u8, u8); 9] = [
        (0x44, 0x01, 0x54),
        (0x47, 0x2D, 0x7B),
        (0x3B, 0x52, 0x8B),
        (0x2C, 0x72, 0x8E),
        (0x21, 0x91, 0x8C),
        (0x28, 0xAE, 0x80),
        (0x5E, 0xC9, 0x62),
        (0xAD, 0xDC, 0x30),
        (0xFD, 0xE7, 0x25),
    ];
    let x = at.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let low = (x as usize).min(STOPS.len() - 2);
    let color = |(r, g, b): (u8, u8, u8)| Color32::from_rgb(r, g, b);
    mix(color(STOPS[low]), color(STOPS[low + 1]), x - low as f32)
}

/// Returns the colour of a weight, 0 … 1: from blue (none) to red (full), as usual in weight painting.
pub fn weight(at: f32) -> Color32 {
    const STOPS: [(u8, u8, u8); 5] =
        [(0x2B, 0x4C, 0xD8), (0x1F, 0x9E, 0xC9), (0x4C, 0xB8, 0x5C), (0xE8, 0xC5, 0x3A), (0xD8, 0x3A, 0x2B)];
    let x = at.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let low = (x as usize).min(STOPS.len() - 2);
    let color = |(r, g, b): (u8, u8, u8)| Color32::from_rgb(r, g, b);
    mix(color(STOPS[low]), color(STOPS[low + 1]), x - low as f32)
}

/// Colour of a level without vertex colours.
pub const GROUND: Color32 = Color32::from_rgb(0x84, 0x89, 0x93);

/// Returns a colour of the colour-blind safe palette of Okabe & Ito (2008). Repeats after seven.
pub(super) fn category(index: usize) -> Color32 {
    const COLORS: [(u8, u8, u8); 7] = [
        (0x56, 0xB4, 0xE9),
        (0xE6, 0x9F, 0x00),
        (0x00, 0x9E, 0x73),
        (0xF0, 0xE4, 0x42),
        (0x00, 0x72, 0xB2),
        (0xD5, 0x5E, 0x00),
        (0xCC, 0x79, 0xA7),
    ];
    let (r, g, b) = COLORS[index % COLORS.len()];
    Color32::from_rgb(r, g, b)
}

/// Returns the colour of a blend action from the palette of Okabe & Ito (2008): blue for running, green for standing, orange
/// for casting.
pub fn action(action: Action, tokens: &Tokens) -> Color32 {
    match action {
        Action::Run => Color32::from_rgb(0x56, 0xB4, 0xE9),
        Action::Stand | Action::Stop => Color32::from_rgb(0x00, 0x9E, 0x73),
        Action::Cast => Color32::from_rgb(0xE6, 0x9F, 0x00),
        Action::End => tokens.dim,
        Action::Go => tokens.accent,
    }
}

/// Sets both styles with the preferred colours, selects the theme, and makes the colours those of this thread's drawing
/// functions.
pub fn apply(ctx: &egui::Context, appearance: Appearance) {
    SHOWN.set(appearance);
    ctx.set_style_of(egui::Theme::Dark, style(tokens(true)));
    ctx.set_style_of(egui::Theme::Light, style(tokens(false)));
    ctx.set_theme(match appearance.theme {
        ThemeChoice::Dark => egui::ThemePreference::Dark,
        ThemeChoice::Light => egui::ThemePreference::Light,
        ThemeChoice::System => egui::ThemePreference::System,
    });
}

/// Returns the style of egui with the colours `tokens`.
fn style(tokens: &Tokens) -> Style {
    let mut style = Style { visuals: visuals(tokens), animation_time: 0.08, ..Style::default() };
    style.text_styles = [
        (TextStyle::Small, caption()),
        (TextStyle::Body, body()),
        (TextStyle::Button, body()),
        (TextStyle::Monospace, body()),
        (TextStyle::Heading, title()),
    ]
    .into();
    style.drag_value_text_style = TextStyle::Body;
    style.explanation_tooltips = false;
    style.interaction.selectable_labels = false;
    style.interaction.tooltip_delay = 0.4;
    space(&mut style.spacing);
    style
}

/// Sets the distances and sizes of widgets, points.
fn space(spacing: &mut egui::style::Spacing) {
    spacing.item_spacing = Vec2::new(GAP_MEDIUM, GAP_SMALL);
    spacing.button_padding = Vec2::new(GAP_MEDIUM, 3.0);
    spacing.interact_size = Vec2::new(ROW, ROW);
    spacing.indent = GAP_LARGE;
    spacing.menu_margin = Margin::same(4);
    spacing.window_margin = Margin::same(12);
    spacing.combo_width = 60.0;
    spacing.icon_width = 16.0;
    spacing.icon_width_inner = 8.0;
    spacing.icon_spacing = GAP_MEDIUM;
    spacing.slider_width = 120.0;
    spacing.slider_rail_height = 4.0;
    spacing.tooltip_width = 320.0;
    spacing.menu_width = 220.0;
    spacing.scroll = egui::style::ScrollStyle::thin();
}

/// Returns the colours, corners and shadows.
fn visuals(tokens: &Tokens) -> Visuals {
    let mut visuals = if tokens.dark { Visuals::dark() } else { Visuals::light() };
    let radius = CornerRadius::same(RADIUS);
    let line = Stroke::new(1.0, tokens.line);
    visuals.panel_fill = tokens.panel;
    visuals.window_fill = tokens.panel;
    visuals.window_stroke = line;
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.window_shadow = shadow(tokens, 32);
    visuals.popup_shadow = shadow(tokens, 16);
    visuals.extreme_bg_color = tokens.window;
    visuals.text_edit_bg_color = Some(tokens.window);
    visuals.faint_bg_color = mix(tokens.panel, tokens.raised, 0.5);
    visuals.code_bg_color = tokens.window;
    visuals.weak_text_color = Some(tokens.dim);
    visuals.hyperlink_color = tokens.target;
    visuals.warn_fg_color = tokens.warning;
    visuals.error_fg_color = tokens.error;
    visuals.selection.bg_fill = mix(tokens.raised, tokens.selection, 0.30);
    visuals.selection.stroke = Stroke::new(1.0, tokens.text);
    visuals.text_cursor.stroke = Stroke::new(1.5, tokens.accent);
    visuals.striped = false;
    visuals.indent_has_left_vline = false;
    visuals.slider_trailing_fill = true;
    visuals.disabled_alpha = 0.45;
    // Light text on dark looks bolder; this gamma compensates.
    let gamma = if tokens.dark { 0.85 } else { 1.0 };
    visuals.text_options.color_transfer_function = FontColorTransferFunction::Gamma(gamma);
    paint_widgets(&mut visuals.widgets, tokens, radius);
    visuals
}

/// Sets the fill, edge and text colours of the states of a widget.
fn paint_widgets(widgets: &mut egui::style::Widgets, tokens: &Tokens, radius: CornerRadius) {
    let edge = if tokens.dark { Stroke::NONE } else { Stroke::new(1.0, tokens.line) };
    let set = |widget: &mut egui::style::WidgetVisuals, fill: Color32, edge: Stroke, ink: Color32| {
        widget.bg_fill = fill;
        widget.weak_bg_fill = fill;
        widget.bg_stroke = edge;
        widget.fg_stroke = Stroke::new(1.0, ink);
        widget.corner_radius = radius;
        widget.expansion = 0.0;
    };
    let lifted = mix(tokens.raised, tokens.text, if tokens.dark { 0.08 } else { 0.05 });
    let pressed = mix(tokens.raised, tokens.accent, 0.30);
    set(&mut widgets.noninteractive, tokens.panel, Stroke::new(1.0, tokens.line), tokens.text);
    set(&mut widgets.inactive, tokens.raised, edge, tokens.text);
    set(&mut widgets.hovered, lifted, edge, tokens.text);
    set(&mut widgets.active, pressed, edge, tokens.text);
    set(&mut widgets.open, lifted, edge, tokens.text);
}

fn shadow(tokens: &Tokens, blur: u8) -> Shadow {
    let alpha = if tokens.dark { 110 } else { 40 };
    Shadow { offset: [0, 6], blur, spread: 0, color: Color32::from_black_alpha(alpha) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG relative luminance.
    fn luminance(color: Color32) -> f32 {
        let linear = |byte: u8| {
            let c = f32::from(byte) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
    }

    fn contrast(a: Color32, b: Color32) -> f32 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_highlights_have_enough_contrast_in_every_colour_scheme() {
        for (highlights, dark) in Highlights::ALL.into_iter().flat_map(|each| [(each, true), (each, false)]) {
            let tokens = tokens::preferred(highlights, dark);
            for ground in [tokens.window, tokens.panel, tokens.raised] {
                assert!(contrast(tokens.text, ground) >= 7.0, "text {highlights:?} {dark}");
                assert!(contrast(tokens.dim, ground) >= 4.5, "dim {highlights:?} {dark}");
            }
            let inks = [tokens.accent, tokens.selection, tokens.target, tokens.ok, tokens.warning, tokens.error];
            for (at, ink) in inks.into_iter().enumerate() {
                let contrast = contrast(ink, tokens.panel);
                assert!(contrast >= 3.8, "{at} of {highlights:?}, dark {dark}: {contrast}");
            }
        }
        for background in Background::ALL {
            let view = view::preferred(background);
            for ground in [view.sky, view.floor] {
                assert!(contrast(view.ink, ground) >= 5.5, "{background:?}: {}", contrast(view.ink, ground));
            }
        }
    }

    #[test]
    fn the_ramp_gets_steadily_brighter() {
        let steps: Vec<f32> = (0..=20).map(|i| luminance(ramp(i as f32 / 20.0))).collect();
        assert!(steps.windows(2).all(|pair| pair[1] > pair[0]), "{steps:?}");
    }
}
