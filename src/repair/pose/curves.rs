//! Corrected curves: a channel applied to the curve of a joint.

use std::iter;

use glam::{DQuat, DVec3, Quat, Vec3};

use super::channel::{Channel, Delta};
use portamento_anim::curve_keys::{Keyed, with_keys_at};
use portamento_anim::pose_keys::without_steps;
use portamento_anim::{Curve, Interpolation};

/// Interval over which the rate of a correction is measured, seconds. Corrections are in f64, so rounding is below 10⁻⁹.
const RATE_SECONDS: f64 = 1e-6;

/// A curve value that a channel corrects.
pub(super) trait Corrected: Keyed {
    /// The correction of the value.
    type Delta: Delta;

    /// Returns the value with a correction.
    fn corrected(self, delta: Self::Delta) -> Self;

    /// Returns the tangent `slope` at the value, with a correction that changes from `from` to `to` within `seconds`.
    fn corrected_slope(self, slope: Self, from: Self::Delta, to: Self::Delta, seconds: f64) -> Self;

    /// Returns the correction without effect.
    fn no_delta() -> Self::Delta;
}

impl Corrected for Quat {
    type Delta = DQuat;

    fn corrected(self, delta: DQuat) -> Self {
        (self.as_dquat() * delta).normalize().as_quat()
    }

    fn corrected_slope(self, slope: Self, from: DQuat, to: DQuat, seconds: f64) -> Self {
        let to = if from.dot(to) < 0.0 { -to } else { to };
        let rate = (to - from) * (1.0 / seconds);
        (slope.as_dquat() * from + self.as_dquat() * rate).as_quat()
    }

    fn no_delta() -> DQuat {
        DQuat::IDENTITY
    }
}

impl Corrected for Vec3 {
    type Delta = DVec3;

    fn corrected(self, delta: DVec3) -> Self {
        (self.as_dvec3() + delta).as_vec3()
    }

    fn corrected_slope(self, slope: Self, from: DVec3, to: DVec3, seconds: f64) -> Self {
        (slope.as_dvec3() + (to - from) / seconds).as_vec3()
    }

    fn no_delta() -> DVec3 {
        DVec3::ZERO
    }
}

/// Returns `source` corrected by `channel`. `frames` are the frame times of the motion, seconds, exact f32 values.
///
/// The result has a key on every frame within the fades and on every key of the channel. The added keys reach to
/// the keys of `source` around that range, so that the curve outside keeps its bits. Steps become jumps of a linear curve, and
/// splines keep their tangents.
pub(super) fn corrected<T: Corrected>(source: &Curve<T>, channel: &Channel<T::Delta>, frames: &[f64]) -> Curve<T> {
    let source = without_steps(source);
    let Some(end) = frames.last().copied() else { return source };
    let mut times: Vec<f32> = Vec::new();
    for [start, stop] in channel.ranges().into_iter().filter(|range| range[0] < end && range[1] > 0.0) {
        let from = source.times.iter().rev().map(|&key| f64::from(key)).find(|&key| key <= start);
        let to = source.times.iter().map(|&key| f64::from(key)).find(|&key| key >= stop);
        let frame_before = frames.iter().rev().copied().find(|&frame| frame <= start).unwrap_or(0.0);
        let frame_after = frames.iter().copied().find(|&frame| frame >= stop).unwrap_or(end);
        let range = from.unwrap_or(frame_before)..=to.unwrap_or(frame_after);
        let keys = channel.key_times().filter(|time| (0.0..=end).contains(time));
        let within = frames.iter().copied().chain(keys).filter(|time| range.contains(time));
        times.extend(within.map(|time| time as f32));
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    if times.is_empty() {
        return source;
    }
    let mut cut = with_keys_at(&source, 1, &times);
    let is_spline = cut.interpolation == Interpolation::CubicSpline;
    for (at, &time) in cut.times.iter().enumerate() {
        let key = if is_spline { 3 * at + 1 } else { at };
        let time = f64::from(time);
        let delta = channel.at(time);
        if is_spline {
            correct_tangents(&mut cut.values[3 * at..3 * at + 3], channel, time);
        }
        if let Some(delta) = delta {
            let before = key.checked_sub(if is_spline { 3 } else { 1 }).map(|before| cut.values[before]);
            let value = cut.values[key].corrected(delta);
            cut.values[key] = before.filter(|_| !is_spline).map_or(value, |before| value.nearer_to(before));
        }
    }
    cut
}

/// Corrects the two tangents of the spline key `row` (in-tangent, value before the correction, out-tangent) at `time`.
fn correct_tangents<T: Corrected>(row: &mut [T], channel: &Channel<T::Delta>, time: f64) {
    let here = channel.at(time);
    let value = row[1];
    for (tangent, side) in [(0, -1.0), (2, 1.0)] {
        let nearby = channel.at(time + side * RATE_SECONDS);
        if here.is_some() || nearby.is_some() {
            let [here, nearby] = [here, nearby].map(|delta| delta.unwrap_or_else(T::no_delta));
            row[tangent] = value.corrected_slope(row[tangent], here, nearby, side * RATE_SECONDS);
        }
    }
}

/// Returns `curve`, or a curve that stays at `rest` if there is none.
pub(super) fn curve_or_rest<T: Keyed>(curve: &Option<Curve<T>>, rest: T) -> Curve<T> {
    let known = curve.as_ref().filter(|curve| !curve.times.is_empty());
    known.cloned().unwrap_or_else(|| Curve::linear(vec![0.0], iter::once(rest).collect()))
}
