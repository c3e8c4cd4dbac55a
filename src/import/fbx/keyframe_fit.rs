//! Keys for what is only known as a function of time.
//!
//! An FBX turns joints about three axes one after the other, each with curves of its own, and moves pivots along: between its keys
//! no joint follows a straight line or one arc. Where it does nevertheless, the file's own keys are enough; else every span between
//! two of them becomes the cubic through four places of it, halved until it is near enough.

use glam::{DQuat, DVec4};

use crate::anim::Interpolation;

/// Numbers at one time: three of an offset, four of a rotation, any number of weights.
pub(super) type Row = Vec<f64>;

/// When a key is, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KeyTime {
    /// As it is written: never later than in the file, so that what jumps there has done so when its time has come.
    pub written: f32,
    /// As the file has it.
    pub exact: f64,
}

/// What keys are wanted for.
pub(super) struct Motion<'a> {
    /// The numbers at a time in seconds.
    pub at: &'a dyn Fn(f64) -> Row,
    /// When there are keys, strictly increasing as written.
    pub keys: &'a [KeyTime],
    /// Whether the numbers are a unit quaternion.
    pub rotation: bool,
    /// Largest error between the keys: the length of the difference, for rotations in radians.
    pub tolerance: f64,
}

/// Keys that follow a motion.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Keys {
    pub interpolation: Interpolation,
    pub times: Vec<f32>,
    /// One row per time; for cubic splines in-tangent, value, out-tangent.
    pub rows: Vec<Row>,
    /// How many times were not asked for.
    pub added: usize,
    /// Whether somewhere even the closest keys allowed are not near enough.
    pub rough: bool,
}

/// Where each span is looked at; the first, third, fifth and last make its cubic.
const PLACES: [f64; 7] = [0.0, 1.0 / 6.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 5.0 / 6.0, 1.0];
/// Shortest span that is halved: less than a frame of any film, far more than the rounding of a time.
const SHORTEST: f32 = 1.0 / 4000.0;
/// Most times that are worth adding to one curve.
pub(super) const MOST_ADDED: usize = 4096;
/// How far a value may change in the last instant of a span, by its change over the sixth before: more is a jump.
const JUMP: f64 = 0.05;

/// Behind a key by less than any two keys are apart, seconds: Maya's "stepped next" jumps once its key is over.
const INSTANT: f64 = 1e-9;
/// How far a motion may go in the rounding of a time, by the tolerance.
const ROUNDING: f64 = 10.0;

/// One span between two times.
struct Span {
    start: f32,
    end: f32,
    rows: [Row; 7],
}

/// Keys through `motion` at its own, of which there is at least one, and where else they are needed, at most `most_added` of these.
pub(super) fn fitted(motion: &Motion, most_added: usize) -> Keys {
    let times: Vec<f32> = motion.keys.iter().map(|key| key.written).collect();
    let times = &times[..];
    let spans = spans(motion, times);
    let first = motion.value(f64::from(times[0]));
    let still = |row: &Row| motion.apart(row, &first) <= motion.tolerance * 0.1;
    if spans.iter().flat_map(|span| &span.rows).all(still) {
        return Keys { times: vec![times[0]], rows: vec![first], ..Keys::default() };
    }
    if spans.iter().all(|span| motion.is_straight(span)) {
        return plain(Interpolation::Linear, motion, times);
    }
    let held = |span: &Span| span.rows[1..6].iter().all(|row| motion.apart(row, &span.rows[0]) <= motion.tolerance);
    if spans.iter().all(held) {
        return plain(Interpolation::Step, motion, times);
    }
    cubic(motion, spans, most_added)
}

fn spans(motion: &Motion, times: &[f32]) -> Vec<Span> {
    times.windows(2).map(|pair| motion.span(pair[0], pair[1])).collect()
}

fn plain(interpolation: Interpolation, motion: &Motion, times: &[f32]) -> Keys {
    let mut rows: Vec<Row> = times.iter().map(|&time| motion.value(f64::from(time))).collect();
    for at in 1..rows.len() {
        let (before, row) = rows.split_at_mut(at);
        motion.turn_towards(&before[at - 1], &mut row[0]);
    }
    Keys { interpolation, times: times.to_vec(), rows, ..Keys::default() }
}

