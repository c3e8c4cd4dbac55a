//! Weights that change over a transition. Each is a function of time only.

use crate::standard::scenario::Event;
use portamento_anim::math::easing::Easing;

/// A weight that changes from one value to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ramp {
    /// Value until `start`.
    pub from: f32,
    /// Value from `start + length` on.
    pub to: f32,
    /// Start of the change, seconds.
    pub start: f64,
    /// Duration of the change in seconds; 0 is a cut.
    pub length: f64,
    /// Easing curve of the change.
    pub easing: Easing,
    /// Fraction of `length` at which the change is half done.
    pub midpoint: f64,
    /// Additional speed at the start, per second, on top of the easing curve.
    pub initial_speed: f64,
    /// Duration in seconds over which that speed decays, at most `length`.
    pub decay_time: f64,
}

impl Ramp {
    /// Returns the ramp from `from` to `to` with the start, duration, easing and midpoint of `event`.
    pub(crate) fn of_event(event: &Event, from: f32, to: f32) -> Self {
        let Event { time, trans_time, easing, midpoint, .. } = *event;
        Self { from, to, start: time, length: trans_time, easing, midpoint, initial_speed: 0.0, decay_time: 0.0 }
    }

    /// Returns a ramp that always has `value`.
    pub fn constant(value: f32) -> Self {
        let easing = Easing::Linear;
        let midpoint = Event::MIDDLE;
        Self { from: value, to: value, start: 0.0, length: 0.0, easing, midpoint, initial_speed: 0.0, decay_time: 0.0 }
    }

    /// Returns the time in seconds at which `to` is reached.
    pub fn end(&self) -> f64 {
        self.start + self.length
    }

    /// Returns the weight at `time` (seconds); exact at both ends.
    pub fn at(&self, time: f64) -> f32 {
        if time >= self.end() {
            return self.to;
        }
        if time <= self.start {
            return self.from;
        }
        let since = time - self.start;
        let eased = self.easing.at(biased(since / self.length, self.midpoint));
        let (from, to) = (f64::from(self.from), f64::from(self.to));
        (from + (to - from) * eased + self.initial_speed * decayed_distance(since, self.decay_time)) as f32
    }

    /// Returns a ramp from the current value at `event` to `to`. If this ramp is still running, the new one keeps its speed,
    /// stays within 0…1 and ignores the easing of `event`.
    pub(crate) fn redirected(&self, event: &Event, to: f32) -> Self {
        let (start, length) = (event.time, event.trans_time);
        let plain = Self::of_event(event, self.at(start), to);
        if start <= self.start || start >= self.end() || length == 0.0 {
            return plain;
        }
        const STEP: f64 = 1.0 / 960.0;
        let before = (start - STEP).max(self.start);
        let [from, earlier] = [start, before].map(|time| f64::from(self.at(time)));
        let speed = (from - earlier) / (start - before);
        let rest = f64::from(to) - from;
        // The decaying speed adds at most 0.2 × speed × decay time. Towards `to`, the ramp does not overshoot while the decay
        // time is at most 2.5 × rest / speed. Away from `to`, it must not pass 0 or 1.
        let max_decay = match speed {
            speed if speed * rest > 0.0 => 2.5 * rest / speed,
            speed if speed > 0.0 => (1.0 - from) / (0.2 * speed),
            speed if speed < 0.0 => from / (-0.2 * speed),
            _ => 0.0,
        };
        let decay_time = max_decay.clamp(0.0, length);
        Self { easing: Easing::Smoother, midpoint: Event::MIDDLE, initial_speed: speed, decay_time, ..plain }
    }
}

/// Warps `x` (0…1) so that the result is 0.5 at `midpoint`: the rational bias of C. Schlick (Graphics Gems IV, 1994). Both ends
/// and a zero slope there are preserved.
fn biased(x: f64, midpoint: f64) -> f64 {
    // Returned unchanged at the middle, so that symmetric fades keep the same bits.
    if midpoint == Event::MIDDLE { x } else { x / ((1.0 / (1.0 - midpoint) - 2.0) * (1.0 - x) + 1.0) }
}

