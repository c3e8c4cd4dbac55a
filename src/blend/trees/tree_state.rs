//! States of a drawn tree: named sets of weights and parameters that timeline events switch to.
//!
//! The values of a state are stored with the connection, blend space or clip that they change. They are therefore moved, copied
//! and removed together with it. The state itself has only a name and a default transition. Values that a state does not
//! change are those of the default state. The tree is in the default state until the first event; an event at time 0 sets the
//! initial state.
//!
//! A weight changes from its current value to the value of the state. An event during a change continues from the value reached
//! so far (or also keeps its speed, see [`crate::Interrupt`]). Clips keep playing across events, except those that restart in a
//! state. A visible clip restarts under a cross-fade of the transition's length; an invisible one restarts at once.

use super::state::{State, StateEvent, StateWeight};
use super::tree::{NodeKind, Tree};
use crate::BuildError;
use crate::standard::scenario::{Action, Event};
use portamento_base::message::message;

impl Tree {
    /// Returns the tree with all transition times set to 0.
    pub(crate) fn hard_cut(&self) -> Self {
        let mut cut = self.clone();
        cut.events.iter_mut().for_each(|event| event.trans_time = Some(0.0));
        for node in &mut cut.nodes {
            if let NodeKind::Standard(scenario) = &mut node.kind {
                **scenario = scenario.hard_cut();
            }
        }
        cut
    }

    /// Returns `event` with its transition time and easing; missing ones come from its state. An unknown state has the
    /// defaults of a new one.
    pub fn resolved(&self, event: &StateEvent) -> Event {
        let state = self.states.iter().find(|state| state.name == event.state).cloned().unwrap_or_default();
        Event {
            time: event.time,
            action: Action::Go,
            state: Some(event.state.clone()),
            trans_time: event.trans_time.unwrap_or(state.trans_time),
            easing: event.easing.unwrap_or(state.easing),
            ..Event::default()
        }
    }

    /// Returns the resolved events, sorted by time. Events at the same time keep the user's order.
    pub fn resolved_events(&self) -> Vec<Event> {
        let mut events: Vec<Event> = self.events.iter().map(|event| self.resolved(event)).collect();
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        events
    }

    /// Returns `Err` if a time is negative or not finite, or if the state does not exist. An empty name is the default state.
    pub(crate) fn check_event(&self, event: &StateEvent) -> Result<(), BuildError> {
        let known = event.state.is_empty() || self.states.iter().any(|state| state.name == event.state);
        let resolved = self.resolved(event);
        for (what, value) in [
            (message!("setting.blend.time", "time"), resolved.time),
            (message!("setting.blend.trans_time", "transition time"), resolved.trans_time),
        ] {
            if !value.is_finite() || value < 0.0 {
                return Err(BuildError::BadNumber { node: event.state.clone(), what, value });
            }
        }
        if known { Ok(()) } else { Err(BuildError::NoSuchState { state: event.state.clone() }) }
    }

    /// Adds a state, with a number after the name if it is taken; returns its index.
    pub fn add_state(&mut self, name: &str) -> usize {
        let name = self.free_name(name);
        self.states.push(State { name, ..State::default() });
        self.states.len() - 1
    }

    /// Renames state `index` and every reference to it. An empty or taken name is replaced by a free one. Does nothing if
    /// there is no such state.
    pub fn rename_state(&mut self, index: usize, name: &str) {
        let Some(old) = self.states.get(index).map(|state| state.name.clone()) else { return };
        if old == name {
            return;
        }
        let new = self.free_name(name);
        self.states[index].name.clone_from(&new);
        self.for_each_reference(|reference| {
            if *reference == old {
                reference.clone_from(&new);
            }
        });
        self.events.iter_mut().filter(|event| event.state == old).for_each(|event| event.state.clone_from(&new));
    }

    /// Removes state `index`, the events that switch to it and its values. Does nothing if there is no such state.
    pub fn remove_state(&mut self, index: usize) {
        if index >= self.states.len() {
            return;
        }
        let removed = self.states.remove(index).name;
        self.events.retain(|event| event.state != removed);
        for node in &mut self.nodes {
            match &mut node.kind {
                NodeKind::Source(source) => source.restarts.retain(|state| *state != removed),
                NodeKind::Blend(links) => {
                    links.iter_mut().for_each(|link| link.in_states.retain(|own| own.state != removed));
                }
                NodeKind::Additive(additive) => additive.in_states.retain(|own| own.state != removed),
                NodeKind::Space(space) => space.in_states.retain(|own| own.state != removed),
                NodeKind::Standard(_) => {}
            }
        }
    }