/// Cubic splines over `spans`, halved where one does not follow the motion.
fn cubic(motion: &Motion, spans: Vec<Span>, most_added: usize) -> Keys {
    let asked = spans.len() + 1;
    let mut keys = Keys { interpolation: Interpolation::CubicSpline, ..Keys::default() };
    let mut ahead: Vec<Span> = spans.into_iter().rev().collect();
    // Where the span before ended, and with which tangent.
    let mut behind: Option<(Row, Row)> = None;
    while let Some(mut span) = ahead.pop() {
        let is_short = span.end - span.start < SHORTEST;
        // With both ends of this span.
        let full = keys.times.len() + ahead.len() + 2 >= asked + most_added;
        let halves = match (is_short || full, motion.before_jump(&span)) {
            (true, _) => None,
            (false, Some(before)) => Some(before),
            (false, None) => (!motion.is_cubic(&span)).then(|| span.start + (span.end - span.start) / 2.0),
        };
        if let Some(between) = halves {
            ahead.push(motion.span(between, span.end));
            ahead.push(motion.span(span.start, between));
            continue;
        }
        keys.rough |= full && !is_short && !motion.is_cubic(&span);
        if let Some((end, _)) = &behind {
            motion.align(end, &mut span);
        }
        // What jumps does so along a straight line of no length worth a curve.
        let [tangent_out, tangent_in] = if is_short { span.line_tangents() } else { span.tangents() };
        keys.push(span.start, [behind.map(|(_, tangent)| tangent), Some(span.rows[0].clone()), Some(tangent_out)]);
        let [.., end] = &span.rows;
        if ahead.is_empty() {
            keys.push(span.end, [Some(tangent_in.clone()), Some(end.clone()), None]);
        }
        behind = Some((end.clone(), tangent_in));
    }
    keys.added = keys.times.len().saturating_sub(asked);
    keys
}

impl Keys {
    /// One more key of a spline: in-tangent, value, out-tangent; zeros where there is none.
    fn push(&mut self, time: f32, rows: [Option<Row>; 3]) {
        let width = rows.iter().flatten().map(Vec::len).max().unwrap_or(0);
        self.times.push(time);
        self.rows.extend(rows.map(|row| row.unwrap_or_else(|| vec![0.0; width])));
    }
}

impl Motion<'_> {
    fn span(&self, start: f32, end: f32) -> Span {
        let (from, length) = (f64::from(start), f64::from(end) - f64::from(start));
        let mut rows = PLACES.map(|place| self.value(from + length * place));
        for at in 1..rows.len() {
            let (before, row) = rows.split_at_mut(at);
            self.turn_towards(&before[at - 1], &mut row[0]);
        }
        Span { start, end, rows }
    }

    /// The numbers at `time`; at a key that jumps those behind the jump, though it is written a little earlier.
    fn value(&self, time: f64) -> Row {
        let row = (self.at)(time);
        let place = self.keys.partition_point(|key| f64::from(key.written) < time);
        let Some(key) = self.keys.get(place).filter(|key| f64::from(key.written) == time) else { return row };
        let behind = (self.at)(key.exact + INSTANT);
        // A motion without a jump goes less far in the rounding of a time.
        if self.apart(&row, &behind) > ROUNDING * self.tolerance { behind } else { row }
    }

    /// Of a rotation's two quaternions the one nearer to `before`.
    fn turn_towards(&self, before: &Row, row: &mut Row) {
        let dot: f64 = before.iter().zip(row.iter()).map(|(a, b)| a * b).sum();
        if self.rotation && dot < 0.0 {
            row.iter_mut().for_each(|number| *number = -*number);
        }
    }

    /// The whole span on the side of the rotation `before`, where the span before it ends.
    fn align(&self, before: &Row, span: &mut Span) {
        let dot: f64 = before.iter().zip(&span.rows[0]).map(|(a, b)| a * b).sum();
        if self.rotation && dot < 0.0 {
            span.rows.iter_mut().flatten().for_each(|number| *number = -*number);
        }
    }

    /// How far two rows are apart.
    fn apart(&self, a: &Row, b: &Row) -> f64 {
        let length = |sign: f64| a.iter().zip(b).map(|(a, b)| (a - sign * b).powi(2)).sum::<f64>().sqrt();
        // The chord between two unit quaternions is half the angle between their rotations.
        if self.rotation { 2.0 * length(1.0).min(length(-1.0)) } else { length(1.0) }
    }

    /// Whether the line from end to end is near enough.
    fn is_straight(&self, span: &Span) -> bool {
        let [start, .., end] = &span.rows;
        let on_line = |place: f64| -> Row {
            if !self.rotation {
                return start.iter().zip(end).map(|(a, b)| a + (b - a) * place).collect();
            }
            let turn = |row: &Row| DQuat::from_vec4(DVec4::new(row[0], row[1], row[2], row[3]));
            turn(start).slerp(turn(end), place).to_array().to_vec()
        };
        (1..6).all(|at| self.apart(&on_line(PLACES[at]), &span.rows[at]) <= self.tolerance)
    }

    /// Whether the cubic through four places is near enough at the others.
    fn is_cubic(&self, span: &Span) -> bool {
        [1, 3, 5].into_iter().all(|at| {
            let mut row = span.cubic_at(PLACES[at]);
            if self.rotation {
                let length = row.iter().map(|number| number * number).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
                row.iter_mut().for_each(|number| *number /= length);
            }
            self.apart(&row, &span.rows[at]) <= self.tolerance
        })
    }

    /// The last time before the span's end where its value jumps there.
    fn before_jump(&self, span: &Span) -> Option<f32> {
        let before = span.end.next_down();
        let jump = self.apart(&self.value(f64::from(before)), &span.rows[6]);
        let last_sixth = self.apart(&span.rows[5], &span.rows[6]);
        (before > span.start && jump > self.tolerance && jump > JUMP * last_sixth).then_some(before)
    }
}

