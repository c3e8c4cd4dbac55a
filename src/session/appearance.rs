//! How the window looks, as far as that is a matter of taste or of eyes.

use serde::{Deserialize, Serialize};

/// The colours that the user prefers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Appearance {
    /// Dark or light.
    pub theme: ThemeChoice,
    /// What stands out from the greys, and in what colours.
    pub highlights: Highlights,
    /// What is behind the character.
    pub background: Background,
}

/// Whether the window is dark or light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThemeChoice {
    /// Light letters on dark.
    #[default]
    Dark,
    /// Dark letters on light.
    Light,
    /// As the system has it; dark where it does not tell.
    System,
}

/// Colours of what the user changes, of what is selected, of targets, ghosts and judgements.
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
    /// Colours that are told apart by everyone (Okabe & Ito 2008).
    OkabeIto,
}

/// What is behind the character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// Bluish and dark.
    #[default]
    Slate,
    /// Without a colour, between dark and light.
    Grey,
    /// Nearly black.
    Night,
    /// Light.
    Paper,
}

impl ThemeChoice {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Dark, Self::Light, Self::System];

    /// Its name in translations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::System => "system",
        }
    }
}

impl Highlights {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Ember, Self::Lagoon, Self::Orchid, Self::OkabeIto];

    /// Its name in translations.
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
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Slate, Self::Grey, Self::Night, Self::Paper];

    /// Its name in translations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slate => "slate",
            Self::Grey => "grey",
            Self::Night => "night",
            Self::Paper => "paper",
        }
    }
}
