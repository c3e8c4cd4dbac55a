//! Crossing of obstacles and gaps with the character's own clips, and the preference for each kind.

use serde::{Deserialize, Serialize};

use portamento_walk::crossing::CrossingKind;
use portamento_walk::navigation::{LinkPreference, LinkRule};

/// Crossing of obstacles and gaps. Each kind has a factor on its time in the route search, 0.1…10: below 1 it is preferred, above
/// 1 avoided. 0 bans it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OwnCrossings {
    /// True if routes cross with the clips of the character.
    pub on: bool,
    /// Factor of vaults.
    pub vault: f64,
    /// Factor of mantles.
    pub mantle: f64,
    /// Factor of hops up.
    pub hop_up: f64,
    /// Factor of jumps across gaps.
    pub jump_across: f64,
    /// Factor of drops.
    pub drop_down: f64,
}

impl Default for OwnCrossings {
    fn default() -> Self {
        Self { on: false, vault: 1.0, mantle: 1.0, hop_up: 1.0, jump_across: 1.0, drop_down: 1.0 }
    }
}

impl OwnCrossings {
    /// Returns the factor of a kind for editing.
    pub fn factor_mut(&mut self, kind: CrossingKind) -> &mut f64 {
        match kind {
            CrossingKind::Vault => &mut self.vault,
            CrossingKind::Mantle => &mut self.mantle,
            CrossingKind::HopUp => &mut self.hop_up,
            CrossingKind::JumpAcross => &mut self.jump_across,
            CrossingKind::DropDown => &mut self.drop_down,
        }
    }

    /// Returns the preferences of the kinds whose factor is not 1.
    pub fn preferences(mut self) -> Vec<LinkPreference> {
        let preference = |kind: CrossingKind| {
            let factor = *self.factor_mut(kind);
            let rule = if factor == 0.0 { LinkRule::Banned } else { LinkRule::Factor(factor) };
            (factor != 1.0).then_some(LinkPreference { kind, rule })
        };
        CrossingKind::ALL.into_iter().filter_map(preference).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_of_zero_bans_a_kind_and_one_leaves_it_alone() {
        let crossings = OwnCrossings { mantle: 0.0, drop_down: 0.5, ..OwnCrossings::default() };
        let [mantle, drop] = &crossings.preferences()[..] else { panic!("two preferences") };
        assert_eq!((mantle.kind, mantle.rule), (CrossingKind::Mantle, LinkRule::Banned));
        assert_eq!((drop.kind, drop.rule), (CrossingKind::DropDown, LinkRule::Factor(0.5)));
        assert!(OwnCrossings::default().preferences().is_empty());
        assert!(serde_json::from_str::<OwnCrossings>(r#"{"on": true, "fly": 1}"#).is_err());
    }
}
