//! Weights of blend shapes over time.
//!
//! A channel moves from shape to shape as its weight grows, and extrapolates beyond the outermost shapes.
//! The weights of its shapes have a corner at each inner shape's weight.
//! A cubic cannot follow a corner, so each corner gets a key.

use ufbx::{Anim, BlendChannel, Mesh};

use super::keyframe_fit::{KeyTime, Row};
use super::stack_times::StackTimes;

/// The animated property of a channel.
const WEIGHT_PROPERTY: &str = "DeformPercent";
/// Samples of a curved span of a weight. Tuned; no derivation recorded.
const SAMPLES: usize = 64;
/// Deviation from a line, or from a corner, that counts as none.
const WEIGHT_TOLERANCE: f64 = 1e-9;
/// Bisection steps, enough for the last bit of a time.
const BISECTION_STEPS: usize = 48;

/// The channels of one mesh in one stack.
pub(super) struct ShapeWeights<'a> {
    anim: &'a Anim,
    channels: Vec<&'a BlendChannel>,
    times: &'a StackTimes,
}

impl<'a> ShapeWeights<'a> {
    /// Collects the blend shape channels of `mesh`. `anim` must be the stack's animation without overrides.
    pub(super) fn new(anim: &'a Anim, mesh: &'a Mesh, times: &'a StackTimes) -> Self {
        let deformers = mesh.blend_deformers.iter();
        let channels =
            deformers.flat_map(|deformer| deformer.channels.iter().map(|channel| -> &BlendChannel { channel }));
        Self { anim, channels: channels.collect(), times }
    }

    /// Returns the key times of all channels and of at most `max_corners` corners between them; empty if no channel is
    /// animated. They are in order, without repetition.
    pub(super) fn keys(&self, max_corners: usize) -> Vec<KeyTime> {
        let mut keys =
            self.times.at(&self.channels.iter().map(|channel| animated_property(channel)).collect::<Vec<_>>());
        let mut corners = Vec::new();
        for channel in &self.channels {
            let own = self.times.at(&[animated_property(channel)]);
            let weight = |time: f64| self.weight(channel, time);
            let levels = levels(channel);
            for pair in own.windows(2) {
                let room = max_corners.saturating_sub(corners.len());
                Weight { at: &weight, span: [pair[0].exact, pair[1].exact] }.crossings(&levels, room, &mut corners);
            }
        }
        keys.extend(corners.into_iter().map(|time| self.times.key_time(self.times.begin + time)));
        keys.sort_by(|a, b| a.written.total_cmp(&b.written).then(b.exact.total_cmp(&a.exact)));
        keys.dedup_by_key(|key| key.written);
        keys
    }

    /// Returns the weight of each shape at `time`, seconds from the stack's beginning.
    pub(super) fn at(&self, time: f64) -> Row {
        self.channels.iter().flat_map(|channel| shares(channel, self.weight(channel, time))).collect()
    }

    /// Returns the weight of a channel at `time`, seconds from the stack's beginning.
    fn weight(&self, channel: &BlendChannel, time: f64) -> f64 {
        ufbx::evaluate_blend_weight(self.anim, channel, self.times.begin + time)
    }
}

/// Returns the element and property that animate the channel: its own, or before version 7 a property of its node.
fn animated_property(channel: &BlendChannel) -> (u32, &str) {
    let is_tied = |tie: &&ufbx::Connection| *tie.dst_prop == *WEIGHT_PROPERTY && !tie.src_prop.is_empty();
    match channel.element.connections_dst.iter().find(is_tied) {
        Some(tie) => (tie.src.element_id, &tie.src_prop),
        None => (channel.element.element_id, WEIGHT_PROPERTY),
    }
}

/// Returns the channel weights at which the weights of its shapes have a corner.
fn levels(channel: &BlendChannel) -> Vec<f64> {
    let targets = channel.keyframes.iter().map(|key| key.target_weight);
    let mut levels: Vec<f64> = targets.chain([0.0]).filter(|level| level.is_finite()).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    // Beyond the outermost levels the weights continue along the same line.
    match levels.as_slice() {
        [_, between @ .., _] => between.to_vec(),
        _ => Vec::new(),
    }
}

