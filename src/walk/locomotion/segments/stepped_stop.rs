//! Stop without a stop clip: the last steps, one foot after the other.
//!
//! A walker who stops puts one foot down at its final position, moves the body over it, and brings the other foot next
//! to it. So the gait is shifted in phase until its first leg comes down at its standing position at the goal. From
//! there the cycle continues until every other foot has come down, while the blend fades to standing.

use glam::DVec3;

use super::segment::{GaitFrame, Segment};
use crate::locomotion::gaits::gait_phase::shift_phases;
use portamento_anim::math::easing::Easing;

/// The last steps of a walk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SteppedStop {
    /// The leg that comes down first.
    leg: usize,
    /// Time at which it comes down, seconds.
    pub begins: f64,
    /// Time at which the last foot comes down, seconds.
    pub ends: f64,
    /// Time from which only the idle clip plays, seconds.
    pub settled: f64,
    /// Phase at which the first foot comes down.
    pub phase: f64,
    /// Cycles between the landings of the first and the last foot.
    cycles: f64,
}

/// Time for the body to settle after the last landing, seconds. Tuned; no derivation recorded.
const SETTLE_SECONDS: f64 = 0.25;
/// Shortest time of a step in the air, seconds. Tuned; no derivation recorded.
const SWING_MIN_SECONDS: f64 = 0.2;

impl SteppedStop {
    /// Finds the last steps of a segment whose gaits are in `frames`, their phases not yet shifted; `None` without
    /// legs.
    pub fn find(segment: &Segment, frames: &[GaitFrame]) -> Option<Self> {
        let legs = segment.input.legs().len();
        let gaits = &segment.clips.gaits;
        if legs == 0 {
            return None;
        }
        let leg = 0;
        let frame = touch_down(segment, frames, leg);
        let begins = segment.time(frame);
        let plain = segment.clips.slowest_gait();
        let phase = plain.lands(leg);
        let later = |other: usize| (plain.lands(other) - phase).rem_euclid(1.0);
        let cycles = (1..legs).map(later).fold(0.0, f64::max);
        let blend = &frames[frame].blend;
        let gait = |gait: usize| gaits[gait].source.clip.duration;
        let cycle = blend.low.map_or(gait(blend.high), |low| gait(low) + (gait(blend.high) - gait(low)) * blend.weight);
        let [slow, fast] = segment.settings.play_rates.map(|rate| begins + cycles * cycle / rate);
        let ends = segment.profile.stop.ends.clamp(fast, slow);
        let settled = ends.max(segment.profile.stop.ends) + SETTLE_SECONDS;
        Some(Self { leg, begins, ends, settled, phase, cycles })
    }

    /// Returns `frames` with shifted phases, so that a foot comes down at its standing position at the goal, and with
    /// the last steps at their end.
    pub fn frames(&self, segment: &Segment, frames: Vec<GaitFrame>) -> Vec<GaitFrame> {
        let first = segment.frame_at(self.begins, frames.len());
        let shift = self.phase - frames[first].phase;
        let mut frames = shift_phases(frames, shift);
        let from = frames[first];
        for (i, frame) in frames.iter_mut().enumerate().skip(first) {
            *frame = self.step(&from, segment.time(i));
        }
        frames
    }

    /// Returns the gait frame at `time` (seconds); `from` is the frame in which the first foot comes down.
    fn step(&self, from: &GaitFrame, time: f64) -> GaitFrame {
        let along = ((time - self.begins) / (self.ends - self.begins).max(1e-9)).clamp(0.0, 1.0);
        let rest = Easing::Smoothstep.at((time - self.begins) / (self.settled - self.begins));
        GaitFrame { phase: self.phase + self.cycles * along, rest, ..*from }
    }

    /// Corrects in `standing` the contacts of leg `leg` at `times` (seconds). The first leg is planted from its landing on;
    /// each other leg takes one more step.
    pub fn land(&self, leg: usize, times: &[f64], standing: &mut [bool]) {
        let from = times.partition_point(|&time| time < self.begins - 1e-9);
        let end = times.partition_point(|&time| time < self.ends - 1e-9);
        if leg == self.leg {
            standing[from..].fill(true);
            return;
        }
        standing[end..].fill(true);
        let lifts = (from..end).find(|&i| !standing[i]).unwrap_or(end);
        let latest = times.partition_point(|&time| time < self.ends - SWING_MIN_SECONDS);
        let lifts = lifts.min(latest.max(from));
        standing[lifts..end].fill(false);
    }
}

/// Returns the index in `frames` at which `leg` comes down at its standing position at the goal: the last frame in
/// which the body's remaining distance is at least the distance by which the foot lands ahead of its position in the
/// idle pose. Returns 0 if there is none.
fn touch_down(segment: &Segment, frames: &[GaitFrame], leg: usize) -> usize {
    let unit = segment.input.metres_per_unit;
    let front = segment.carrier.front;
    let idle = segment.clips.idle.sole(leg, 0.0);
    let ahead = |position: DVec3| (position - idle).dot(front) * unit;
    let reach = |gait: usize| {
        let gait = &segment.clips.gaits[gait];
        ahead(gait.source.sole(leg, gait.time(gait.lands(leg))))
    };
    let lands = |i: usize| {
        let blend = &frames[i].blend;
        // A foot that is hardly put forward makes no step.
        let share = if blend.low.is_none() { blend.weight.max(0.5) } else { blend.weight };
        let low = blend.low.map_or(0.0, reach);
        low + (reach(blend.high) - low) * share
    };
    let left = |i: usize| segment.profile.stop.goal - segment.profile.at(segment.time(i)).0;
    (0..frames.len()).rev().find(|&i| left(i) >= lands(i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_foot_is_planted_from_its_landing_and_each_other_one_after_one_more_step() {
        let stop = SteppedStop { leg: 0, begins: 1.0, ends: 2.0, settled: 2.25, phase: 0.0, cycles: 0.5 };
        let times: Vec<f64> = (0..30).map(|frame| f64::from(frame) / 10.0).collect();
        let landed = |leg: usize, before: &dyn Fn(usize) -> bool| {
            let mut standing: Vec<bool> = (0..30).map(before).collect();
            stop.land(leg, &times, &mut standing);
            (0..30).filter(|&frame| !standing[frame]).collect::<Vec<_>>()
        };
        // In the air wherever no contact is given: the foot that comes down first, and one that had lifted at 1.3 s.
        assert_eq!(landed(0, &|_| false), (0..10).collect::<Vec<_>>());
        assert_eq!(landed(1, &|frame| frame < 13), (13..20).collect::<Vec<_>>());
        // A foot that would not lift on its own does so for the shortest step, a fifth of a second.
        assert_eq!(landed(1, &|_| true), [18, 19]);
        assert_eq!(landed(1, &|frame| frame > 4), [0, 1, 2, 3, 4, 18, 19]);
    }
}
