//! States of a drawn tree: named sets of weights and parameters that events on the timeline go to.
//!
//! What a state changes stands with the connection, blend space or clip that it changes, so that it goes with them wherever they are
//! moved, copied or removed; a state itself is a name and how it is gone to. Everything it does not change is as the tree is drawn.
//! Before the first event the tree is as it is drawn; an event at 0 is where it begins.
//!
//! A weight goes from where it is to what the state has; an event that comes in between takes it on from there (or keeps its
//! speed, by [`super::Interrupt`]). Clips go on whatever happens, but for those that start again in a state: one that is seen at that moment
//! goes on under a cross-fade as long as the transition, one that is not is simply at its start.

use super::BuildError;
use super::scenario::{Action, Event};
use super::state::{State, StateEvent, StateWeight};
use super::tree::{NodeKind, Tree};
use crate::message::message;

impl Tree {
    /// The same without transitions; `None` where nothing happens.
    pub(super) fn hard_cut(&self) -> Option<Self> {
        let mut cut = self.clone();
        cut.events.iter_mut().for_each(|event| event.trans_time = Some(0.0));
        for node in &mut cut.nodes {
            if let NodeKind::Standard(scenario) = &mut node.kind {
                **scenario = scenario.hard_cut();
            }
        }
        (cut != *self).then_some(cut)
    }

    /// `event` as it happens, with what it has from its state.
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

    /// Its events as they happen, in order of time; of those at one time the order of the user decides.
    pub fn resolved_events(&self) -> Vec<Event> {
        let mut events: Vec<Event> = self.events.iter().map(|event| self.resolved(event)).collect();
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        events
    }

    /// Refuses an event whose times cannot be used or whose state is not there.
    pub(super) fn check_event(&self, event: &StateEvent) -> Result<(), BuildError> {
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

    /// Adds a state by a name that no other has; answers its place.
    pub fn add_state(&mut self, name: &str) -> usize {
        let name = self.free_name(name);
        self.states.push(State { name, ..State::default() });
        self.states.len() - 1
    }

    /// Gives state `index` another name, everywhere; an empty one or that of another state is made free first.
    pub fn rename_state(&mut self, index: usize, name: &str) {
        let Some(old) = self.states.get(index).map(|state| state.name.clone()) else { return };
        if old == name {
            return;
        }
        let new = self.free_name(name);
        self.states[index].name.clone_from(&new);
        self.each_mention(|mention| {
            if *mention == old {
                mention.clone_from(&new);
            }
        });
        self.events.iter_mut().filter(|event| event.state == old).for_each(|event| event.state.clone_from(&new));
    }

    /// Takes state `index` out with the events that go to it and what it changed.
    pub fn remove_state(&mut self, index: usize) {
        if index >= self.states.len() {
            return;
        }
        let gone = self.states.remove(index).name;
        self.events.retain(|event| event.state != gone);
        for node in &mut self.nodes {
            match &mut node.kind {
                NodeKind::Source(source) => source.restarts.retain(|state| *state != gone),
                NodeKind::Blend(links) => {
                    links.iter_mut().for_each(|link| link.in_states.retain(|own| own.state != gone));
                }
                NodeKind::Additive(additive) => additive.in_states.retain(|own| own.state != gone),
                NodeKind::Space(space) => space.in_states.retain(|own| own.state != gone),
                NodeKind::Standard(_) => {}
            }
        }
    }

    fn free_name(&self, wanted: &str) -> String {
        let wanted = if wanted.trim().is_empty() { "state" } else { wanted };
        let taken = |name: &String| self.states.iter().any(|state| state.name == *name);
        let mut names = (2..).map(|count| format!("{wanted} {count}"));
        let first = wanted.to_owned();
        if taken(&first) { names.find(|name| !taken(name)).unwrap_or(first) } else { first }
    }

    fn each_mention(&mut self, mut change: impl FnMut(&mut String)) {
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

/// The weight in `state` among those given, else `drawn`.
pub fn weight_in(in_states: &[StateWeight], state: &str, drawn: f32) -> f32 {
    in_states.iter().find(|own| own.state == state).map_or(drawn, |own| own.weight)
}

/// Gives `state` that weight; the drawn one where the name is empty.
pub fn put_weight(in_states: &mut Vec<StateWeight>, drawn: &mut f32, state: &str, weight: f32) {
    if state.is_empty() {
        *drawn = weight;
    } else if let Some(own) = in_states.iter_mut().find(|own| own.state == state) {
        own.weight = weight;
    } else {
        in_states.push(StateWeight { state: state.into(), weight });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::easing::Easing;
    use crate::systems::blend::{Link, Source};

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
    fn a_new_name_of_a_state_is_known_wherever_the_old_one_was_and_never_twice() {
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
    fn a_state_that_is_removed_leaves_nothing_behind() {
        let mut tree = tree();
        tree.remove_state(0);
        let NodeKind::Source(source) = &tree.nodes[0].kind else { panic!("a source") };
        let NodeKind::Blend(links) = &tree.nodes[1].kind else { panic!("a blend") };
        assert!(source.restarts.is_empty() && links[0].in_states.is_empty());
        assert!(tree.states.is_empty() && tree.events.is_empty());
    }

    #[test]
    fn an_event_has_from_its_state_what_it_has_not_itself() {
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
