//! Weights and parameter positions that events change from one state to the next, as functions of time.

use crate::BuildError;
use crate::fades::transitions::Ramp;
use crate::standard::scenario::{Event, Interrupt};
use crate::trees::state::{StatePosition, StateWeight};
use crate::trees::tree::Tree;
use crate::trees::tree_state::weight_in;

/// The resolved events of a drawn tree, sorted by time.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateTimeline {
    events: Vec<Event>,
    interrupt: Interrupt,
}

impl StateTimeline {
    /// Validates and resolves the events of `tree`. An event at time 0 loses its transition.
    ///
    /// Returns `Err` if [`Tree::check_event`] refuses an event.
    pub fn new(tree: &Tree) -> Result<Self, BuildError> {
        tree.events.iter().try_for_each(|event| tree.check_event(event))?;
        let mut events = tree.resolved_events();
        // An event at time 0 sets the initial state without a transition.
        events.iter_mut().filter(|event| event.time == 0.0).for_each(|event| event.trans_time = 0.0);
        Ok(Self { events, interrupt: tree.interrupt })
    }

    /// Returns the events, sorted by time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns each event with the name of its state.
    fn changes(&self) -> impl Iterator<Item = (&Event, &str)> {
        self.events.iter().map(|event| (event, event.state.as_deref().unwrap_or_default()))
    }
}

/// A weight as a function of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WeightTrack {
    /// Weight before the first change: that of the default state.
    default_weight: f32,
    /// Changes, rising by start; each applies until the next one.
    ramps: Vec<Ramp>,
}

impl WeightTrack {
    /// Returns the track of a weight that is `default_weight` except in the states of `in_states`.
    pub fn new(default_weight: f32, in_states: &[StateWeight], timeline: &StateTimeline) -> Self {
        let mut track = Self::constant(default_weight);
        for (event, state) in timeline.changes() {
            track.change_to(event, weight_in(in_states, state, default_weight), timeline.interrupt);
        }
        track
    }

    /// Returns a track of constant weight.
    pub fn constant(weight: f32) -> Self {
        Self { default_weight: weight, ramps: Vec::new() }
    }

    /// Adds a change to `to` at `event`, unless `to` is already the target.
    fn change_to(&mut self, event: &Event, to: f32, interrupt: Interrupt) {
        let old = self.ramps.last().copied().unwrap_or(Ramp::constant(self.default_weight));
        // Restarting a change to the same target would lengthen it.
        if old.to == to {
            return;
        }
        self.ramps.push(match interrupt {
            Interrupt::Captured => Ramp::of_event(event, old.at(event.time), to),
            Interrupt::Inertial => old.redirected(event, to),
        });
    }

    /// Returns the weight at `time` (seconds).
    pub fn at(&self, time: f64) -> f32 {
        let next = self.ramps.partition_point(|ramp| ramp.start <= time);
        next.checked_sub(1).map_or(self.default_weight, |last| self.ramps[last].at(time))
    }

    /// True if the weight ever changes.
    pub fn is_animated(&self) -> bool {
        !self.ramps.is_empty()
    }

    /// Returns the times in seconds at which changes begin and end.
    pub fn change_times(&self) -> impl Iterator<Item = f64> {
        self.ramps.iter().flat_map(|ramp| [ramp.start, ramp.end()])
    }
}

/// Parameter positions that states impose on a blend space: the changes from the driven position to a state's position and back.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PositionTrack {
    changes: Vec<PositionChange>,
}

/// A change of the parameter position that starts at an event.
#[derive(Clone, Debug, PartialEq)]
struct PositionChange {
    /// Ramp from 0 to 1.
    ramp: Ramp,
    /// Position at the event.
    from: [f64; 2],
    /// Target position; `None` to return to the driven position.
    to: Option<[f64; 2]>,
}

