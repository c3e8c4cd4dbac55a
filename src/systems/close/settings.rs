//! What the user sets.

use serde::{Deserialize, Serialize};

/// Which side of the seam gives way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangedSide {
    /// Where the change is seen least: where feet need not slide, then where the motion is quicker anyway.
    #[default]
    Least,
    /// The end is led to the start.
    End,
    /// Half of the seam before the end and half after the start.
    Both,
    /// The start is led away from the end.
    Start,
}

/// What one cycle carries the character on by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cycle {
    /// What the motion travels, turns and climbs from its start to its end; sway and drift too small to be meant are closed.
    #[default]
    Found,
    /// All of it, however small.
    Kept,
    /// Nothing: the character ends where it began.
    InPlace,
}

/// All that shapes a seam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Seconds over which the motion is changed, from [`Settings::SHORTEST`] to half of the motion.
    pub seam: f64,
    /// Which side gives way.
    pub side: ChangedSide,
    /// What one cycle carries on by.
    pub cycle: Cycle,
    /// Feet that stand in the seam are held by their legs.
    pub feet: bool,
}

impl Settings {
    /// The shortest seam, seconds.
    pub const SHORTEST: f64 = 0.1;

    /// The fewest frames of a motion with a seam between two of them.
    pub const FEWEST_FRAMES: usize = 6;
}

impl Default for Settings {
    fn default() -> Self {
        Self { seam: 0.3, side: ChangedSide::default(), cycle: Cycle::default(), feet: true }
    }
}

impl ChangedSide {
    /// Every choice, in the order menus show them.
    pub const ALL: [Self; 4] = [Self::Least, Self::End, Self::Both, Self::Start];

    /// How much of the way to each other the start goes.
    pub(super) fn weight(self) -> f64 {
        match self {
            Self::Start => 1.0,
            Self::Both => 0.5,
            Self::End | Self::Least => 0.0,
        }
    }
}

impl Cycle {
    /// Every choice, in the order menus show them.
    pub const ALL: [Self; 3] = [Self::Found, Self::Kept, Self::InPlace];
}
