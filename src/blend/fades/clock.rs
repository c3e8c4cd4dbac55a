//! Clip time of a clip instance as a function of playback time.

/// Piecewise linear map from playback time to clip time, both in seconds. Before the first and after the last knot the clip
/// plays at normal speed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlaybackClock {
    /// Knots, rising in time; never empty.
    knots: Vec<Knot>,
}

/// A point of the map: at `time` the clip is at `clip_time` (unlooped). Both in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Knot {
    time: f64,
    clip_time: f64,
}

impl PlaybackClock {
    /// Returns a clock that is at `clip_time` at time `start` and plays at normal speed.
    pub fn new(start: f64, clip_time: f64) -> Self {
        Self { knots: vec![Knot { time: start, clip_time }] }
    }

    /// Returns the unlooped clip time at `time` (seconds).
    pub fn at(&self, time: f64) -> f64 {
        let next = self.knots.partition_point(|knot| knot.time <= time);
        let last = self.knots[next.saturating_sub(1)];
        match self.knots.get(next) {
            Some(knot) if next > 0 => {
                last.clip_time + (knot.clip_time - last.clip_time) * ((time - last.time) / (knot.time - last.time))
            }
            _ => last.clip_time + (time - last.time),
        }
    }

    /// Adds a knot. `time` must be after the last knot.
    pub fn push(&mut self, time: f64, clip_time: f64) {
        self.knots.push(Knot { time, clip_time });
    }

    /// Adds a knot at `time` (seconds) with the current clip time, unless the last knot is at `time` or later.
    pub(crate) fn push_current(&mut self, time: f64) {
        if self.knots.last().is_none_or(|knot| knot.time < time) {
            self.push(time, self.at(time));
        }
    }

    /// Removes every knot after `time` (seconds). From there the clip plays at normal speed.
    pub fn truncate(&mut self, time: f64) {
        if self.knots.last().is_some_and(|knot| knot.time > time) {
            let clip_time = self.at(time);
            self.knots.retain(|knot| knot.time < time);
            self.push(time, clip_time);
        }
    }
}

/// Maps the unlooped clip time `time` into a clip of `duration` seconds: wraps around if looping, otherwise clamps to the
/// ends. A clip without duration is always at 0.
pub(crate) fn local_time(time: f64, duration: f64, looping: bool) -> f64 {
    if duration <= 0.0 {
        0.0
    } else if (0.0..duration).contains(&time) {
        time
    } else if looping {
        let time = time.rem_euclid(duration);
        // `rem_euclid` returns the duration itself for times just below 0.
        if time < duration { time } else { 0.0 }
    } else {
        time.clamp(0.0, duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_clock_continues_from_its_current_clip_time() {
        let mut clock = PlaybackClock::new(0.0, 0.0);
        clock.push(1.0, 2.0);
        clock.truncate(0.5);
        assert_eq!((clock.at(0.25), clock.at(0.5), clock.at(1.0)), (0.5, 1.0, 1.5));
    }

    #[test]
    fn a_knot_at_the_current_clip_time_changes_only_later_times() {
        let mut clock = PlaybackClock::new(0.0, 5.0);
        clock.push_current(1.0);
        clock.push(2.0, 8.0);
        // Normal speed until the knot, then twice as fast.
        assert_eq!([0.5, 1.0, 1.5, 2.0].map(|time| clock.at(time)), [5.5, 6.0, 7.0, 8.0]);
        let before = clock.clone();
        clock.push_current(2.0);
        clock.push_current(0.5);
        assert_eq!(clock, before);
    }

    #[test]
    fn a_time_is_wrapped_around_the_loop_or_clamped_to_the_ends() {
        let looped = [-0.25, 0.0, 1.75, 2.0, 2.5].map(|time| local_time(time, 2.0, true));
        assert_eq!(looped, [1.75, 0.0, 1.75, 0.0, 0.5]);
        let clamped = [-0.25, 0.0, 1.75, 2.0, 2.5].map(|time| local_time(time, 2.0, false));
        assert_eq!(clamped, [0.0, 0.0, 1.75, 2.0, 2.0]);
        assert_eq!((local_time(-1e-18, 2.0, true), local_time(3.0, 0.0, true)), (0.0, 0.0));
    }
}
