//! Keyframed numbers: keys over time, and interpolation between them.

use serde::{Deserialize, Serialize};

use super::easing::Easing;

/// A keyframe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// Time, seconds.
    pub time: f64,
    /// Value, in the unit of the keyed setting.
    pub value: f64,
    /// Interpolation to the next key.
    #[serde(default)]
    pub easing: KeyEasing,
}

/// Interpolation from one key to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyEasing {
    /// Constant; jumps at the next key.
    Step,
    /// Constant speed.
    Linear,
    /// Zero speed at both keys ([`Easing::Smoothstep`]).
    #[default]
    Smooth,
}

/// Keys with strictly ascending times and finite numbers. Construction from a list sorts the keys, drops non-finite ones and those
/// beyond [`MAX_MAGNITUDE`], and keeps the last of several keys at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Key>", into = "Vec<Key>")]
pub struct KeyCurve {
    keys: Vec<Key>,
}

/// Maximum magnitude of times and values. Differences stay finite within it, and no setting is meaningful beyond.
const MAX_MAGNITUDE: f64 = 1e12;

portamento_base::named!(KeyEasing { Step: "step", Linear: "linear", Smooth: "smooth" });

impl KeyEasing {
    /// Returns the fraction of the change to the next key after the fraction `share` (0…1) of the time.
    fn progress(self, share: f64) -> f64 {
        match self {
            Self::Step => 0.0,
            Self::Linear => Easing::Linear.at(share),
            Self::Smooth => Easing::Smoothstep.at(share),
        }
    }
}

impl Key {
    /// Creates a key with smooth easing.
    pub fn new(time: f64, value: f64) -> Self {
        Self { time, value, easing: KeyEasing::default() }
    }

    /// True if time and value are finite and within [`MAX_MAGNITUDE`].
    fn is_valid(&self) -> bool {
        self.time.abs() <= MAX_MAGNITUDE && self.value.abs() <= MAX_MAGNITUDE
    }
}

impl From<Vec<Key>> for KeyCurve {
    fn from(mut keys: Vec<Key>) -> Self {
        keys.retain(Key::is_valid);
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        // 0 and −0 are equal times.
        keys.reverse();
        keys.dedup_by(|a, b| a.time == b.time);
        keys.reverse();
        Self { keys }
    }
}

impl From<KeyCurve> for Vec<Key> {
    fn from(curve: KeyCurve) -> Self {
        curve.keys
    }
}

impl KeyCurve {
    /// Returns the keys, ascending in time.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// True if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the value at `time`, constant before the first and after the last key; `None` without keys.
    pub fn at(&self, time: f64) -> Option<f64> {
        let after = self.keys.partition_point(|key| key.time <= time);
        let Some(from) = after.checked_sub(1).and_then(|before| self.keys.get(before)) else {
            return self.keys.first().map(|first| first.value);
        };
        let Some(to) = self.keys.get(after) else { return Some(from.value) };
        let share = (time - from.time) / (to.time - from.time);
        Some(from.value + (to.value - from.value) * from.easing.progress(share))
    }

