//! The user's appearance preferences: theme, highlight colours and viewport background.

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

portamento_base::named!(ThemeChoice { Dark: "dark", Light: "light", System: "system" });

portamento_base::named!(Highlights { Ember: "ember", Lagoon: "lagoon", Orchid: "orchid", OkabeIto: "okabe_ito" });

portamento_base::named!(Background { Slate: "slate", Grey: "grey", Night: "night", Paper: "paper" });
