//! Grey levels and highlight colours of both themes.

use egui::Color32;

use portamento_session::appearance::Highlights;

/// The colours of one theme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tokens {
    /// True for the dark theme.
    pub dark: bool,
    /// Window background; fields and plots.
    pub window: Color32,
    /// Panel background.
    pub panel: Color32,
    /// Buttons, fields, popups.
    pub raised: Color32,
    /// Separators and axes.
    pub line: Color32,
    /// Text in fields and tables.
    pub text: Color32,
    /// Captions and units.
    pub dim: Color32,
    /// Edited values and results.
    pub accent: Color32,
    /// Selected items.
    pub selection: Color32,
    /// The line at the current time, in the timeline and in plots.
    pub playhead: Color32,
    /// Targets, goals, handles.
    pub target: Color32,
    /// Success.
    pub ok: Color32,
    /// Success with a limitation.
    pub warning: Color32,
    /// Errors.
    pub error: Color32,
    /// The source in a comparison with the result.
    pub source: Color32,
}

const DARK: Tokens = Tokens {
    dark: true,
    window: Color32::from_rgb(0x15, 0x17, 0x1C),
    panel: Color32::from_rgb(0x1B, 0x1E, 0x25),
    raised: Color32::from_rgb(0x24, 0x28, 0x33),
    line: Color32::from_rgb(0x2E, 0x33, 0x40),
    text: Color32::from_rgb(0xDD, 0xE1, 0xEA),
    dim: Color32::from_rgb(0x8C, 0x94, 0xA6),
    accent: Color32::from_rgb(0xFF, 0x8A, 0x3D),
    selection: Color32::from_rgb(0xA9, 0x93, 0xFF),
    playhead: Color32::from_rgb(0xF4, 0xF6, 0xFA),
    target: Color32::from_rgb(0x4C, 0xC2, 0xFF),
    ok: Color32::from_rgb(0x57, 0xC9, 0x8A),
    warning: Color32::from_rgb(0xF2, 0xC1, 0x4E),
    error: Color32::from_rgb(0xFF, 0x6B, 0x6B),
    source: Color32::from_rgb(0x8C, 0x94, 0xA6),
};

const LIGHT: Tokens = Tokens {
    dark: false,
    window: Color32::from_rgb(0xE9, 0xEB, 0xEF),
    panel: Color32::from_rgb(0xF5, 0xF6, 0xF8),
    raised: Color32::from_rgb(0xFF, 0xFF, 0xFF),
    line: Color32::from_rgb(0xCD, 0xD2, 0xDB),
    text: Color32::from_rgb(0x1D, 0x21, 0x29),
    dim: Color32::from_rgb(0x5F, 0x68, 0x78),
    accent: Color32::from_rgb(0xC8, 0x5A, 0x10),
    selection: Color32::from_rgb(0x62, 0x45, 0xC4),
    playhead: Color32::from_rgb(0x12, 0x15, 0x1B),
    target: Color32::from_rgb(0x0B, 0x76, 0xB8),
    ok: Color32::from_rgb(0x1E, 0x8A, 0x54),
    warning: Color32::from_rgb(0x9A, 0x6B, 0x00),
    error: Color32::from_rgb(0xC6, 0x2F, 0x2F),
    source: Color32::from_rgb(0x5F, 0x68, 0x78),
};

/// Returns the colours of a theme with the preferred highlights.
pub(super) fn preferred(highlights: Highlights, dark: bool) -> &'static Tokens {
    let [in_dark, in_light] = match highlights {
        Highlights::Ember => &EMBER,
        Highlights::Lagoon => &LAGOON,
        Highlights::Orchid => &ORCHID,
        Highlights::OkabeIto => &OKABE_ITO,
    };
    if dark { in_dark } else { in_light }
}

static EMBER: [Tokens; 2] = [DARK, LIGHT];

static LAGOON: [Tokens; 2] = [
    Tokens {
        accent: Color32::from_rgb(0x35, 0xD0, 0xB4),
        selection: Color32::from_rgb(0xFF, 0xB4, 0x54),
        target: Color32::from_rgb(0x7F, 0xB0, 0xFF),
        ..DARK
    },
    Tokens {
        accent: Color32::from_rgb(0x0A, 0x7A, 0x6B),
        selection: Color32::from_rgb(0x9A, 0x5A, 0x00),
        target: Color32::from_rgb(0x2B, 0x5F, 0xC4),
        ..LIGHT
    },
];

static ORCHID: [Tokens; 2] = [
    Tokens {
        accent: Color32::from_rgb(0xF2, 0x7A, 0xB8),
        selection: Color32::from_rgb(0x9B, 0xD6, 0x5A),
        target: Color32::from_rgb(0x5C, 0xC8, 0xE8),
        ..DARK
    },
    Tokens {
        accent: Color32::from_rgb(0xB0, 0x2C, 0x74),
        selection: Color32::from_rgb(0x3F, 0x74, 0x10),
        target: Color32::from_rgb(0x0F, 0x70, 0x90),
        ..LIGHT
    },
];

/// Okabe & Ito's orange, reddish purple, sky blue, bluish green, yellow and vermilion. The light theme uses darker versions,
/// because yellow is unreadable on white.
static OKABE_ITO: [Tokens; 2] = [
    Tokens {
        accent: Color32::from_rgb(0xE6, 0x9F, 0x00),
        selection: Color32::from_rgb(0xCC, 0x79, 0xA7),
        target: Color32::from_rgb(0x56, 0xB4, 0xE9),
        ok: Color32::from_rgb(0x00, 0xB3, 0x86),
        warning: Color32::from_rgb(0xF0, 0xE4, 0x42),
        error: Color32::from_rgb(0xE0, 0x6A, 0x10),
        ..DARK
    },
    Tokens {
        accent: Color32::from_rgb(0xB0, 0x4C, 0x00),
        selection: Color32::from_rgb(0x94, 0x47, 0x7A),
        target: Color32::from_rgb(0x00, 0x72, 0xB2),
        ok: Color32::from_rgb(0x00, 0x7A, 0x59),
        warning: Color32::from_rgb(0x7D, 0x66, 0x00),
        error: Color32::from_rgb(0x7A, 0x0F, 0x2B),
        ..LIGHT
    },
];
