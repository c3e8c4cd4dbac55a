//! Fits keyframes to a motion given as a function of time.
//!
//! FBX rotates joints about three axes in turn, each with its own curve, and may animate pivots.
//! Between keys a joint therefore rarely follows a line or a single arc.
//! If it does, the file's own keys suffice. Otherwise each span becomes a cubic through four samples and is split until it fits.
//! Added keys are on whole frames, so that the clip keeps its frame rate; within a frame the motion is left as it fits.

use glam::{DQuat, DVec4};

use portamento_anim::Interpolation;

/// The values at one time: three for an offset or scale, four for a rotation, any number of weights.
pub(super) type Row = Vec<f64>;

/// The time of a key in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KeyTime {
    /// The time in `f32`, rounded down so that a jump is complete by the time in the file.
    pub written: f32,
    /// The time in the file.
    pub exact: f64,
}

/// A motion to fit.
pub(super) struct Motion<'a> {
    /// The values at a time in seconds.
    pub at: &'a dyn Fn(f64) -> Row,
    /// The key times, strictly increasing as written.
    pub keys: &'a [KeyTime],
    /// True if the values are a unit quaternion.
    pub rotation: bool,
    /// Largest error between keys: the length of the difference, or radians for rotations.
    pub tolerance: f64,
    /// Frame rate of the clip, frames per second. Keys are added on its frames only.
    pub fps: f64,
}

/// The keys of a fitted curve.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Keys {
    pub interpolation: Interpolation,
    pub times: Vec<f32>,
    /// One row per time; for cubic splines in-tangent, value, out-tangent.
    pub rows: Vec<Row>,
    /// Number of keys that were added to the requested ones.
    pub added: usize,
    /// True if the limits on added keys left a span less precise than the tolerance.
    pub rough: bool,
}

/// Sampled fractions of each span, evenly spaced and with both ends. The first, third, fifth and last define its
/// cubic; the others test it.
const SAMPLE_FRACTIONS: [f64; 7] = [0.0, 1.0 / 6.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 5.0 / 6.0, 1.0];
/// Shortest span that is halved, in seconds: below one frame of any film, far above the rounding of a time.
const MIN_SPAN_SECONDS: f32 = 1.0 / 4000.0;
/// Largest error within a frame that is not reported, as a multiple of the tolerance.
const WITHIN_FRAME_TOLERANCE_RATIO: f64 = 1000.0;
/// Smallest distance of an added key from other keys, in frames.
const FRAME_MARGIN: f64 = 0.05;
/// Largest number of keys added to one curve. Tuned; no derivation recorded.
pub(super) const MAX_ADDED_KEYS: usize = 4096;
/// Change at the end of a span, relative to that over the previous sixth, above which it is a jump. Tuned; no derivation recorded.
const JUMP_RATIO: f64 = 0.05;

/// Time after a key, in seconds, at which a jump is complete: Maya's "stepped next" jumps just after its key.
/// No two keys are this close.
const JUMP_SECONDS: f64 = 1e-9;
/// Allowed change within the rounding of a key time, as a multiple of the tolerance. More is a jump.
const ROUNDING_TOLERANCE_RATIO: f64 = 10.0;

/// The motion between two times with its samples.
struct Span {
    /// Time of the first sample, seconds.
    start: f32,
    /// Time of the last sample, seconds.
    end: f32,
    /// Values at [`SAMPLE_FRACTIONS`] of the span.
    rows: [Row; 7],
}

/// Fits keys to `motion`, which has at least one key. At most `max_added` keys are added. A motion that stays within a
/// tenth of the tolerance gives a single key. Keys added lie on frames, except just before a jump.
pub(super) fn fit_keys(motion: &Motion, max_added: usize) -> Keys {
    let times: Vec<f32> = motion.keys.iter().map(|key| key.written).collect();
    let times = &times[..];
    let spans = spans(motion, times);
    let first = motion.value(f64::from(times[0]));
    let still = |row: &Row| motion.distance(row, &first) <= motion.tolerance * 0.1;
    if spans.iter().flat_map(|span| &span.rows).all(still) {
        return Keys { times: vec![times[0]], rows: vec![first], ..Keys::default() };
    }
    if spans.iter().all(|span| motion.is_straight(span)) {
        return keys_at_times(Interpolation::Linear, motion, times);
    }
    let is_constant =
        |span: &Span| span.rows[1..6].iter().all(|row| motion.distance(row, &span.rows[0]) <= motion.tolerance);
    if spans.iter().all(is_constant) {
        return keys_at_times(Interpolation::Step, motion, times);
    }
    cubic(motion, spans, max_added)
}

