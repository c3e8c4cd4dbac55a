//! Moments followed through the stages: where what happens in the motion that comes into one is in what comes out of the last.

use super::{BuiltTake, StageResult};
use crate::message::Moment;
use crate::systems::blend::Event;

impl StageResult {
    /// Second of what comes out in which second `time` of what comes in is; may lie outside of what comes out.
    pub(super) fn after(&self, time: f64) -> f64 {
        match self {
            Self::Trim(built) => time - built.report.from,
            Self::Retime(built) => built.map.at(time),
            Self::Loop(built) => time - built.window.start as f64 / built.fps,
            _ => time,
        }
    }

    /// Second of what comes in that second `time` of what comes out is.
    pub(super) fn before(&self, time: f64) -> f64 {
        match self {
            Self::Trim(built) => time + built.report.from,
            Self::Retime(built) => built.map.before(time),
            Self::Loop(built) => time + built.window.start as f64 / built.fps,
            _ => time,
        }
    }
}

impl BuiltTake {
    /// Second of what comes out in which second `time` of what comes into the stage at `index` is. Beyond the ends of what comes
    /// out for what a later stage cuts off.
    pub fn seconds_out(&self, index: usize, time: f64) -> f64 {
        self.stages.iter().skip(index).fold(time, |time, stage| stage.result.after(time))
    }

    /// Second of what comes out that `moment` is.
    pub fn seconds_of(&self, moment: Moment) -> f64 {
        self.seconds_out(moment.stages, moment.seconds).clamp(0.0, self.clip.duration)
    }

    /// Second of what comes into the stage at `index` that is shown at second `time` of what comes out.
    pub fn seconds_in(&self, index: usize, time: f64) -> f64 {
        self.stages.iter().skip(index).rev().fold(time, |time, stage| stage.result.before(time))
    }
}

/// `events` after a stage that made `seconds` of motion: at their new times with their transitions, without what is cut off.
pub(super) fn carried(events: &[Event], result: &StageResult, seconds: f64) -> Vec<Event> {
    let carry = |event: &Event| {
        let time = result.after(event.time);
        let trans_time = (result.after(event.time + event.trans_time) - time).max(0.0);
        Event { time, trans_time, ..event.clone() }
    };
    events.iter().map(carry).filter(|event| (0.0..=seconds).contains(&event.time)).collect()
}
