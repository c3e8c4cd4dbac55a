//! Blend spaces: clips at values of one or two parameters, mixed by where the parameter is (Unreal's blend space, Unity's
//! freeform blend tree).

use serde::{Deserialize, Serialize};

use super::BuildError;
use super::state::StatePlace;
use super::triangulation::Point;
use crate::message::{Message, message};

/// Clips at values of one or two parameters. Where the parameter is at a sample that clip plays alone; between samples their
/// weights change continuously and sum to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlendSpace {
    /// How many parameters there are.
    pub axes: Axes,
    /// The clips, at most [`BlendSpace::MOST_SAMPLES`], no two of them at one place.
    pub samples: Vec<SpaceSample>,
    /// Where the parameter is when, in any order; between two keys it goes straight, before the first and after the last it stays.
    pub keys: Vec<ParameterKey>,
    /// What else than the keys moves the parameter.
    pub drive: Drive,
    /// Where the parameter is in states of the tree, whatever else moves it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_states: Vec<StatePlace>,
    /// Clips keep in step: by when the first leg's foot comes down where all have that equally often, else by their whole length.
    pub synchronise: bool,
}

/// What moves the parameter of a blend space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drive {
    /// The keys of its own track.
    #[default]
    Keys,
    /// The first coordinate is how fast a motion goes, metres a second over the ground; the second is that of the keys.
    Speed(SpeedDrive),
}

/// A motion whose speed is a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpeedDrive {
    /// Name of the clip, or a take; beyond its end its last speed holds.
    pub clip: String,
    /// Seconds around each moment over which its speed is the mean.
    pub smoothing: f64,
}

impl Default for SpeedDrive {
    fn default() -> Self {
        // As long as the speed is looked at that says whether a layer's motion runs.
        Self { clip: String::new(), smoothing: 0.2 }
    }
}

/// How many parameters a blend space has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axes {
    /// Only the first coordinate counts.
    #[default]
    One,
    /// Both coordinates count: weights by the triangle that holds the parameter, outside of all by the nearest point of their edge.
    Two,
}

/// A clip at a value of the parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpaceSample {
    /// Name of the clip, which is looped.
    pub clip: String,
    /// Where it plays alone.
    pub at: [f64; 2],
}

/// Where the parameter is at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ParameterKey {
    /// When, in seconds.
    pub time: f64,
    /// The value of the parameters.
    pub at: [f64; 2],
}

impl Default for BlendSpace {
    fn default() -> Self {
        Self {
            axes: Axes::One,
            samples: Vec::new(),
            keys: vec![ParameterKey::default()],
            drive: Drive::Keys,
            in_states: Vec::new(),
            synchronise: true,
        }
    }
}

impl BlendSpace {
    /// More samples than this are refused.
    const MOST_SAMPLES: usize = 64;

    /// Where `at` counts: the second coordinate only with two parameters.
    pub fn point(&self, at: [f64; 2]) -> Point {
        match self.axes {
            Axes::One => Point::new(at[0], 0.0),
            Axes::Two => Point::from(at),
        }
    }

    /// Where the keys put the parameter at `time` (seconds); 0 without keys.
    pub fn keyed_at(&self, time: f64) -> [f64; 2] {
        let before =
            self.keys.iter().filter(|key| key.time <= time).reduce(|a, b| if b.time >= a.time { b } else { a });
        let after = self.keys.iter().filter(|key| key.time > time).reduce(|a, b| if b.time < a.time { b } else { a });
        match (before, after) {
            (Some(from), Some(to)) => {
                let part = (time - from.time) / (to.time - from.time);
                std::array::from_fn(|axis| from.at[axis] + (to.at[axis] - from.at[axis]) * part)
            }
            (Some(only), None) | (None, Some(only)) => only.at,
            (None, None) => [0.0; 2],
        }
    }

    /// When the keys move the parameter for the last time, seconds.
    pub fn end(&self) -> f64 {
        if self.keys.len() < 2 { 0.0 } else { self.keys.iter().map(|key| key.time).fold(0.0, f64::max) }
    }

    /// Puts the parameter to `at`: the only key anywhere, else that at `time` (seconds), which is made where there is none.
    pub fn put_parameter(&mut self, time: f64, at: [f64; 2]) {
        const SAME: f64 = 1e-4;
        if let [only] = &mut self.keys[..] {
            only.at = at;
        } else if let Some(key) = self.keys.iter_mut().find(|key| (key.time - time).abs() <= SAME) {
            key.at = at;
        } else {
            self.keys.push(ParameterKey { time, at });
        }
    }

