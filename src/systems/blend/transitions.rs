//! Numbers that change over time, and the clock of one playing clip. Both are functions of time, never of history.

use crate::math::easing::Easing;

/// A weight on its way from one value to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// Value up to `start`.
    pub from: f32,
    /// Value once `length` has passed.
    pub to: f32,
    /// Seconds.
    pub start: f64,
    /// Seconds; 0 is a cut.
    pub length: f64,
    /// The shape between.
    pub easing: Easing,
    /// Change per second that it sets out with on top of its shape.
    pub speed: f64,
    /// Seconds until that speed has died away, at most `length`.
    pub coast: f64,
}

impl Ramp {
    /// From one value to another in `length` seconds from `start`.
    pub fn new([from, to]: [f32; 2], start: f64, length: f64, easing: Easing) -> Self {
        Self { from, to, start, length, easing, speed: 0.0, coast: 0.0 }
    }

    /// A weight that stays.
    pub fn constant(value: f32) -> Self {
        Self::new([value; 2], 0.0, 0.0, Easing::Linear)
    }

    /// The weight at `time` (seconds); exact at both ends.
    pub fn at(&self, time: f64) -> f32 {
        if time >= self.start + self.length {
            return self.to;
        }
        if time <= self.start {
            return self.from;
        }
        let since = time - self.start;
        let eased = self.easing.at(since / self.length);
        let (from, to) = (f64::from(self.from), f64::from(self.to));
        (from + (to - from) * eased + self.speed * coast(since, self.coast)) as f32
    }

    /// Another way from the value at `start` on; one that is under way keeps its speed and slows down within 0…1.
    pub fn turned(&self, to: f32, start: f64, length: f64, easing: Easing) -> Self {
        let plain = Self::new([self.at(start), to], start, length, easing);
        if start <= self.start || start >= self.start + self.length || length == 0.0 {
            return plain;
        }
        const STEP: f64 = 1.0 / 960.0;
        let before = (start - STEP).max(self.start);
        let [from, earlier] = [start, before].map(|time| f64::from(self.at(time)));
        let speed = (from - earlier) / (start - before);
        let way = f64::from(to) - from;
        // A quintic coasts a fifth of its speed times its time; towards its end it stays on this side for 2.5 times the way.
        let longest = match speed {
            speed if speed * way > 0.0 => 2.5 * way / speed,
            speed if speed > 0.0 => (1.0 - from) / (0.2 * speed),
            speed if speed < 0.0 => from / (-0.2 * speed),
            _ => 0.0,
        };
        Self { easing: Easing::Smoother, speed, coast: longest.clamp(0.0, length), ..plain }
    }
}

/// How far a speed of 1 carries that dies away by a quintic over `length` seconds, `since` seconds on: away and back to 0.
pub fn coast(since: f64, length: f64) -> f64 {
    if since <= 0.0 || since >= length {
        return 0.0;
    }
    let x = since / length;
    length * x * (1.0 - x).powi(3) * (1.0 + 3.0 * x)
}

/// Where in its clip a playing source is: straight pieces between knots, then a constant rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    /// (time, time within the clip before looping), rising in time; never empty.
    pub knots: Vec<(f64, f64)>,
    /// Clip seconds per second after the last knot.
    pub rate: f64,
}

impl Clock {
    /// Starts at `offset` seconds into the clip when the time is `start`.
    pub fn new(start: f64, offset: f64, rate: f64) -> Self {
        Self { knots: vec![(start, offset)], rate }
    }

    /// Unlooped clip time at `time` (seconds).
    pub fn at(&self, time: f64) -> f64 {
        let next = self.knots.partition_point(|knot| knot.0 <= time);
        let (start, offset) = self.knots[next.saturating_sub(1)];
        match self.knots.get(next) {
            Some(&(end, reached)) if next > 0 => offset + (reached - offset) * ((time - start) / (end - start)),
            _ => offset + (time - start) * self.rate,
        }
    }

    /// Adds a knot at `time`, after the last one, so that what follows is a straight piece from there.
    pub fn hold(&mut self, time: f64) {
        if self.knots.last().is_none_or(|knot| knot.0 < time) {
            self.knots.push((time, self.at(time)));
        }
    }

    /// Forgets every knot after `time` and goes on from there at the plain rate.
    pub fn cut_at(&mut self, time: f64) {
        if self.knots.last().is_some_and(|knot| knot.0 > time) {
            let reached = self.at(time);
            self.knots.retain(|knot| knot.0 < time);
            self.knots.push((time, reached));
        }
    }
}

/// `time` brought into a clip of `duration` seconds: around the loop, or held at the ends.
pub fn within(time: f64, duration: f64, looping: bool) -> f64 {
    if duration <= 0.0 {
        0.0
    } else if (0.0..duration).contains(&time) {
        time
    } else if looping {
        let time = time.rem_euclid(duration);
        if time < duration { time } else { 0.0 }
    } else {
        time.clamp(0.0, duration)
    }
}

/// Position among foot-down `markers` (sorted clip seconds), in steps, going on by their number with every loop.
pub fn steps_at(markers: &[f64], duration: f64, time: f64) -> f64 {
    let loops = (time / duration).floor();
    let inside = time - loops * duration;
    let count = markers.len() as f64;
    let next = markers.partition_point(|&marker| marker <= inside);
    let marker = |i: usize| markers[i % markers.len()] + duration * (i / markers.len()) as f64;
    let (start, end) = match next {
        0 => (marker(markers.len() - 1) - duration, marker(0)),
        _ => (marker(next - 1), marker(next)),
    };
    loops * count + next as f64 - 1.0 + (inside - start) / (end - start)
}

/// The clip time at which `steps` of [`steps_at`] is reached.
pub fn time_of_steps(markers: &[f64], duration: f64, steps: f64) -> f64 {
    let count = markers.len();
    let (whole, fraction) = (steps.floor(), steps - steps.floor());
    let marker = |step: f64| {
        let loops = (step / count as f64).floor();
        let index = (step - loops * count as f64) as usize;
        markers[index.min(count - 1)] + loops * duration
    };
    let (start, end) = (marker(whole), marker(whole + 1.0));
    start + (end - start) * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_is_exact_at_its_ends_and_a_length_of_zero_is_a_cut() {
        let ramp = Ramp::new([0.3, 1.0], 1.0, 0.1, Easing::Smoothstep);
        assert_eq!((ramp.at(1.0), ramp.at(1.1), ramp.at(0.0), ramp.at(9.0)), (0.3, 1.0, 0.3, 1.0));
        let cut = Ramp { length: 0.0, ..ramp };
        assert_eq!((cut.at(0.999), cut.at(1.0)), (0.3, 1.0));
    }

    #[test]
    fn steps_and_times_are_each_others_inverse_over_loops() {
        let markers = [0.1, 0.45];
        for i in -40..80 {
            let time = f64::from(i) * 0.037;
            let steps = steps_at(&markers, 0.7, time);
            assert!((time_of_steps(&markers, 0.7, steps) - time).abs() < 1e-9, "{time}");
        }
        assert!((steps_at(&markers, 0.7, 0.45) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_clock_cut_short_goes_on_from_where_it_was() {
        let mut clock = Clock { knots: vec![(0.0, 0.0), (1.0, 2.0)], rate: 1.0 };
        clock.cut_at(0.5);
        assert_eq!((clock.at(0.25), clock.at(0.5), clock.at(1.0)), (0.5, 1.0, 1.5));
    }
}