impl Span {
    /// The cubic through the first, third, fifth and last row at `place`, 0…1.
    fn cubic_at(&self, place: f64) -> Row {
        let t = 3.0 * place;
        let weights = [
            -(t - 1.0) * (t - 2.0) * (t - 3.0) / 6.0,
            t * (t - 2.0) * (t - 3.0) / 2.0,
            -t * (t - 1.0) * (t - 3.0) / 2.0,
            t * (t - 1.0) * (t - 2.0) / 6.0,
        ];
        self.mixed(weights)
    }

    /// The tangents of that cubic at both ends, per second.
    fn tangents(&self) -> [Row; 2] {
        let rate = 1.0 / (f64::from(self.end) - f64::from(self.start));
        let scaled = |weights: [f64; 4]| self.mixed(weights.map(|weight| weight * rate));
        [scaled([-5.5, 9.0, -4.5, 1.0]), scaled([-1.0, 4.5, -9.0, 5.5])]
    }

    /// The tangents of the line from end to end, per second.
    fn line_tangents(&self) -> [Row; 2] {
        let rate = 1.0 / (f64::from(self.end) - f64::from(self.start));
        let line = self.mixed([-rate, 0.0, 0.0, rate]);
        [line.clone(), line]
    }

    fn mixed(&self, weights: [f64; 4]) -> Row {
        let corners = [0, 2, 4, 6].map(|at| &self.rows[at]);
        let number = |lane: usize| corners.iter().zip(weights).map(|(row, weight)| row[lane] * weight).sum();
        (0..self.rows[0].len()).map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Curve;
    use crate::anim::curve::Animated;
    use glam::{Quat, Vec3};

    fn curve<T: Animated>(keys: &Keys, make: impl Fn(&Row) -> T) -> Curve<T> {
        Curve {
            interpolation: keys.interpolation,
            times: keys.times.clone(),
            values: keys.rows.iter().map(make).collect(),
        }
    }

    fn at(times: &[f32]) -> Vec<KeyTime> {
        times.iter().map(|&written| KeyTime { written, exact: f64::from(written) }).collect()
    }

    fn place(keys: &Keys) -> Curve<Vec3> {
        curve(keys, |row| Vec3::new(row[0] as f32, row[1] as f32, row[2] as f32))
    }

    #[test]
    fn what_is_straight_between_its_keys_keeps_them_and_what_is_still_needs_one() {
        let line = |time: f64| vec![time.min(1.0), 0.0, 2.0];
        let keys =
            fitted(&Motion { at: &line, keys: &at(&[0.0, 1.0, 3.0]), rotation: false, tolerance: 1e-6 }, MOST_ADDED);
        assert_eq!((keys.interpolation, keys.times.len(), keys.added), (Interpolation::Linear, 3, 0));
        let still = |_: f64| vec![1.0, 2.0, 3.0];
        let keys = fitted(&Motion { at: &still, keys: &at(&[0.5, 1.0]), rotation: false, tolerance: 1e-6 }, MOST_ADDED);
        assert_eq!((&keys.times[..], &keys.rows[..]), (&[0.5][..], &[vec![1.0, 2.0, 3.0]][..]));
    }

    #[test]
    fn steps_stay_steps_and_a_jump_among_curves_is_as_steep() {
        let steps = |time: f64| vec![time.floor(), 0.0, 0.0];
        let keys =
            fitted(&Motion { at: &steps, keys: &at(&[0.0, 1.0, 2.0]), rotation: false, tolerance: 1e-6 }, MOST_ADDED);
        assert_eq!((keys.interpolation, keys.times.len()), (Interpolation::Step, 3));
        let mixed = |time: f64| vec![if time < 1.0 { (3.0 * time).sin() } else { 5.0 }, 0.0, 0.0];
        let keys =
            fitted(&Motion { at: &mixed, keys: &at(&[0.0, 1.0, 2.0]), rotation: false, tolerance: 1e-6 }, MOST_ADDED);
        let curve = place(&keys);
        for time in [0.0, 0.3, 0.77, 0.999, 1.0, 1.3] {
            let found = curve.sample(time).unwrap().x;
            assert!((f64::from(found) - mixed(time)[0]).abs() < 3e-6, "{found} at {time}");
        }
    }

    #[test]
    fn what_jumps_between_two_numbers_of_a_time_has_jumped_when_its_time_has_come() {
        // No f32 is a 60th part; the nearest of these are before the jump, the others behind it.
        for frame in 1..60 {
            let exact = f64::from(frame) / 60.0;
            let near = exact as f32;
            let written = if f64::from(near) > exact { near.next_down() } else { near };
            let end = KeyTime { written: 1.0, exact: 1.0 };
            let keys = [KeyTime { written: 0.0, exact: 0.0 }, KeyTime { written, exact }, end];
            for bend in [0.0, 1.0] {
                let row = |time: f64| vec![if time < exact { bend * (3.0 * time).sin() } else { 5.0 }, 0.0, 0.0];
                let keys = fitted(&Motion { at: &row, keys: &keys, rotation: false, tolerance: 1e-6 }, MOST_ADDED);
                let curve = place(&keys);
                for time in [exact, exact - 1e-6, exact + 1e-6] {
                    let found = f64::from(curve.sample(time).unwrap().x);
                    assert!((found - row(time)[0]).abs() < 3e-6, "{found} at {time} of {frame}");
                }
            }
        }
    }

    #[test]
    fn what_jumps_behind_its_key_has_jumped_at_once() {
        // Held until 0.5, there another value for no time, and behind it already the next one.
        let at = |time: f64| {
            vec![if time < 0.5 { time } else { time.floor() + if time > 0.5 { 3.0 } else { 1.0 } }, 0.0, 0.0]
        };
        let times = [0.0, 0.5, 0.75];
        let keys = fitted(&Motion { at: &at, keys: &self::at(&times), rotation: false, tolerance: 1e-6 }, MOST_ADDED);
        let curve = place(&keys);
        for (time, wanted) in [(0.4, 0.4), (0.5, 3.0), (0.500001, 3.0), (0.6, 3.0)] {
            assert!((curve.sample(time).unwrap().x - wanted).abs() < 1e-5, "{time}: {:?}", curve.sample(time));
        }
    }

    #[test]
    fn three_turns_at_once_are_followed_to_a_millionth_of_a_radian_by_few_keys() {
        let turn = |time: f64| glam::DQuat::from_euler(glam::EulerRot::XYZ, 2.0 * time, -3.0 * time, time);
        let row = |time: f64| turn(time).to_array().to_vec();
        let times: Vec<f32> = (0..=30).map(|frame| frame as f32 / 30.0).collect();
        let keys = fitted(&Motion { at: &row, keys: &at(&times), rotation: true, tolerance: 1e-6 }, MOST_ADDED);
        assert!(keys.interpolation == Interpolation::CubicSpline && keys.added == 0, "{} added", keys.added);
        let curve = curve(&keys, |row| Quat::from_xyzw(row[0] as f32, row[1] as f32, row[2] as f32, row[3] as f32));
        for frame in 0..=240 {
            let time = f64::from(frame) / 240.0;
            let off = curve.sample(time).unwrap().as_dquat().normalize().angle_between(turn(time));
            assert!(off < 2e-6, "{off} at {time}");
        }
        let coarse = fitted(&Motion { at: &row, keys: &at(&[0.0, 1.0]), rotation: true, tolerance: 1e-6 }, MOST_ADDED);
        assert!(coarse.added > 0 && coarse.added < 30 && !coarse.rough, "{} added", coarse.added);
    }
}
