//! Settings of retargeting.

use glam::DQuat;
use serde::{Deserialize, Serialize};

use portamento_anim::math::euler;

/// Settings of retargeting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// True to bend the rest pose first so that its bones have the directions of the source's bones.
    pub align: bool,
    /// True to lock planted feet at the height above ground they have in the source.
    pub hold_feet: bool,
    /// True to lock hands to the ground or a hold, and to keep the distance of two hands on one object, relative to the arm
    /// length.
    pub hold_hands: bool,
    /// Travel per unit of travel of the source; `None` uses the ratio of the leg lengths.
    pub scale: Option<f64>,
    /// Changes of the automatic joint mapping.
    pub links: Vec<LinkChoice>,
    /// Corrections of the rest rotation of joints, after alignment.
    pub corrections: Vec<Correction>,
}

/// The source joint that a joint follows, chosen by the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkChoice {
    /// The joint of the character, by name.
    pub joint: String,
    /// The joint of the source, by name; `None` keeps the joint at rest relative to its parent.
    pub source: Option<String>,
}

/// A rotation of a joint's rest, applied after alignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// The joint of the character, by name.
    pub joint: String,
    /// Degrees about the world axes X, Y and Z, applied in this order. Unmapped descendants move along.
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
    /// The valid range of the travel scale.
    pub(super) const SCALES: std::ops::RangeInclusive<f64> = 1e-4..=1e4;

    /// Returns the user's choice for `joint`; `None` if there is none.
    pub fn link(&self, joint: &str) -> Option<&LinkChoice> {
        self.links.iter().find(|choice| choice.joint == joint)
    }

    /// Returns the correction of `joint`, degrees about X, Y and Z; zeros if there is none.
    pub fn turn(&self, joint: &str) -> [f64; 3] {
        self.corrections
            .iter()
            .find(|correction| correction.joint == joint)
            .map_or([0.0; 3], |correction| correction.turn)
    }

    /// Sets the correction of `joint` to `turn`, in degrees. Zeros remove it.
    pub fn set_turn(&mut self, joint: &str, turn: [f64; 3]) {
        self.corrections.retain(|correction| correction.joint != joint);
        if turn != [0.0; 3] {
            self.corrections.push(Correction { joint: joint.to_owned(), turn });
        }
    }

    /// Returns a correction, given in degrees about X, Y and Z, as a single rotation.
    pub fn rotation(turn: [f64; 3]) -> DQuat {
        euler::rotation(turn)
    }

    /// Sets the source joint of `joint`. `None` restores the automatic mapping, and `Some(None)` keeps the joint at rest.
    pub fn set_link(&mut self, joint: &str, source: Option<Option<String>>) {
        self.links.retain(|choice| choice.joint != joint);
        if let Some(source) = source {
            self.links.push(LinkChoice { joint: joint.to_owned(), source });
        }
    }
}
