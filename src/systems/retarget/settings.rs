//! What the user sets.

use glam::DQuat;
use serde::{Deserialize, Serialize};

/// How a motion is put on another skeleton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether the rest pose is bent so that its bones point where those of the source do, before anything moves.
    pub align: bool,
    /// Whether feet that stand in the source stand still here, at its height over the ground.
    pub hold_feet: bool,
    /// Whether hands on the ground or on a hold stay there, and two hands on one thing stay as far apart as in the source, in parts
    /// of the arm.
    pub hold_hands: bool,
    /// How far the body goes for each unit of length that the source goes; `None` takes the ratio of the legs.
    pub scale: Option<f64>,
    /// Joints that follow another joint than the one that was found.
    pub links: Vec<LinkChoice>,
    /// Joints that rest otherwise than they were aligned.
    pub corrections: Vec<Correction>,
}

/// Which joint of the source a joint follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkChoice {
    /// The joint of the character, by name.
    pub joint: String,
    /// The joint of the source; `None` leaves the joint at rest on its parent.
    pub source: Option<String>,
}

/// A turn of a joint's rest, on top of what aligns it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// The joint of the character, by name.
    pub joint: String,
    /// Degrees about the world's X, Y and Z, applied in this order; what hangs on the joint and follows no joint goes with it.
    pub turn: [f64; 3],
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            align: true,
            hold_feet: true,
            hold_hands: false,
            scale: None,
            links: Vec::new(),
            corrections: Vec::new(),
        }
    }
}

impl Settings {
    /// Ratios of travel that can be used.
    pub(super) const SCALES: std::ops::RangeInclusive<f64> = 1e-4..=1e4;

    /// Which joint of the source `joint` was told to follow; `None` where nothing was told.
    pub fn link(&self, joint: &str) -> Option<&LinkChoice> {
        self.links.iter().find(|choice| choice.joint == joint)
    }

    /// Degrees about X, Y and Z by which the rest of `joint` was corrected.
    pub fn turn(&self, joint: &str) -> [f64; 3] {
        self.corrections.iter().find(|told| told.joint == joint).map_or([0.0; 3], |told| told.turn)
    }

    /// Corrects the rest of `joint` by `turn`, degrees, in place of what was set.
    pub fn set_turn(&mut self, joint: &str, turn: [f64; 3]) {
        self.corrections.retain(|told| told.joint != joint);
        if turn != [0.0; 3] {
            self.corrections.push(Correction { joint: joint.to_owned(), turn });
        }
    }

    /// A correction as one turn.
    pub fn rotation(turn: [f64; 3]) -> DQuat {
        let [x, y, z] = turn.map(f64::to_radians);
        DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
    }

    /// Lets `joint` follow `source`, or what was found for it where `source` is `None`.
    pub fn set_link(&mut self, joint: &str, source: Option<Option<String>>) {
        self.links.retain(|choice| choice.joint != joint);
        if let Some(source) = source {
            self.links.push(LinkChoice { joint: joint.to_owned(), source });
        }
    }
}
