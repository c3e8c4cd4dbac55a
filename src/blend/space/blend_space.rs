//! Blend spaces: clips at positions of one or two parameters, weighted by the current parameter position (like Unreal's blend
//! space and Unity's freeform blend tree).

use serde::{Deserialize, Serialize};

use super::triangulation::Point;
use crate::BuildError;
use crate::trees::state::StatePosition;
use portamento_base::message::{Message, message};

/// Clips at positions of one or two parameters. At a sample its clip plays alone. Between samples the weights change continuously
/// and sum to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlendSpace {
    /// Number of parameters.
    pub axes: Axes,
    /// The clips, at most [`BlendSpace::MAX_SAMPLES`], at different positions.
    pub samples: Vec<SpaceSample>,
    /// Keys of the parameter, in any order: linear between keys, constant before the first and after the last.
    pub keys: Vec<ParameterKey>,
    /// Source of the parameter besides the keys.
    pub drive: Drive,
    /// Parameter positions in states of the tree. They override the drive.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_states: Vec<StatePosition>,
    /// True to synchronise the clips: by the first leg's foot-down times if all have the same number of them, otherwise by their
    /// length.
    pub synchronise: bool,
}

/// The source of a blend space's parameter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drive {
    /// The parameter keys.
    #[default]
    Keys,
    /// The first coordinate is the ground speed of a motion in metres per second. The second one comes from the keys.
    Speed(SpeedDrive),
}

/// A motion whose speed is used as a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpeedDrive {
    /// Name of the clip or take. After its end its last speed is used.
    pub clip: String,
    /// Window in seconds over which the speed is averaged.
    pub smoothing: f64,
}

impl Default for SpeedDrive {
    fn default() -> Self {
        // Equal to the window with which a layer tells running from standing.
        Self { clip: String::new(), smoothing: 0.2 }
    }
}

/// Number of parameters of a blend space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axes {
    /// Only the first coordinate is used.
    #[default]
    One,
    /// Both coordinates are used. Weights come from the triangle around the parameter position, or from the nearest point of the
    /// outline if it is outside all triangles.
    Two,
}

/// A clip at a parameter position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpaceSample {
    /// Name of the clip; it loops.
    pub clip: String,
    /// Parameter position at which it plays alone.
    pub at: [f64; 2],
}