    /// Refuses keys that are no times and places; `node` is whose they are.
    pub(super) fn check_keys(&self, node: &str) -> Result<(), BuildError> {
        let times = self.keys.iter().map(|key| (message!("setting.blend.key_time", "time of a key"), key.time));
        let in_states = self.in_states.iter().flat_map(|own| own.at);
        let places = self.keys.iter().flat_map(|key| key.at).chain(in_states);
        let places = places.map(|value| (message!("setting.blend.parameter", "parameter"), value));
        let wrong = times.chain(places).find(|(_, value)| !value.is_finite());
        let refused = |(what, value)| Err(BuildError::BadNumber { node: node.into(), what, value });
        wrong.or(self.wrong_smoothing()).map_or(Ok(()), refused)
    }

    fn wrong_smoothing(&self) -> Option<(Message, f64)> {
        let Drive::Speed(SpeedDrive { smoothing, .. }) = self.drive else { return None };
        let what = message!("setting.blend.smoothing", "time over which speed is measured");
        (!(smoothing.is_finite() && smoothing >= 0.0)).then_some((what, smoothing))
    }

    /// Refuses sample `index` that is nowhere, or where one before it is; `node` is whose it is.
    pub(super) fn check_sample(&self, node: &str, index: usize) -> Result<(), BuildError> {
        let sample = &self.samples[index];
        if let Some(&value) = sample.at.iter().find(|value| !value.is_finite()) {
            let what = message!("setting.blend.place", "place of a sample");
            return Err(BuildError::BadNumber { node: node.into(), what, value });
        }
        let here = self.point(sample.at);
        let same = |other: &&SpaceSample| self.point(other.at) == here;
        match self.samples[..index].iter().find(same) {
            Some(other) => {
                Err(BuildError::SamePlace { node: node.into(), one: other.clip.clone(), other: sample.clip.clone() })
            }
            None if index >= Self::MOST_SAMPLES => {
                Err(BuildError::TooManySamples { node: node.into(), most: Self::MOST_SAMPLES })
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time: f64, x: f64) -> ParameterKey {
        ParameterKey { time, at: [x, -x] }
    }

    #[test]
    fn the_parameter_goes_straight_between_keys_in_any_order_and_stays_beyond_them() {
        let space = BlendSpace { keys: vec![key(3.0, 4.0), key(1.0, 2.0)], ..BlendSpace::default() };
        assert_eq!([0.0, 1.0, 1.5, 3.0, 9.0].map(|time| space.keyed_at(time)[0]), [2.0, 2.0, 2.5, 4.0, 4.0]);
        assert_eq!(space.keyed_at(1.5)[1], -2.5);
        assert_eq!((space.end(), BlendSpace::default().end()), (3.0, 0.0));
    }

    #[test]
    fn the_only_key_is_moved_and_of_several_the_one_at_the_playhead() {
        let mut space = BlendSpace::default();
        space.put_parameter(2.0, [0.5, 0.0]);
        assert_eq!(space.keys, [ParameterKey { time: 0.0, at: [0.5, 0.0] }]);
        space.keys.push(key(2.0, 1.0));
        space.put_parameter(2.0, [7.0, 0.0]);
        space.put_parameter(1.0, [3.0, 0.0]);
        assert_eq!(
            space.keys.iter().map(|key| (key.time, key.at[0])).collect::<Vec<_>>(),
            [(0.0, 0.5), (2.0, 7.0), (1.0, 3.0)]
        );
    }

    #[test]
    fn two_samples_at_one_place_are_refused_by_name_where_both_coordinates_count() {
        let sample = |clip: &str, at| SpaceSample { clip: clip.into(), at };
        let samples = vec![sample("walk", [1.0, 0.0]), sample("run", [1.0, 2.0])];
        let two = BlendSpace { axes: Axes::Two, samples, ..BlendSpace::default() };
        assert_eq!(two.check_sample("Gaits", 1), Ok(()));
        let one = BlendSpace { axes: Axes::One, ..two };
        let refused = one.check_sample("Gaits", 1).unwrap_err().to_string();
        assert!(refused.contains("Gaits") && refused.contains("walk") && refused.contains("run"), "{refused}");
    }
}