    /// Returns `wanted`, or `wanted` with a number if that name is taken. An empty name becomes "state".
    fn free_name(&self, wanted: &str) -> String {
        let wanted = if wanted.trim().is_empty() { "state" } else { wanted };
        let taken = |name: &String| self.states.iter().any(|state| state.name == *name);
        let mut names = (2..).map(|count| format!("{wanted} {count}"));
        let first = wanted.to_owned();
        if taken(&first) { names.find(|name| !taken(name)).unwrap_or(first) } else { first }
    }

    /// Calls `change` for every reference to a state in the nodes. Events are not visited.
    fn for_each_reference(&mut self, mut change: impl FnMut(&mut String)) {
        for node in &mut self.nodes {
            match &mut node.kind {
                NodeKind::Source(source) => source.restarts.iter_mut().for_each(&mut change),
                NodeKind::Blend(links) => {
                    links.iter_mut().flat_map(|link| &mut link.in_states).for_each(|own| change(&mut own.state));
                }
                NodeKind::Additive(additive) => additive.in_states.iter_mut().for_each(|own| change(&mut own.state)),
                NodeKind::Space(space) => space.in_states.iter_mut().for_each(|own| change(&mut own.state)),
                NodeKind::Standard(_) => {}
            }
        }
    }
}

/// Returns the weight of `state`, or `default_weight` if the state does not change it.
pub fn weight_in(in_states: &[StateWeight], state: &str, default_weight: f32) -> f32 {
    in_states.iter().find(|own| own.state == state).map_or(default_weight, |own| own.weight)
}

/// Sets the weight of `state`; an empty name sets the default weight.
pub fn set_weight(in_states: &mut Vec<StateWeight>, default_weight: &mut f32, state: &str, weight: f32) {
    if state.is_empty() {
        *default_weight = weight;
    } else if let Some(own) = in_states.iter_mut().find(|own| own.state == state) {
        own.weight = weight;
    } else {
        in_states.push(StateWeight { state: state.into(), weight });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Link, Source};
    use portamento_anim::math::easing::Easing;

    fn tree() -> Tree {
        let mut tree = Tree::default();
        let clip = tree.add("Clip", NodeKind::Source(Source { restarts: vec!["guard".into()], ..Source::default() }));
        let in_states = vec![StateWeight { state: "guard".into(), weight: 0.5 }];
        tree.root = tree.add("Mix", NodeKind::Blend(vec![Link { child: clip, in_states, ..Link::default() }]));
        tree.add_state("guard");
        tree.events.push(StateEvent { time: 1.0, state: "guard".into(), ..StateEvent::default() });
        tree
    }

    #[test]
    fn renaming_a_state_updates_all_references_and_names_stay_unique() {
        let mut tree = tree();
        let other = tree.add_state("guard");
        assert_eq!(tree.states[other].name, "guard 2");
        tree.rename_state(0, "on watch");
        let NodeKind::Source(source) = &tree.nodes[0].kind else { panic!("a source") };
        let NodeKind::Blend(links) = &tree.nodes[1].kind else { panic!("a blend") };
        assert_eq!((&*source.restarts[0], &*links[0].in_states[0].state), ("on watch", "on watch"));
        assert_eq!(tree.events[0].state, "on watch");
        tree.rename_state(1, "on watch");
        assert_eq!(tree.states[1].name, "on watch 2");
    }

    #[test]
    fn removing_a_state_removes_its_values_and_events() {
        let mut tree = tree();
        tree.remove_state(0);
        let NodeKind::Source(source) = &tree.nodes[0].kind else { panic!("a source") };
        let NodeKind::Blend(links) = &tree.nodes[1].kind else { panic!("a blend") };
        assert!(source.restarts.is_empty() && links[0].in_states.is_empty());
        assert!(tree.states.is_empty() && tree.events.is_empty());
    }

    #[test]
    fn an_event_takes_missing_transition_settings_from_its_state() {
        let mut tree = tree();
        (tree.states[0].trans_time, tree.states[0].easing) = (0.7, Easing::Linear);
        let resolved = tree.resolved_events();
        assert_eq!((resolved[0].trans_time, resolved[0].easing), (0.7, Easing::Linear));
        tree.events[0].trans_time = Some(0.1);
        assert_eq!(tree.resolved_events()[0].trans_time, 0.1);
        tree.events[0].state = "gone".into();
        assert!(tree.check_event(&tree.events[0]).unwrap_err().to_string().contains("gone"));
    }
}
