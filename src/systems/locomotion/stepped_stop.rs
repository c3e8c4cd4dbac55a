//! How a character without a stop clip comes to a stand: its last steps, one foot after the other.
//!
//! A walker who stops puts one foot down where it is going to stay, lets the body come over it, and brings the other beside it.
//! So the gait is shifted in time until its first leg comes down just where that foot stands at the goal; from there the cycle
//! runs on until every other foot has come down too, while the mix goes over into standing.

use glam::DVec3;

use super::gait_phase::shifted;
use super::segment::{GaitFrame, Segment};
use crate::math::easing::Easing;

/// The last steps of a walk.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SteppedStop {
    /// The leg that comes down first.
    leg: usize,
    /// When it does, seconds.
    pub begins: f64,
    /// When the last foot comes down, seconds.
    pub ends: f64,
    /// When nothing but the idle clip is left, seconds.
    pub settled: f64,
    /// Phase at which the first foot comes down.
    pub phase: f64,
    /// Cycles from the first foot's coming down to the last one's.
    cycles: f64,
}

/// Seconds in which the body settles after the last foot has come down.
const SETTLE: f64 = 0.25;
/// Seconds a foot is off the ground for a step at least.
const SHORTEST: f64 = 0.2;

impl SteppedStop {
    /// The last steps of a segment whose gaits go in `frames`, their phases not shifted yet; `None` without legs.
    pub fn find(segment: &Segment, frames: &[GaitFrame]) -> Option<Self> {
        let legs = segment.input.legs().len();
        let gaits = &segment.clips.gaits;
        if legs == 0 {
            return None;
        }
        let leg = 0;
        let frame = touch_down(segment, frames, leg);
        let begins = segment.time(frame);
        let plain = segment.clips.plain();
        let phase = plain.lands(leg);
        let later = |other: usize| (plain.lands(other) - phase).rem_euclid(1.0);
        let cycles = (1..legs).map(later).fold(0.0, f64::max);
        let blend = &frames[frame].blend;
        let gait = |gait: usize| gaits[gait].source.clip.duration;
        let cycle = blend.low.map_or(gait(blend.high), |low| gait(low) + (gait(blend.high) - gait(low)) * blend.weight);
        let [slow, fast] = segment.settings.play_rates.map(|rate| begins + cycles * cycle / rate);
        let ends = segment.profile.stop.ends.clamp(fast, slow);
        let settled = ends.max(segment.profile.stop.ends) + SETTLE;
        Some(Self { leg, begins, ends, settled, phase, cycles })
    }

    /// `frames` shifted so that a foot comes down where it stands at the goal, with the last steps at their end.
    pub fn frames(&self, segment: &Segment, frames: Vec<GaitFrame>) -> Vec<GaitFrame> {
        let first = segment.frame(self.begins, frames.len());
        let shift = self.phase - frames[first].phase;
        let mut frames = shifted(frames, shift);
        let from = frames[first];
        for (i, frame) in frames.iter_mut().enumerate().skip(first) {
            *frame = self.step(&from, segment.time(i));
        }
        frames
    }

    /// What plays at `time` (seconds), `from` being what plays when the first foot comes down.
    fn step(&self, from: &GaitFrame, time: f64) -> GaitFrame {
        let along = ((time - self.begins) / (self.ends - self.begins).max(1e-9)).clamp(0.0, 1.0);
        let rest = Easing::Smoothstep.at((time - self.begins) / (self.settled - self.begins));
        GaitFrame { phase: self.phase + self.cycles * along, rest, ..*from }
    }

    /// Corrects when leg `leg` stands at `times`: the first one from its coming down on, each other one after one more step.
    pub fn land(&self, leg: usize, times: &[f64], standing: &mut [bool]) {
        let from = times.partition_point(|&time| time < self.begins - 1e-9);
        let end = times.partition_point(|&time| time < self.ends - 1e-9);
        if leg == self.leg {
            standing[from..].fill(true);
            return;
        }
        standing[end..].fill(true);
        let lifts = (from..end).find(|&i| !standing[i]).unwrap_or(end);
        let latest = times.partition_point(|&time| time < self.ends - SHORTEST);
        let lifts = lifts.min(latest.max(from));
        standing[lifts..end].fill(false);
    }
}

/// The frame in which `leg` comes down where it stands at the goal: the last from which its landing reaches that far.
fn touch_down(segment: &Segment, frames: &[GaitFrame], leg: usize) -> usize {
    let unit = segment.input.metres_per_unit;
    let front = segment.carrier.front;
    let idle = segment.clips.idle.sole(leg, 0.0);
    let ahead = |place: DVec3| (place - idle).dot(front) * unit;
    let reach = |gait: usize| {
        let gait = &segment.clips.gaits[gait];
        ahead(gait.source.sole(leg, gait.time(gait.lands(leg))))
    };
    let lands = |i: usize| {
        let blend = &frames[i].blend;
        // A foot that is hardly put forward is no step.
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
    fn the_first_foot_stands_from_its_coming_down_and_each_other_one_after_one_more_step() {
        let stop = SteppedStop { leg: 0, begins: 1.0, ends: 2.0, settled: 2.25, phase: 0.0, cycles: 0.5 };
        let times: Vec<f64> = (0..30).map(|frame| f64::from(frame) / 10.0).collect();
        let landed = |leg: usize, before: &dyn Fn(usize) -> bool| {
            let mut standing: Vec<bool> = (0..30).map(before).collect();
            stop.land(leg, &times, &mut standing);
            (0..30).filter(|&frame| !standing[frame]).collect::<Vec<_>>()
        };
        // In the air wherever nothing else is said: the foot that comes down first, and one that had lifted at 1.3 s.
        assert_eq!(landed(0, &|_| false), (0..10).collect::<Vec<_>>());
        assert_eq!(landed(1, &|frame| frame < 13), (13..20).collect::<Vec<_>>());
        // A foot that would not lift by itself does so for the shortest step, a fifth of a second.
        assert_eq!(landed(1, &|_| true), [18, 19]);
        assert_eq!(landed(1, &|frame| frame > 4), [0, 1, 2, 3, 4, 18, 19]);
    }
}