/// Returns a span between each two neighbouring `times`, in seconds.
fn spans(motion: &Motion, times: &[f32]) -> Vec<Span> {
    times.windows(2).map(|pair| motion.span(pair[0], pair[1])).collect()
}

/// Returns keys at `times` without tangents. Times are in seconds. Quaternions get the sign nearer to the key before.
fn keys_at_times(interpolation: Interpolation, motion: &Motion, times: &[f32]) -> Keys {
    let mut rows: Vec<Row> = times.iter().map(|&time| motion.value(f64::from(time))).collect();
    for at in 1..rows.len() {
        let (before, row) = rows.split_at_mut(at);
        motion.turn_towards(&before[at - 1], &mut row[0]);
    }
    Keys { interpolation, times: times.to_vec(), rows, ..Keys::default() }
}

/// Fits cubic splines to `spans`. A span that exceeds the tolerance is split at a frame, and one that ends in a jump just
/// before it. At most `max_added` keys are added.
fn cubic(motion: &Motion, spans: Vec<Span>, max_added: usize) -> Keys {
    let planned_keys = spans.len() + 1;
    let mut keys = Keys { interpolation: Interpolation::CubicSpline, ..Keys::default() };
    let mut ahead: Vec<Span> = spans.into_iter().rev().collect();
    // The value at the end of the previous span, and its in-tangent.
    let mut previous: Option<(Row, Row)> = None;
    while let Some(mut span) = ahead.pop() {
        let is_short = span.end - span.start < MIN_SPAN_SECONDS;
        // Counting both ends of this span.
        let is_at_limit = keys.times.len() + ahead.len() + 2 >= planned_keys + max_added;
        let halves = match (is_short || is_at_limit, motion.before_jump(&span)) {
            (true, _) => None,
            (false, Some(before)) => Some(before),
            (false, None) => motion.frame_within(&span).filter(|_| !motion.is_cubic(&span, 1.0)),
        };
        if let Some(between) = halves {
            ahead.push(motion.span(between, span.end));
            ahead.push(motion.span(span.start, between));
            continue;
        }
        let allowed = if is_at_limit { 1.0 } else { WITHIN_FRAME_TOLERANCE_RATIO };
        let is_rough = !is_short && !motion.is_cubic(&span, allowed);
        keys.rough |= is_rough;
        if let Some((end, _)) = &previous {
            motion.align(end, &mut span);
        }
        // A jump is a line over a very short span, and a cubic through samples of a wild motion would overshoot.
        let [tangent_out, tangent_in] = if is_short || is_rough { span.line_tangents() } else { span.tangents() };
        keys.push(span.start, [previous.map(|(_, tangent)| tangent), Some(span.rows[0].clone()), Some(tangent_out)]);
        let [.., end] = &span.rows;
        if ahead.is_empty() {
            keys.push(span.end, [Some(tangent_in.clone()), Some(end.clone()), None]);
        }
        previous = Some((end.clone(), tangent_in));
    }
    keys.added = keys.times.len().saturating_sub(planned_keys);
    keys
}

impl Keys {
    /// Appends a spline key at `time`, seconds: in-tangent, value, out-tangent; zeros for `None`.
    fn push(&mut self, time: f32, rows: [Option<Row>; 3]) {
        let width = rows.iter().flatten().map(Vec::len).max().unwrap_or(0);
        self.times.push(time);
        self.rows.extend(rows.map(|row| row.unwrap_or_else(|| vec![0.0; width])));
    }
}

