//! Weights and parameters that events change: from one state to the next, a function of time.

use super::BuildError;
use super::scenario::{Event, Interrupt};
use super::state::{StatePlace, StateWeight};
use super::transitions::Ramp;
use super::tree::Tree;
use super::tree_state::weight_in;

/// The events of a drawn tree in order of time, as they happen.
#[derive(Clone, Debug, Default)]
pub(super) struct StateTimeline {
    events: Vec<Event>,
    interrupt: Interrupt,
}

impl StateTimeline {
    /// Checks the events of `tree`.
    pub fn new(tree: &Tree) -> Result<Self, BuildError> {
        tree.events.iter().try_for_each(|event| tree.check_event(event))?;
        let mut events = tree.resolved_events();
        // Nothing was played before 0, so nothing can be left.
        events.iter_mut().filter(|event| event.time == 0.0).for_each(|event| event.trans_time = 0.0);
        Ok(Self { events, interrupt: tree.interrupt })
    }

    /// The events, in order of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What each event goes to.
    fn changes(&self) -> impl Iterator<Item = (&Event, &str)> {
        self.events.iter().map(|event| (event, event.state.as_deref().unwrap_or_default()))
    }
}

/// A weight over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WeightTrack {
    /// Up to the first change.
    drawn: f32,
    /// Rising by their start; each holds until the next.
    ramps: Vec<Ramp>,
}

impl WeightTrack {
    /// The weight `drawn`, and in states what `in_states` has.
    pub fn new(drawn: f32, in_states: &[StateWeight], timeline: &StateTimeline) -> Self {
        let mut track = Self::constant(drawn);
        for (event, state) in timeline.changes() {
            track.go(event, weight_in(in_states, state, drawn), timeline.interrupt);
        }
        track
    }

    /// A weight that stays.
    pub fn constant(weight: f32) -> Self {
        Self { drawn: weight, ramps: Vec::new() }
    }

    fn go(&mut self, event: &Event, to: f32, interrupt: Interrupt) {
        let old = self.ramps.last().copied().unwrap_or(Ramp::constant(self.drawn));
        // Going again to where it goes already would only stretch the way.
        if old.to == to {
            return;
        }
        self.ramps.push(match interrupt {
            Interrupt::Captured => Ramp::of_event(event, old.at(event.time), to),
            Interrupt::Inertial => old.redirected(event, to),
        });
    }

    /// The weight at `time` (seconds).
    pub fn at(&self, time: f64) -> f32 {
        let next = self.ramps.partition_point(|ramp| ramp.start <= time);
        next.checked_sub(1).map_or(self.drawn, |last| self.ramps[last].at(time))
    }

    /// Whether it ever changes.
    pub fn moves(&self) -> bool {
        !self.ramps.is_empty()
    }

    /// When it begins and ends to change, seconds.
    pub fn turns(&self) -> impl Iterator<Item = f64> {
        self.ramps.iter().flat_map(|ramp| [ramp.start, ramp.end()])
    }
}

/// How the parameter of a blend space leaves what drives it for the places of states, and comes back.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlaceTrack {
    changes: Vec<PlaceChange>,
}

/// From one event on.
#[derive(Clone, Debug, PartialEq)]
struct PlaceChange {
    /// Goes from 0 to 1.
    ramp: Ramp,
    /// Where the parameter was at the event.
    from: [f64; 2],
    /// Where it goes; `None` to what drives it.
    to: Option<[f64; 2]>,
}

impl PlaceTrack {
    /// The places that `in_states` has; `driven` is where the parameter is without them, by seconds.
    pub fn new(in_states: &[StatePlace], timeline: &StateTimeline, driven: impl Fn(f64) -> [f64; 2]) -> Self {
        let mut track = Self::default();
        for (event, state) in timeline.changes() {
            let to = in_states.iter().find(|own| own.state == state).map(|own| own.at);
            if track.changes.last().and_then(|last| last.to) != to {
                let from = track.at(event.time, driven(event.time));
                track.changes.push(PlaceChange { ramp: Ramp::of_event(event, 0.0, 1.0), from, to });
            }
        }
        track
    }

    /// Where the parameter is at `time` (seconds), where it would be at `driven` without states.
    pub fn at(&self, time: f64, driven: [f64; 2]) -> [f64; 2] {
        let next = self.changes.partition_point(|change| change.ramp.start <= time);
        let Some(change) = next.checked_sub(1).map(|last| &self.changes[last]) else { return driven };
        let part = f64::from(change.ramp.at(time));
        let to = change.to.unwrap_or(driven);
        // At the end it is there to the last bit.
        if part >= 1.0 {
            return to;
        }
        std::array::from_fn(|axis| change.from[axis] + (to[axis] - change.from[axis]) * part)
    }

    /// When the last change is over, seconds; 0 where there is none.
    pub fn end(&self) -> f64 {
        self.changes.iter().map(|change| change.ramp.end()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::easing::Easing;
    use crate::systems::blend::{State, StateEvent};

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
    fn a_weight_goes_on_from_where_an_event_finds_it_and_rests_at_its_state() {
        for interrupt in Interrupt::ALL {
            let timeline = timeline(&[(1.0, "high"), (1.2, "low"), (1.3, "high"), (3.0, "")], interrupt);
            let track = WeightTrack::new(0.6, &levels(), &timeline);
            assert_eq!([0.0, 1.0, 2.9, 9.0].map(|time| track.at(time)), [0.6, 0.6, 2.0, 0.6]);
            let steps = (0..4000).map(|i| (track.at(f64::from(i + 1) * 1e-3) - track.at(f64::from(i) * 1e-3)).abs());
            assert!(steps.fold(0.0, f32::max) < 0.02, "{interrupt:?}");
        }
    }

    #[test]
    fn an_event_at_the_beginning_is_where_it_begins_and_one_to_the_same_state_changes_nothing() {
        let track = WeightTrack::new(0.6, &levels(), &timeline(&[(0.0, "high")], Interrupt::Captured));
        assert_eq!(track.at(0.0), 2.0);
        let [once, twice] = [vec![(1.0, "high")], vec![(1.0, "high"), (1.3, "high")]]
            .map(|events| WeightTrack::new(0.6, &levels(), &timeline(&events, Interrupt::Captured)));
        assert_eq!(once, twice);
    }

    #[test]
    fn a_parameter_leaves_its_curve_for_a_state_and_comes_back_to_it() {
        let places = [StatePlace { state: "high".into(), at: [5.0, 1.0] }];
        let driven = |time: f64| [time, 0.0];
        let events = [(1.0, "high"), (2.0, "low")];
        let track = PlaceTrack::new(&places, &timeline(&events, Interrupt::Captured), driven);
        let at = |time: f64| track.at(time, driven(time));
        assert_eq!([at(0.5), at(1.0), at(1.7), at(2.0), at(3.0)].map(|at| at[0]), [0.5, 1.0, 5.0, 5.0, 3.0]);
        assert!((0..4000).all(|i| (at(f64::from(i + 1) * 1e-3)[0] - at(f64::from(i) * 1e-3)[0]).abs() < 0.02));
    }
}
