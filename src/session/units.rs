//! The units in which lengths, angles and times are shown and typed. What is kept, written and told by the command line is in
//! metres, radians and seconds whatever they are.

use serde::{Deserialize, Serialize};

/// What lengths, angles and times are shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Units {
    /// Of lengths, speeds and accelerations.
    pub length: LengthUnit,
    /// Of angles.
    pub angle: AngleUnit,
    /// Of times in a motion.
    pub time: TimeUnit,
}

/// What lengths are shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthUnit {
    /// Metres, and for what is small centimetres and millimetres.
    #[default]
    Metres,
    /// Centimetres alone.
    Centimetres,
    /// Inches alone.
    Inches,
    /// Decimal feet, and for what is small inches.
    Feet,
}

impl LengthUnit {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Metres, Self::Centimetres, Self::Inches, Self::Feet];

    /// Its name in the preferences file and in translations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metres => "metres",
            Self::Centimetres => "centimetres",
            Self::Inches => "inches",
            Self::Feet => "feet",
        }
    }
}

/// What angles are shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AngleUnit {
    /// Degrees.
    #[default]
    Degrees,
    /// Radians.
    Radians,
}

/// What times in a motion are shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// Seconds.
    #[default]
    Seconds,
    /// Frames at the rate of what is shown.
    Frames,
}
