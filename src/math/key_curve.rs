//! A number over time: keys, and what it is between them.

use serde::{Deserialize, Serialize};

use super::easing::Easing;

/// A number at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// Seconds.
    pub time: f64,
    /// In the unit of what is keyed.
    pub value: f64,
    /// How it goes on to the next key.
    #[serde(default)]
    pub easing: KeyEasing,
}

/// How a number goes from one key to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyEasing {
    /// Stays, and jumps at the next key.
    Step,
    /// At constant speed.
    Linear,
    /// Without speed at both keys ([`Easing::Smoothstep`]).
    #[default]
    Smooth,
}

/// Keys with rising times and finite numbers. From whatever list it is made: what is not a number goes, and of several keys at one
/// time the last stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Key>", into = "Vec<Key>")]
pub struct KeyCurve {
    keys: Vec<Key>,
}

/// Times and values beyond this are no key: differences of two stay finite, and no setting means anything there.
const LARGEST: f64 = 1e12;

impl KeyEasing {
    /// Every one, in the order menus show them.
    pub const ALL: [Self; 3] = [Self::Step, Self::Linear, Self::Smooth];

    /// The name used in menus and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Linear => "linear",
            Self::Smooth => "smooth",
        }
    }

    /// How much of the way to the next key is gone after `share` (0…1) of the time to it.
    fn gone(self, share: f64) -> f64 {
        match self {
            Self::Step => 0.0,
            Self::Linear => Easing::Linear.at(share),
            Self::Smooth => Easing::Smoothstep.at(share),
        }
    }
}

impl Key {
    /// A key that goes on smoothly.
    pub fn new(time: f64, value: f64) -> Self {
        Self { time, value, easing: KeyEasing::default() }
    }

    fn is_good(&self) -> bool {
        self.time.abs() <= LARGEST && self.value.abs() <= LARGEST
    }
}

impl From<Vec<Key>> for KeyCurve {
    fn from(mut keys: Vec<Key>) -> Self {
        keys.retain(Key::is_good);
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        // 0 and −0 are one time.
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
    /// The keys, their times rising.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The value at `time`, held before the first and after the last key; `None` where there are no keys.
    pub fn at(&self, time: f64) -> Option<f64> {
        let after = self.keys.partition_point(|key| key.time <= time);
        let Some(from) = after.checked_sub(1).and_then(|before| self.keys.get(before)) else {
            return self.keys.first().map(|first| first.value);
        };
        let Some(to) = self.keys.get(after) else { return Some(from.value) };
        let share = (time - from.time) / (to.time - from.time);
        Some(from.value + (to.value - from.value) * from.easing.gone(share))
    }

    /// The key nearest to `time` that is not further than `within` seconds.
    pub fn nearest(&self, time: f64, within: f64) -> Option<usize> {
        let away = |index: &usize| (self.keys[*index].time - time).abs();
        let near = (0..self.keys.len()).filter(|index| away(index) <= within);
        near.min_by(|a, b| away(a).total_cmp(&away(b)))
    }

    /// Sets `value` at `time`: of the key there, if it is not further than `within` seconds, else of a new one that goes on as the key
    /// before it. What is not a number changes nothing.
    pub fn put(&mut self, time: f64, value: f64, within: f64) {
        let mut key = Key::new(time, value);
        if !key.is_good() {
            return;
        }
        if let Some(known) = self.nearest(time, within) {
            self.keys[known].value = value;
            return;
        }
        let place = self.keys.partition_point(|known| known.time <= time);
        if let Some(before) = place.checked_sub(1).and_then(|before| self.keys.get(before)) {
            key.easing = before.easing;
        }
        self.keys.insert(place, key);
    }

    /// Takes the key at `index` out.
    pub fn remove(&mut self, index: usize) {
        if index < self.keys.len() {
            self.keys.remove(index);
        }
    }

    /// Gives the key at `index` another time, value or easing; another key at its new time goes.
    pub fn set(&mut self, index: usize, key: Key) {
        if index < self.keys.len() && key.is_good() {
            self.keys.remove(index);
            self.insert(vec![key]);
        }
    }

    /// Adds `keys`; those at the same times go.
    pub fn insert(&mut self, keys: Vec<Key>) {
        let mut all = std::mem::take(&mut self.keys);
        all.extend(keys);
        // Sorting keeps the order of equals: what is new stays.
        *self = Self::from(all);
    }

    /// Whether `holds` of the values of all keys; then it does of all values between bounds that are values of keys.
    pub fn all(&self, holds: impl Fn(f64) -> bool) -> bool {
        self.keys.iter().all(|key| holds(key.value))
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
    fn values_are_held_at_the_ends_and_eased_between_keys() {
        let curve = KeyCurve::from(vec![
            key(1.0, 2.0, KeyEasing::Linear),
            key(2.0, 4.0, KeyEasing::Step),
            key(3.0, 0.0, KeyEasing::Smooth),
            key(5.0, 8.0, KeyEasing::Smooth),
        ]);
        let wanted =
            [(0.0, 2.0), (1.0, 2.0), (1.25, 2.5), (2.0, 4.0), (2.999, 4.0), (3.0, 0.0), (4.0, 4.0), (9.0, 8.0)];
        for (time, value) in wanted {
            assert_eq!(curve.at(time), Some(value), "{time}");
        }
        // A quarter of the way in time is 3/16 − 2/64 of it in value.
        assert_eq!(curve.at(3.5), Some(8.0 * (3.0 / 16.0 - 2.0 / 64.0)));
        assert_eq!((KeyCurve::default().at(1.0), curve.at(f64::NAN)), (None, Some(2.0)));
    }

    #[test]
    fn a_key_is_put_changed_and_taken_out() {
        let mut curve = KeyCurve::from(vec![key(0.0, 1.0, KeyEasing::Linear), key(1.0, 3.0, KeyEasing::Smooth)]);
        curve.put(0.5, 9.0, 0.01);
        assert_eq!(curve.keys()[1], key(0.5, 9.0, KeyEasing::Linear), "as the one before");
        curve.put(0.505, 5.0, 0.01);
        assert_eq!((curve.keys().len(), curve.keys()[1]), (3, key(0.5, 5.0, KeyEasing::Linear)));
        curve.put(f64::NAN, 1.0, 0.01);
        curve.put(2.0, f64::INFINITY, 0.01);
        assert_eq!(curve.keys().len(), 3);
        curve.set(1, key(1.0, 7.0, KeyEasing::Step));
        assert_eq!(curve.keys()[1..], [key(1.0, 7.0, KeyEasing::Step)], "what stood at that time is gone");
        curve.remove(0);
        curve.remove(9);
        assert_eq!(curve.keys().len(), 1);
    }

    #[test]
    fn any_list_of_numbers_makes_a_curve_of_finite_values_between_its_keys() {
        let odd = [f64::NAN, f64::INFINITY, -f64::INFINITY, -0.0, 0.0, f64::MAX, f64::MIN_POSITIVE, 1e12, -1e12];
        for seed in 0..2000 {
            let mut random = SplitMix64::new(seed);
            let mut number = || match (random.unit() * 20.0) as usize {
                at if at < odd.len() => odd[at],
                // Few different ones, so that times meet.
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
