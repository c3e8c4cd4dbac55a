//! The correction of one value of a joint over time: the keys that set it, with their fades.

use glam::{DQuat, DVec3};

use super::settings::PoseKey;
use portamento_anim::math::easing::Easing;

/// A correction of a rotation or a position.
pub(super) trait Delta: Copy {
    /// Returns the mix of two corrections at `share` (0…1) between them.
    fn mix(from: Self, to: Self, share: f64) -> Self;

    /// Returns the correction at `weight` (0…1); exact at 1.
    fn at_weight(self, weight: f64) -> Self;
}

impl Delta for DQuat {
    fn mix(from: Self, to: Self, share: f64) -> Self {
        // `slerp` takes the shortest arc.
        from.slerp(to, share)
    }

    fn at_weight(self, weight: f64) -> Self {
        // Within the hemisphere of the identity, so that the corrected value stays in the hemisphere of the incoming one.
        let short = if self.w < 0.0 { -self } else { self };
        if weight >= 1.0 { short } else { Self::IDENTITY.slerp(short, weight) }
    }
}

impl Delta for DVec3 {
    fn mix(from: Self, to: Self, share: f64) -> Self {
        from.lerp(to, share)
    }

    fn at_weight(self, weight: f64) -> Self {
        self * weight
    }
}

/// A key of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelKey<D> {
    /// Seconds, an exact f32 value.
    pub time: f64,
    /// Seconds over which it rises and falls.
    fades: [f64; 2],
    easing: Easing,
    /// Fraction of the correction, 0…1.
    influence: f64,
    /// The correction at full weight.
    delta: D,
}

impl<D> ChannelKey<D> {
    /// Returns the key of `key` at `time` (seconds), with the correction `delta`. Both fades end on one of `frames` if one is
    /// there.
    pub fn new(key: &PoseKey, time: f64, delta: D, frames: &[f64]) -> Self {
        let [start, end] = [time - key.fade_in, time + key.fade_out].map(|time| on_frame(time, frames));
        let influence = if key.influence > 0.0 { key.influence.min(1.0) } else { 0.0 };
        Self { time, fades: [(time - start).max(0.0), (end - time).max(0.0)], easing: key.easing, influence, delta }
    }

    /// Returns the part of the fade `seconds` away from the key, on the side before it (0) or after it (1): 1 at the key.
    fn fade(&self, side: usize, seconds: f64) -> f64 {
        if seconds <= 0.0 {
            1.0
        } else if seconds >= self.fades[side] {
            0.0
        } else {
            1.0 - self.easing.at(seconds / self.fades[side])
        }
    }
}

/// The correction of a rotation or a position over time.
#[derive(Clone, Debug)]
pub(super) struct Channel<D> {
    keys: Vec<ChannelKey<D>>,
}

impl<D: Delta> Channel<D> {
    /// Creates a channel of `keys`, ascending in time. No fade reaches beyond the neighbouring key, so that each key is exact.
    pub fn new(mut keys: Vec<ChannelKey<D>>) -> Self {
        for at in 1..keys.len() {
            let gap = keys[at].time - keys[at - 1].time;
            keys[at - 1].fades[1] = keys[at - 1].fades[1].min(gap);
            keys[at].fades[0] = keys[at].fades[0].min(gap);
        }
        Self { keys }
    }

    /// Returns the times of the keys with an effect, seconds.
    pub fn key_times(&self) -> impl Iterator<Item = f64> + '_ {
        self.keys.iter().filter(|key| key.influence > 0.0).map(|key| key.time)
    }

    /// Returns start and end of the ranges outside which the correction has no effect, seconds, ascending and apart.
    pub fn ranges(&self) -> Vec<[f64; 2]> {
        let mut ranges: Vec<[f64; 2]> = Vec::new();
        for key in self.keys.iter().filter(|key| key.influence > 0.0) {
            let [start, end] = [key.time - key.fades[0], key.time + key.fades[1]];
            match ranges.last_mut().filter(|last| start <= last[1]) {
                Some(last) => last[1] = last[1].max(end),
                None => ranges.push([start, end]),
            }
        }
        ranges
    }

    /// Returns the correction at `time` (seconds), or `None` where it has no effect.
    ///
    /// With the eased fades a of the key before and b of the key after (at most 1 together) and their influences u and v,
    /// the corrections A and B are mixed at v·b/(u·a + v·b) and applied with the weight u·a + v·b.
    pub fn at(&self, time: f64) -> Option<D> {
        let next = self.keys.partition_point(|key| key.time <= time);
        let before = next.checked_sub(1).map(|at| &self.keys[at]);
        let after = self.keys.get(next);
        let a = before.map_or(0.0, |key| key.fade(1, time - key.time));
        let b = after.map_or(0.0, |key| key.fade(0, key.time - time));
        // Two keys with different easing may exceed 1 together.
        let excess = (a + b).max(1.0);
        let a = a / excess * before.map_or(0.0, |key| key.influence);
        let b = b / excess * after.map_or(0.0, |key| key.influence);
        let delta = match (before.filter(|_| a > 0.0), after.filter(|_| b > 0.0)) {
            (Some(before), Some(after)) => D::mix(before.delta, after.delta, b / (a + b)),
            (Some(key), None) | (None, Some(key)) => key.delta,
            (None, None) => return None,
        };
        Some(delta.at_weight(a + b))
    }
}

/// Returns the frame within a tenth of a millisecond of `time`, or `time` rounded to f32 if there is none.
pub(super) fn on_frame(time: f64, frames: &[f64]) -> f64 {
    // Key times are f32 and often rounded to a tenth of a millisecond.
    const SAME_FRAME_SECONDS: f64 = 1e-4;
    let next = frames.partition_point(|&frame| frame < time);
    let near = frames[next.saturating_sub(1).min(frames.len())..].iter().take(2).copied();
    let near = near.min_by(|a, b| (a - time).abs().total_cmp(&(b - time).abs()));
    near.filter(|frame| (frame - time).abs() <= SAME_FRAME_SECONDS).unwrap_or(f64::from(time as f32))
}