/// The weight of a channel between two of its keys.
struct Weight<'a> {
    /// Returns the weight at a time, seconds from the stack's beginning.
    at: &'a dyn Fn(f64) -> f64,
    /// Times of the two keys, seconds from the stack's beginning.
    span: [f64; 2],
}

impl Weight<'_> {
    /// Appends the times at which the weight crosses one of `levels` to `found`, seconds from the stack's beginning.
    /// At most `max_added` times are appended; they may be out of order.
    fn crossings(&self, levels: &[f64], max_added: usize, found: &mut Vec<f64>) {
        let sample_times = if self.is_straight() { self.span.to_vec() } else { self.sample_times() };
        let values: Vec<f64> = sample_times.iter().map(|&time| (self.at)(time)).collect();
        let enough = found.len() + max_added;
        for (times, values) in sample_times.windows(2).zip(values.windows(2)) {
            for &level in levels {
                let [before, after] = [values[0] - level, values[1] - level];
                let crossing_time = match before != 0.0 && after == 0.0 && times[1] < self.span[1] {
                    true => Some(times[1]),
                    false => (before * after < 0.0).then(|| self.crossing([times[0], times[1]], level)),
                };
                found.extend(crossing_time.filter(|_| found.len() < enough));
            }
        }
    }

    /// True if the weight is a line over the span, without a jump at the end.
    fn is_straight(&self) -> bool {
        let [start, end] = self.span;
        let at = |fraction: f64| (self.at)(start + (end - start) * fraction);
        let on_line = |fraction: f64| at(0.0) + (at(1.0) - at(0.0)) * fraction;
        [0.2, 0.5, 0.9].into_iter().all(|fraction| (at(fraction) - on_line(fraction)).abs() <= WEIGHT_TOLERANCE)
    }

    /// Returns times that divide the span so that the weight is monotonic between them.
    fn sample_times(&self) -> Vec<f64> {
        let [start, end] = self.span;
        // A jump at the end has not happened yet.
        let time = |sample: usize| {
            if sample == SAMPLES { end.next_down() } else { start + (end - start) * sample as f64 / SAMPLES as f64 }
        };
        let even: Vec<f64> = (0..=SAMPLES).map(time).collect();
        let values: Vec<f64> = even.iter().map(|&time| (self.at)(time)).collect();
        let mut all = even.clone();
        for at in 1..SAMPLES {
            let [before, here, after] = [values[at - 1], values[at], values[at + 1]];
            if (here - before) * (after - here) <= 0.0 {
                all.push(self.extremum([even[at - 1], even[at + 1]], here > before.max(after) - WEIGHT_TOLERANCE));
            }
        }
        // Next to the keys the weight may turn and return before the next sample.
        for pair in [[even[0], even[1]], [even[SAMPLES - 1], even[SAMPLES]]] {
            all.extend([true, false].map(|highest| self.extremum(pair, highest)));
        }
        all.sort_by(f64::total_cmp);
        all
    }

    /// Returns the time between `from` and `to` at which the weight is highest or lowest. `from` and `to` are seconds from
    /// the stack's beginning, here and below. `highest` chooses between both.
    fn extremum(&self, [mut from, mut to]: [f64; 2], highest: bool) -> f64 {
        let rank = |time: f64| if highest { (self.at)(time) } else { -(self.at)(time) };
        for _ in 0..BISECTION_STEPS {
            let third = (to - from) / 3.0;
            if rank(from + third) < rank(to - third) { from += third } else { to -= third }
        }
        from + (to - from) / 2.0
    }

    /// Returns the time between `from` and `to` at which the weight crosses `level`.
    fn crossing(&self, [mut from, mut to]: [f64; 2], level: f64) -> f64 {
        let starts_above = (self.at)(from) > level;
        for _ in 0..BISECTION_STEPS {
            let middle = from + (to - from) / 2.0;
            if ((self.at)(middle) > level) == starts_above { from = middle } else { to = middle }
        }
        to
    }
}

/// Returns the weight of each shape of a channel at `weight`.
/// Between two shapes both have a share; beyond the outermost shape its share extrapolates. Weights are those of the file,
/// in which the full weight of a shape is its target weight.
fn shares(channel: &BlendChannel, weight: f64) -> Vec<f64> {
    let targets: Vec<f64> = channel.keyframes.iter().map(|key| key.target_weight).collect();
    shares_between(&targets, weight)
}

