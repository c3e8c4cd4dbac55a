//! The humanoid map of an avatar, as stored in the file.

use crate::Leg;
use crate::model::HumanBone;

/// A humanoid map with the bone names of VRM 1.0 (`leftUpperLeg`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Humanoid<'a>(&'a [HumanBone]);

impl<'a> Humanoid<'a> {
    /// Returns the map of `bones`; `None` if the file has none.
    pub(super) fn new(bones: &'a [HumanBone]) -> Option<Self> {
        (!bones.is_empty()).then_some(Self(bones))
    }

    /// Returns the joint of the bone named `bone`; `None` if the file does not assign it.
    pub(super) fn joint(&self, bone: &str) -> Option<usize> {
        self.0.iter().find(|known| known.name == bone).map(|known| known.joint)
    }

    /// Returns the legs, left first, without those whose thigh, shin or foot is missing.
    pub(super) fn legs(&self) -> Vec<Leg> {
        let leg = |side: &str| {
            Some(Leg {
                thigh: self.joint(&format!("{side}UpperLeg"))?,
                shin: self.joint(&format!("{side}LowerLeg"))?,
                foot: self.joint(&format!("{side}Foot"))?,
                toe: self.joint(&format!("{side}Toes")),
            })
        };
        ["left", "right"].into_iter().filter_map(leg).collect()
    }

    /// Returns the left and the right joint of every bone that has both.
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        let right = |name: &str| self.joint(&format!("right{}", name.strip_prefix("left")?));
        self.0.iter().filter_map(|left| Some((left.joint, right(&left.name)?))).collect()
    }
}
