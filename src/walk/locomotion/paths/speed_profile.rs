//! Speed and distance along a path over time: up from rest, within all limits, down to rest at the goal.
//!
//! A backward pass applies the braking law to the limits of the path and its bends; a forward pass applies the
//! acceleration, as in speed profiles of machine tools and cars. The last braking begins where the remaining distance
//! equals the predicted stopping distance. It is then integrated by the same law, in closed form or in an engine's own
//! steps.

use crate::locomotion::{Braking, Settings, SmoothPath};
use portamento_anim::math::arc_length::locate;

/// Distance and speed of the character over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpeedProfile {
    /// Seconds at each knot before the stop begins; the acceleration between knots is constant.
    times: Vec<f64>,
    /// Distance from the start at each knot, metres.
    lengths: Vec<f64>,
    /// Speed at each knot, m/s.
    speeds: Vec<f64>,
    /// The last braking.
    pub stop: BrakingPhase,
}

/// The last braking, down to rest at the goal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BrakingPhase {
    /// Start of braking, seconds.
    pub begins: f64,
    /// Time at which the character stands, seconds.
    pub ends: f64,
    /// Distance from the start at which braking begins, metres.
    pub distance: f64,
    /// Speed when it begins, m/s.
    pub speed: f64,
    /// Length of the path, metres.
    pub goal: f64,
    law: Option<Braking>,
    /// Distance after each of an engine's steps; empty in continuous time.
    steps: Vec<f64>,
    /// Steps of the engine per second; 0 in continuous time.
    rate: f64,
}

impl SpeedProfile {
    /// Plans the speeds along `path` with checked settings, after standing for `delay` seconds.
    pub fn plan(path: &SmoothPath, settings: &Settings, delay: f64) -> Self {
        Self::between(path, settings, [0.0; 2], delay)
    }

    /// Plans the speeds along `path` with checked settings, after standing for `delay` seconds. `ends` are the speeds at the
    /// beginning and at the goal, m/s; both are reached as far as the limits allow, and 0 is a stand. At another speed the
    /// profile ends at the goal, where [`BrakingPhase::begins`] equals [`BrakingPhase::ends`].
    pub fn between(path: &SmoothPath, settings: &Settings, ends: [f64; 2], delay: f64) -> Self {
        let speeds = free_speeds(path, settings, ends);
        let predicted = |speed: f64| match settings.engine_rate {
            Some(rate) => settings.braking.stepped_distance(speed, rate),
            None => settings.braking.distance(speed),
        };
        let goal = path.length();
        let last = speeds.len() - 1;
        let (count, distance, speed) =
            if ends[1] > 0.0 { (last, goal, speeds[last]) } else { braking_start(path, &speeds, &predicted) };
        let mut profile =
            Self { times: vec![delay], lengths: vec![0.0], speeds: vec![speeds[0]], stop: BrakingPhase::default() };
        for (&length, &speed) in path.lengths.iter().zip(&speeds).take(count).skip(1) {
            profile.knot(length, speed);
        }
        profile.knot(distance, speed);
        let begins = profile.times[profile.times.len() - 1];
        profile.stop = if ends[1] > 0.0 {
            BrakingPhase { begins, ends: begins, distance, speed, goal, ..BrakingPhase::default() }
        } else {
            BrakingPhase::begin(begins, [distance, speed, goal], settings)
        };
        profile
    }

    /// Scales the times after the first stand so that a profile that ends at a speed lasts a whole number of frames, at least
    /// one.
    pub fn in_whole_frames(mut self, fps: f64) -> Self {
        let delay = self.times[0];
        let moving = self.stop.begins - delay;
        let seconds = ((self.stop.begins * fps).round().max((delay * fps).ceil() + 1.0)) / fps;
        let factor = (seconds - delay) / moving.max(f64::MIN_POSITIVE);
        if factor.is_finite() && moving > 0.0 {
            self.times.iter_mut().for_each(|time| *time = delay + (*time - delay) * factor);
            self.speeds.iter_mut().for_each(|speed| *speed /= factor);
            (self.stop.begins, self.stop.ends, self.stop.speed) = (seconds, seconds, self.stop.speed / factor);
        }
        self
    }

