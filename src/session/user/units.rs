//! Display units for lengths, angles and times. Stored, exported and command-line values are always metres, radians
//! and seconds.

use serde::{Deserialize, Serialize};

/// The display units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Units {
    /// Unit of lengths, speeds and accelerations.
    pub length: LengthUnit,
    /// Unit of angles.
    pub angle: AngleUnit,
    /// Unit of times in a motion.
    pub time: TimeUnit,
}

/// Display unit of lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthUnit {
    /// Metres; centimetres and millimetres for small values.
    #[default]
    Metres,
    /// Always centimetres.
    Centimetres,
    /// Always inches.
    Inches,
    /// Decimal feet; inches for small values.
    Feet,
}

portamento_base::named!(LengthUnit { Metres: "metres", Centimetres: "centimetres", Inches: "inches", Feet: "feet" });

/// Display unit of angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AngleUnit {
    /// Degrees.
    #[default]
    Degrees,
    /// Radians.
    Radians,
}

portamento_base::named!(AngleUnit { Degrees: "degrees", Radians: "radians" });

/// Display unit of times in a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// Seconds.
    #[default]
    Seconds,
    /// Frames at the rate of the shown motion.
    Frames,
}
