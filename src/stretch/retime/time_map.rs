//! Map from the time of the incoming motion to played time.
//!
//! Between two knots the *slowness* 1/speed (played seconds per incoming second) is interpolated instead of the speed. The played
//! time is then its integral in closed form, a strictly rising polynomial. No key time depends on integration steps.

use super::settings::{Settings, SpeedEase};

/// A strictly rising map from incoming seconds to played seconds. Both start at 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeMap {
    /// Segments, in order and without gaps; never empty.
    pieces: Vec<TimeSegment>,
}

/// The map between two knots.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TimeSegment {
    /// Incoming time at the start of the segment, seconds.
    start: f64,
    /// Played time at the start of the segment, seconds.
    played: f64,
    /// Length in incoming seconds.
    length: f64,
    /// Slowness at both ends.
    slowness: [f64; 2],
    ease: SpeedEase,
}

impl TimeMap {
    /// Returns the map of valid `settings` over `duration` seconds.
    pub(super) fn new(settings: &Settings, duration: f64) -> Self {
        let knots = &settings.knots;
        let constant = |start: f64, end: f64, speed: f64| TimeSegment::new(start, end, [speed; 2], SpeedEase::Stepped);
        let first = knots.first().map_or((duration, 1.0), |knot| (knot.time, knot.speed));
        let mut pieces = vec![constant(0.0, first.0, first.1)];
        pieces.extend(knots.windows(2).map(|pair| {
            let to = if pair[0].ease == SpeedEase::Stepped { pair[0].speed } else { pair[1].speed };
            TimeSegment::new(pair[0].time, pair[1].time, [pair[0].speed, to], pair[0].ease)
        }));
        pieces.extend(knots.last().map(|knot| constant(knot.time, duration, knot.speed)));
        for i in 1..pieces.len() {
            pieces[i].played = pieces[i - 1].played + pieces[i - 1].played_after(pieces[i - 1].length);
        }
        let mut map = Self { pieces };
        if let Some(length) = settings.length {
            map.scale(length / map.at(duration));
        }
        map
    }

    /// Returns the played time at incoming `time`, both in seconds.
    pub fn at(&self, time: f64) -> f64 {
        let piece = &self.pieces[self.piece_at(time)];
        piece.played + piece.played_after(time - piece.start)
    }

    /// Returns the incoming time at played time `played`, both in seconds; the inverse of [`TimeMap::at`].
    pub fn incoming_time(&self, played: f64) -> f64 {
        let piece = &self.pieces[self.pieces.partition_point(|piece| piece.played <= played).saturating_sub(1)];
        let (target, from) = (played - piece.played, piece.slowness[0]);
        if from == piece.slowness[1] {
            return piece.start + target / from;
        }
        // Bisection of a rising function; 53 steps determine every bit of an f64.
        let (mut low, mut high) = (0.0, piece.length);
        for _ in 0..53 {
            let middle = 0.5 * (low + high);
            if piece.played_after(middle) <= target { low = middle } else { high = middle }
        }
        piece.start + low
    }

    /// Returns the slowness (played seconds per incoming second) directly before and directly after incoming `time`.
    pub(super) fn slowness(&self, time: f64) -> [f64; 2] {
        let after = self.piece_at(time);
        let before = if self.pieces[after].start == time { after.saturating_sub(1) } else { after };
        [before, after].map(|piece| self.pieces[piece].slowness_at(time - self.pieces[piece].start))
    }

    /// Returns the incoming times between `start` and `end` at which the map may have a kink, seconds.
    pub(super) fn knots_between(&self, start: f64, end: f64) -> impl Iterator<Item = f64> + '_ {
        let first = self.pieces.partition_point(|piece| piece.start <= start);
        self.pieces[first..].iter().map(|piece| piece.start).take_while(move |&time| time < end)
    }

    /// True if the speed is constant from incoming time `start` to `end`, seconds.
    pub(super) fn is_straight(&self, start: f64, end: f64) -> bool {
        let first = self.piece_at(start);
        let slowness = self.slowness(start)[1];
        let touching = self.pieces[first..].iter().take_while(|piece| piece.start < end);
        touching.into_iter().all(|piece| piece.slowness == [slowness; 2])
    }

    /// Returns the lowest and the highest speed (incoming seconds per played second) up to `duration`, incoming seconds.
    pub(super) fn speeds(&self, duration: f64) -> [f64; 2] {
        let inside = self.pieces.iter().map(|piece| piece.start).filter(|&time| time > 0.0 && time < duration);
        let [start, end] = [self.slowness(0.0)[1], self.slowness(duration)[0]];
        let speeds = inside.flat_map(|time| self.slowness(time)).chain([start, end]).map(f64::recip);
        speeds.fold([f64::INFINITY, 0.0], |[low, high], speed| [low.min(speed), high.max(speed)])
    }

    /// Returns the index of the segment at incoming `time`.
    fn piece_at(&self, time: f64) -> usize {
        self.pieces.partition_point(|piece| piece.start <= time).saturating_sub(1)
    }

    /// Multiplies all played times by `factor`.
    fn scale(&mut self, factor: f64) {
        for piece in &mut self.pieces {
            piece.played *= factor;
            piece.slowness = piece.slowness.map(|slowness| slowness * factor);
        }
    }
}

impl TimeSegment {
    /// Returns a segment from `start` to `end` (incoming seconds) with the given speeds at both ends.
    fn new(start: f64, end: f64, speeds: [f64; 2], ease: SpeedEase) -> Self {
        Self { start, played: 0.0, length: end - start, slowness: speeds.map(f64::recip), ease }
    }

    /// Returns the played seconds of the first `seconds` (incoming) of the segment. The first and the last segment have no end.
    fn played_after(&self, seconds: f64) -> f64 {
        let [from, to] = self.slowness;
        if from == to {
            return from * seconds;
        }
        let share = seconds / self.length;
        let eased = match self.ease {
            SpeedEase::Stepped => 0.0,
            SpeedEase::Linear => 0.5 * share * share,
            SpeedEase::Eased => share * share * share * (1.0 - 0.5 * share),
        };
        from * seconds + (to - from) * self.length * eased
    }

    /// Returns the slowness (played seconds per incoming second) `seconds` (incoming) after the start of the segment.
    fn slowness_at(&self, seconds: f64) -> f64 {
        let [from, to] = self.slowness;
        if from == to {
            return from;
        }
        let share = seconds / self.length;
        from + (to - from)
            * match self.ease {
                SpeedEase::Stepped => 0.0,
                SpeedEase::Linear => share,
                SpeedEase::Eased => share * share * (3.0 - 2.0 * share),
            }
    }
}
