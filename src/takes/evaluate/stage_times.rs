//! Time mapping through the stages, between the input of a stage and the output of the take.

use super::{BuiltTake, StageResult};
use portamento_base::message::Moment;
use portamento_blend::Event;

impl BuiltTake {
    /// Converts a time at the input of the stage at `index` to output time of the take, seconds. The result is outside the output
    /// if a later stage cuts that time off. The index counts the active stages from 0.
    pub fn output_time(&self, index: usize, time: f64) -> f64 {
        self.stages.iter().skip(index).fold(time, |time, stage| stage.result.outcome().output_time(time))
    }

    /// Returns the output time of `moment`, seconds, clamped to the output. `moment` counts the stages before it.
    pub fn output_time_of(&self, moment: Moment) -> f64 {
        self.output_time(moment.stages, moment.seconds).clamp(0.0, self.clip.duration)
    }

    /// Converts output time of the take to the time at the input of the stage at `index`, seconds.
    pub fn input_time(&self, index: usize, time: f64) -> f64 {
        self.stages.iter().skip(index).rev().fold(time, |time, stage| stage.result.outcome().input_time(time))
    }
}

/// Maps `events` through a stage whose output lasts `seconds`, with their transition times. Events that were cut off are dropped.
pub(super) fn events_after_stage(events: &[Event], result: &StageResult, seconds: f64) -> Vec<Event> {
    let result = result.outcome();
    let mapped = |event: &Event| {
        let time = result.output_time(event.time);
        let trans_time = (result.output_time(event.time + event.trans_time) - time).max(0.0);
        Event { time, trans_time, ..event.clone() }
    };
    events.iter().map(mapped).filter(|event| (0.0..=seconds).contains(&event.time)).collect()
}