/// Returns the offset after `since` seconds that an initial speed of 1 adds while it decays to 0 over `decay_time` seconds. With
/// x = since / decay_time:
///
/// ```text
/// offset = decay_time · x · (1 − x)³ · (1 + 3x)
/// ```
///
/// The offset starts at 0 with speed 1, and ends at 0 without speed or acceleration.
pub(crate) fn decayed_distance(since: f64, decay_time: f64) -> f64 {
    if since <= 0.0 || since >= decay_time {
        return 0.0;
    }
    let x = since / decay_time;
    decay_time * x * (1.0 - x).powi(3) * (1.0 + 3.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(time: f64, trans_time: f64, easing: Easing) -> Event {
        Event { time, trans_time, easing, ..Event::default() }
    }

    #[test]
    fn a_ramp_is_exact_at_its_ends_and_a_length_of_zero_is_a_cut() {
        let ramp = Ramp::of_event(&event(1.0, 0.1, Easing::Smoothstep), 0.3, 1.0);
        assert_eq!((ramp.at(1.0), ramp.at(1.1), ramp.at(0.0), ramp.at(9.0)), (0.3, 1.0, 0.3, 1.0));
        let cut = Ramp { length: 0.0, ..ramp };
        assert_eq!((cut.at(0.999), cut.at(1.0)), (0.3, 1.0));
    }

    #[test]
    fn a_biased_ramp_is_half_done_at_its_midpoint_and_keeps_its_ends_and_their_speed() {
        for easing in Easing::ALL {
            for midpoint in [0.1, 0.25, 0.4, 0.5, 0.7, 0.9] {
                let event = Event { midpoint, ..event(1.0, 0.4, easing) };
                let ramp = Ramp::of_event(&event, 0.2, 1.0);
                assert!((ramp.at(1.0 + 0.4 * midpoint) - 0.6).abs() < 1e-6, "{easing:?} {midpoint}");
                assert_eq!([1.0, 1.4].map(|time| ramp.at(time)), [0.2, 1.0]);
                let values: Vec<f32> = (0..=400).map(|i| ramp.at(1.0 + f64::from(i) * 1e-3)).collect();
                assert!(values.is_sorted(), "{easing:?} {midpoint}");
                let ends = [values[1] - values[0], values[400] - values[399]];
                assert!(
                    easing == Easing::Linear || ends.iter().all(|&step| step < 2e-3),
                    "{easing:?} {midpoint} {ends:?}"
                );
            }
        }
    }

    #[test]
    fn a_redirected_ramp_keeps_its_speed_and_stays_between_0_and_1() {
        for easing in [Easing::Linear, Easing::Smoothstep] {
            for late in 1..100 {
                let at = f64::from(late) / 100.0;
                let up = Ramp::of_event(&event(0.0, 1.0, easing), 0.0, 1.0);
                let down = up.redirected(&event(at, 0.7, easing), 0.0);
                let again = down.redirected(&event(at + 0.02, 0.3, easing), 1.0);
                let speed = |ramp: &Ramp, time: f64| f64::from(ramp.at(time + 1e-3) - ramp.at(time)) / 1e-3;
                assert!((speed(&up, at - 1e-3) - speed(&down, at)).abs() < 0.2, "{late}");
                assert_eq!((down.at(at), down.at(at + 0.7), again.at(at + 0.32)), (up.at(at), 0.0, 1.0));
                for i in 0..=1000 {
                    let time = at + f64::from(i) * 0.0007;
                    let within = |ramp: &Ramp| (0.0..=1.0).contains(&ramp.at(time));
                    assert!(within(&down) && within(&again), "{late}: {time}");
                }
            }
        }
    }
}