    /// Returns the speed at the beginning, m/s.
    pub fn first_speed(&self) -> f64 {
        self.speeds[0]
    }

    /// Scales the time until the stop begins by `factor`, after standing for `delay` seconds. The last braking keeps its
    /// duration and its speeds.
    pub fn in_time(mut self, factor: f64, delay: f64) -> Self {
        self.times.iter_mut().for_each(|time| *time = delay + *time * factor);
        self.speeds.iter_mut().for_each(|speed| *speed /= factor);
        let duration = self.stop.ends - self.stop.begins;
        self.stop.begins = delay + self.stop.begins * factor;
        self.stop.ends = self.stop.begins + duration;
        self
    }

    /// Returns the speed (m/s) at `length` metres from the start; `None` after the stop begins.
    pub fn speed_at(&self, length: f64) -> Option<f64> {
        let (i, fraction) = locate(&self.lengths, length).filter(|_| length <= self.stop.distance)?;
        let [from, to] = [self.speeds[i], self.speeds[i + 1]].map(|speed| speed * speed);
        Some((from + (to - from) * fraction).max(0.0).sqrt())
    }

    /// Returns the distance (metres) at which `speed` (m/s, within a thirtieth) is first reached; `None` if not before the
    /// stop begins.
    pub(crate) fn first_at_speed(&self, speed: f64) -> Option<f64> {
        let wanted = speed * (29.0 / 30.0);
        let i = self.speeds.iter().position(|&speed| speed >= wanted)?.checked_sub(1)?;
        let [from, to, at] = [self.speeds[i], self.speeds[i + 1], wanted].map(|speed| speed * speed);
        Some(self.lengths[i] + (self.lengths[i + 1] - self.lengths[i]) * ((at - from) / (to - from)))
    }

    /// Returns the time (seconds) at `length` metres from the start; `None` after the stop begins.
    pub fn time_at(&self, length: f64) -> Option<f64> {
        let (i, _) = locate(&self.lengths, length).filter(|_| length <= self.stop.distance)?;
        let mean = 0.5 * (self.speeds[i] + self.speed_at(length)?);
        Some(if mean > 0.0 { self.times[i] + (length - self.lengths[i]) / mean } else { self.times[i] })
    }
    /// Adds a knot at `length` (metres) with `speed` (m/s), reached at constant acceleration. Does nothing without a distance
    /// from the last knot.
    fn knot(&mut self, length: f64, speed: f64) {
        let last = self.times.len() - 1;
        let mean = 0.5 * (self.speeds[last] + speed);
        let step = length - self.lengths[last];
        if mean > 0.0 && step > 0.0 {
            self.times.push(self.times[last] + step / mean);
            self.lengths.push(length);
            self.speeds.push(speed);
        }
    }

    /// Returns distance (metres) and speed (m/s) at `time` (seconds).
    pub fn at(&self, time: f64) -> (f64, f64) {
        if time >= self.stop.begins {
            return self.stop.at(time);
        }
        let Some((i, fraction)) = locate(&self.times, time) else { return (0.0, 0.0) };
        let (from, to) = (self.speeds[i], self.speeds[i + 1]);
        let span = self.times[i + 1] - self.times[i];
        let speed = from + (to - from) * fraction;
        (self.lengths[i] + 0.5 * (from + speed) * fraction * span, speed)
    }
}

impl BrakingPhase {
    /// Returns the braking phase that starts at time `begins` (seconds) at the given distance (metres) and speed (m/s), on a
    /// path of length `goal` (metres).
    fn begin(begins: f64, [distance, speed, goal]: [f64; 3], settings: &Settings) -> Self {
        let rate = settings.engine_rate.unwrap_or(0.0);
        let mut sum = 0.0;
        let add = |speed: f64| {
            sum += speed / rate;
            sum
        };
        let steps: Vec<f64> = match settings.engine_rate {
            Some(rate) => settings.braking.steps(speed, rate).map(add).collect(),
            None => Vec::new(),
        };
        let duration = if steps.is_empty() { settings.braking.time(speed) } else { steps.len() as f64 / rate };
        Self { begins, ends: begins + duration, distance, speed, goal, law: Some(settings.braking), steps, rate }
    }