impl PositionTrack {
    /// Returns the track of the positions in `in_states`. `driven` returns the position without states at a time in seconds.
    pub fn new(in_states: &[StatePosition], timeline: &StateTimeline, driven: impl Fn(f64) -> [f64; 2]) -> Self {
        let mut track = Self::default();
        for (event, state) in timeline.changes() {
            let to = in_states.iter().find(|own| own.state == state).map(|own| own.at);
            if track.changes.last().and_then(|last| last.to) != to {
                let from = track.at(event.time, driven(event.time));
                track.changes.push(PositionChange { ramp: Ramp::of_event(event, 0.0, 1.0), from, to });
            }
        }
        track
    }

    /// Returns the position at `time` (seconds); `driven` is the position without states at that time.
    pub fn at(&self, time: f64, driven: [f64; 2]) -> [f64; 2] {
        let next = self.changes.partition_point(|change| change.ramp.start <= time);
        let Some(change) = next.checked_sub(1).map(|last| &self.changes[last]) else { return driven };
        let fraction = f64::from(change.ramp.at(time));
        let to = change.to.unwrap_or(driven);
        // The target is reached exactly.
        if fraction >= 1.0 {
            return to;
        }
        std::array::from_fn(|axis| change.from[axis] + (to[axis] - change.from[axis]) * fraction)
    }

    /// Returns the end of the last change in seconds; 0 if there is none.
    pub fn end(&self) -> f64 {
        self.changes.iter().map(|change| change.ramp.end()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{State, StateEvent};
    use portamento_anim::math::easing::Easing;

    fn timeline(events: &[(f64, &str)], interrupt: Interrupt) -> StateTimeline {
        let state = |name: &str| State { name: name.into(), trans_time: 0.5, easing: Easing::Smoothstep };
        let event = |&(time, state): &(f64, &str)| StateEvent { time, state: state.into(), ..StateEvent::default() };
        let tree = Tree {
            states: vec![state("low"), state("high")],
            events: events.iter().map(event).collect(),
            interrupt,
            ..Tree::default()
        };
        StateTimeline::new(&tree).unwrap()
    }

    fn levels() -> Vec<StateWeight> {
        [("low", 0.0), ("high", 2.0)].map(|(state, weight)| StateWeight { state: state.into(), weight }).to_vec()
    }

    #[test]
    fn a_weight_changes_from_its_current_value_to_that_of_the_state() {
        for interrupt in Interrupt::ALL {
            let timeline = timeline(&[(1.0, "high"), (1.2, "low"), (1.3, "high"), (3.0, "")], interrupt);
            let track = WeightTrack::new(0.6, &levels(), &timeline);
            assert_eq!([0.0, 1.0, 2.9, 9.0].map(|time| track.at(time)), [0.6, 0.6, 2.0, 0.6]);
            let steps = (0..4000).map(|i| (track.at(f64::from(i + 1) * 1e-3) - track.at(f64::from(i) * 1e-3)).abs());
            assert!(steps.fold(0.0, f32::max) < 0.02, "{interrupt:?}");
        }
    }

    #[test]
    fn an_event_at_time_0_sets_the_initial_weight_and_a_repeated_state_changes_nothing() {
        let track = WeightTrack::new(0.6, &levels(), &timeline(&[(0.0, "high")], Interrupt::Captured));
        assert_eq!(track.at(0.0), 2.0);
        let [once, twice] = [vec![(1.0, "high")], vec![(1.0, "high"), (1.3, "high")]]
            .map(|events| WeightTrack::new(0.6, &levels(), &timeline(&events, Interrupt::Captured)));
        assert_eq!(once, twice);
    }

    #[test]
    fn a_parameter_moves_to_the_position_of_a_state_and_returns_to_its_keys() {
        let positions = [StatePosition { state: "high".into(), at: [5.0, 1.0] }];
        let driven = |time: f64| [time, 0.0];
        let events = [(1.0, "high"), (2.0, "low")];
        let track = PositionTrack::new(&positions, &timeline(&events, Interrupt::Captured), driven);
        let at = |time: f64| track.at(time, driven(time));
        assert_eq!([at(0.5), at(1.0), at(1.7), at(2.0), at(3.0)].map(|at| at[0]), [0.5, 1.0, 5.0, 5.0, 3.0]);
        assert!((0..4000).all(|i| (at(f64::from(i + 1) * 1e-3)[0] - at(f64::from(i) * 1e-3)[0]).abs() < 0.02));
    }
}
