//! Presets for common kinds of chains.

use serde::{Deserialize, Serialize};

use super::settings::{AngleLimit, Chain, Profile};

/// Kind of a chain, with matching values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// A strand of hair: stiff near the head, loose at the tip.
    Hair,
    /// A tail: heavy and muscular, returns to the animation.
    Tail,
    /// A strip of cloth: light, slow, easily blown.
    Cloth,
    /// A springy rod.
    Antenna,
    /// A metal chain: hangs freely, without stiffness.
    Chain,
}

portamento_base::named!(Preset { Hair: "hair", Tail: "tail", Cloth: "cloth", Antenna: "antenna", Chain: "chain" });

impl Preset {
    /// Sets drag, stiffness, gravity, radius and angle limit of the chain. All its other values stay.
    pub fn apply(self, chain: &mut Chain) {
        let towards_tip = |value: f64, tip: f64| Profile { value, curve: vec![(0.0, 1.0), (1.0, tip)] };
        let (drag, stiffness, gravity, radius) = match self {
            Self::Hair => (0.35, towards_tip(14.0, 0.3), 1.0, 0.015),
            Self::Tail => (0.15, towards_tip(30.0, 0.6), 0.6, 0.04),
            Self::Cloth => (0.4, towards_tip(4.0, 0.2), 0.8, 0.02),
            Self::Antenna => (0.05, towards_tip(120.0, 0.7), 0.3, 0.005),
            Self::Chain => (0.03, Profile::constant(0.0), 1.0, 0.02),
        };
        chain.drag = Profile::constant(drag);
        chain.stiffness = stiffness;
        chain.gravity = Profile::constant(gravity);
        chain.radius = Profile::constant(radius);
        chain.limit = match self {
            Self::Tail => AngleLimit::Cone { angle: 1.0 },
            Self::Antenna => AngleLimit::Cone { angle: 0.6 },
            // A strip that folds back on itself would turn its joints over.
            Self::Cloth => AngleLimit::Cone { angle: 1.2 },
            Self::Hair | Self::Chain => AngleLimit::Free,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_found_by_its_name_and_differs_from_the_others() {
        let chains = Preset::ALL.map(|preset| {
            assert_eq!(Preset::parse(preset.name()), Ok(preset));
            let mut chain = Chain::default();
            preset.apply(&mut chain);
            chain
        });
        assert!((0..5).all(|i| (0..i).all(|j| chains[i] != chains[j])));
        assert!(Preset::parse("plank").is_err());
    }
}