    /// Returns distance (metres) and speed (m/s) at `time`, in seconds like [`BrakingPhase::begins`] and not before it.
    fn at(&self, time: f64) -> (f64, f64) {
        let Some(law) = self.law else { return (self.goal, self.speed) };
        if time >= self.ends {
            return (self.goal, 0.0);
        }
        let since = (time - self.begins).max(0.0);
        let (speed, travelled, total) = match self.steps.last() {
            None => {
                let (speed, travelled) = law.after(self.speed, since);
                (speed, travelled, law.distance(self.speed))
            }
            Some(&total) => {
                let step = ((since * self.rate) as usize).min(self.steps.len() - 1);
                let from = step.checked_sub(1).map_or(0.0, |before| self.steps[before]);
                let fraction = (since * self.rate - step as f64).clamp(0.0, 1.0);
                ((self.steps[step] - from) * self.rate, from + (self.steps[step] - from) * fraction, total)
            }
        };
        // The start of braking has rounding errors; scaling makes the end exact.
        (self.distance + travelled * ((self.goal - self.distance) / total), speed)
    }
}

/// Returns the largest speed (m/s) at each point by limits, bends, braking and acceleration, without the stop at the end.
/// `first` and `last` are the wanted speeds at both ends; a last speed of 0 counts as none.
fn free_speeds(path: &SmoothPath, settings: &Settings, [first, last]: [f64; 2]) -> Vec<f64> {
    let count = path.points.len();
    let step = |i: usize| path.lengths[i + 1] - path.lengths[i];
    let mut speeds: Vec<f64> = (0..count).map(|i| path.limits[i].min(bend_limit(path, i, settings))).collect();
    if last > 0.0 {
        speeds[count - 1] = speeds[count - 1].min(last);
    }
    for i in (0..count - 1).rev() {
        let law = settings.braking;
        speeds[i] = speeds[i].min(law.speed_for(law.distance(speeds[i + 1]) + step(i)));
    }
    speeds[0] = speeds[0].min(first);
    for i in 0..count - 1 {
        let reached = (speeds[i] * speeds[i] + 2.0 * settings.acceleration * step(i)).sqrt();
        speeds[i + 1] = speeds[i + 1].min(reached);
    }
    speeds
}

/// Returns the speed (m/s) at point `i` at which either the sideways acceleration or the turning speed reaches its limit;
/// infinite on a straight path.
fn bend_limit(path: &SmoothPath, i: usize, settings: &Settings) -> f64 {
    let sideways = settings.sideways;
    let (a, b) = (i.saturating_sub(2), (i + 2).min(path.points.len() - 1));
    let turn = (path.headings[b] - path.headings[a]).abs();
    let span = path.lengths[b] - path.lengths[a];
    let by_sideways =
        if turn * sideways > 1e-9 && span > 0.0 { (sideways * span / turn).sqrt() } else { f64::INFINITY };
    by_sideways.min(turn_limit(path, i, settings.turn_speed.to_radians()))
}

/// Returns the speed (m/s) at which the heading turns by at most `fastest` radians per second on both sides of point `i`;
/// infinite on a straight path.
fn turn_limit(path: &SmoothPath, i: usize, fastest: f64) -> f64 {
    let neighbours = [i.checked_sub(1), Some(i).filter(|&i| i + 1 < path.points.len())];
    let limit = |i: usize| {
        let turn = (path.headings[i + 1] - path.headings[i]).abs();
        let span = path.lengths[i + 1] - path.lengths[i];
        if turn > 1e-9 && span > 0.0 { fastest * span / turn } else { f64::INFINITY }
    };
    neighbours.into_iter().flatten().map(limit).fold(f64::INFINITY, f64::min)
}