    /// Returns the index of the key nearest to `time` (seconds); `None` if no key is within `within` seconds of it.
    pub fn nearest(&self, time: f64, within: f64) -> Option<usize> {
        let distance = |index: &usize| (self.keys[*index].time - time).abs();
        let near = (0..self.keys.len()).filter(|index| distance(index) <= within);
        near.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// Sets `value` at `time`: on the key within `within` seconds, else on a new key with the easing of the previous
    /// key. Non-finite numbers and those beyond [`MAX_MAGNITUDE`] change nothing.
    pub fn put(&mut self, time: f64, value: f64, within: f64) {
        let mut key = Key::new(time, value);
        if !key.is_valid() {
            return;
        }
        if let Some(existing) = self.nearest(time, within) {
            self.keys[existing].value = value;
            return;
        }
        let index = self.keys.partition_point(|other| other.time <= time);
        if let Some(before) = index.checked_sub(1).and_then(|before| self.keys.get(before)) {
            key.easing = before.easing;
        }
        self.keys.insert(index, key);
    }

    /// Removes the key at `index`. An index out of range changes nothing.
    pub fn remove(&mut self, index: usize) {
        if index < self.keys.len() {
            self.keys.remove(index);
        }
    }

    /// Replaces the key at `index`; another key at the new time is removed. An index out of range or an invalid key changes
    /// nothing.
    pub fn set(&mut self, index: usize, key: Key) {
        if index < self.keys.len() && key.is_valid() {
            self.keys.remove(index);
            self.insert(vec![key]);
        }
    }

    /// Adds `keys`, which replace keys at equal times. Invalid keys are dropped.
    pub fn insert(&mut self, keys: Vec<Key>) {
        let mut all = std::mem::take(&mut self.keys);
        all.extend(keys);
        // Sorting is stable, so that the new key stays.
        *self = Self::from(all);
    }

    /// True if `is_valid` is true for the values of all keys. It is then true for all interpolated values too if it
    /// tests a range.
    pub fn all(&self, is_valid: impl Fn(f64) -> bool) -> bool {
        self.keys.iter().all(|key| is_valid(key.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::SplitMix64;

    fn key(time: f64, value: f64, easing: KeyEasing) -> Key {
        Key { time, value, easing }
    }

    #[test]
    fn values_are_constant_at_the_ends_and_eased_between_keys() {
        let curve = KeyCurve::from(vec![
            key(1.0, 2.0, KeyEasing::Linear),
            key(2.0, 4.0, KeyEasing::Step),
            key(3.0, 0.0, KeyEasing::Smooth),
            key(5.0, 8.0, KeyEasing::Smooth),
        ]);
        let expected =
            [(0.0, 2.0), (1.0, 2.0), (1.25, 2.5), (2.0, 4.0), (2.999, 4.0), (3.0, 0.0), (4.0, 4.0), (9.0, 8.0)];
        for (time, value) in expected {
            assert_eq!(curve.at(time), Some(value), "{time}");
        }
        // After a quarter of the time the value has changed by 3/16 − 2/64 of the total.
        assert_eq!(curve.at(3.5), Some(8.0 * (3.0 / 16.0 - 2.0 / 64.0)));
        assert_eq!((KeyCurve::default().at(1.0), curve.at(f64::NAN)), (None, Some(2.0)));
    }

    #[test]
    fn a_key_is_set_changed_and_removed() {
        let mut curve = KeyCurve::from(vec![key(0.0, 1.0, KeyEasing::Linear), key(1.0, 3.0, KeyEasing::Smooth)]);
        curve.put(0.5, 9.0, 0.01);
        assert_eq!(curve.keys()[1], key(0.5, 9.0, KeyEasing::Linear), "like the previous one");
        curve.put(0.505, 5.0, 0.01);
        assert_eq!((curve.keys().len(), curve.keys()[1]), (3, key(0.5, 5.0, KeyEasing::Linear)));
        curve.put(f64::NAN, 1.0, 0.01);
        curve.put(2.0, f64::INFINITY, 0.01);
        assert_eq!(curve.keys().len(), 3);
        curve.set(1, key(1.0, 7.0, KeyEasing::Step));
        assert_eq!(curve.keys()[1..], [key(1.0, 7.0, KeyEasing::Step)], "the key at that time is removed");
        curve.remove(0);
        curve.remove(9);
        assert_eq!(curve.keys().len(), 1);
    }

    #[test]
    fn any_list_of_numbers_gives_a_curve_with_finite_values_between_its_keys() {
        let odd = [f64::NAN, f64::INFINITY, -f64::INFINITY, -0.0, 0.0, f64::MAX, f64::MIN_POSITIVE, 1e12, -1e12];
        for seed in 0..2000 {
            let mut random = SplitMix64::new(seed);
            let mut number = || match (random.unit() * 20.0) as usize {
                at if at < odd.len() => odd[at],
                // Few different values, so that times coincide.
                _ => (random.unit() * 8.0).floor() - 4.0,
            };
            let keys: Vec<Key> = (0..8).map(|at| key(number(), number(), KeyEasing::ALL[at % 3])).collect();
            let curve = KeyCurve::from(keys);
            assert!(curve.keys().windows(2).all(|pair| pair[0].time < pair[1].time));
            let bounds = curve
                .keys()
                .iter()
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], key| [low.min(key.value), high.max(key.value)]);
            for time in odd.into_iter().chain((-40..40).map(|at| 0.1 * f64::from(at))) {
                let value = curve.at(time);
                assert_eq!(value.is_none(), curve.is_empty());
                let slack = 1e-9 * bounds[0].abs().max(bounds[1].abs());
                let is_between = |value: f64| value >= bounds[0] - slack && value <= bounds[1] + slack;
                assert!(value.is_none_or(is_between), "{seed}: {value:?} at {time}");
            }
            let text = serde_json::to_string(&curve).unwrap();
            assert_eq!(serde_json::from_str::<KeyCurve>(&text).unwrap(), curve, "{text}");
        }
    }
}