impl Motion<'_> {
    /// Samples the motion between `start` and `end`, in seconds, at [`SAMPLE_FRACTIONS`] of the span: seven evenly
    /// spaced times with both ends. Quaternions get the sign nearer to the sample before.
    fn span(&self, start: f32, end: f32) -> Span {
        let (from, length) = (f64::from(start), f64::from(end) - f64::from(start));
        let mut rows = SAMPLE_FRACTIONS.map(|fraction| self.value(from + length * fraction));
        for at in 1..rows.len() {
            let (before, row) = rows.split_at_mut(at);
            self.turn_towards(&before[at - 1], &mut row[0]);
        }
        Span { start, end, rows }
    }

    /// Returns the values at `time`, seconds. At a key that jumps, returns those after the jump.
    fn value(&self, time: f64) -> Row {
        let row = (self.at)(time);
        let index = self.keys.partition_point(|key| f64::from(key.written) < time);
        let Some(key) = self.keys.get(index).filter(|key| f64::from(key.written) == time) else { return row };
        let after_jump = (self.at)(key.exact + JUMP_SECONDS);
        // A motion without a jump changes less within the rounding of a time.
        if self.distance(&row, &after_jump) > ROUNDING_TOLERANCE_RATIO * self.tolerance { after_jump } else { row }
    }

    /// Negates the quaternion `row` if that brings it nearer to `before`.
    fn turn_towards(&self, before: &Row, row: &mut Row) {
        let dot: f64 = before.iter().zip(row.iter()).map(|(a, b)| a * b).sum();
        if self.rotation && dot < 0.0 {
            row.iter_mut().for_each(|number| *number = -*number);
        }
    }

    /// Negates the whole rotation span if that brings it nearer to `before`, the end of the previous span.
    fn align(&self, before: &Row, span: &mut Span) {
        let dot: f64 = before.iter().zip(&span.rows[0]).map(|(a, b)| a * b).sum();
        if self.rotation && dot < 0.0 {
            span.rows.iter_mut().flatten().for_each(|number| *number = -*number);
        }
    }

    /// Returns the distance between two rows: approximately the angle in radians for rotations, else the length of the difference.
    fn distance(&self, a: &Row, b: &Row) -> f64 {
        let length = |sign: f64| a.iter().zip(b).map(|(a, b)| (a - sign * b).powi(2)).sum::<f64>().sqrt();
        // The chord between two unit quaternions is half the angle between their rotations.
        if self.rotation { 2.0 * length(1.0).min(length(-1.0)) } else { length(1.0) }
    }

    /// True if the line between the ends is within the tolerance at every sample.
    fn is_straight(&self, span: &Span) -> bool {
        let [start, .., end] = &span.rows;
        let on_line = |fraction: f64| -> Row {
            if !self.rotation {
                return start.iter().zip(end).map(|(a, b)| a + (b - a) * fraction).collect();
            }
            let turn = |row: &Row| DQuat::from_vec4(DVec4::new(row[0], row[1], row[2], row[3]));
            turn(start).slerp(turn(end), fraction).to_array().to_vec()
        };
        (1..6).all(|at| self.distance(&on_line(SAMPLE_FRACTIONS[at]), &span.rows[at]) <= self.tolerance)
    }

    /// True if the cubic through four samples is within `allowed` tolerances at the other three.
    fn is_cubic(&self, span: &Span, allowed: f64) -> bool {
        [1, 3, 5].into_iter().all(|at| {
            let mut row = span.cubic_at(SAMPLE_FRACTIONS[at]);
            if self.rotation {
                let length = row.iter().map(|number| number * number).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
                row.iter_mut().for_each(|number| *number /= length);
            }
            self.distance(&row, &span.rows[at]) <= allowed * self.tolerance
        })
    }

    /// Returns the time of the whole frame nearest to the middle of the span; `None` if the span contains none.
    fn frame_within(&self, span: &Span) -> Option<f32> {
        let [start, end] = [span.start, span.end].map(f64::from);
        let frame = (0.5 * (start + end) * self.fps).round() / self.fps;
        // Keys of the file may be off by rounding, and a frame next to one would be a second key for it.
        let margin = FRAME_MARGIN / self.fps;
        (frame > start + margin && frame < end - margin).then_some(frame as f32)
    }

    /// Returns the last time before the end of the span, in seconds, if the value jumps at the end; otherwise `None`.
    fn before_jump(&self, span: &Span) -> Option<f32> {
        let before = span.end.next_down();
        let jump = self.distance(&self.value(f64::from(before)), &span.rows[6]);
        let last_sixth = self.distance(&span.rows[5], &span.rows[6]);
        (before > span.start && jump > self.tolerance && jump > JUMP_RATIO * last_sixth).then_some(before)
    }
}

