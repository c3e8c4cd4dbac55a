//! What the file itself says: the humanoid map of an avatar.

use crate::anim::Leg;
use crate::anim::model::HumanBone;

/// A humanoid map by the names of VRM 1.0 (`leftUpperLeg`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Humanoid<'a>(&'a [HumanBone]);

impl<'a> Humanoid<'a> {
    /// The map of `bones`; `None` where the file has none.
    pub(super) fn new(bones: &'a [HumanBone]) -> Option<Self> {
        (!bones.is_empty()).then_some(Self(bones))
    }

    /// The joint of a bone.
    pub(super) fn joint(&self, bone: &str) -> Option<usize> {
        self.0.iter().find(|known| known.name == bone).map(|known| known.joint)
    }

    /// Both legs, left first; one whose thigh, shin or foot is missing is left out.
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

    /// Left joint and right joint of every bone that has both.
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        let right = |name: &str| self.joint(&format!("right{}", name.strip_prefix("left")?));
        self.0.iter().filter_map(|left| Some((left.joint, right(&left.name)?))).collect()
    }
}