/// Returns the index of the first point past the start of braking, the exact distance of that start (metres), and the speed
/// there (m/s). `predicted` returns the braking distance for a speed.
fn braking_start(path: &SmoothPath, speeds: &[f64], predicted: &impl Fn(f64) -> f64) -> (usize, f64, f64) {
    let goal = path.length();
    let due = |distance: f64, speed: f64| predicted(speed) >= goal - distance;
    let last = speeds.len() - 1;
    let next = (1..last).find(|&i| due(path.lengths[i], speeds[i])).unwrap_or(last);
    let (from, to) = (path.lengths[next - 1], path.lengths[next]);
    // Constant acceleration between points: the squared speed is linear in the distance.
    let squares = [speeds[next - 1], speeds[next]].map(|speed| speed * speed);
    let speed_at = |x: f64| (squares[0] + (squares[1] - squares[0]) * x).max(0.0).sqrt();
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if due(from + (to - from) * middle, speed_at(middle)) { high = middle } else { low = middle }
    }
    (next, from + (to - from) * high, speed_at(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locomotion::WalkPath;
    use glam::DVec3;

    fn straight(length: f64, limits: [f64; 2]) -> SmoothPath {
        WalkPath { points: vec![DVec3::ZERO, DVec3::Z * length], speed_limits: limits.to_vec() }.smoothed(0.25)
    }

    fn frames(profile: &SpeedProfile, rate: f64) -> Vec<(f64, f64)> {
        let count = ((profile.stop.ends + 0.5) * rate) as usize;
        (0..count).map(|i| profile.at(i as f64 / rate)).collect()
    }

    #[test]
    fn the_stop_ends_on_the_goal_forwards_and_within_every_limit() {
        for engine_rate in [None, Some(30.0), Some(60.0), Some(120.0)] {
            for length in [0.3, 2.0, 12.0] {
                let path = straight(length, [4.0, 4.0]);
                let settings = Settings { engine_rate, ..Settings::default() };
                let profile = SpeedProfile::plan(&path, &settings, 0.0);
                let frames = frames(&profile, 60.0);
                assert!(frames.windows(2).all(|pair| pair[1].0 >= pair[0].0 && pair[0].1 <= 4.0 + 1e-9));
                assert_eq!(frames.last().unwrap(), &(path.length(), 0.0));
                let rate = 10_000.0;
                let close = profile.at(profile.stop.ends - 1.0 / rate).0;
                assert!((close - path.length()).abs() < 1e-3, "{engine_rate:?} {length} {close}");
            }
        }
    }

    #[test]
    fn the_distance_is_the_integral_of_the_speed() {
        let profile = SpeedProfile::plan(&straight(9.0, [3.0, 1.0]), &Settings::default(), 0.0);
        let rate = 10_000.0;
        let rows = frames(&profile, rate);
        let distance: f64 = rows.windows(2).map(|pair| 0.5 * (pair[0].1 + pair[1].1) / rate).sum();
        assert!((distance - 9.0).abs() < 1e-4, "{distance}");
        let hardest = rows.windows(2).map(|pair| (pair[1].1 - pair[0].1) * rate);
        let (low, high) = hardest.fold((0.0_f64, 0.0_f64), |(low, high), a| (low.min(a), high.max(a)));
        assert!(high < 4.01 && low > -(0.2 * 3.0 + 3.0) - 0.05, "{low} {high}");
    }

    #[test]
    fn a_bend_is_taken_slower() {
        let points = vec![DVec3::ZERO, DVec3::Z * 6.0, DVec3::new(6.0, 0.0, 6.0)];
        let walk_path = WalkPath { speed_limits: vec![4.0; 3], points };
        let profile = SpeedProfile::plan(&walk_path.smoothed(0.25), &Settings::default(), 0.0);
        let at_corner = frames(&profile, 60.0).into_iter().filter(|(s, _)| (5.7..6.0).contains(s)).map(|row| row.1);
        let slowest = at_corner.fold(f64::INFINITY, f64::min);
        assert!(slowest > 0.7 && slowest < 1.3, "{slowest}");
    }
}