impl Span {
    /// Evaluates the cubic through the first, third, fifth and last row at `fraction`, 0…1.
    fn cubic_at(&self, fraction: f64) -> Row {
        let t = 3.0 * fraction;
        let weights = [
            -(t - 1.0) * (t - 2.0) * (t - 3.0) / 6.0,
            t * (t - 2.0) * (t - 3.0) / 2.0,
            -t * (t - 1.0) * (t - 3.0) / 2.0,
            t * (t - 1.0) * (t - 2.0) / 6.0,
        ];
        self.mixed(weights)
    }

    /// Returns the tangents of the cubic of [`cubic_at`](Self::cubic_at) at both ends, per second.
    fn tangents(&self) -> [Row; 2] {
        let rate = 1.0 / (f64::from(self.end) - f64::from(self.start));
        let scaled = |weights: [f64; 4]| self.mixed(weights.map(|weight| weight * rate));
        [scaled([-5.5, 9.0, -4.5, 1.0]), scaled([-1.0, 4.5, -9.0, 5.5])]
    }

    /// Returns the tangents of the line between the ends, per second.
    fn line_tangents(&self) -> [Row; 2] {
        let rate = 1.0 / (f64::from(self.end) - f64::from(self.start));
        let line = self.mixed([-rate, 0.0, 0.0, rate]);
        [line.clone(), line]
    }

    /// Returns the weighted sum of the rows that define the cubic.
    fn mixed(&self, weights: [f64; 4]) -> Row {
        let corners = [0, 2, 4, 6].map(|at| &self.rows[at]);
        let number = |lane: usize| corners.iter().zip(weights).map(|(row, weight)| row[lane] * weight).sum();
        (0..self.rows[0].len()).map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};
    use portamento_anim::Curve;
    use portamento_anim::curve::Animated;

    fn curve<T: Animated>(keys: &Keys, make: impl Fn(&Row) -> T) -> Curve<T> {
        Curve {
            interpolation: keys.interpolation,
            times: keys.times.clone().into(),
            values: keys.rows.iter().map(make).collect(),
        }
    }

    fn at(times: &[f32]) -> Vec<KeyTime> {
        times.iter().map(|&written| KeyTime { written, exact: f64::from(written) }).collect()
    }

    fn offset_curve(keys: &Keys) -> Curve<Vec3> {
        curve(keys, |row| Vec3::new(row[0] as f32, row[1] as f32, row[2] as f32))
    }

    #[test]
    fn a_linear_motion_keeps_its_keys_and_a_constant_one_needs_a_single_key() {
        let line = |time: f64| vec![time.min(1.0), 0.0, 2.0];
        let keys = fit_keys(
            &Motion { at: &line, keys: &at(&[0.0, 1.0, 3.0]), rotation: false, tolerance: 1e-6, fps: 30.0 },
            MAX_ADDED_KEYS,
        );
        assert_eq!((keys.interpolation, keys.times.len(), keys.added), (Interpolation::Linear, 3, 0));
        let still = |_: f64| vec![1.0, 2.0, 3.0];
        let keys = fit_keys(
            &Motion { at: &still, keys: &at(&[0.5, 1.0]), rotation: false, tolerance: 1e-6, fps: 30.0 },
            MAX_ADDED_KEYS,
        );
        assert_eq!((&keys.times[..], &keys.rows[..]), (&[0.5][..], &[vec![1.0, 2.0, 3.0]][..]));
    }

