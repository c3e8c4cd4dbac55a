//! When each moment of the incoming motion is played.
//!
//! Between two knots the *slowness* 1/speed (the seconds that a second takes) is mixed, and not the speed: then the time played is
//! its integral in closed form, a polynomial that only rises, and no key's place depends on steps of an integration.

use super::settings::{Settings, SpeedEase};

/// A rising map from seconds of the incoming motion to seconds played, both beginning at 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeMap {
    /// In order, without gaps; never empty.
    pieces: Vec<TimeSegment>,
}

/// The map over one stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TimeSegment {
    /// Seconds of the incoming motion at which it begins.
    start: f64,
    /// Seconds played there.
    played: f64,
    /// Its seconds of the incoming motion.
    length: f64,
    /// Slowness at its two ends.
    slowness: [f64; 2],
    ease: SpeedEase,
}

impl TimeMap {
    /// The map of good `settings` over `duration` seconds.
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
            pieces[i].played = pieces[i - 1].played + pieces[i - 1].passed(pieces[i - 1].length);
        }
        let mut map = Self { pieces };
        if let Some(length) = settings.length {
            map.scale(length / map.at(duration));
        }
        map
    }

    /// Seconds played at `time` of the incoming motion.
    pub fn at(&self, time: f64) -> f64 {
        let piece = &self.pieces[self.piece_at(time)];
        piece.played + piece.passed(time - piece.start)
    }

    /// Second of the incoming motion that is played at second `played`: [`TimeMap::at`] backwards.
    pub fn before(&self, played: f64) -> f64 {
        let piece = &self.pieces[self.pieces.partition_point(|piece| piece.played <= played).saturating_sub(1)];
        let (wanted, from) = (played - piece.played, piece.slowness[0]);
        if from == piece.slowness[1] {
            return piece.start + wanted / from;
        }
        // It only rises, so halves close in on the one place; 53 of them leave no bit undecided.
        let (mut low, mut high) = (0.0, piece.length);
        for _ in 0..53 {
            let middle = 0.5 * (low + high);
            if piece.passed(middle) <= wanted { low = middle } else { high = middle }
        }
        piece.start + low
    }

    /// Seconds that a second takes right before and right after `time`.
    pub(super) fn slowness(&self, time: f64) -> [f64; 2] {
        let after = self.piece_at(time);
        let before = if self.pieces[after].start == time { after.saturating_sub(1) } else { after };
        [before, after].map(|piece| self.pieces[piece].slowness_at(time - self.pieces[piece].start))
    }

    /// Times between `start` and `end` at which the map may have a kink.
    pub(super) fn knots_between(&self, start: f64, end: f64) -> impl Iterator<Item = f64> + '_ {
        self.pieces.iter().map(|piece| piece.start).filter(move |&time| start < time && time < end)
    }

    /// Whether a straight line runs through the map from `start` to `end`.
    pub(super) fn is_straight(&self, start: f64, end: f64) -> bool {
        let slowness = self.slowness(start)[1];
        let touches = |piece: &&TimeSegment| piece.start < end && piece.start + piece.length > start;
        self.pieces.iter().filter(touches).all(|piece| piece.slowness == [slowness; 2])
    }

    /// The lowest and the highest speed until `duration`.
    pub(super) fn speeds(&self, duration: f64) -> [f64; 2] {
        let inside = self.pieces.iter().map(|piece| piece.start).filter(|&time| time > 0.0 && time < duration);
        let [start, end] = [self.slowness(0.0)[1], self.slowness(duration)[0]];
        let speeds = inside.flat_map(|time| self.slowness(time)).chain([start, end]).map(f64::recip);
        speeds.fold([f64::INFINITY, 0.0], |[low, high], speed| [low.min(speed), high.max(speed)])
    }

    fn piece_at(&self, time: f64) -> usize {
        self.pieces.partition_point(|piece| piece.start <= time).saturating_sub(1)
    }

    fn scale(&mut self, factor: f64) {
        for piece in &mut self.pieces {
            piece.played *= factor;
            piece.slowness = piece.slowness.map(|slowness| slowness * factor);
        }
    }
}

impl TimeSegment {
    fn new(start: f64, end: f64, speeds: [f64; 2], ease: SpeedEase) -> Self {
        Self { start, played: 0.0, length: end - start, slowness: speeds.map(f64::recip), ease }
    }

    /// Seconds played in its first `seconds`; the first and the last piece go on for ever.
    fn passed(&self, seconds: f64) -> f64 {
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
