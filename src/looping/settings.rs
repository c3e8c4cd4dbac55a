//! User settings of a loop.

use serde::{Deserialize, Serialize};

use portamento_anim::math::WeightMap;
use portamento_anim::math::easing::Easing;

/// Settings of a loop. The source is never changed; equal settings give equal bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// First source frame, Z, counted from 0; at most `frames − 1 − 2·length`.
    pub start: usize,
    /// Frames in the loop, X; at least 1.
    pub length: usize,
    /// Fade-in of the first cycle A over the second cycle B: the weights W.
    pub fade: Fade,
    /// Fade-out of B: the weights W′, which fall 1 → 0. `None` for W′ = 1 − W.
    pub outgoing: Option<Fade>,
    /// True to restore the amplitude that unlike cycles lose when mixed (vertices and images).
    pub keep_energy: bool,
    /// True to rotate rigid pieces of a mesh instead of moving their vertices in straight lines (vertices with faces).
    pub rigid: bool,
    /// True to mix images in linear light, false to mix the stored sRGB values.
    pub linear_light: bool,
    /// Handling of the character's travel in a skeletal loop.
    pub travel: LoopTravel,
}

impl Settings {
    /// True if a painted map was read from damaged text.
    pub fn has_damaged_paint(&self) -> bool {
        let mut fades = std::iter::once(&self.fade).chain(&self.outgoing);
        fades.any(|fade| fade.maps().into_iter().any(WeightMap::is_damaged))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            start: 0,
            length: 30,
            fade: Fade::default(),
            outgoing: None,
            keep_energy: false,
            rigid: false,
            linear_light: false,
            travel: LoopTravel::default(),
        }
    }
}

/// Weights that rise from 0 to 1 over the loop, at a different time for each unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fade {
    /// Shape of the rise.
    pub curve: FadeCurve,
    /// Duration of an unpainted rise as a share of the loop: from 0, hard (two frames), to 1, the complete loop.
    pub softness: f32,
    /// Shift of a rise that is painted 0 or 1: from 0, none, to 1, into the first or last two frames.
    pub reach: f32,
    /// Painted per unit: 0 early, 0.5 middle, 1 late. Empty if nothing is painted.
    pub timing: WeightMap,
    /// Painted per unit: a factor 0…1 on `softness`. Empty if nothing is painted.
    pub width: WeightMap,
    /// Painted per unit: the shape of the rise. 0.5 is `curve`; below, most of the rise is at its start, above at its end.
    /// Empty if nothing is painted.
    pub shape: WeightMap,
}

impl Fade {
    /// Returns the painted maps.
    pub fn maps(&self) -> [&WeightMap; 3] {
        [&self.timing, &self.width, &self.shape]
    }

    /// Returns the painted maps for editing.
    pub fn maps_mut(&mut self) -> [&mut WeightMap; 3] {
        [&mut self.timing, &mut self.width, &mut self.shape]
    }
}

impl Default for Fade {
    fn default() -> Self {
        Self {
            curve: FadeCurve::default(),
            softness: 1.0,
            reach: 0.5,
            timing: WeightMap::default(),
            width: WeightMap::default(),
            shape: WeightMap::default(),
        }
    }
}

/// A curve through (0, 0) and (1, 1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FadeCurve {
    /// One of the named curves.
    Named(Easing),
    /// Points (x, y) with x rising from 0 to 1 and y within 0…1, joined smoothly without overshoot.
    Drawn(Vec<[f32; 2]>),
}

impl Default for FadeCurve {
    fn default() -> Self {
        Self::Named(Easing::Smoothstep)
    }
}

/// Handling of the root's travel along the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopTravel {
    /// Each cycle starts where the previous one ended, displaced by the mean travel of the two cycles.
    #[default]
    Onward,
    /// The travel is removed; the character loops in place.
    InPlace,
    /// The root is mixed like any other joint.
    Ordinary,
}

portamento_base::named!(LoopTravel { Onward: "onward", InPlace: "in_place", Ordinary: "ordinary" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_serialisation_bit_for_bit() {
        let fade = Fade { timing: vec![0.1, 0.3, 1.0 / 3.0].into(), ..Fade::default() };
        let drawn = FadeCurve::Drawn(vec![[0.0, 0.0], [0.3, 0.7], [1.0, 1.0]]);
        let outgoing = Some(Fade { curve: drawn, ..Fade::default() });
        let settings = Settings { start: 90, length: 100, fade, outgoing, ..Settings::default() };
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
        assert_eq!(serde_json::from_str::<Settings>("{}").unwrap(), Settings::default());
    }

    #[test]
    fn a_damaged_painting_is_empty_and_reported() {
        let read = |text: &str| serde_json::from_str::<Settings>(text).unwrap();
        let damaged = read(r#"{"fade":{"width":"!!"}}"#);
        assert!(damaged.has_damaged_paint() && damaged.fade.width.values().is_empty());
        assert!(!read(r#"{"fade":{"width":[0.5]},"outgoing":{}}"#).has_damaged_paint());
        let saved = serde_json::to_string(&damaged).unwrap();
        assert_eq!(read(&saved), Settings::default());
    }
}