/// Returns the shares of shapes whose full weights are `targets`. Negative `targets` precede positive ones, both in
/// increasing order. A weight that is not finite counts as 0.
fn shares_between(targets: &[f64], weight: f64) -> Vec<f64> {
    let mut shares = vec![0.0; targets.len()];
    let weight = if weight.is_finite() { weight } else { 0.0 };
    let split = targets.iter().filter(|target| **target < 0.0).count();
    // Shapes from the undeformed mesh outwards, on the side of the weight.
    let [negative, positive]: [Vec<usize>; 2] = [(0..split).rev().collect(), (split..targets.len()).collect()];
    let [side, other] = if weight > 0.0 { [positive, negative] } else { [negative, positive] };
    // If that side has no shape, the nearest one on the other side gets a negative share.
    let outwards = if side.is_empty() { other.into_iter().take(1).collect() } else { side };
    let past = |index: &&usize| if weight > 0.0 { targets[**index] > weight } else { targets[**index] < weight };
    let Some(next) = outwards.iter().find(past).or(outwards.last()).copied() else { return shares };
    let before = outwards
        .iter()
        .position(|index| *index == next)
        .and_then(|index| index.checked_sub(1))
        .map(|index| outwards[index]);
    let from = before.map_or(0.0, |before| targets[before]);
    if targets[next] != from {
        let share = (weight - from) / (targets[next] - from);
        if let Some(before) = before {
            shares[before] = 1.0 - share;
        }
        shares[next] = share;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::{Weight, shares_between};

    #[test]
    fn a_weight_between_two_shapes_is_shared_by_them() {
        assert_eq!(shares_between(&[1.0], 0.25), [0.25]);
        assert_eq!(shares_between(&[0.5, 1.0], 0.25), [0.5, 0.0]);
        assert_eq!(shares_between(&[0.5, 1.0], 0.75), [0.5, 0.5]);
        assert_eq!(shares_between(&[0.5, 1.0], 1.5), [-1.0, 2.0]);
        assert_eq!(shares_between(&[-1.0, 1.0], -0.5), [0.5, 0.0]);
        assert_eq!((shares_between(&[1.0], -0.5), shares_between(&[], 1.0)), (vec![-0.5], vec![]));
        assert_eq!(
            (shares_between(&[0.5, 1.0], -0.5), shares_between(&[-1.0, -0.5], 1.0)),
            (vec![-1.0, 0.0], vec![0.0, -2.0])
        );
    }

    #[test]
    fn a_brief_negative_dip_next_to_a_key_is_found() {
        // Negative for a two-hundredth of the span, and above two thirds of it.
        let dip = |time: f64| 4.0 * (time - 0.001) * (time - 0.006);
        let mut found = Vec::new();
        Weight { at: &dip, span: [0.0, 1.0] }.crossings(&[0.0, 1.0], 10, &mut found);
        let off = |time: f64| [0.001, 0.006, 0.5035].into_iter().map(|at| (time - at).abs()).fold(1.0, f64::min);
        assert!(found.len() == 3 && found.iter().all(|&time| off(time) < 1e-4), "{found:?}");
        found.clear();
        Weight { at: &|time| 2.0 * time - 0.5, span: [0.0, 1.0] }.crossings(&[0.0], 10, &mut found);
        assert!(found.len() == 1 && (found[0] - 0.25).abs() < 1e-12, "{found:?}");
        Weight { at: &dip, span: [0.0, 1.0] }.crossings(&[0.0], 0, &mut found);
        assert_eq!(found.len(), 1, "no more than may be");
        // Sampled exactly at a crossing.
        Weight { at: &|time| (time - 0.5).powi(3), span: [0.0, 1.0] }.crossings(&[0.0], 10, &mut found);
        assert!(found[1..].contains(&0.5), "{found:?}");
    }

    #[test]
    fn a_constant_weight_that_then_rises_and_falls_is_not_a_line() {
        let bump = |time: f64| (4.0 * time * (1.0 - time)).max(0.0);
        let mut found = Vec::new();
        Weight { at: &bump, span: [0.0, 1.0] }.crossings(&[0.75], 10, &mut found);
        let off = |(time, at): (&f64, f64)| (time - at).abs();
        assert!(found.len() == 2 && found.iter().zip([0.25, 0.75]).map(off).all(|off| off < 1e-9), "{found:?}");
    }
}
