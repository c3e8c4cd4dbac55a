//! What curves are made of.

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::Input;
use crate::anim::curve::Animated;
use crate::anim::joint_tracks::UNIT;
use crate::anim::{Curve, Interpolation, JointTracks};

/// Counts over all curves of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// Keys of all curves.
    pub count: usize,
    /// Rotations whose length is not 1 within a hundredth, in the file or here.
    pub not_unit: usize,
    /// Rotations that are written in the other hemisphere than the one before: the same to glTF, but not to all who read the keys.
    pub flips: usize,
    /// Curves of several keys that never move.
    pub still_curves: usize,
    /// Curves that scale a joint.
    pub scale_curves: usize,
}

impl Keys {
    pub(super) fn measure(input: &Input) -> Self {
        let mut keys = Self { count: input.clip.key_count(), ..Self::default() };
        for JointTracks { translation, rotation, scale, not_unit, .. } in &input.clip.tracks {
            let rotations = rotation.iter().flat_map(values);
            keys.not_unit += not_unit + rotations.filter(|turn| (turn.length() - 1.0).abs() > UNIT).count();
            keys.flips += rotation.as_ref().map_or(0, flips);
            keys.still_curves +=
                [still(translation), still(rotation), still(scale)].into_iter().filter(|&still| still).count();
            keys.scale_curves += usize::from(
                scale.as_ref().is_some_and(|scale| values(scale).any(|scale| (scale - 1.0).abs().max_element() > 1e-3)),
            );
        }
        keys
    }
}

fn values<T: Animated>(curve: &Curve<T>) -> impl Iterator<Item = T> {
    (0..curve.times.len()).map(|key| curve.key(key))
}

fn flips(curve: &Curve<Quat>) -> usize {
    let turns: Vec<Quat> = values(curve).collect();
    let is_used = curve.interpolation != Interpolation::Step;
    turns.windows(2).filter(|pair| is_used && pair[0].dot(pair[1]) < 0.0).count()
}

fn still<T: Animated + PartialEq>(curve: &Option<Curve<T>>) -> bool {
    curve.as_ref().is_some_and(|curve| curve.times.len() > 1 && curve.values.windows(2).all(|pair| pair[0] == pair[1]))
}
