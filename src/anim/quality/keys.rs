//! Key counts of a clip.

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::Input;
use crate::curve::Animated;
use crate::joint_tracks::UNIT;
use crate::{Curve, Interpolation, JointTracks};

/// Counts over all curves of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// Total keys of all curves.
    pub count: usize,
    /// Rotation keys whose length differs from 1 by more than a hundredth, in the file or after import.
    pub not_unit: usize,
    /// Rotation keys in the other hemisphere than the previous key. glTF treats them as equal; other readers of the
    /// keys may not.
    pub flips: usize,
    /// Curves of translation, rotation or scale with several keys whose value never changes.
    pub still_curves: usize,
    /// Curves with a scale other than 1.
    pub scale_curves: usize,
}

impl Keys {
    /// Counts the keys and curves of the clip. Only `count` includes morph curves.
    pub(super) fn measure(input: &Input) -> Self {
        let mut keys = Self { count: input.clip.key_count(), ..Self::default() };
        for JointTracks { translation, rotation, scale, not_unit, .. } in &input.clip.tracks {
            let rotations = rotation.iter().flat_map(values);
            keys.not_unit += not_unit + rotations.filter(|turn| (turn.length() - 1.0).abs() > UNIT).count();
            keys.flips += rotation.as_ref().map_or(0, flips);
            keys.still_curves += [is_constant(translation), is_constant(rotation), is_constant(scale)]
                .into_iter()
                .filter(|&is_constant| is_constant)
                .count();
            keys.scale_curves += usize::from(
                scale.as_ref().is_some_and(|scale| values(scale).any(|scale| (scale - 1.0).abs().max_element() > 1e-3)),
            );
        }
        keys
    }
}

/// Returns the value of each key, without tangents.
fn values<T: Animated>(curve: &Curve<T>) -> impl Iterator<Item = T> {
    (0..curve.times.len()).map(|key| curve.key(key))
}

/// Returns the number of keys in the other hemisphere than the previous key; 0 for a step curve.
fn flips(curve: &Curve<Quat>) -> usize {
    let turns: Vec<Quat> = values(curve).collect();
    let is_used = curve.interpolation != Interpolation::Step;
    turns.windows(2).filter(|pair| is_used && pair[0].dot(pair[1]) < 0.0).count()
}

/// True for a curve of several keys with equal values.
fn is_constant<T: Animated + PartialEq>(curve: &Option<Curve<T>>) -> bool {
    curve.as_ref().is_some_and(|curve| curve.times.len() > 1 && curve.values.windows(2).all(|pair| pair[0] == pair[1]))
}