/// A parameter position at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ParameterKey {
    /// Time in seconds.
    pub time: f64,
    /// Parameter position.
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
    /// Largest number of samples.
    const MAX_SAMPLES: usize = 64;

    /// Returns the point of parameter position `at`; the second coordinate is 0 in a space with one parameter.
    pub fn point(&self, at: [f64; 2]) -> Point {
        match self.axes {
            Axes::One => Point::new(at[0], 0.0),
            Axes::Two => Point::from(at),
        }
    }

    /// Returns the parameter position of the keys at `time` (seconds): linear between keys, constant outside them, and 0
    /// without keys.
    pub fn parameter_from_keys(&self, time: f64) -> [f64; 2] {
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

    /// Returns the time of the last parameter change by keys, seconds; 0 if there is none.
    pub fn end(&self) -> f64 {
        if self.keys.len() < 2 { 0.0 } else { self.keys.iter().map(|key| key.time).fold(0.0, f64::max) }
    }

    /// Sets the parameter position: of the only key if there is just one, otherwise of the key at `time` (seconds), which is
    /// added if missing.
    pub fn set_parameter(&mut self, time: f64, at: [f64; 2]) {
        const SAME_KEY_SECONDS: f64 = 1e-4;
        if let [only] = &mut self.keys[..] {
            only.at = at;
        } else if let Some(key) = self.keys.iter_mut().find(|key| (key.time - time).abs() <= SAME_KEY_SECONDS) {
            key.at = at;
        } else {
            self.keys.push(ParameterKey { time, at });
        }
    }

    /// Returns `Err` if a key, a state position or the smoothing time is not a valid number. `node` is the node name in the
    /// error.
    pub(crate) fn check_keys(&self, node: &str) -> Result<(), BuildError> {
        let times = self.keys.iter().map(|key| (message!("setting.blend.key_time", "time of a key"), key.time));
        let in_states = self.in_states.iter().flat_map(|own| own.at);
        let coordinates = self.keys.iter().flat_map(|key| key.at).chain(in_states);
        let coordinates = coordinates.map(|value| (message!("setting.blend.parameter", "parameter"), value));
        let invalid = times.chain(coordinates).find(|(_, value)| !value.is_finite());
        let refused = |(what, value)| Err(BuildError::BadNumber { node: node.into(), what, value });
        invalid.or(self.invalid_smoothing()).map_or(Ok(()), refused)
    }

    /// Returns the smoothing time with its name if it is negative or not finite. `None` if it is valid, or if the
    /// space does not measure speed.
    fn invalid_smoothing(&self) -> Option<(Message, f64)> {
        let Drive::Speed(SpeedDrive { smoothing, .. }) = self.drive else { return None };
        let what = message!("setting.blend.smoothing", "time over which speed is measured");
        (!(smoothing.is_finite() && smoothing >= 0.0)).then_some((what, smoothing))
    }

    /// Returns `Err` if sample `index` has an invalid position or the position of an earlier sample, or exceeds the limit. `node`
    /// is the node name in the error.
    pub(crate) fn check_sample(&self, node: &str, index: usize) -> Result<(), BuildError> {
        let sample = &self.samples[index];
        if let Some(&value) = sample.at.iter().find(|value| !value.is_finite()) {
            let what = message!("setting.blend.place", "position of a clip");
            return Err(BuildError::BadNumber { node: node.into(), what, value });
        }
        let here = self.point(sample.at);
        let same = |other: &&SpaceSample| self.point(other.at) == here;
        match self.samples[..index].iter().find(same) {
            Some(other) => {
                Err(BuildError::SamePosition { node: node.into(), one: other.clip.clone(), other: sample.clip.clone() })
            }
            None if index >= Self::MAX_SAMPLES => {
                Err(BuildError::TooManySamples { node: node.into(), most: Self::MAX_SAMPLES })
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
    fn the_parameter_is_linear_between_keys_in_any_order_and_constant_outside_them() {
        let space = BlendSpace { keys: vec![key(3.0, 4.0), key(1.0, 2.0)], ..BlendSpace::default() };
        assert_eq!([0.0, 1.0, 1.5, 3.0, 9.0].map(|time| space.parameter_from_keys(time)[0]), [2.0, 2.0, 2.5, 4.0, 4.0]);
        assert_eq!(space.parameter_from_keys(1.5)[1], -2.5);
        assert_eq!((space.end(), BlendSpace::default().end()), (3.0, 0.0));
    }

    #[test]
    fn putting_a_parameter_changes_the_only_key_or_the_key_at_the_playhead() {
        let mut space = BlendSpace::default();
        space.set_parameter(2.0, [0.5, 0.0]);
        assert_eq!(space.keys, [ParameterKey { time: 0.0, at: [0.5, 0.0] }]);
        space.keys.push(key(2.0, 1.0));
        space.set_parameter(2.0, [7.0, 0.0]);
        space.set_parameter(1.0, [3.0, 0.0]);
        assert_eq!(
            space.keys.iter().map(|key| (key.time, key.at[0])).collect::<Vec<_>>(),
            [(0.0, 0.5), (2.0, 7.0), (1.0, 3.0)]
        );
    }

    #[test]
    fn two_samples_at_the_same_position_are_refused_by_name() {
        let sample = |clip: &str, at| SpaceSample { clip: clip.into(), at };
        let samples = vec![sample("walk", [1.0, 0.0]), sample("run", [1.0, 2.0])];
        let two = BlendSpace { axes: Axes::Two, samples, ..BlendSpace::default() };
        assert_eq!(two.check_sample("Gaits", 1), Ok(()));
        let one = BlendSpace { axes: Axes::One, ..two };
        let refused = one.check_sample("Gaits", 1).unwrap_err().to_string();
        assert!(refused.contains("Gaits") && refused.contains("walk") && refused.contains("run"), "{refused}");
    }
}