    #[test]
    fn steps_stay_steps_and_a_jump_among_curves_stays_instant() {
        let steps = |time: f64| vec![time.floor(), 0.0, 0.0];
        let keys = fit_keys(
            &Motion { at: &steps, keys: &at(&[0.0, 1.0, 2.0]), rotation: false, tolerance: 1e-6, fps: 30.0 },
            MAX_ADDED_KEYS,
        );
        assert_eq!((keys.interpolation, keys.times.len()), (Interpolation::Step, 3));
        let mixed = |time: f64| vec![if time < 1.0 { (3.0 * time).sin() } else { 5.0 }, 0.0, 0.0];
        let keys = fit_keys(
            &Motion { at: &mixed, keys: &at(&[0.0, 1.0, 2.0]), rotation: false, tolerance: 1e-6, fps: 30.0 },
            MAX_ADDED_KEYS,
        );
        let curve = offset_curve(&keys);
        for time in [0.0, 0.3, 0.77, 0.999, 1.0, 1.3] {
            let found = curve.sample(time).unwrap().x;
            assert!((f64::from(found) - mixed(time)[0]).abs() < 3e-6, "{found} at {time}");
        }
    }

    #[test]
    fn a_jump_between_two_f32_times_has_happened_at_its_key() {
        // No f32 equals a 60th part. The nearest values are partly before the jump and partly after it.
        for frame in 1..60 {
            let exact = f64::from(frame) / 60.0;
            let near = exact as f32;
            let written = if f64::from(near) > exact { near.next_down() } else { near };
            let end = KeyTime { written: 1.0, exact: 1.0 };
            let keys = [KeyTime { written: 0.0, exact: 0.0 }, KeyTime { written, exact }, end];
            for bend in [0.0, 1.0] {
                let row = |time: f64| vec![if time < exact { bend * (3.0 * time).sin() } else { 5.0 }, 0.0, 0.0];
                let keys = fit_keys(
                    &Motion { at: &row, keys: &keys, rotation: false, tolerance: 1e-6, fps: 30.0 },
                    MAX_ADDED_KEYS,
                );
                let curve = offset_curve(&keys);
                for time in [exact, exact - 1e-6, exact + 1e-6] {
                    let found = f64::from(curve.sample(time).unwrap().x);
                    assert!((found - row(time)[0]).abs() < 3e-6, "{found} at {time} of {frame}");
                }
            }
        }
    }

    #[test]
    fn a_jump_just_after_its_key_is_instant() {
        // Constant until 0.5, a different value there for no time, and the next value immediately after.
        let at = |time: f64| {
            vec![if time < 0.5 { time } else { time.floor() + if time > 0.5 { 3.0 } else { 1.0 } }, 0.0, 0.0]
        };
        let times = [0.0, 0.5, 0.75];
        let keys = fit_keys(
            &Motion { at: &at, keys: &self::at(&times), rotation: false, tolerance: 1e-6, fps: 30.0 },
            MAX_ADDED_KEYS,
        );
        let curve = offset_curve(&keys);
        for (time, wanted) in [(0.4, 0.4), (0.5, 3.0), (0.500001, 3.0), (0.6, 3.0)] {
            assert!((curve.sample(time).unwrap().x - wanted).abs() < 1e-5, "{time}: {:?}", curve.sample(time));
        }
    }

    #[test]
    fn simultaneous_rotation_about_three_axes_is_fitted_to_a_microradian_with_few_keys() {
        let turn = |time: f64| glam::DQuat::from_euler(glam::EulerRot::XYZ, 2.0 * time, -3.0 * time, time);
        let row = |time: f64| turn(time).to_array().to_vec();
        let times: Vec<f32> = (0..=30).map(|frame| frame as f32 / 30.0).collect();
        let keys = fit_keys(
            &Motion { at: &row, keys: &at(&times), rotation: true, tolerance: 1e-6, fps: 30.0 },
            MAX_ADDED_KEYS,
        );
        assert!(keys.interpolation == Interpolation::CubicSpline && keys.added == 0, "{} added", keys.added);
        let curve = curve(&keys, |row| Quat::from_xyzw(row[0] as f32, row[1] as f32, row[2] as f32, row[3] as f32));
        for frame in 0..=240 {
            let time = f64::from(frame) / 240.0;
            let off = curve.sample(time).unwrap().as_dquat().normalize().angle_between(turn(time));
            assert!(off < 2e-6, "{off} at {time}");
        }
        let coarse = fit_keys(
            &Motion { at: &row, keys: &at(&[0.0, 1.0]), rotation: true, tolerance: 1e-6, fps: 30.0 },
            MAX_ADDED_KEYS,
        );
        assert!(coarse.added > 0 && coarse.added < 30 && !coarse.rough, "{} added", coarse.added);
    }
}
