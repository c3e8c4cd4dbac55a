//! //! The user's appearance preferences: theme, highlight colours and viewport background.

use serde::{Deserialize, Serialize};

/// The colours that the user prefers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Appearance {
    /// Dark or light.
    pub theme: ThemeChoice,
    /// Palette for highlighted elements.
    pub highlights: Highlights,
    /// Background colour behind the character.
    pub background: Background,
}

/// Brightness theme of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThemeChoice {
    /// Light letters on dark.
    #[default]
    Dark,
    /// Dark letters on light.
    Light,
    /// Follows the operating system; dark if the system reports no preference.
    System,
}

/// Palette for edited values, the selection, targets, ghosts and good/bad marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Highlights {
    /// Orange, violet and blue.
    #[default]
    Ember,
    /// Teal, amber and blue.
    Lagoon,
    /// Pink, green and cyan.
    Orchid,
    /// Colours that colour-blind users can distinguish (Okabe & Ito 2008).
    OkabeIto,
}

/// Background of the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// Bluish and dark.
    #[default]
    Slate,
    /// Neutral grey of medium brightness.
    Grey,
    /// Nearly black.
    Night,
    /// Light.
    Paper,
}

impl ThemeChoice {
    /// Every theme, in menu order.
    pub const ALL: [Self; 3] = [Self::Dark, Self::Light, Self::System];

    /// Returns the suffix of the theme's translation key.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::System => "system",
        }
    }
}

impl Highlights {
    /// Every palette, in menu order.
    pub const ALL: [Self; 4] = [Self::Ember, Self::Lagoon, Self::Orchid, Self::OkabeIto];

    /// Returns the suffix of the palette's translation key.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ember => "ember",
            Self::Lagoon => "lagoon",
            Self::Orchid => "orchid",
            Self::OkabeIto => "okabe_ito",
        }
    }
}

impl Background {
    /// Every background, in menu order.
    pub const ALL: [Self; 4] = [Self::Slate, Self::Grey, Self::Night, Self::Paper];

    /// Returns the suffix of the background's translation key.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slate => "slate",
            Self::Grey => "grey",
            Self::Night => "night",
            Self::Paper => "paper",
        }
    }
}
