//! Colours of the viewport and of text over it.

use egui::Color32;

use portamento_session::appearance::Background;

/// The colours of the viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// True if overlays use the colours of the dark theme.
    pub is_dark: bool,
    /// Top of the background.
    pub sky: Color32,
    /// Bottom of the background.
    pub floor: Color32,
    /// Grid lines.
    pub grid: Color32,
    /// Text over the viewport.
    pub ink: Color32,
    /// Background of text.
    pub plate: Color32,
}

/// Returns the viewport colours of the preferred background.
pub(super) fn preferred(background: Background) -> &'static View {
    match background {
        Background::Slate => &SLATE,
        Background::Grey => &GREY,
        Background::Night => &NIGHT,
        Background::Paper => &PAPER,
    }
}

static SLATE: View = View {
    is_dark: true,
    sky: Color32::from_rgb(0x2B, 0x30, 0x3B),
    floor: Color32::from_rgb(0x19, 0x1C, 0x22),
    grid: Color32::from_rgb(0x3A, 0x40, 0x4D),
    ink: Color32::from_rgb(0xDD, 0xE1, 0xEA),
    plate: Color32::from_rgba_premultiplied(0x0C, 0x0D, 0x10, 0xB8),
};

static GREY: View = View {
    is_dark: true,
    sky: Color32::from_rgb(0x4A, 0x4A, 0x4A),
    floor: Color32::from_rgb(0x30, 0x30, 0x30),
    grid: Color32::from_rgb(0x62, 0x62, 0x62),
    ink: Color32::from_rgb(0xEC, 0xEC, 0xEC),
    plate: Color32::from_rgba_premultiplied(0x12, 0x12, 0x12, 0xC0),
};

static NIGHT: View = View {
    is_dark: true,
    sky: Color32::from_rgb(0x12, 0x14, 0x18),
    floor: Color32::from_rgb(0x09, 0x0A, 0x0C),
    grid: Color32::from_rgb(0x2A, 0x2E, 0x36),
    ink: Color32::from_rgb(0xDD, 0xE1, 0xEA),
    plate: Color32::from_rgba_premultiplied(0x10, 0x11, 0x14, 0xC8),
};

static PAPER: View = View {
    is_dark: false,
    sky: Color32::from_rgb(0xE8, 0xEB, 0xF0),
    floor: Color32::from_rgb(0xCB, 0xD1, 0xDA),
    grid: Color32::from_rgb(0xA9, 0xB1, 0xBD),
    ink: Color32::from_rgb(0x1D, 0x21, 0x29),
    plate: Color32::from_rgba_premultiplied(0xC0, 0xC2, 0xC6, 0xC8),
};
