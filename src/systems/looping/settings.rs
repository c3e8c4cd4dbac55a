//! What the user chooses about a loop.

use serde::{Deserialize, Serialize};

use crate::math::WeightMap;
use crate::math::easing::Easing;

/// The recipe of a loop. The source is never changed; the same recipe gives the same bits again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// First source frame used, Z, counted from 0; at most `frames − 1 − 2·length`.
    pub start: usize,
    /// Frames in the loop, X; at least 1.
    pub length: usize,
    /// How the first cycle A comes in over the second, B: the weights W.
    pub fade: Fade,
    /// How B goes out, as its own weights W′ falling 1 → 0; `None` links them, W′ = 1 − W.
    pub outgoing: Option<Fade>,
    /// Gives back the liveliness that unlike cycles lose when mixed (vertices and images).
    pub keep_energy: bool,
    /// Turns rigid pieces of a mesh instead of pulling their vertices straight (vertices with faces).
    pub rigid: bool,
    /// Mixes images as light and not as stored sRGB numbers.
    pub linear_light: bool,
    /// What becomes of the character's way in a skeletal loop.
    pub travel: LoopTravel,
}

impl Settings {
    /// Whether any painting was read from damaged text.
    pub fn has_damaged_paint(&self) -> bool {
        let mut fades = std::iter::once(&self.fade).chain(&self.outgoing);
        fades.any(|fade| fade.timing.is_damaged() || fade.width.is_damaged())
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

/// Weights that rise from 0 to 1 over the loop, for each unit in its own time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fade {
    /// The shape of the rise.
    pub curve: FadeCurve,
    /// How much of the loop a rise takes where nothing is painted: 0 hard (two frames) … 1 the whole loop.
    pub softness: f32,
    /// How far painting 0 or 1 moves a rise from the middle: 0 not at all … 1 into the first or last two frames.
    pub reach: f32,
    /// Painted per unit, 0 early … 0.5 … 1 late; empty where nothing is painted.
    pub timing: WeightMap,
    /// Painted per unit, a factor 0…1 on `softness`; empty where nothing is painted.
    pub width: WeightMap,
}

impl Default for Fade {
    fn default() -> Self {
        Self {
            curve: FadeCurve::default(),
            softness: 1.0,
            reach: 0.5,
            timing: WeightMap::default(),
            width: WeightMap::default(),
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

/// What becomes of the root's way along the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopTravel {
    /// Each cycle goes on where the last one ended, by the mean way of the two cycles used.
    #[default]
    Onward,
    /// The way is taken out; the character loops on the spot.
    InPlace,
    /// The root is mixed like any other joint.
    Ordinary,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_comes_back_from_its_file_bit_for_bit() {
        let fade = Fade { timing: vec![0.1, 0.3, 1.0 / 3.0].into(), ..Fade::default() };
        let drawn = FadeCurve::Drawn(vec![[0.0, 0.0], [0.3, 0.7], [1.0, 1.0]]);
        let outgoing = Some(Fade { curve: drawn, ..Fade::default() });
        let settings = Settings { start: 90, length: 100, fade, outgoing, ..Settings::default() };
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
        assert_eq!(serde_json::from_str::<Settings>("{}").unwrap(), Settings::default());
    }

    #[test]
    fn a_damaged_painting_is_empty_and_says_so() {
        let read = |text: &str| serde_json::from_str::<Settings>(text).unwrap();
        let damaged = read(r#"{"fade":{"width":"!!"}}"#);
        assert!(damaged.has_damaged_paint() && damaged.fade.width.values().is_empty());
        assert!(!read(r#"{"fade":{"width":[0.5]},"outgoing":{}}"#).has_damaged_paint());
        let saved = serde_json::to_string(&damaged).unwrap();
        assert_eq!(read(&saved), Settings::default());
    }
}
